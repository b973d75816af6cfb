/** Characters that would end a wikilink or its title early. */
const BREAKING = /[[\]|#^\r\n]+/g;

/** A link to a note as it stands in another note: `[[wiki/homelab/facts/wireguard-mtu|WireGuard MTU]]`. */
export function noteLink(path: string, title: string): string {
  const words = title.replace(BREAKING, ' ').replace(/\s+/g, ' ').trim();
  const target = path.replace(/\.md$/, '');
  return words === '' ? `[[${target}]]` : `[[${target}|${words}]]`;
}
