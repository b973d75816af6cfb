import * as z from 'zod';
import type { Caller } from '../access/tokens';
import type { Sha } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { NoteRecord } from '../catalog/record';
import type { Brain } from '../operation/context';
import { pathShape, timeShape } from '../operation/shapes';
import type { NoteChange, PastChange } from '../storage/change-log';
import { withoutDatePrefix } from '../vocabulary/address';
import { isPersonStamp, isWriter, stampName } from '../vocabulary/envelope';
import { stemOf, type VaultPath, zoneOf } from '../vocabulary/paths';

export const proposalShape = z.object({
  path: pathShape.optional().describe('Where the note is now, as far as the caller may know'),
  proposed_as: pathShape.describe('Its path in the queue'),
  title: z.string(),
  proposed_at: timeShape,
  decision: z.enum(['waiting', 'promoted', 'replaced', 'rejected', 'withdrawn']),
  decided_at: timeShape.optional(),
  by: z.string().optional().describe('Who decided'),
  reason: z.string().optional(),
});
export type Proposal = z.input<typeof proposalShape>;

/** The operations that decide about queued notes, take that back, or move what came from the queue. */
const DECIDING: ReadonlySet<string> = new Set([
  ...['promote', 'reject', 'withdraw', 'replace', 'restore', 'unpromote', 'unreplace', 'move'],
  ...['undo', 'undo-back'],
]);

/** A proposal while the past is read: where it is, and what was decided last. */
interface Followed {
  readonly proposedAs: VaultPath;
  readonly proposedAt: number;
  path: VaultPath;
  /** The text that it gave to another note. */
  given: Sha | null;
  /** The decision that took it out of the queue; null while it waits. */
  decided: { readonly change: PastChange; readonly kind: Proposal['decision'] } | null;
}

/**
 * Resolves with what became of the notes that the caller has proposed, as the past has it: those that wait and that a person has
 * edited, then the others, the last decision first.
 */
export async function pastProposals(
  { whole, limits, pace }: Pick<Brain, 'whole' | 'limits' | 'pace'>,
  caller: Caller,
): Promise<Proposal[]> {
  const past = await whole.past.read();
  const name = stampName(caller);
  const proposed = await past.proposedBy(name);
  const [first] = proposed;
  if (first === undefined) return [];
  const names = proposed.flatMap(({ notes }) => notes.filter(isArrival).map(({ path }) => path));
  const changes = await past.around(names, timestamp(new Date(first.at)), leads);
  const followed = await inSlices(follow(changes, new Set(proposed.map(placeOf))), pace);
  const found = followed.flatMap((one) => {
    const note = whole.catalog.record(one.path);
    const isSeen = note !== undefined && limits?.sees(one.path) !== false;
    const proposal = proposalOf(one, note, isSeen, name);
    return proposal === null ? [] : [{ at: one.decided?.change.at ?? Infinity, proposal }];
  });
  return found.sort((a, b) => b.at - a.at).map(({ proposal }) => proposal);
}

/** Returns what the past says of a proposal; null for one that is gone, or that waits with the stamp of its author. */
function proposalOf(
  { decided, path, proposedAs, proposedAt }: Followed,
  note: NoteRecord | undefined,
  isSeen: boolean,
  name: string,
): Proposal | null {
  const writer = note?.written_by;
  const isOwn = isWriter(writer, name);
  const isPersons = !isOwn && isPersonStamp(writer);
  if (decided === null && !(isPersons && note?.status === 'raw')) return null;
  // A note that was removed by hand left its name to another one.
  if (decided?.kind === 'rejected' && writer !== undefined && !isOwn && !isPersons) return null;
  const title = decided === null ? note?.title : decided.change.decision?.title;
  return {
    ...(isSeen && { path }),
    proposed_as: proposedAs,
    title: (isSeen || !isPersons ? title : undefined) ?? withoutDatePrefix(stemOf(proposedAs)),
    proposed_at: timestamp(new Date(proposedAt)),
    ...(decided === null ? { decision: 'waiting' } : told(decided)),
  };
}

