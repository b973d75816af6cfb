/** Puts the icon in the place of what the element holds. Ids come with or without `lucide-`. */
export function setIcon(parent: HTMLElement, iconId: string): void {
  parent.empty();
  parent.createSvg('svg', dress(iconId));
}

function dress(iconId: string): SvgElementInfo {
  const name = iconId.replace(/^lucide-/, '');
  return { cls: `svg-icon lucide-${name}`, attr: { 'data-icon': name, 'aria-hidden': 'true' } };
}
