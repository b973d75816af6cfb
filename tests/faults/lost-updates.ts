import * as fc from 'fast-check';
import { BrainError } from '../../src/core/base/errors';
import { editRoot } from '../../src/core/notes/root';
import { updateNote } from '../../src/core/notes/update';
import { writeNote } from '../../src/core/notes/write';
import { promoteNote } from '../../src/core/review/promote';
import { rejectNote } from '../../src/core/review/reject';
import { parseNote } from '../../src/core/frontmatter/parse';
import { sha256 } from '../../src/core/base/hash';
import { isRecord } from '../../src/core/base/json';
import { type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';
import { FACTOR, SEED } from '../fuzz/fuzz';
import type { MemoryFileSystem } from '../support/memory-file-system';
import type { SharedHost } from './meanwhile';
import { restarted, ROOT, type Running, stateOf, trashOf, vaultOf, vaultWith } from './world';

const NOTE = vaultPath('wiki/home/facts/mtu.md');
const QUEUED = vaultPath('raw/2026-11-19-dns.md');
const ALONE = vaultPath('raw/2026-11-18-noise.md');
const ROOT_NOTE = vaultPath('AGENTS.md');
const FILES = {
  [NOTE]: '---\nkept: "as it is"\n---\n# MTU\n\nThe first words.\n',
  [QUEUED]: '---\ncustom: "kept"\n---\n# DNS\n\nNames.\n',
  [ALONE]: '# Noise\n\nNobody else touches it.\n',
  [ROOT_NOTE]: '# Root\n\nHow to use this vault.\n',
  'wiki/home/facts/links.md': '# Links\n\nSee [[raw/2026-11-19-dns]] and [[raw/2026-11-18-noise]].\n',
};
/** Files that others save as well. */
const SHARED = [NOTE, QUEUED, ROOT_NOTE];

/** Somebody at work on a file, so many calls of the service to the file system after the first. */
const save = fc.record({
  at: fc.integer({ min: 0, max: 250 }),
  path: fc.constantFrom(...SHARED),
  how: fc.constantFrom('typing', 'editor', 'rename', 'delete', 'again', 'conflict'),
});
/** What an agent asks for; a careful one reads the file first and says which version it has read. */
const agent = fc.array(
  fc.record({
    does: fc.constantFrom('update', 'update', 'overwrite', 'edit-root', 'promote', 'reject'),
    isCareful: fc.boolean(),
    which: fc.constantFrom(QUEUED, ALONE),
  }),
  { maxLength: 4 },
);
type Save = (typeof save extends fc.Arbitrary<infer T> ? T : never) & { readonly number: number };
type Wish = typeof agent extends fc.Arbitrary<(infer T)[]> ? T : never;

/** What the service has answered to somebody who changed something. */
interface Acknowledged {
  readonly does: Wish['does'];
  readonly hash: string | undefined;
  readonly supersedes: string | undefined;
  readonly expected: string | undefined;
}

/** A host whose files others save, some of them through the host itself. */
export interface TypingHost extends SharedHost {
  /** A person changes a file in the host's own editor; null where there is none. */
  readonly type: ((path: string, change: (now: string) => string) => Promise<void>) | null;
}

/** Everything that is known of one run, whoever did it. */
class Record {
  /** How often each text was put in its place, by hash: by whom does not matter. */
  readonly placed = new Map<string, number>();
  /** Texts that somebody else has written over or deleted with their own eyes open: nobody but them can answer for those. */
  readonly overwritten: string[] = [];
  readonly theirs: string[] = [];
  readonly acknowledged: Acknowledged[] = [];

  place(text: string): void {
    this.count(sha256(text));
    this.theirs.push(text);
  }

  count(hash: string): void {
    this.placed.set(hash, (this.placed.get(hash) ?? 0) + 1);
  }
}

/** Does at once what somebody does who knows nothing of the service. */
function outside(disk: MemoryFileSystem, record: Record, { path, how, number }: Save): void {
  const full = `${ROOT}/${path}`;
  const now = vaultOf(disk)[path];
  const text = `# Theirs\n\n${how}, ${number}.\n`;
  // These calls of a file system in memory are done before they return.
  if (how === 'delete') {
    if (now === undefined) return;
    record.overwritten.push(now);
    void disk.unlink(full);
    return;
  }
  if (how === 'again') {
    const former = record.overwritten.at(-1);
    if (now !== undefined || former === undefined) return;
    record.place(former);
    disk.save(full, former, 'by renaming');
    return;
  }
  if (how === 'conflict' && now !== undefined) {
    void disk.rename(full, full.replace(/\.md$/, `.sync-conflict-20261120-10320${number % 10}-ABCDEFG.md`));
  } else if (now !== undefined) record.overwritten.push(now);
  record.place(text);
  disk.save(full, text, how === 'editor' || how === 'typing' ? 'in place' : 'by renaming');
}

async function ask(
  running: Running,
  { does, isCareful, which }: Wish,
  content: string,
): Promise<Acknowledged> {
  const path = does === 'edit-root' ? ROOT_NOTE : NOTE;
  const read = isCareful || does === 'edit-root' ? await running.brain.vault.read(path) : null;
  const expected = read === null ? undefined : sha256(read);
  const seen = expected && { expected_hash: expected };
  const answer = await (() => {
    switch (does) {
      case 'update':
        return running.run(updateNote, { path, content, reason: 'newer', ...seen });
      case 'overwrite':
        return running.run(writeNote, { wing: 'home', hall: 'facts', slug: 'mtu', content, overwrite: true });
      case 'edit-root':
        return running.run(editRoot, { content, reason: 'newer', ...seen });
      case 'promote':
        return running.run(promoteNote, { path: which, wing: 'home', hall: 'facts' });
      case 'reject':
        return running.run(rejectNote, { path: which, reason: 'not ours' });
    }
  })();
  const said = isRecord(answer) ? answer : {};
  const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    does,
    hash: textOr(said.content_hash) ?? textOr(said.after_hash),
    supersedes: does === 'update' ? textOr(said.supersedes) : undefined,
    expected: does === 'update' ? expected : undefined,
  };
}

