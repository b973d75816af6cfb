import * as z from 'zod';
import { timestamp, parseTime } from '../base/time';
import { linkedPath } from '../notes/targets';
import type { Brain } from '../operation/context';
import { limitField, MAX_REASON, offsetField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape, timeShape } from '../operation/shapes';
import type { PastChange } from '../storage/change-log';
import { isWriter, ruleOf } from '../vocabulary/envelope';
import { withoutDatePrefix } from '../vocabulary/address';
import { stemOf, type VaultPath } from '../vocabulary/paths';

/** What was decided, by the operation that did it. */
const KIND_OF_OPERATION: ReadonlyMap<string, DecisionKind> = new Map([
  ['promote', 'promoted'],
  ['reject', 'rejected'],
  ['withdraw', 'withdrawn'],
  ['restore', 'restored'],
  ['adopt', 'adopted'],
  ['unpromote', 'returned'],
  ['replace', 'replaced'],
  ['confirm', 'confirmed'],
  ['move', 'moved'],
  ['unreplace', 'returned'],
  ['unconfirm', 'returned'],
  ['undo', 'undone'],
]);

const KINDS = [
  'promoted',
  'rejected',
  'withdrawn',
  'restored',
  'adopted',
  'returned',
  'replaced',
  'confirmed',
  'moved',
  'undone',
] as const;
type DecisionKind = (typeof KINDS)[number];

/** The operations that take decisions back. */
const BACK: Readonly<Partial<Record<DecisionKind, 'restore' | 'unpromote'>>> = {
  rejected: 'restore',
  withdrawn: 'restore',
  promoted: 'unpromote',
  adopted: 'unpromote',
  replaced: 'unpromote',
};

const decisionShape = z.object({
  at: timeShape,
  by: z.string().optional().describe('Who decided; absent when no record has it'),
  kind: z.enum(KINDS),
  path: pathShape.describe('Where the decision put the note'),
  from: pathShape.optional().describe('Where the note was, when it moved'),
  title: z.string(),
  reason: z.string().max(MAX_REASON).optional(),
  rule: z.string().optional().describe('The rule that acted'),
  restorable: z.boolean().describe('True for a rejected note that is still where it was put'),
  take_back: z
    .enum(['restore', 'unpromote'])
    .optional()
    .describe('The operation that takes the decision back, while the note is as it was decided'),
});
type Decided = z.input<typeof decisionShape>;

/**
 * Lists what was decided about notes, newest first: promoted, rejected, withdrawn, restored, adopted, given back, replaced, confirmed, moved,
 * undone. It is read from the change log of all devices; for lines of earlier versions, which have neither person nor reason,
 * those come from the note where it still is.
 */
export const listDecisions = operation({
  name: 'decisions',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    kind: z.enum(KINDS).optional(),
    by: z.string().max(200).optional().describe('Only decisions of this stamp, such as human:me'),
    path: pathField.optional().describe('Only decisions about the note that is or was there'),
    limit: limitField(200, 50),
    offset: offsetField,
  }),
  output: z.object({ count: countShape, total: countShape, decisions: z.array(decisionShape) }),
  async run(brain, { kind, by, path, limit, offset }) {
    const only = path === undefined ? null : linkedPath(brain, path);
    const operations = new Set(
      [...KIND_OF_OPERATION].flatMap(([op, each]) => (kind === undefined || each === kind ? [op] : [])),
    );
    const past = await brain.whole.past.read();
    const answer = (total: number, page: readonly PastChange[]) => {
      const decisions = page.flatMap((change) => decided(brain, change));
      return { count: decisions.length, total, decisions };
    };
    if (only === null && by === undefined && brain.limits === null) {
      // What is asked for are the last of them: the others are counted and not read.
      const { count, changes } = await past.lastOf(operations, offset + limit);
      return answer(count, changes.reverse().slice(offset));
    }
    const found = (await (only === null ? past.of(operations) : past.naming(only))).filter((change) => {
      const named = operations.has(change.op) ? namedBy(change) : null;
      if (named === null || !isSeen(brain, named)) return false;
      if (only !== null && named.path !== only && named.from !== only) return false;
      return by === undefined || isWriter(deciderOf(brain, change, named).by, by);
    });
    return answer(found.length, found.reverse().slice(offset, offset + limit));
  },
});

/** The note that a decision is about, and where it was before. */
interface Named {
  readonly path: VaultPath;
  readonly from?: VaultPath;
}

function namedBy({ op, notes: [first, ...others] }: PastChange): Named | null {
  if (first === undefined) return null;
  // An undo has many notes: only a removal right after a creation is a move of the first.
  const candidates = op !== 'undo' ? others : first.before === null ? others.slice(0, 1) : [];
  const left = candidates.find(({ after }) => after === null);
  return { path: first.path, ...(left !== undefined && { from: left.path }) };
}

/** Returns false for a decision that names a note which the caller may not read. */
function isSeen({ limits }: Pick<Brain, 'limits'>, { path, from }: Named): boolean {
  return limits === null || (limits.sees(path) && (from === undefined || limits.sees(from)));
}

/** Returns who decided and why, by the log or by the note as it is now. */
function deciderOf(
  { catalog }: Pick<Brain, 'catalog'>,
  { op, ts, decision }: PastChange,
  { path }: Named,
): { readonly by?: string | undefined; readonly reason?: string | undefined } {
  if (decision !== undefined) return decision;
  const { promoted_by, promoted_at, rejected_by, rejected_at, reject_reason } =
    catalog.record(path)?.frontmatter ?? {};
  const [by, at] = op === 'reject' ? [rejected_by, rejected_at] : [promoted_by, promoted_at];
  if (!['promote', 'adopt', 'reject'].includes(op) || typeof by !== 'string') return {};
  // A stamp of another minute is that of another decision.
  const stamped = parseTime(at);
  if (stamped === null || Math.abs(stamped.getTime() - Date.parse(ts)) > MINUTE_MS) return {};
  return { by, ...(op === 'reject' && typeof reject_reason === 'string' && { reason: reject_reason }) };
}

const MINUTE_MS = 60_000;

function decided(brain: Pick<Brain, 'catalog' | 'limits'>, change: PastChange): Decided[] {
  const named = namedBy(change);
  const kind = KIND_OF_OPERATION.get(change.op);
  const at = parseTime(change.ts);
  if (kind === undefined || at === null || named === null) return [];
  const { path, from } = named;
  const { decision } = change;
  const { by, reason: given } = deciderOf(brain, change, named);
  // The reason of an undo counts notes that the caller may not read.
  const reason = kind === 'undone' && brain.limits !== null ? undefined : given;
  const record = brain.catalog.record(path);
  const rule = ruleOf(by);
  const isThere = record !== undefined && record.content_hash === change.notes[0]?.after;
  const back = isThere ? BACK[kind] : undefined;
  return [
    {
      at: timestamp(at),
      ...(by !== undefined && { by }),
      kind,
      path,
      ...(from !== undefined && { from }),
      title: decision?.title ?? record?.title ?? withoutDatePrefix(stemOf(path)),
      ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON) }),
      ...(rule !== undefined && { rule }),
      restorable: back === 'restore',
      ...(back !== undefined && { take_back: back }),
    },
  ];
}
