import * as z from 'zod';
import { actsForOwner } from '../access/tokens';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { timestamp, timeSince } from '../base/time';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hashField, sinceField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, hashShape, pathShape, timeShape, warningsShape } from '../operation/shapes';
import { wingOfPath } from '../vocabulary/address';
import { type LinkStep, linksBack, type MoveBack, type TakenBack } from '../review/links-back';
import { followOf, leftWarnings } from '../review/relink';
import type { EventData } from '../storage/event-data';
import type { EditStep } from '../storage/plan';
import { stampOf } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import { refreshWings } from '../wings/refresh';
import { findUndo, type UndoItem } from './find';
import { ACTIONS, LEFT_REASONS } from './past';

/** The most notes of one run: it holds the writer lock while it writes them. A larger undo takes several runs. */
const MAX_NOTES = 200;
/** The most characters of one run: all of them are written into the journal first. */
const MAX_CHARS = 8 * 1024 * 1024;
/** The most unchanged notes that are listed; their number is always complete. */
const MAX_LEFT = 1000;
/** The longest name in a stamp. */
const MAX_WRITER = 200;

const input = z.strictObject({
  by: z
    .string()
    .trim()
    .min(1)
    .max(MAX_WRITER)
    .describe(
      'Whole name of a token ("laptop"), or a whole written_by ("human:me", "laptop (claude-code 2.1)")',
    ),
  since: sinceField,
  plan: hashField.optional().describe('`plan` of the dry run that you looked at; required unless dry_run'),
  dry_run: dryRunField,
});

const itemShape = z.object({
  action: z.enum([...ACTIONS, 'root']),
  path: pathShape,
  title: z.string(),
  to: pathShape.optional().describe('Where the note goes'),
  version: hashShape.optional().describe('The version that it goes back to'),
  linked_from: z.array(pathShape).describe('Notes whose links to it lead nowhere until it is promoted again'),
  why: z.string(),
});

const output = z.object({
  by: z.string(),
  since: timeShape,
  plan: hashShape.describe('Stands for this very list; another one when anything of it changes'),
  undo: z.string().optional().describe('Takes this undo back; absent when nothing was done'),
  count: countShape,
  rest: countShape.describe('Notes beyond this run; look and run again for them'),
  items: z.array(itemShape),
  left_count: countShape,
  left: z
    .array(z.object({ path: pathShape, title: z.string(), reason: z.enum(LEFT_REASONS), why: z.string() }))
    .describe('Notes in which the writer had a hand and that are left as they are, at most 1000'),
  warnings: warningsShape,
});

/**
 * Undoes the changes of a writer since a time. A note that the writer changed last goes back to the last version outside these
 * changes or, without one, to the review queue with its address as a suggestion. Notes that the writer promoted, rejected,
 * replaced, confirmed, moved or adopted are again as they were before, byte for byte, and links that followed lead back; the
 * writer's edits of the root note are reverted, and the sources that it added are removed. Notes that others have changed or
 * confirmed since are listed and left unchanged, and so are the owner's when the caller does not act for the owner. Removed texts stay in the history, and the undo can be taken back.
 * | A dry run returns the list and its `plan`; the call requires that value and fails when the list has changed since. A run is
 * atomic. Needs `review` in addition to `admin`. Fails with `missing_field`, `hash_mismatch` or `invalid_field`.
 */