async function interleaved(host: TypingHost, agents: readonly (readonly Wish[])[], saves: readonly Save[]) {
  const disk = await vaultWith(FILES);
  const running = await host.start(disk);
  const record = new Record();
  for (const text of Object.values(FILES)) record.place(text);
  const waiting = [...saves].sort((a, b) => a.at - b.at);
  const typed: Promise<void>[] = [];
  let calls = 0;
  running.fs.onCall = (call) => {
    calls += 1;
    for (let next = waiting[0]; next !== undefined && next.at < calls; next = waiting[0]) {
      // Nobody can save between the last look and the replacement, for which no system has one call: they come right after it.
      const { path, number } = next;
      if (host.isTooLate(call, `${ROOT}/${path}`)) return;
      waiting.shift();
      if (next.how === 'typing' && host.type !== null) {
        const type = (now: string): string => {
          record.overwritten.push(now);
          const text = number % 2 === 0 ? `${now}\nTyped, ${number}.\n` : `# Typed anew\n\n${number}.\n`;
          record.place(text);
          return text;
        };
        typed.push(host.type(path, type));
      } else {
        outside(disk, record, next);
        host.saved(path);
      }
    }
  };
  await Promise.all(
    agents.map(async (wishes, who) => {
      for (const [index, wish] of wishes.entries()) {
        try {
          const said = await ask(running, wish, `# Agent ${who}\n\nWish ${index}.\n`);
          record.acknowledged.push(said);
          if (said.hash !== undefined) record.count(said.hash);
        } catch (error) {
          if (!(error instanceof BrainError)) throw error;
        }
      }
    }),
  );
  await Promise.all(typed);
  running.fs.onCall = () => undefined;
  await running.heard();
  await running.stop();
  return { disk, record };
}

