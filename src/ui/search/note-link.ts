import { linkWords } from '../../core/rules/link-words';

/** A link to a note as it stands in another note: `[[wiki/homelab/facts/wireguard-mtu|WireGuard MTU]]`. */
export function noteLink(path: string, title: string): string {
  const words = linkWords(title);
  const target = path.replace(/\.md$/, '');
  return words === '' ? `[[${target}]]` : `[[${target}|${words}]]`;
}
