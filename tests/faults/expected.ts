import { checkAudit } from '../../src/core/audit/verify';
import { changeIn, type LoggedChange } from '../../src/core/storage/change-log';
import { isTelling } from '../../src/core/storage/event-data';
import { historyPath } from '../../src/core/storage/history';
import { journalPath } from '../../src/core/storage/journal';
import { valuesOf } from '../../src/core/storage/lines';
import { sha256 } from '../../src/core/base/hash';
import { createMemoryState } from '../support/memory-state';
import type { MemoryFileSystem } from '../support/memory-file-system';
import type { Act } from './acts';
import { DEVICE, type Image, stateOf, vaultOf } from './world';

/** Vault and state at one moment, after a start. */
export interface Moment {
  readonly vault: Image;
  readonly state: Image;
}

/** An act without faults: how things are before it and after it. */
export interface Expected {
  readonly act: Act;
  readonly before: Moment;
  readonly after: Moment;
}

export function momentOf(disk: MemoryFileSystem): Moment {
  return { vault: vaultOf(disk), state: stateOf(disk) };
}

/** The vault without the maps of wings, which are made again at the next start. */
export function withoutMaps(image: Image): Image {
  return Object.fromEntries(Object.entries(image).filter(([at]) => !at.endsWith('/_index.md')));
}

/** The act has happened, with everything that belongs to it. */
export function expectAfter(disk: MemoryFileSystem, expected: Expected): void {
  const { vault, state } = momentOf(disk);
  expectOutcome(vault, expected);
  const found = withoutRandomNames(state);
  const told = pastIn(found);
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  // Nothing else tells what the data of a change says, so it is there as surely as the change.
  const wanted = dataOf(pastIn(withoutRandomNames(expected.after.state)));
  expect(dataOf(told)).toEqual(expect.arrayContaining(wanted));
  for (const [path, text] of Object.entries(withoutRandomNames(expected.after.state))) {
    // Where something was not cut, whoever reads the pages again writes what the ledger lacks.
    if (!isKept(path) || (path.startsWith('ledger.') && expected.act.resumes !== true)) continue;
    const [said, meant] = [found[path] ?? '', text].map((each) => each.split('\n'));
    // Whole texts have to be there as they are; logs may say more, as of what was tried before and taken back.
    if (!path.endsWith('.jsonl')) expect({ path, said }).toEqual({ path, said: meant });
    else expect({ path, said }).toEqual({ path, said: expect.arrayContaining(meant ?? []) });
  }
}

/** The changes in the segments of the past. */
function pastIn(state: Image): LoggedChange[] {
  const segments = Object.entries(state).filter(([path]) => path.startsWith('past/'));
  return segments.flatMap(([, text]) => valuesOf(text, changeIn));
}

/** What changes say that nothing else tells. The names of those that they take back are random. */
function dataOf(changes: readonly LoggedChange[]): object[] {
  return changes.flatMap((change) => {
    const { op, notes, data, of = [] } = change;
    return isTelling(change) ? [{ op, notes, data, takenBack: of.length }] : [];
  });
}

/** The state as if the names of its batch, which is random, were always the same. */
function withoutRandomNames(state: Image): Image {
  return Object.fromEntries(
    Object.entries(state).map(([path, text]) => [
      path,
      text.replace(/"(batch|id)":"[0-9a-f]{16}"/g, '"$1":"one"'),
    ]),
  );
}

/** The vault as if a log whose end was torn by a crash had not been touched: whoever reads it passes over what is no line. */
function withoutTorn(vault: Image, { act, before, after }: Expected): Image {
  const { [act.log ?? '']: now, ...rest } = vault;
  if (act.log === undefined || now === undefined || now === after.vault[act.log]) return vault;
  const was = before.vault[act.log];
  expect(now.startsWith(was ?? '')).toBe(true);
  const added = now.slice(was?.length);
  expect(after.vault[act.log]?.slice(was?.length).startsWith(added) === true || /^\0*$/.test(added)).toBe(
    true,
  );
  return was === undefined ? rest : { ...rest, [act.log]: was };
}