/** Where the text of a queued note stands at the end, whatever was stamped on it. */
function placesOf(disk: MemoryFileSystem, path: VaultPath): string[] {
  const body = FILES[path]?.split('\n').at(-2) ?? '';
  return Object.entries(vaultOf(disk)).flatMap(([at, text]) =>
    text.includes(`${body}\n`) && at.endsWith('.md') && !at.endsWith('/_index.md') ? [at] : [],
  );
}

function expectNothingLost(disk: MemoryFileSystem, record: Record): void {
  const history = Object.entries(stateOf(disk)).filter(([at]) => at.startsWith('history/'));
  const inHistory = new Map(history.map(([, text]) => [sha256(text), text]));
  const texts = [...Object.values(vaultOf(disk)), ...Object.values(trashOf(disk)), ...record.overwritten];
  const known = new Map<string, string>([
    ...inHistory,
    ...texts.map((text) => [sha256(text), text] as const),
  ]);
  for (const text of record.theirs) {
    expect({ text, isKept: known.has(sha256(text)) }).toEqual({ text, isKept: true });
  }
  const followers = new Map<string, number>();
  for (const { hash, supersedes, expected, does } of record.acknowledged) {
    if (hash !== undefined) expect({ does, hash, isKept: known.has(hash) }).toMatchObject({ isKept: true });
    if (supersedes === undefined) continue;
    expect(parseNote(known.get(hash ?? '') ?? '').frontmatter.supersedes).toBe(supersedes);
    // What it took the place of can be read again, and is what a careful agent had read.
    expect({ supersedes, isKept: inHistory.has(sha256(known.get(supersedes) ?? '')) }).toMatchObject({
      isKept: true,
    });
    if (expected !== undefined) expect(supersedes).toBe(expected);
    followers.set(supersedes, (followers.get(supersedes) ?? 0) + 1);
  }
  // No two updates took the place of the same text, unless somebody had put it back: one of them would be lost.
  for (const [hash, count] of followers) expect(count).toBeLessThanOrEqual(record.placed.get(hash) ?? 0);
  expect(placesOf(disk, ALONE)).toHaveLength(1);
}

const RUNS = 60;
/** What so many runs may take for a night. */
const LIMIT_MS = 1_800_000;

/**
 * Agents, a person and a sync tool on the same files, in any order of their calls. `BRAIN_FUZZ_RUNS` and `BRAIN_FUZZ_SEED` mean
 * what they mean to the fuzz suites.
 */
export function describeLostUpdates(name: string, host: TypingHost): void {
  it(
    `nothing is lost ${name}: what was acknowledged or saved stands, is in the history, or was written over by others`,
    async () => {
      const counts = { acknowledged: 0, theirs: 0 };
      await fc.assert(
        fc.asyncProperty(agent, agent, fc.array(save, { maxLength: 7 }), async (one, two, saves) => {
          const numbered = saves.map((each, number) => ({ ...each, number }));
          const { disk, record } = await interleaved(host, [one, two], numbered);
          expectNothingLost(disk, record);
          expect((await restarted(host.start, disk)).attention).toEqual([]);
          expectNothingLost(disk, record);
          counts.acknowledged += record.acknowledged.length;
          counts.theirs += record.theirs.length - Object.keys(FILES).length;
        }),
        { numRuns: Math.max(1, Math.round(RUNS * FACTOR)), seed: SEED },
      );
      expect(counts.acknowledged).toBeGreaterThan(RUNS * FACTOR);
      expect(counts.theirs).toBeGreaterThan(RUNS * FACTOR);
      process.stdout.write(
        `lost updates ${name}: ${counts.acknowledged} acknowledged, ${counts.theirs} by others\n`,
      );
    },
    Math.max(LIMIT_MS, (LIMIT_MS / 30) * FACTOR),
  );
}
