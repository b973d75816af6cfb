/** False when a note asks, with `auto_tunnel: false`, to be left alone by automatic tunnels: neither dug from nor to. */
export function allowsTunnels(frontmatter: Readonly<Record<string, unknown>>): boolean {
  const { auto_tunnel: wish } = frontmatter;
  return !(typeof wish === 'string' && /^(?:false|no|off)$/i.test(wish));
}
