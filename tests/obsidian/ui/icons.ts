const own = new Map<string, string>();

/** Registers a drawing; the fake keeps its name and draws nothing. */
export function addIcon(iconId: string, svgContent: string): void {
  own.set(iconId, svgContent);
}

export function removeIcon(iconId: string): void {
  own.delete(iconId);
}

export function getIconIds(): string[] {
  return [...own.keys()];
}

/** An empty drawing that bears the icon's name. */
export function getIcon(iconId: string): SVGSVGElement | null {
  return createSvg('svg', dress(iconId));
}

/** Puts the icon in the place of what the element holds. Ids come with or without `lucide-`. */
export function setIcon(parent: HTMLElement, iconId: string): void {
  parent.empty();
  parent.createSvg('svg', dress(iconId));
}

function dress(iconId: string): SvgElementInfo {
  const name = iconId.replace(/^lucide-/, '');
  return { cls: `svg-icon lucide-${name}`, attr: { 'data-icon': name, 'aria-hidden': 'true' } };
}
