import * as z from 'zod';
import type { Caller } from '../access/tokens';
import type { Sha } from '../base/hash';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import type { NoteRecord } from '../catalog/record';
import type { Brain } from '../operation/context';
import { pathShape, timeShape } from '../operation/shapes';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import { withoutDatePrefix } from '../vocabulary/address';
import { isWriter, stampName } from '../vocabulary/envelope';
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
const DECIDING = ['promote', 'reject', 'withdraw', 'replace', 'restore', 'unpromote', 'unreplace', 'move'];
const BACK = ['undo', 'undo-back'];

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

/** Resolves with what was decided about the notes that the caller has proposed, the last decision first, as the past has it. */
export async function decidedProposals(
  { whole, limits }: Pick<Brain, 'whole' | 'limits'>,
  caller: Caller,
): Promise<Proposal[]> {
  const past = await whole.past.read();
  const name = stampName(caller);
  const proposed = await past.proposedBy(name);
  if (proposed.length === 0) return [];
  const changes = [...proposed, ...(await past.of([...DECIDING, ...BACK]))].sort(comparePlaces);
  const isSeen = (path: VaultPath): boolean =>
    whole.catalog.record(path) !== undefined && limits?.sees(path) !== false;
  const decided = follow(changes, new Set(proposed)).flatMap(({ decided, path, proposedAs, proposedAt }) => {
    if (decided === null) return [];
    const { change, kind } = decided;
    const writer = kind === 'rejected' ? whole.catalog.record(path)?.written_by : undefined;
    // A note that was removed by hand left its name to another one.
    if (writer !== undefined && !isWriter(writer, name)) return [];
    const { at, decision } = change;
    const proposal: Proposal = {
      ...(isSeen(path) && { path }),
      proposed_as: proposedAs,
      title: decision?.title ?? withoutDatePrefix(stemOf(proposedAs)),
      proposed_at: timestamp(new Date(proposedAt)),
      decision: kind,
      decided_at: timestamp(new Date(at)),
      ...(decision !== undefined && { by: decision.by }),
      ...(decision?.reason !== undefined && { reason: decision.reason }),
    };
    return [{ at, proposal }];
  });
  return decided.sort((a, b) => b.at - a.at).map(({ proposal }) => proposal);
}

/** Resolves with the notes of the queue that the caller has proposed, and then with those that were decided, both the newest first. */
export async function ownProposals(
  brain: Pick<Brain, 'whole' | 'limits'>,
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
  return [...waiting, ...(await decidedProposals(brain, caller))];
}

/** Follows the notes of some changes, which proposed them, through the others, oldest first. */
function follow(changes: readonly PastChange[], proposed: ReadonlySet<PastChange>): Followed[] {
  const all: Followed[] = [];
  const at = new Map<VaultPath, Followed>();
  for (const change of changes) {
    for (const note of change.notes) {
      const { path, before } = note;
      if (proposed.has(change)) {
        if (before !== null || zoneOf(path) !== 'raw') continue;
        const one = { proposedAs: path, proposedAt: change.at, path, given: null, decided: null };
        all.push(one);
        at.set(path, one);
      } else step(change, note, at);
    }
  }
  return all;
}

/** Follows a proposal that a change moved, or whose text it gave to another note. */
function step(change: PastChange, note: NoteChange, at: Map<VaultPath, Followed>): void {
  const { path, from, role, before, after } = note;
  const one = at.get(from ?? path);
  if (one === undefined) return;
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
