import { sha256 } from '../../../src/core/base/hash';
import { changeVault } from '../../../src/core/operation/change';
import { Uncertain, type VaultStore } from '../../../src/core/ports/ports';
import type { Step } from '../../../src/core/storage/commit';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { memoryPorts } from '../../support/commit-ports';

const A = vaultPath('raw/home-a.md');
const B = vaultPath('raw/home-b.md');

/** Ports on a vault that makes changes together; `after` runs when a change is made and before its answer comes. */
function portsTogether(files: Record<string, string>, after: () => void) {
  const ports = memoryPorts(files);
  const { vault, state } = ports;
  const together: VaultStore['together'] = async (work) => {
    const result = await work({ vault: { ...vault, together: undefined }, state });
    after();
    return result;
  };
  return Object.assign(ports, { vault: Object.assign(vault, { together }) });
}

const edit = (before: string, text: string): Step => ({
  kind: 'edit',
  path: A,
  before: sha256(before),
  text,
});

describe('changeVault where changes are made together', () => {
  it('needs no record of a plan, keeps former texts and skips an optional edit of what is no text', async () => {
    const ports = portsTogether({ [A]: 'a' }, () => undefined);
    ports.vault.outsideBytes(B, Uint8Array.of(0xff));
    const skipped = await new Promise((resolve, reject) => {
      changeVault(ports, async () => ({
        plan: {
          op: 'x',
          steps: [edit('a', 'b'), { kind: 'edit', path: B, before: sha256(''), text: 'b', optional: true }],
        },
        result: null,
        finish: async (left) => resolve(left),
      })).catch(reject);
    });
    expect(skipped).toEqual([B]);
    expect(ports.vault.files.get(A)).toBe('b');
    const kept = [...ports.state.files.keys()];
    expect(kept.some((at) => at.startsWith('history/'))).toBe(true);
    expect(kept.some((at) => at.includes('journal'))).toBe(false);
  });

  it('takes nothing back of a change that may have been made', async () => {
    const ports = portsTogether({ [A]: 'a' }, () => {
      throw new Uncertain('busy', 'The answer was lost.');
    });
    let failed = 0;
    const change = changeVault(ports, async () => ({
      plan: { op: 'x', steps: [edit('a', 'b')] },
      result: null,
      failed: async () => void (failed += 1),
    }));
    await expect(change).rejects.toMatchObject({ code: 'busy' });
    expect([failed, ports.vault.files.get(A)]).toEqual([0, 'b']);
  });

  it('reads a note again that another server changed before the catalog was told', async () => {
    const ports = portsTogether({ [A]: 'a' }, () => ports.vault.outside(A, 'theirs'));
    await changeVault(ports, async () => ({ plan: { op: 'x', steps: [edit('a', 'b')] }, result: null }));
    expect(ports.told).toEqual([`put ${A} (1)`, `dirty changed ${A}`]);
  });
});
