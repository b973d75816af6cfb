import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import { localDate, noteTime } from '../base/time';
import { escapeSecondBlock, setKeys, withKeysOf } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { type ParsedNote, parseNote } from '../frontmatter/parse';
import { linkedPath } from '../notes/targets';
import { lockedNote } from '../notes/write';
import { type Change, changeVault } from '../operation/change';
import { freePath, mayWrite, refuseUnwritable } from '../operation/limits';
import { mayChangeText, notOurs } from '../operation/owner';
import type { Brain } from '../operation/context';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape, warningsShape } from '../operation/shapes';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import type { Step } from '../storage/commit';
import { readHistory } from '../storage/history';
import { appendLines, valuesIn } from '../storage/lines';
import { addressOf, numbered, wingOfPath } from '../vocabulary/address';
import { folderOf, stemOf, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { refreshWings } from '../wings/refresh';
import { refuseAgents } from './confirm';
import {
  decisionOf,
  editedIfPossible,
  markedText,
  PROMOTE_KEYS,
  readReviewNote,
  REJECT_KEYS,
} from './review-note';
import { followOf, leftWarnings, Namesakes, relinkSteps, withOwnLinks } from './relink';

/** The input and the output of an undone decision: the note's path in the queue, and its former path. */
const backInput = z.strictObject({ path: pathField, dry_run: dryRunField });
const backOutput = z.object({ path: pathShape, from: pathShape, warnings: warningsShape.optional() });

/** A decided note that returns. */
interface Returning {
  readonly op: string;
  readonly from: VaultPath;
  /** The current text, and the text that the note gets. */
  readonly text: string;
  readonly queued: string;
  /** The path that the note had; it gets a number when it is taken. */
  readonly former: VaultPath;
  /** True when the note gets its former text, which is used as it is, byte for byte. */
  readonly isFormer?: boolean;
  readonly warnings?: readonly string[];
  readonly dryRun: boolean | undefined;
  readonly caller: Caller;
  /** Returns further edits, the work after them, and what to tell of them, for the new path. */
  readonly along?: (to: VaultPath) => Promise<{
    readonly steps: readonly Step[];
    readonly warnings: readonly string[];
    finish(): Promise<void>;
  }>;
}

/** Plans the move of a decided note back to where it was, to a free path. */
async function backToQueue(
  brain: Pick<Brain, 'catalog' | 'whole' | 'limits'>,
  { op, from, text, queued, former, isFormer = false, warnings = [], dryRun, along, caller }: Returning,
): Promise<Change<z.input<typeof backOutput>>> {
  const folder = folderOf(former);
  const to = await freePath(brain, (n) =>
    vaultPath(`${folder === '' ? '' : `${folder}/`}${numbered(stemOf(former), n)}.md`),
  );
  const more = await along?.(to);
  const told = [...warnings, ...(more?.warnings ?? [])];
  const result = { path: to, from, ...(told.length > 0 && { warnings: told }) };
  if (dryRun) return { plan: null, result };
  const steps: Step[] = [
    { kind: 'create', path: to, text: isFormer ? queued : withOwnLinks(brain, queued, from, to) },
    { kind: 'remove', path: from, before: sha256(text) },
    ...(more?.steps ?? []),
  ];
  const plan = { op, decision: decisionOf(caller, text), steps };
  return { plan, result, forOwner: actsForOwner(caller), ...(more && { finish: () => more.finish() }) };
}

const FOLDER = 'origins';

/**
 * Records the name that a note had in the queue, so that its promotion or rejection can be undone to it. The record may be
 * lost: the name is then derived from the current one.
 */
export async function rememberOrigin(
  brain: Pick<Brain, 'state' | 'device'>,
  path: VaultPath,
  from: VaultPath,
): Promise<void> {
  await appendLines(brain.state, `${FOLDER}/${brain.device}.jsonl`, [{ path, from }], false);
}

/** Returns the former path in `raw/` of the note at `path`, if any device recorded it. */
export async function originOf(brain: Pick<Brain, 'state'>, path: VaultPath): Promise<VaultPath | null> {
  return (await allOrigins(brain)).get(path) ?? null;
}

/** Returns the former paths in `raw/` of all notes. */
export async function allOrigins(brain: Pick<Brain, 'state'>): Promise<Map<VaultPath, VaultPath>> {
  return new Map(await valuesIn(brain.state, FOLDER, /./, originIn));
}

/** Returns the path and the former path in a line. The record of a torn one is lost. */
function originIn(value: unknown): [path: VaultPath, from: VaultPath] | null {
  if (!isRecord(value)) return null;
  const { path, from } = value;
  if (typeof path !== 'string' || typeof from !== 'string' || !from.startsWith('raw/')) return null;
  return [vaultPath(path), vaultPath(from)];
}

/**
 * Undoes a rejection: the note returns to the queue with its old name, byte for byte as it was when nobody has changed it since;
 * otherwise without the marks of the rejection, and with a warning. The ledger forgets its source. Fails with `not_in_queue` or `source_missing`.
 */
export const restoreNote = operation({
  name: 'restore',
  scope: 'review',
  mutates: true,
  input: backInput,
  output: backOutput,
  run(brain, { path: given, dry_run: dryRun }, caller, watch) {
    return changeVault(
      brain,
      async () => {
        const { path: from, text } = await readReviewNote(brain, given, 'rejected');
        const change = await backToQueue(brain, {
          ...{ op: 'restore', from, text, dryRun, caller },
          ...(await undecided(brain, 'reject', from, text, async () => ({
            queued: escapeSecondBlock(markedText(text, {}, REJECT_KEYS)),
            former: vaultPath(`raw/${await queueStem(brain.whole, from)}.md`),
          }))),
        });
        return change.plan === null ? change : { ...change, finish: () => forgetSource(brain, text) };
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

/** Removes the source of the note from the ledger: a person wants the note back, and may want to ingest the source again. */
async function forgetSource(brain: Brain, text: string): Promise<void> {
  const { source_hash: hash } = parseNote(text).frontmatter;
  if (isSha(hash)) await brain.whole.ledger.clear(hash);
}

/** Returns the name that the note had in the queue; one derived from its current name when none is recorded. */
async function queueStem(brain: Pick<Brain, 'state'>, from: VaultPath): Promise<string> {
  const origin = await originOf(brain, from);
  return origin === null ? withoutNumber(stemOf(from)) : stemOf(origin);
}

/** Removes the number that a taken name got at rejection, but never a part of a date. */
function withoutNumber(stem: string): string {
  const match = /^(.+)-(?:[2-9]|[1-9]\d)$/.exec(stem);
  const base = match?.[1];
  return base === undefined || /^\d{4}(?:-\d{2})?$/.test(base) ? stem : base;
}

/** The keys that a promotion adds to a note without provenance. */
const STAMP = ['origin', 'written_by'];

/**
 * Returns the keys that the promotion of the note at `path` added, so that the queued note claims no writer. Its former text is
 * the evidence: without it no keys are returned, nor are keys that a later write set. The creation time is kept, because the
 * new file has none.
 */
async function stampedKeys(
  brain: Pick<Brain, 'state' | 'past'>,
  path: VaultPath,
  now: ParsedNote['frontmatter'],
): Promise<string[]> {
  const text = await textBefore(brain, path);
  if (text === null) return [];
  const { frontmatter: before } = parseNote(text);
  const isAdded = (key: string): boolean => (before[key] ?? null) === null && (now[key] ?? null) !== null;
  const isStamped = STAMP.every(isAdded) && now.written_by === now.promoted_by;
  return [
    ...(isAdded('source_type') && now.source_type === 'internal' ? ['source_type'] : []),
    ...(isStamped && now.updated_at === before.updated_at ? STAMP : []),
  ];
}

/** A recorded decision that moved a note: where it was, and its texts. */
interface Arrival {
  readonly op: 'promote' | 'adopt' | 'reject' | 'move';
  readonly from: VaultPath;
  readonly before: Sha;
  /** The text that the note has now unless somebody changed it; null when somebody changed it before a move. */
  readonly after: Sha | null;
}

/** A recorded replacement of the text of a note by that of a queued one. */
interface Replacement {
  /** The path of the note then. */
  readonly at: VaultPath;
  readonly from: VaultPath;
  /** The text of the queued note. */
  readonly queued: Sha;
  readonly before: Sha;
  /** The text that the note has now unless somebody changed it; null when somebody changed it before a move. */
  readonly after: Sha | null;
  /** The notes whose links followed. */
  readonly links: readonly NoteChange[];
}

/** The decisions that led to a note, as far as the change log has them. */
interface Past {
  /** The promotion, adoption or rejection by which the note came. */
  readonly arrival?: Arrival | undefined;
  /** The last move within the wiki since then. */
  readonly move?: Arrival | undefined;
  /** The replacements of its text that are not taken back, oldest first. */
  readonly replacements: readonly Replacement[];
  /** The last replacements that were taken back at once, oldest first. */
  readonly takenBack?: readonly Replacement[];
  /** The text before the first replacement, even if that was taken back. */
  readonly original?: Sha;
}

/** A logged change, with the position of a note in it. */
interface Entry extends Pick<PastChange, 'op' | 'notes'> {
  readonly at: number;
}

/** Returns the logged changes of the note at `path`, oldest first, those at the paths included from which it was moved. */
async function entriesOf(brain: Pick<Brain, 'past'>, path: VaultPath): Promise<Entry[]> {
  const past = await brain.past.read();
  const entries: Entry[] = [];
  let name = path;
  let changes = await past.naming(name);
  for (let change = changes.pop(); change !== undefined; change = changes.pop()) {
    const { op, notes } = change;
    const at = notes.findIndex((note) => note.path === name);
    if (at < 0) continue;
    entries.unshift({ op, notes, at });
    const left = notes[at + 1];
    if (op !== 'move' || notes[at]?.before !== null || left?.after !== null) continue;
    const moved = change;
    name = left.path;
    changes = (await past.naming(name)).filter((each) => comparePlaces(each, moved) < 0);
  }
  return entries;
}

/** Returns the decisions that led to the note at `path`. */
async function pastOf(brain: Pick<Brain, 'state' | 'past'>, path: VaultPath): Promise<Past> {
  let past: Past = { replacements: [] };
  let removed = past;
  for (const entry of await entriesOf(brain, path)) {
    const own = entry.notes[entry.at];
    if (own === undefined) continue;
    if (own.after === null) {
      removed = past;
      past = { arrival: past.arrival, replacements: [] };
    } else if (own.before === null) past = entry.op === 'undo-back' ? removed : arrived(past, entry);
    else past = edited(past, entry);
  }
  return past;
}

/** Returns the past of a note after it came to a path. */
function arrived(past: Past, { op, notes, at }: Entry): Past {
  // A move is planned as a creation followed by the removal of the old note.
  const [made, left] = [notes[at], notes[at + 1]];
  if (!made?.after || !left?.before || left.after !== null) return { replacements: [] };
  const { after } = made;
  const common = { from: left.path, before: left.before, after };
  if (op === 'promote' || op === 'adopt' || op === 'reject')
    return { arrival: { op, ...common }, replacements: [] };
  if (op !== 'move') return { replacements: [] };
  const moved = <Decided extends Arrival | Replacement>(decided: Decided): Decided => ({
    ...decided,
    after: decided.after === left.before ? after : null,
  });
  return {
    ...past,
    arrival: past.arrival && moved(past.arrival),
    move: { op, ...common },
    replacements: past.replacements.map(moved),
  };
}

/** Returns the past of a note after a change of its text. */
function edited(past: Past, { op, notes, at }: Entry): Past {
  const { replacements, takenBack = [] } = past;
  const [own, next] = [notes[at], notes[at + 1]];
  if (!own?.before || !own.after) return past;
  const { path, before, after } = own;
  if (op === 'replace' && at === 0 && next?.before && next.after === null) {
    const links = notes.slice(2);
    const made = { at: path, from: next.path, queued: next.before, before, after, links };
    return { ...past, replacements: [...replacements, made], original: past.original ?? before };
  }
  const kept = keptReplacements(replacements, { op, notes, at });
  if (kept !== null)
    return { ...past, replacements: replacements.slice(0, kept), takenBack: replacements.slice(kept) };
  if (op === 'undo-back' && takenBack[0]?.before === before && takenBack.at(-1)?.after === after)
    return { ...past, replacements: [...replacements, ...takenBack], takenBack: [] };
  return past;
}

/** Returns how many replacements of a text are left after a change that takes the last ones back; null for another change. */
function keptReplacements(replacements: readonly Replacement[], { op, notes, at }: Entry): number | null {
  const [own, next, last] = [notes[at], notes[at + 1], replacements.at(-1)];
  // An undo by writer may take several replacements back at once.
  const undone = op === 'undo' ? replacements.findIndex((each) => each.before === own?.after) : -1;
  if (undone >= 0) return undone;
  const isUnreplaced =
    op === 'unreplace' && notes.find((note) => note.before !== null && note.after !== null) === own;
  const isUndone = op === 'undo' && next?.before === null && next.after === last?.queued;
  const isFormer = own?.before === last?.after && own?.after === last?.before;
  return isUnreplaced || isUndone || isFormer ? Math.max(0, replacements.length - 1) : null;
}

/** Returns true for a note whose text was replaced from the queue, but which never came from there itself. */
export async function isOnlyReplaced(
  brain: Pick<Brain, 'state' | 'past'>,
  path: VaultPath,
): Promise<boolean> {
  const { arrival, original } = await pastOf(brain, path);
  if (arrival !== undefined || original === undefined) return false;
  const text = await readHistory(brain.state, original);
  return text === null || typeof parseNote(text).frontmatter.promoted_at !== 'string';
}

/** A replacement that is taken back. */
interface Unreplaced {
  /** The queued note, unless it is there already; the replaced one; the links that lead back. */
  readonly steps: readonly Step[];
  /** The path of the queued note. */
  readonly to: VaultPath;
  /** The text of the note that the first step changes. */
  readonly first: string;
  readonly warnings: readonly string[];
}

/**
 * Returns how the last replacement of the text at `path` is taken back; null without one. When nobody has changed the note since, it
 * gets its former text, byte for byte unless it was moved; otherwise it stays as it is, with a warning. The queued note comes back byte
 * for byte, to a free path. Links that followed lead back where their notes are unchanged and the caller may change them.
 */
async function unreplaced(
  brain: Brain,
  caller: Caller,
  path: VaultPath,
  text: string,
): Promise<Unreplaced | null> {
  const last = (await pastOf(brain.whole, path)).replacements.at(-1);
  if (last === undefined) return null;
  const { state, vault } = brain.whole;
  const [before, queued] = [await readHistory(state, last.before), await readHistory(state, last.queued)];
  if (queued === null) return null;
  const former = before === null ? null : placedText(brain, before, last.at, path);
  const isSame = sha256(text) === last.after;
  // An undo that was taken back leaves the queued note where it is.
  const isBack = (await vault.read(last.from)) === queued;
  const to = isBack ? last.from : await freeQueuePath(brain, last.from);
  const links: Step[] = [];
  for (const { path: at, before, after } of to === last.from ? last.links : []) {
    const linked = before === null || after === null ? null : await vault.read(at);
    const old = before === null ? null : await readHistory(state, before);
    const isAsThen = linked !== null && sha256(linked) === after;
    if (isAsThen && old !== null && mayChangeText(caller, at, linked))
      links.push({ kind: 'edit', path: at, before: after, text: old, optional: true });
  }
  // An edit without a change records that the replacement is taken back.
  const isWhole = isSame && former !== null;
  const own: Step = { kind: 'edit', path, before: sha256(text), text: isWhole ? former : text };
  const why = isSame
    ? `The text that ${path} had before is no longer in the history: it keeps what it says now.`
    : `${path} was changed since it was replaced: it keeps what it says now. The text before the replacement is in its history.`;
  return {
    steps: [
      ...(isBack ? [] : [{ kind: 'create', path: to, text: queued, like: path } as const]),
      own,
      ...links,
    ],
    to,
    first: isBack ? text : queued,
    warnings: isWhole ? [] : [why],
  };
}

/** Returns the text of a note that was moved since, with its present wing and hall. */
function placedText(brain: Pick<Brain, 'catalog'>, text: string, from: VaultPath, to: VaultPath): string {
  const address = from === to ? null : addressOf(to);
  if (address === null) return text;
  const { wing, hall } = address;
  return editedIfPossible(text, () => setKeys(withOwnLinks(brain, text, from, to), { wing, hall }).text);
}

/** The state of a note before the decision that moved it, if the note is unchanged since; otherwise the reason why it is not. */
export type Former =
  | { readonly to: VaultPath; readonly text: string; readonly why?: undefined }
  | { readonly why: 'changed' | 'lost' };

/**
 * Returns the state of a note before the decision `op` that moved it to `path`; null when the change log has no such decision.
 * @param text what is at `path` now
 */
export async function formerNote(
  brain: Pick<Brain, 'state' | 'past'>,
  op: Arrival['op'],
  path: VaultPath,
  text: string,
): Promise<Former | null> {
  const { arrival, move } = await pastOf(brain, path);
  const decided = op === 'move' ? move : arrival;
  if (decided?.op !== op) return null;
  if (sha256(text) !== decided.after) return { why: 'changed' };
  const former = await readHistory(brain.state, decided.before);
  return former === null ? { why: 'lost' } : { to: decided.from, text: former };
}

/** Says why a note goes back with another text than its former one. */
function notAsBefore(from: VaultPath, why: 'changed' | 'lost', decided: string): string {
  return why === 'changed'
    ? `${from} was changed since it was ${decided}: it goes back with what it says now. Its former text is in its history.`
    : `The text that ${from} had before it was ${decided} is no longer in the history: it goes back with what it says now.`;
}

/** Returns the text of the note at `path` before its last promotion, as far as change log and history have it. */
async function textBefore(brain: Pick<Brain, 'state' | 'past'>, path: VaultPath): Promise<string | null> {
  const { arrival } = await pastOf(brain, path);
  return arrival?.op === 'promote' ? readHistory(brain.state, arrival.before) : null;
}

/** The keys that the service sets. An adopted note that goes back has the owner's lines for them again, or none. */
const SERVICE_KEYS = [
  ...['wing', 'hall', 'created_at', 'source_type', 'origin', 'written_by', 'promoted_at', 'promoted_by'],
  ...['tunnels', 'updated_at', 'supersedes', 'supersede_reason'],
];

/** An adopted note as its owner gets it back. */
export interface GivenBack {
  /** Where the owner had it; another note may be there now. */
  readonly to: VaultPath;
  readonly text: string;
  /** True when the text is the owner's own, byte for byte; false when it was changed since the adoption and says so still. */
  readonly isWhole: boolean;
}

/**
 * Returns how the owner gets the note at `path` back: byte for byte as it was adopted, when nobody has changed it since, and
 * otherwise with its present text and with the owner's own lines for the keys that the service sets. Null for a note that was not
 * adopted.
 */
export async function adoptedNote(
  brain: Pick<Brain, 'state' | 'past'>,
  path: VaultPath,
  text: string,
): Promise<GivenBack | null> {
  const { arrival } = await pastOf(brain, path);
  if (arrival?.op !== 'adopt') return null;
  const former = await readHistory(brain.state, arrival.before);
  if (former !== null && sha256(text) === arrival.after)
    return { to: arrival.from, text: former, isWhole: true };
  const owners = editedIfPossible(text, () => withKeysOf(text, former ?? '', SERVICE_KEYS));
  return { to: arrival.from, text: owners, isWhole: false };
}

/**
 * Undoes a replacement, else a promotion or an adoption. A replaced note gets its former text and the queued note comes back, both
 * byte for byte, when nobody has changed the note since; otherwise it keeps what it says now, with a warning. A promoted note returns to the queue with its former name, an adopted one to where its owner
 * had it: byte for byte as it was, when nobody has changed it since; otherwise with what it says now, without the stamps of the
 * decision, and with a warning. Fails with `source_missing`, or `not_in_queue` for a note that was neither promoted nor
 * adopted, with `locked` for one that its owner has locked and a caller that is no person, and for a caller that does not act for
 * the owner with `forbidden_scope` for an adopted note and `not_ours` for another one of the owner.
 */
export const unpromoteNote = operation({
  name: 'unpromote',
  scope: 'review',
  mutates: true,
  input: backInput,
  output: backOutput,
  run(brain, { path: given, dry_run: dryRun }, caller, watch) {
    const namesakes = new Namesakes(brain.whole);
    const buildsBeforeLock = namesakes.mayWalk(linkedPath(brain, given));
    return changeVault(
      brain,
      async () => {
        const zone = zoneOf(linkedPath(brain, given)) === 'knowledge' ? 'knowledge' : 'wiki';
        const { path: from, text } = await readReviewNote(brain, given, zone);
        refuseUnwritable(brain, from);
        if (!caller.human && isLocked(text)) throw lockedNote(from);
        await refuseTakingBack(brain, caller, from, text);
        const replaced = await unreplaced(brain, caller, from, text);
        if (replaced !== null) return backFromReplacement(brain, caller, { from, dryRun }, replaced);
        const isPromoted = typeof parseNote(text).frontmatter.promoted_at === 'string';
        // A replacement stamps a note as well.
        if (!isPromoted || (await isOnlyReplaced(brain.whole, from))) {
          throw new BrainError(
            'not_in_queue',
            `${from} was neither promoted from the queue nor adopted, so it cannot go back.`,
            { path: from },
          );
        }
        const adopted = await adoptedNote(brain.whole, from, text);
        if (adopted !== null) refuseAgents(caller, GIVES_BACK);
        // The former path is not told to a caller who may not read it.
        if (adopted !== null && !mayWrite(brain, adopted.to)) refuseReturn(brain, from);
        const back =
          adopted === null
            ? await undecided(brain, 'promote', from, text, () => queuedAgain(brain, from, text))
            : givenBack(from, adopted);
        const tunnelled = brain.catalog.record(from)?.tunnels ?? [];
        return backToQueue(brain, {
          ...{ op: 'unpromote', from, text, dryRun, caller, ...back },
          async along(to) {
            const { steps, left } = await relinkSteps(brain.whole, from, to, {
              ...followOf(brain, caller),
              ...(adopted !== null && { owners: () => true }),
              namesakes,
            });
            const touched = [from, ...tunnelled, ...steps.map((step) => step.path)];
            return {
              steps,
              warnings: leftWarnings(brain, left),
              finish: () => refreshWings(brain, touched.map(wingOfPath), []),
            };
          },
        });
      },
      { dryRun, signal: watch?.signal, buildsBeforeLock },
    );
  },
});

const GIVES_BACK = 'gives an adopted note back';

/**
 * Refuses to take back a decision about a note of the owner for a caller that does not act for the owner.
 * @throws BrainError `forbidden_scope` for an adopted note, `not_ours` for another one
 */
async function refuseTakingBack(brain: Brain, caller: Caller, path: VaultPath, text: string): Promise<void> {
  if (mayChangeText(caller, path, text)) return;
  if ((await adoptedNote(brain.whole, path, text)) !== null) refuseAgents(caller, GIVES_BACK);
  throw notOurs(path);
}

/** Returns the path of a note in the queue, or one with a number after it that is free. */
function freeQueuePath(brain: Parameters<typeof freePath>[0], wanted: VaultPath): Promise<VaultPath> {
  return freePath(brain, (n) => vaultPath(`raw/${numbered(stemOf(wanted), n)}.md`));
}

function backFromReplacement(
  brain: Brain,
  caller: Caller,
  { from, dryRun }: Pick<Returning, 'from' | 'dryRun'>,
  { steps, to, first, warnings: told }: Unreplaced,
): Change<z.input<typeof backOutput>> {
  const warnings = [...told];
  const result = { path: to, from, ...(told.length > 0 && { warnings }) };
  if (dryRun) return { plan: null, result };
  return {
    plan: { op: 'unreplace', decision: decisionOf(caller, first), steps },
    result,
    forOwner: actsForOwner(caller),
    finish: () => refreshWings(brain, steps.map(({ path }) => path).map(wingOfPath), []),
  };
}

function refuseReturn({ limits }: Brain, from: VaultPath): never {
  throw new BrainError(
    'forbidden_scope',
    `This token may not give ${from} back, because it may not write where the note was. ${limits?.description ?? ''}`,
    { path: from },
  );
}

type Back = Pick<Returning, 'queued' | 'former' | 'isFormer' | 'warnings'>;

/** Returns a decided note as the queue gets it back: as it was, when nobody has changed it since; otherwise as `edited` says. */
async function undecided(
  brain: Brain,
  op: 'promote' | 'reject',
  from: VaultPath,
  text: string,
  edited: () => Promise<Pick<Returning, 'queued' | 'former'>>,
): Promise<Back> {
  const former = await formerNote(brain.whole, op, from, text);
  if (former === null) return edited();
  if (former.why === undefined) return { queued: former.text, former: former.to, isFormer: true };
  const decided = op === 'promote' ? 'promoted' : 'rejected';
  return { ...(await edited()), warnings: [notAsBefore(from, former.why, decided)] };
}

function givenBack(from: VaultPath, { to, text, isWhole }: GivenBack): Back {
  const warnings = isWhole ? [] : [notAsBefore(from, 'changed', 'adopted')];
  return { queued: text, former: to, isFormer: true, warnings };
}

/** Returns a promoted note without the stamps of its promotion. */
async function queuedAgain(
  brain: Brain,
  from: VaultPath,
  text: string,
): Promise<Pick<Returning, 'queued' | 'former'>> {
  const { frontmatter } = parseNote(text);
  const { promoted_at: promotedAt, created_at: createdAt } = frontmatter;
  const day = localDate(noteTime(createdAt) ?? noteTime(promotedAt) ?? brain.clock.now());
  const origin = await originOf(brain.whole, from);
  const stamped = await stampedKeys(brain.whole, from, frontmatter);
  const { text: queued } = setKeys(text, {}, [...PROMOTE_KEYS, ...stamped]);
  const stem = origin === null ? `${day}-${stemOf(from)}` : stemOf(origin);
  return { queued: escapeSecondBlock(queued), former: vaultPath(`raw/${stem}.md`) };
}
