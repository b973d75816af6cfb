import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { isRecord } from '../../../src/core/base/json';
import { timestamp } from '../../../src/core/base/time';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import type { Operation } from '../../../src/core/operation/operation';
import { confirmNote } from '../../../src/core/review/confirm';
import { listDecisions } from '../../../src/core/review/decisions';
import { moveNote } from '../../../src/core/review/move';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { snoozeNote } from '../../../src/core/review/snooze';
import { undoWriter } from '../../../src/core/undo/undo';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import type { Caller } from '../../../src/core/access/tokens';
import { createMemoryState, type MemoryState } from '../../support/memory-state';
import { createMemoryVault, type MemoryVault } from '../../support/memory-vault';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-20T10:00:00Z');
const bob = callerWith(['read', 'write'], 'bob');
const NAMES = ['a', 'b'];

/** A device with its copy of the vault. An old one writes the logs of changes as version 001d027c did. */
interface Device {
  readonly name: string;
  readonly vault: MemoryVault;
  readonly state: MemoryState;
  readonly isOld: boolean;
  /** How far its clock is ahead (ms). */
  readonly ahead: number;
}

function deviceWith(name: string, isOld: boolean, ahead: number): Device {
  const files = Object.fromEntries(
    NAMES.map((note) => [
      `raw/2026-11-01-${note}.md`,
      `---\nwritten_by: bob\ncreated_at: 2026-11-01T00:00:00Z\n---\n# Note ${note}\n\nWords of ${note}.\n`,
    ]),
  );
  return { name, vault: createMemoryVault(files), state: createMemoryState(), isOld, ahead };
}

async function on<T>(
  { name, vault, state, ahead }: Device,
  minute: number,
  work: (test: TestBrain) => Promise<T>,
): Promise<T> {
  const time = timestamp(new Date(START + minute * MINUTE + ahead));
  const test = await openTestBrain({}, {}, time, { on: { vault, state }, device: name });
  try {
    return await work(test);
  } finally {
    await test.close();
  }
}

/** Brings what one device has to another one, as a sync program does. */
function sync(from: Device, to: Device): void {
  to.vault.files.clear();
  for (const [path, text] of from.vault.files) to.vault.files.set(path, text);
  const isShared = (path: string): boolean => !path.startsWith('local.');
  for (const path of to.state.files.keys()) if (isShared(path)) to.state.files.delete(path);
  for (const [path, text] of from.state.files) if (isShared(path)) to.state.files.set(path, text);
}

/** Replaces the lines of the present form by those that the old version would have written. */
function writeOld({ state: { files }, name }: Device, origins: Map<string, string>): void {
  for (const [path, text] of files) {
    if (!path.startsWith(`past/${name}.`)) continue;
    files.delete(path);
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value) || !Array.isArray(value.notes)) continue;
      const ts = timestamp(new Date(Number(value.at)));
      const { saw, data } = value;
      if (value.op === 'snooze' && Array.isArray(saw) && isRecord(data) && isRecord(data.snooze)) {
        append(files, `snoozed/${name}.jsonl`, { ...saw[0], until: data.snooze.until, at: ts });
        continue;
      }
      const notes = value.notes.map((note: unknown) => (Array.isArray(note) ? note.slice(0, 3) : note));
      append(files, `changes/${ts.slice(0, 7)}.${name}.jsonl`, {
        ts,
        op: value.op,
        notes,
        decision: value.decision,
      });
      const paths = notes.map((note: unknown) => (Array.isArray(note) ? String(note[0]) : ''));
      notes.forEach((note: unknown, at) => {
        const next: unknown = notes[at + 1];
        if (!Array.isArray(note) || note[1] !== null || !Array.isArray(next) || next[2] !== null) return;
        const from = origins.get(paths[at + 1] ?? '') ?? paths[at + 1] ?? '';
        origins.set(paths[at] ?? '', from);
        append(files, `origins/${name}.jsonl`, { path: paths[at], from });
      });
    }
  }
}

function append(files: Map<string, string>, path: string, line: object): void {
  files.set(path, `${files.get(path) ?? ''}\n${JSON.stringify(line)}\n`);
}