function told({
  change,
  kind,
}: NonNullable<Followed['decided']>): Pick<Proposal, 'decision' | 'decided_at' | 'by' | 'reason'> {
  const { by, reason } = change.decision ?? {};
  return {
    decision: kind,
    decided_at: timestamp(new Date(change.at)),
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
  };
}

function isArrival({ path, before }: NoteChange): boolean {
  return before === null && zoneOf(path) === 'raw';
}

function placeOf({ place }: PastChange): string {
  return place.join(' ');
}

/** Returns where a change takes known notes, and the texts that it takes from them. */
function leads({ notes }: PastChange, known: ReadonlySet<string>): (string | null)[] {
  return notes.flatMap(({ path, from, role, before }): (string | null)[] => {
    if (from !== undefined) return known.has(from) ? [path] : [];
    return role === 'used' && known.has(path) ? [before] : [];
  });
}

/** Resolves with the notes of the queue that the caller has proposed, and then with those that were decided, both the newest first. */
export async function ownProposals(
  brain: Pick<Brain, 'whole' | 'limits' | 'pace'>,
  caller: Caller,
  queue: readonly { readonly note: NoteRecord; readonly created: Date }[],
): Promise<Proposal[]> {
  const name = stampName(caller);
  const waiting = queue
    .filter(({ note }) => isWriter(note.frontmatter.written_by, name))
    .sort((a, b) => b.created.getTime() - a.created.getTime() || compareText(a.note.path, b.note.path))
    .map(({ note, created }): Proposal => {
      const { path, title } = note;
      return { path, proposed_as: path, title, proposed_at: timestamp(created), decision: 'waiting' };
    });
  return [...waiting, ...(await pastProposals(brain, caller))];
}

/**
 * Follows the notes of the changes that proposed some, oldest first.
 * @param proposed the places of these changes
 */
function* follow(changes: readonly PastChange[], proposed: ReadonlySet<string>): Steps<Followed[]> {
  const all = new Set<Followed>();
  const at = new Map<VaultPath, Followed>();
  for (const [number, change] of changes.entries()) {
    if (number % ITEMS_PER_STEP === 0) yield;
    const isProposing = proposed.has(placeOf(change));
    for (const note of change.notes) {
      const { path, before, from } = note;
      const isDeciding = !isProposing && DECIDING.has(change.op);
      const one = isDeciding ? at.get(from ?? path) : undefined;
      if (one !== undefined) step(change, note, one, at);
      else if (before === null) {
        const former = at.get(path);
        // It was removed by hand, and this is another one.
        if (former?.decided === null) all.delete(former);
        at.delete(path);
        if (!isProposing || from !== undefined || zoneOf(path) !== 'raw') continue;
        const next = { proposedAs: path, proposedAt: change.at, path, given: null, decided: null };
        all.add(next);
        at.set(path, next);
      }
    }
  }
  return [...all];
}

/** Follows a proposal that a change moved, or whose text it gave to another note. */
function step(change: PastChange, note: NoteChange, one: Followed, at: Map<VaultPath, Followed>): void {
  const { path, from, role, before, after } = note;
  if (role === 'used' && after === null) {
    one.decided = { change, kind: 'replaced' };
    one.path = change.notes[0]?.path ?? path;
    one.given = before;
    return;
  }
  // What replaced a note comes back as it was, at its own path or another one.
  if (before !== null || (from === undefined && one.given !== after)) return;
  if (from !== undefined) at.delete(from);
  at.set(path, one);
  const zone = zoneOf(path);
  if (zone === 'raw') one.decided = null;
  else if (zone === 'rejected')
    one.decided = { change, kind: change.op === 'withdraw' ? 'withdrawn' : 'rejected' };
  else one.decided ??= { change, kind: 'promoted' };
  one.path = path;
}
