import type { HSL, RGB } from 'obsidian';

/** Hue in degrees, the others in percent. */
export function rgbToHsl({ r, g, b }: RGB): HSL {
  const [red, green, blue] = [r / 255, g / 255, b / 255];
  const max = Math.max(red, green, blue);
  const range = max - Math.min(red, green, blue);
  const light = max - range / 2;
  if (range === 0) return { h: 0, s: 0, l: Math.round(light * 100) };
  const saturation = range / (1 - Math.abs(2 * light - 1));
  const sixth =
    max === red
      ? (green - blue) / range
      : max === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return {
    h: Math.round((sixth * 60 + 360) % 360),
    s: Math.round(saturation * 100),
    l: Math.round(light * 100),
  };
}

export function hslToRgb({ h, s, l }: HSL): RGB {
  const light = l / 100;
  const spread = (s / 100) * Math.min(light, 1 - light);
  const part = (shift: number): number => {
    const at = (shift + h / 30) % 12;
    return Math.round(255 * (light - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return { r: part(0), g: part(8), b: part(4) };
}
