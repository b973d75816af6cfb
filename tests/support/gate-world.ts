import { gate, type Gated, type GateInput } from '../../src/core/gate/gate';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { linkTargets } from './link-targets';

/** A small vault: two notes named `mtu`, one by title and alias, attachments, a handled original. */
export const targets = linkTargets([
  {
    path: 'wiki/homelab/facts/mtu.md',
    title: 'WireGuard MTU',
    aliases: ['the tunnel limit'],
    headings: ['How to set it', 'Ports: 51820 [UDP]'],
    blocks: ['b1'],
  },
  { path: 'wiki/net/facts/mtu.md', title: 'Path MTU' },
  { path: 'wiki/net/facts/dns.md', title: 'Größe | DNS [draft]' },
  { path: 'wiki/lab/facts/vlan.md', title: 'VLAN' },
  { path: 'wiki/net/decisions/vlan.md', title: 'Use VLANs' },
  { path: 'wiki/homelab/facts/self.md', title: 'Self' },
  { path: 'knowledge/Old Note.md', title: 'Old Note' },
  { path: 'knowledge/dotnet.md', title: '.NET' },
  { path: 'img/a b.png' },
  { path: 'inbox/processed/2026-01-02/report.pdf' },
]);

export const from = { path: vaultPath('wiki/homelab/facts/self.md'), wing: 'homelab', hall: 'facts' };

/** Gates a body as the note `wiki/homelab/facts/self.md` would be, in full unless told. */
export function gated(body: string, options: Partial<GateInput> = {}): Gated {
  return gate({ body, from, targets, mode: 'full', activeContent: true, ...options });
}

/** The references in a few words each: kind, target, where it leads or why not, and `!` when it was taken apart. */
export function told({ refs }: Pick<Gated, 'refs'>): string {
  return refs
    .map(
      ({ kind, target, resolved, reason, unlinked }) =>
        `${kind} ${target} ${reason ?? resolved}${unlinked ? '!' : ''}`,
    )
    .join('; ');
}