interface Act {
  readonly op: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

const acts: readonly Act[] = NAMES.flatMap((name): Act[] => {
  const [raw, wiki, moved] = [
    `raw/2026-11-01-${name}.md`,
    `wiki/net/facts/note-${name}.md`,
    `wiki/home/facts/note-${name}.md`,
  ];
  return [
    {
      op: promoteNote,
      input: { path: raw, wing: 'net', hall: 'facts', slug: `note-${name}` },
      caller: person,
    },
    {
      op: promoteNote,
      input: { path: raw, wing: 'net', hall: 'facts', slug: `note-${name}` },
      caller: person,
    },
    { op: rejectNote, input: { path: raw, reason: 'Hearsay' }, caller: person },
    { op: snoozeNote, input: { path: raw }, caller: person },
    { op: restoreNote, input: { path: `raw/rejected/2026-11-01-${name}.md` }, caller: person },
    { op: unpromoteNote, input: { path: wiki }, caller: agent },
    { op: confirmNote, input: { path: wiki }, caller: person },
    { op: moveNote, input: { path: wiki, wing: 'home', hall: 'facts' }, caller: person },
    { op: moveNote, input: { path: moved, wing: 'net', hall: 'facts' }, caller: person },
    ...[wiki, moved].flatMap((path) => [
      { op: updateNote, input: { path, content: `# Note ${name}\n\nBy bob.\n` }, caller: bob },
      { op: updateNote, input: { path, content: `# Note ${name}\n\nBy me.\n` }, caller: person },
    ]),
  ];
});

/** Performs an act; resolves with the code of a refusal. */
async function perform({ run }: TestBrain, { op, input, caller }: Act): Promise<string> {
  try {
    await run(op, input, caller);
    return 'done';
  } catch (error) {
    if (error instanceof BrainError) return error.code;
    throw error;
  }
}

/** What a device answers in the end, without times and hashes, which clocks change. */
async function told(device: Device, minute: number, ahead: number): Promise<unknown> {
  return on({ ...device, ahead: 0 }, minute, async ({ run, files }) => {
    const { decisions } = await run(listDecisions, {});
    const { pending } = await run(listPending);
    // Undo goes by the stamps of the notes too, which are as far apart as the clocks.
    const plan = ahead === 0 && (await run(undoWriter, { by: 'bob', since: '2000-01-01', dry_run: true }));
    const notes = [...files.keys()]
      .filter((path) => path.endsWith('.md') && !/_index\.md$|^raw\/rejected/.test(path))
      .sort();
    const versions: unknown[] = [];
    // A version that follows on what its log has later in time cannot be told from one that goes before it.
    for (const path of ahead < 0 ? [] : notes) {
      const found = await run(history, { path: vaultPath(path) });
      versions.push([path, 'versions' in found && found.versions.map(({ written_by }) => written_by)]);
    }
    return {
      decisions: decisions.map(({ at: _, ...decision }) => JSON.stringify(decision)).sort(),
      pending: pending.map(({ path, snoozed_until }) => [path, snoozed_until !== undefined]),
      plan: JSON.parse(
        JSON.stringify(plan, (key, value: unknown) =>
          /hash|at$|since|until|undo$|^plan$/.test(key) ? undefined : value,
        ),
      ),
      versions,
    };
  });
}

const step = fc.record({
  act: fc.nat(acts.length - 1),
  isOld: fc.boolean(),
  /** A sync program leaves a copy of the log of the new device. */
  copies: fc.boolean(),
});

it('answers beside a device that writes the old form as one device would', async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 9 }),
      fc.constantFrom(0, HOUR, -HOUR),
      async (steps, ahead) => {
        const alone = deviceWith('alone', false, 0);
        const [here, there] = [deviceWith('here', false, 0), deviceWith('there', true, ahead)];
        const origins = new Map<string, string>();
        for (const [minute, { act: at, isOld, copies }] of steps.entries()) {
          const act = acts[at] ?? acts[0];
          if (act === undefined) continue;
          const expected = await on(alone, minute, (test) => perform(test, act));
          const [device, other] = isOld ? [there, here] : [here, there];
          const outcome = await on(device, minute, (test) => perform(test, act));
          expect([minute, act.op.name, outcome]).toEqual([minute, act.op.name, expected]);
          if (outcome === 'done') done += 1;
          if (isOld) writeOld(there, origins);
          const { files } = here.state;
          for (const [path, text] of copies ? files : [])
            if (path.startsWith('past/here.')) files.set(`past/here (conflict ${minute}).jsonl`, text);
          sync(device, other);
        }
        expect(await told(here, steps.length, ahead)).toEqual(await told(alone, steps.length, ahead));
      },
    ),
    { numRuns: 40 },
  );
  expect(done).toBeGreaterThan(40);
});
