import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
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
import { originOf } from '../past/origins';
import { stepsBack, textBefore } from '../past/trail';
import type { PastChange } from '../storage/change-log';
import type { Step } from '../storage/commit';
import { readHistory } from '../storage/history';
import { addressOf, numbered, wingOfPath } from '../vocabulary/address';
import { linkPath, stemOf, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
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
import { movesAmong } from '../links/follow';
import { linksBack, withFormerLinks } from './links-back';
import { type Follow, followOf, leftWarnings, withOwnLinks } from './relink';

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
  brain: Pick<Brain, 'catalog' | 'whole' | 'limits' | 'pace'>,
  { op, from, text, queued, former, isFormer = false, warnings = [], dryRun, along, caller }: Returning,
): Promise<Change<z.input<typeof backOutput>>> {
  const whole = linkPath(former);
  const to = await freePath(brain, (n) => vaultPath(`${numbered(whole, n)}${former.slice(whole.length)}`));
  const more = await along?.(to);
  const told = [...warnings, ...(more?.warnings ?? [])];
  const result = { path: to, from, ...(told.length > 0 && { warnings: told }) };
  if (dryRun) return { plan: null, result };
  const steps: Step[] = [
    { kind: 'create', path: to, text: isFormer ? queued : await withOwnLinks(brain, queued, from, to) },
    { kind: 'remove', path: from, before: sha256(text) },
    ...(more?.steps ?? []),
  ];
  const plan = { op, decision: decisionOf(caller, text), steps };
  return { plan, result, forOwner: actsForOwner(caller), ...(more && { finish: () => more.finish() }) };
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
        const decided = await decidedOf(brain.whole, from, text);
        const change = await backToQueue(brain, {
          ...{ op: 'restore', from, text, dryRun, caller },
          ...(await undecided(brain, decided, 'reject', { path: from, text }, async () => ({
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
async function queueStem(brain: Pick<Brain, 'past'>, from: VaultPath): Promise<string> {
  const origin = await originOf(await brain.past.read(), from);
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
 * Returns the keys that the promotion of a note added, so that the queued note claims no writer. Its former text is
 * the evidence: without it no keys are returned, nor are keys that a later write set. The creation time is kept, because the
 * new file has none.
 */
async function stampedKeys(
  { state }: Pick<Brain, 'state'>,
  { arrival }: Decided,
  now: ParsedNote['frontmatter'],
): Promise<string[]> {
  const text = arrival?.op === 'promote' ? await readHistory(state, arrival.before) : null;
  if (text === null) return [];
  const { frontmatter: before } = parseNote(text);
  const isAdded = (key: string): boolean => (before[key] ?? null) === null && (now[key] ?? null) !== null;
  const isStamped = STAMP.every(isAdded) && now.written_by === now.promoted_by;
  return [
    ...(isAdded('source_type') && now.source_type === 'internal' ? ['source_type'] : []),
    ...(isStamped && now.updated_at === before.updated_at ? STAMP : []),
  ];
}

/** A decision by which a note came to where it is. */
interface Arrival {
  readonly op: string;
  readonly from: VaultPath;
  readonly before: Sha;
  /** True when nobody has changed the text since. */
  readonly isSame: boolean;
  readonly change: PastChange;
}

/** A replacement of the text of a note by that of a queued one. */
interface Replacement {
  /** The path of the note then. */
  readonly at: VaultPath;
  readonly from: VaultPath;
  /** The text of the queued note. */
  readonly queued: Sha;
  readonly before: Sha;
  /** True when nobody has changed the text since. */
  readonly isSame: boolean;
  readonly change: PastChange;
}

/** The decisions that led to a note, as far as the past has them. */
interface Decided {
  /** The promotion, adoption, rejection (also by its own writer) by which the note came. */
  readonly arrival?: Arrival;
  /** The last move within the wiki since then. */
  readonly move?: Arrival;
  /** The last replacement of its text that is not taken back. */
  readonly replacement?: Replacement;
  /** The text before the first replacement, even if that was taken back. */
  readonly original?: Sha;
}

/** Returns the decisions that led to the note with a text at `path`. */
export async function decidedOf(brain: Pick<Brain, 'past'>, path: VaultPath, text: string): Promise<Decided> {
  let decided: Decided = {};
  const takenBack: PastChange[] = [];
  for await (const step of stepsBack(await brain.past.read(), path, sha256(text))) {
    const { change, own, isSame } = step;
    if (step.isOther) takenBack.push(change);
    const former = textBefore(step);
    if (former === null) break;
    const common = { before: former.hash, isSame, change };
    if (own.before !== null) {
      const queued = change.op === 'replace' && own === change.notes[0] ? change.notes[1] : undefined;
      if (!queued?.before || queued.after !== null) continue;
      decided = { ...decided, original: former.hash };
      if (decided.replacement !== undefined || isTakenBack(queued.before, takenBack)) continue;
      const replacement = { at: own.path, from: queued.path, queued: queued.before, ...common };
      decided = { ...decided, replacement };
      continue;
    }
    const op = change.op === 'withdraw' ? 'reject' : change.op;
    const arrival = { op, from: former.path, ...common };
    if (change.op === 'move') {
      decided = { move: arrival, ...decided };
      continue;
    }
    return ['promote', 'adopt', 'reject'].includes(op) ? { ...decided, arrival } : decided;
  }
  return decided;
}

/** Returns true for the replacement by a queued text that one of the changes took back. One that took back only this is taken off the list. */
function isTakenBack(queued: Sha, changes: PastChange[]): boolean {
  const at = changes.findIndex(
    ({ op, notes }) =>
      op === 'unreplace' || notes.some(({ before, after }) => before === null && after === queued),
  );
  if (changes[at]?.op === 'unreplace') changes.splice(at, 1);
  return at >= 0;
}

/** Returns true for a note whose text was replaced from the queue, but which never came from there itself. */
export async function isOnlyReplaced(
  { state }: Pick<Brain, 'state'>,
  { arrival, original }: Decided,
): Promise<boolean> {
  if (arrival !== undefined || original === undefined) return false;
  const text = await readHistory(state, original);
  return text === null || typeof parseNote(text).frontmatter.promoted_at !== 'string';
}

/** A note whose replacement is taken back. */
interface NoteBack {
  readonly path: VaultPath;
  readonly text: string;
  readonly follow: Follow;
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
  { path, text, last, follow }: NoteBack & { readonly last: Replacement },
): Promise<Unreplaced | null> {
  const { state, vault } = brain.whole;
  const [before, queued] = [await readHistory(state, last.before), await readHistory(state, last.queued)];
  if (queued === null) return null;
  const former = before === null ? null : await placedText(brain, before, last.at, path);
  // An undo that was taken back leaves the queued note where it is.
  const isBack = (await vault.read(last.from)) === queued;
  const to = isBack ? last.from : await freeQueuePath(brain, last.from);
  // Links to the queued note lead nowhere when that comes back under another name.
  const taken = { moves: [], others: to === last.from ? [last.change] : [], own: [path, to] };
  const links = await linksBack(brain.whole, taken, follow);
  // An edit without a change records that the replacement is taken back.
  const isWhole = last.isSame && former !== null;
  const own: Step = { kind: 'edit', path, before: sha256(text), text: isWhole ? former : text };
  const why = last.isSame
    ? `The text that ${path} had before is no longer in the history: it keeps what it says now.`
    : `${path} was changed since it was replaced: it keeps what it says now. The text before the replacement is in its history.`;
  return {
    steps: [
      ...(isBack ? [] : [{ kind: 'create', path: to, text: queued, like: path } as const]),
      own,
      ...links.steps,
    ],
    to,
    first: isBack ? text : queued,
    warnings: [...(isWhole ? [] : [why]), ...leftWarnings(brain, links.left)],
  };
}

/** Returns the text of a note that was moved since, with its present wing and hall. */
async function placedText(
  brain: Pick<Brain, 'catalog' | 'pace'>,
  text: string,
  from: VaultPath,
  to: VaultPath,
): Promise<string> {
  const address = from === to ? null : addressOf(to);
  if (address === null) return text;
  const { wing, hall } = address;
  const led = await withOwnLinks(brain, text, from, to);
  return editedIfPossible(led, () => setKeys(led, { wing, hall }).text);
}

/** The state of a note before the decision that moved it, if the note is unchanged since; otherwise the reason why it is not. */
export type Former = { readonly change: PastChange } & (
  | { readonly to: VaultPath; readonly text: string; readonly why?: undefined }
  | { readonly why: 'changed' | 'lost' }
);

/** A note as it is now. */
interface PresentNote {
  readonly path: VaultPath;
  readonly text: string;
}

/**
 * Returns the former text of a note that goes back to the path `to`. A link in it that would open another file there than the note's link
 * opens now is written as it is now.
 */
async function formerText(
  brain: Pick<Brain, 'catalog' | 'pace'>,
  former: string,
  { path, text }: PresentNote,
  to: VaultPath,
): Promise<string> {
  const now = await withOwnLinks(brain, text, path, to);
  const { after } = movesAmong(brain.catalog, new Map([[path, to]]));
  return (await withFormerLinks(brain, former, now, to, after)) ?? former;
}

/** Returns the state of a note before the decision `op` that moved it where it is; null when the past has no such decision. */
export async function formerNote(
  brain: Pick<Brain, 'state' | 'catalog' | 'pace'>,
  { arrival, move }: Decided,
  op: 'promote' | 'reject' | 'move',
  note: PresentNote,
): Promise<Former | null> {
  const decided = op === 'move' ? move : arrival;
  if (decided?.op !== op) return null;
  const { change } = decided;
  if (!decided.isSame) return { change, why: 'changed' };
  const former = await readHistory(brain.state, decided.before);
  if (former === null) return { change, why: 'lost' };
  return { change, to: decided.from, text: await formerText(brain, former, note, decided.from) };
}

/** Says why a note goes back with another text than its former one. */
function notAsBefore(from: VaultPath, why: 'changed' | 'lost', decided: string): string {
  return why === 'changed'
    ? `${from} was changed since it was ${decided}: it goes back with what it says now. Its former text is in its history.`
    : `The text that ${from} had before it was ${decided} is no longer in the history: it goes back with what it says now.`;
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
 * Returns how the owner gets a note with a text back: byte for byte as it was adopted, when nobody has changed it since, and
 * otherwise with its present text and with the owner's own lines for the keys that the service sets. Null for a note that was not
 * adopted.
 * @param isAlone false when other notes go back with it, so that its links open again what they opened
 */
export async function adoptedNote(
  brain: Pick<Brain, 'state' | 'catalog' | 'pace'>,
  { arrival }: Decided,
  note: PresentNote,
  isAlone = true,
): Promise<GivenBack | null> {
  if (arrival?.op !== 'adopt') return null;
  const former = await readHistory(brain.state, arrival.before);
  if (former !== null && arrival.isSame)
    return {
      to: arrival.from,
      text: isAlone ? await formerText(brain, former, note, arrival.from) : former,
      isWhole: true,
    };
  const { text } = note;
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
    return changeVault(
      brain,
      async () => {
        const zone = zoneOf(linkedPath(brain, given)) === 'knowledge' ? 'knowledge' : 'wiki';
        const { path: from, text } = await readReviewNote(brain, given, zone);
        refuseUnwritable(brain, from);
        if (!caller.human && isLocked(text)) throw lockedNote(from);
        const decided = await decidedOf(brain.whole, from, text);
        const adopted = await adoptedNote(brain.whole, decided, { path: from, text });
        if (!mayChangeText(caller, from, text)) {
          if (adopted !== null) refuseAgents(caller, GIVES_BACK);
          throw notOurs(from);
        }
        const follow = followOf(brain, caller);
        const { replacement: last, arrival } = decided;
        const replaced =
          last === undefined ? null : await unreplaced(brain, { path: from, text, last, follow });
        if (replaced !== null) return backFromReplacement(brain, caller, { from, dryRun }, replaced);
        const isPromoted = typeof parseNote(text).frontmatter.promoted_at === 'string';
        // A replacement stamps a note as well.
        if (!isPromoted || (await isOnlyReplaced(brain.whole, decided))) throw notDecided(from, arrival);
        if (adopted !== null) refuseAgents(caller, GIVES_BACK);
        // The former path is not told to a caller who may not read it.
        if (adopted !== null && !mayWrite(brain, adopted.to)) refuseReturn(brain, from);
        const back =
          adopted === null
            ? await undecided(brain, decided, 'promote', { path: from, text }, () =>
                queuedAgain(brain, decided, from, text),
              )
            : givenBack(from, adopted);
        const tunnelled = brain.catalog.record(from)?.tunnels ?? [];
        return backToQueue(brain, {
          ...{ op: 'unpromote', from, text, dryRun, caller, ...back },
          async along(to) {
            const changes = arrival === undefined ? [] : [arrival.change];
            const moves = [{ from, to, isForAll: adopted !== null, changes }];
            const { steps, left } = await linksBack(brain.whole, { moves, others: [], own: [] }, follow);
            const touched = [from, ...tunnelled, ...steps.map((step) => step.path)];
            return {
              steps,
              warnings: leftWarnings(brain, left),
              finish: () => refreshWings(brain, touched.map(wingOfPath), []),
            };
          },
        });
      },
      { dryRun, signal: watch?.signal },
    );
  },
});

const GIVES_BACK = 'gives an adopted note back';

/** Returns the error for a note that cannot go back. */
function notDecided(path: VaultPath, arrival: Arrival | undefined): BrainError {
  const why =
    arrival === undefined
      ? `${path} was neither promoted from the queue nor adopted, so it cannot go back.`
      : `The text of ${path} was written anew since it came from the queue, so it cannot go back. Its former text is in its history.`;
  return new BrainError('not_in_queue', why, { path });
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
  decided: Decided,
  op: 'promote' | 'reject',
  note: PresentNote,
  edited: () => Promise<Pick<Returning, 'queued' | 'former'>>,
): Promise<Back> {
  const former = await formerNote(brain.whole, decided, op, note);
  if (former === null) return edited();
  if (former.why === undefined) return { queued: former.text, former: former.to, isFormer: true };
  const done = op === 'promote' ? 'promoted' : 'rejected';
  return { ...(await edited()), warnings: [notAsBefore(note.path, former.why, done)] };
}

function givenBack(from: VaultPath, { to, text, isWhole }: GivenBack): Back {
  const warnings = isWhole ? [] : [notAsBefore(from, 'changed', 'adopted')];
  return { queued: text, former: to, isFormer: isWhole, warnings };
}

/** Returns a promoted note without the stamps of its promotion. */
async function queuedAgain(
  brain: Brain,
  decided: Decided,
  from: VaultPath,
  text: string,
): Promise<Pick<Returning, 'queued' | 'former'>> {
  const { frontmatter } = parseNote(text);
  const { promoted_at: promotedAt, created_at: createdAt } = frontmatter;
  const day = localDate(noteTime(createdAt) ?? noteTime(promotedAt) ?? brain.clock.now());
  const origin = await originOf(await brain.whole.past.read(), from);
  const stamped = await stampedKeys(brain.whole, decided, frontmatter);
  const { text: queued } = setKeys(text, {}, [...PROMOTE_KEYS, ...stamped]);
  const stem = origin === null ? `${day}-${stemOf(from)}` : stemOf(origin);
  return { queued: escapeSecondBlock(queued), former: vaultPath(`raw/${stem}.md`) };
}
