import * as fc from 'fast-check';
import { BrainError } from '../../src/core/errors';
import { historyPath } from '../../src/core/history-store';
import { updateNote } from '../../src/core/notes/update-note';
import { parseNote } from '../../src/core/rules/frontmatter/parse-note';
import { isSha, sha256 } from '../../src/core/rules/hash';
import { vaultPath } from '../../src/core/rules/paths';
import { start, stateOf, vaultOf, vaultWith } from './world';

const NOTE = vaultPath('wiki/home/facts/mtu.md');
const FIRST = '---\nkept: "as it is"\n---\n# MTU\n\nThe first words.\n';

/** Somebody who saves the note, so many calls of the service to the file system after the first. */
const save = fc.record({
  at: fc.integer({ min: 0, max: 160 }),
  who: fc.constantFrom('editor', 'sync tool'),
  how: fc.constantFrom('in place' as const, 'by renaming' as const),
});
/** An agent that updates the note again and again; a careful one reads it first and says which version it has read. */
const agent = fc.array(fc.record({ isCareful: fc.boolean() }), { maxLength: 3 });

/** An acknowledged update. */
interface Acknowledged {
  readonly content_hash: string;
  readonly supersedes: string;
  readonly expected: string | undefined;
}

async function interleaved(
  agents: readonly (readonly { readonly isCareful: boolean }[])[],
  saves: readonly { readonly at: number; readonly who: string; readonly how: 'in place' | 'by renaming' }[],
) {
  const disk = await vaultWith({ [NOTE]: FIRST });
  const running = await start(disk);
  const outside = saves.map((each, index) => ({ ...each, text: `# MTU\n\n${each.who}, save ${index}.\n` }));
  /** Texts that others have written over with their own eyes open: nobody else can answer for them. */
  const overwritten: string[] = [];
  let calls = 0;
  running.fs.onCall = (call) => {
    calls += 1;
    // Whoever saves between the last look and the replacement, one call, is written over: there is no call that does both.
    if (call === `rename /vault/${NOTE}`) return;
    while (outside[0] !== undefined && outside[0].at < calls) {
      const { text, how } = outside[0];
      outside.shift();
      overwritten.push(vaultOf(disk)[NOTE] ?? '');
      disk.save(`/vault/${NOTE}`, text, how);
    }
  };
  outside.sort((a, b) => a.at - b.at);
  const written = outside.map(({ text }) => text);
  const acknowledged: Acknowledged[] = [];
  await Promise.all(
    agents.map(async (updates, number) => {
      for (const [index, { isCareful }] of updates.entries()) {
        const read = isCareful ? await running.brain.vault.read(NOTE) : null;
        const expected = read === null ? undefined : sha256(read);
        const content = `# MTU\n\nAgent ${number}, update ${index}.\n`;
        try {
          const input = {
            path: NOTE,
            content,
            reason: 'newer',
            ...(expected && { expected_hash: expected }),
          };
          const answer = updateNote.output.parse(await running.run(updateNote, input));
          acknowledged.push({ ...answer, expected });
        } catch (error) {
          const isRefusal = error instanceof BrainError && ['hash_mismatch', 'busy'].includes(error.code);
          if (!isRefusal) throw error;
        }
      }
    }),
  );
  await running.stop();
  const done = written.slice(0, written.length - outside.length);
  return { disk, acknowledged, overwritten, done };
}

describe('two agents, an editor and a sync tool on one note', () => {
  it('lose nothing to the service: what it acknowledged or found is there, in the history, or written over by others', async () => {
    let updates = 0;
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(agent, agent, fc.array(save, { maxLength: 5 }), async (one, two, saves) => {
        const { disk, acknowledged, overwritten, done } = await interleaved([one, two], saves);
        const now = vaultOf(disk)[NOTE] ?? '';
        const state = stateOf(disk);
        const known = new Map<string, string>([now, ...overwritten].map((text) => [sha256(text), text]));
        const inHistory = (hash: string) => (isSha(hash) ? state[historyPath(hash)] : undefined);
        const textOf = (hash: string) => inHistory(hash) ?? known.get(hash);
        for (const { content_hash, supersedes, expected } of acknowledged) {
          const text = textOf(content_hash);
          expect({ content_hash, isKept: text !== undefined }).toEqual({ content_hash, isKept: true });
          expect(parseNote(text ?? '').frontmatter.supersedes).toBe(supersedes);
          // What it took the place of can be read again, and is what a careful agent had read.
          expect({ supersedes, isKept: inHistory(supersedes) !== undefined }).toMatchObject({ isKept: true });
          if (expected !== undefined) expect(supersedes).toBe(expected);
        }
        for (const text of [FIRST, ...done]) {
          expect({ text, isKept: textOf(sha256(text)) !== undefined }).toEqual({ text, isKept: true });
        }
        // No two updates took the place of the same text: then one of them would have been lost.
        const former = acknowledged.map(({ supersedes }) => supersedes);
        expect(new Set(former).size).toBe(former.length);
        updates += acknowledged.length;
        saved += done.length;
      }),
      { numRuns: 100 },
    );
    expect(updates).toBeGreaterThan(50);
    expect(saved).toBeGreaterThan(50);
  }, 120_000);
});