export const undoWriter = operation({
  name: 'undo',
  scope: 'admin',
  // It also takes back decisions of reviewers.
  besides: 'review',
  mutates: true,
  whole: true,
  input,
  output,
  async run(brain, { by, since: given, plan: seen, dry_run: dryRun = false }, caller, watch) {
    const since = timestamp(timeSince(given, brain.clock.now()));
    const actor = stampOf(caller).written_by;
    const build = async (): Promise<Change<z.input<typeof output>>> => {
      const reason = `Undo of ${by} since ${since}, by ${actor}`;
      const found = await findUndo(brain, { by, since }, { reason, caller });
      const items = firstOf(found.items);
      const hash = planHash(items);
      const links = await linksBack(brain, takenBack(items), followOf(brain, caller));
      const warnings = leftWarnings(brain, links.left);
      const result: z.input<typeof output> = {
        by,
        since,
        plan: hash,
        count: items.length,
        rest: found.items.length - items.length,
        items: items.map((item) => shown(brain, item, links.steps)),
        left_count: found.left.length,
        left: found.left.slice(0, MAX_LEFT),
        warnings,
      };
      if (dryRun) return { plan: null, result };
      if (seen === undefined) throw lookFirst();
      if (seen !== hash) throw movedOn(hash);
      if (items.length === 0) return { plan: null, result };
      const eventId = brain.changeLog.nextId();
      const until = timestamp(brain.clock.now());
      const undo = { by, since, until, versions: versionsOf([...items, ...links.steps]) };
      return {
        plan: {
          op: 'undo',
          decision: {
            by: actor,
            reason: `Undid ${items.length === 1 ? 'a note' : `${items.length} notes`} of ${by} since ${since}`,
          },
          steps: [...items.flatMap(({ steps }) => steps), ...links.steps],
          eventId,
          data: { undo, root: rootEditOf(items, { actor, reason }) },
        },
        forOwner: actsForOwner(caller) || items.some(({ root }) => root !== undefined),
        result: { ...result, undo: eventId },
        finish(skipped) {
          for (const path of skipped)
            warnings.push(`${path} changed meanwhile; its link to the moved note was left as it is.`);
          return refreshWings(
            brain,
            [...items.flatMap(({ steps }) => steps), ...links.steps].map(({ path }) => wingOfPath(path)),
            warnings,
          );
        },
      };
    };
    // The search is slow, so it runs before the lock is taken: each step names the hash that it expects.
    let planned: Change<z.input<typeof output>> | null = await build();
    const change = async () => {
      const first = planned;
      planned = null;
      return first ?? (await build());
    };
    return dryRun ? planned.result : changeVault(brain, change, { signal: watch?.signal });
  },
});

/** Returns what the items take back of the links in other notes. */
function takenBack(items: readonly UndoItem[]): TakenBack {
  const moves = items.flatMap(({ path: from, to, linksFollow, undone: changes = [] }): MoveBack[] =>
    to === undefined || linksFollow === undefined
      ? []
      : [{ from, to, isForAll: linksFollow === 'all', changes }],
  );
  const own = items.flatMap(({ steps }) => steps.map(({ path }) => path));
  return { moves, others: items.flatMap(({ undone = [] }) => undone), own };
}

/** Returns the first items that fit into one run. */
function firstOf(items: readonly UndoItem[]): UndoItem[] {
  let chars = 0;
  let taken = 0;
  for (const { steps } of items.slice(0, MAX_NOTES)) {
    for (const step of steps) if (step.kind !== 'remove') chars += step.text.length;
    if (taken > 0 && chars > MAX_CHARS) break;
    taken += 1;
  }
  return items.slice(0, taken);
}

/**
 * Returns a hash of the list: which note in which state gets which text. Times that depend on the moment of the call are left
 * out.
 */
function planHash(items: readonly UndoItem[]): string {
  const lines = items.map(({ action, path, before, to, version }) =>
    [action, path, before, to ?? '', version ?? ''].join('\t'),
  );
  return sha256(lines.join('\n'));
}

function shown(
  { catalog }: Pick<Brain, 'catalog'>,
  item: UndoItem,
  relinked: readonly EditStep[],
): z.input<typeof itemShape> {
  const { action, path, title, to, version, why } = item;
  const follows = (from: VaultPath): boolean => relinked.some((step) => step.path === from);
  return {
    action,
    path,
    title,
    ...(to !== undefined && { to }),
    ...(version !== undefined && { version }),
    linked_from: to === undefined ? [] : catalog.linksTo(path).filter((from) => !follows(from)),
    why,
  };
}

function lookFirst(): BrainError {
  return new BrainError(
    'missing_field',
    '"plan" is required: call once with "dry_run": true, look at the list, and send its "plan".',
    { field: 'plan' },
  );
}

function movedOn(plan: string): BrainError {
  return new BrainError(
    'hash_mismatch',
    'What would be undone is not what you looked at any more, and nothing was done. Look again with "dry_run": true and send the "plan" of that list.',
    { plan },
  );
}

/** Returns the versions from which texts were made, by the former paths of their notes. */
function versionsOf(undone: readonly (UndoItem | LinkStep)[]): Record<string, Sha> {
  return Object.fromEntries(
    undone.flatMap(({ path, version }) => (version === undefined ? [] : [[path, version]])),
  );
}

/** Returns what the past keeps of the edit of the root note; undefined without one. */
function rootEditOf(
  items: readonly UndoItem[],
  by: { readonly actor: string; readonly reason: string },
): EventData['root'] {
  const [root] = items.flatMap((item) => item.root ?? []);
  return root && { ...by, path: root.path, before: root.before, after: sha256(root.to), undo: true };
}