/** The vault is one that the act leaves; fails with what is other than in the nearest of them. */
function expectOutcome(vault: Image, expected: Expected): void {
  const [nearest] = outcomes(expected)
    .map((outcome) => difference(withWholeLog(vault, outcome, expected.act), outcome))
    .sort((a, b) => a.length - b.length);
  expect(nearest).toEqual([]);
}

/** The vault as if its log said no more than it has to: what was tried before stands there as well. */
function withWholeLog(vault: Image, outcome: Image, { log }: Act): Image {
  if (log === undefined) return vault;
  const lines = new Set(vault[log]?.split('\n'));
  const wanted = outcome[log] ?? '';
  return wanted.split('\n').every((line) => lines.has(line)) ? { ...vault, [log]: wanted } : vault;
}

/** Paths at which two vaults differ, with the texts of both. */
function difference(found: Image, wanted: Image): object[] {
  const paths = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...paths]
    .filter((path) => found[path] !== wanted[path])
    .map((path) => ({ path, found: found[path], wanted: wanted[path] }));
}

/** Every vault that the act may leave when it has happened: of the notes that follow it, each may have stayed as it was. */
function outcomes({ act, before, after }: Expected): Image[] {
  return (act.follow ?? []).reduce(
    (all, path) => [...all, ...all.map((vault) => ({ ...vault, [path]: before.vault[path] ?? '' }))],
    [after.vault],
  );
}

/** Tells whether the vault is as after the act; fails when it is neither so nor as before. */
export function expectEither(disk: MemoryFileSystem, expected: Expected): boolean {
  const vault = withoutTorn(vaultOf(disk), expected);
  if (expected.act.resumes === true) {
    expectEachEither(vault, expected);
    return false;
  }
  if (same(vault) === same(expected.before.vault)) return false;
  expectOutcome(vault, expected);
  return true;
}

/** Every file is as before or as after, and there is none that is in neither. */
export function expectEachEither(vault: Image, { before, after }: Expected): void {
  const paths = new Set([...Object.keys(before.vault), ...Object.keys(after.vault), ...Object.keys(vault)]);
  for (const path of paths) {
    if (path.endsWith('/_index.md')) continue;
    expect([before.vault[path], after.vault[path]].map((text) => ({ path, text }))).toContainEqual({
      path,
      text: vault[path],
    });
  }
}

/** What is true at every moment: no text of the person is gone, and the history holds what its names say. */
export function expectNothingLost(disk: MemoryFileSystem, { before }: Expected): void {
  const { vault, state } = momentOf(disk);
  const stands = new Set(Object.values(vault));
  for (const [path, text] of Object.entries(withoutMaps(before.vault))) {
    const isKept = path.endsWith('/') || stands.has(text) || state[historyPath(sha256(text))] === text;
    expect({ path, isKept }).toEqual({ path, isKept: true });
  }
}

/** What is true after a start: nothing is left half done, and nothing lies about. */
export async function expectTidy(disk: MemoryFileSystem, isTorn: boolean): Promise<void> {
  const { vault, state } = momentOf(disk);
  const litter = [...Object.keys(vault), ...Object.keys(state)].filter(
    (path) => path.startsWith(`local.${DEVICE}/tmp/`) || /(^|\/)\.~/.test(path),
  );
  expect(litter).toEqual([]);
  expect((state[journalPath(DEVICE)] ?? '').trim()).toBe('');
  for (const [path, text] of Object.entries(state)) {
    if (path.startsWith('history/')) expect(path).toBe(historyPath(sha256(text)));
  }
  const { problems } = await checkAudit(createMemoryState(state));
  const torn = problems.filter(({ problem }) => /tore it|no line feed/.test(problem));
  expect(problems.length).toBe(isTorn ? torn.length : 0);
}

/** False for what is this machine's own, for the past, whose lines have other names and times, and for the audit log. */
function isKept(path: string): boolean {
  return !/^(local\.|past\/|audit\/\d)/.test(path);
}

function same(image: Image): string {
  return JSON.stringify(Object.entries(image).sort(([a], [b]) => (a < b ? -1 : 1)));
}
