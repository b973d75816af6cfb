import * as z from 'zod';
import { type Caller, SCOPES } from '../access/tokens';
import { compareText, tokensAbout } from '../base/text';
import { noteTime, timestamp } from '../base/time';
import type { NoteRecord } from '../catalog/record';
import { rootNotePath } from '../notes/root';
import type { Brain } from '../operation/context';
import { operation } from '../operation/operation';
import { countShape, hallShape, pathShape, timeShape } from '../operation/shapes';
import { pendingNotes } from '../review/pending';
import { dateOf } from '../notes/trust';
import { HALLS } from '../vocabulary/address';
import { linkPath } from '../vocabulary/paths';
import { isStale } from '../vocabulary/envelope';
import { wingCounts, wingsShape } from '../wings/operations';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const WEEKS = 26;
/** The most writers in one answer; their number is always complete. */
const MAX_WRITERS = 20;

const output = z.object({
  notes: countShape.describe('Reviewed notes: those in wiki/ and knowledge/'),
  added: countShape.describe('Of these, how many came in the last 7 days'),
  undated: countShape.describe('Of these, how many do not say when they came'),
  stale: countShape.describe('Of these, how many are past their half-life'),
  growth: z
    .array(z.object({ until: timeShape, notes: countShape }))
    .describe(
      'How many of these stood at the end of each of the last 26 weeks, oldest first; the last one ends now',
    ),
  queue: z.object({
    count: countShape,
    oldest_at: timeShape.optional(),
    ages: z
      .object({
        under_1_day: countShape,
        days_1_to_3: countShape,
        days_4_to_7: countShape,
        over_7_days: countShape,
      })
      .describe('Notes that await review by their age in whole days'),
  }),
  writes: z.object({
    notes: countShape.describe('Notes whose last stamped write lies in the last 7 days'),
    writer_count: countShape,
    writers: z
      .array(z.object({ written_by: z.string(), notes: countShape }))
      .describe('Who wrote most of them, at most 20'),
  }),
  owner_notes: countShape.describe('Notes of the owner outside the folders of the service'),
  wings: wingsShape,
  latest: z
    .array(z.object({ path: pathShape, title: z.string(), changed_at: timeShape }))
    .describe('The ten notes that were changed last, newest first, without those that await review'),
  guidance: pathShape.optional().describe('The root note, which guides agents; absent when there is none'),
  may: z.array(z.enum(SCOPES)).describe('What the caller may do'),
  may_read: z.array(z.string()).optional().describe('The only folders and files that the token may read'),
  may_write_wings: z.array(z.string()).optional().describe('The only wings that the token may write into'),
});
type Overview = z.input<typeof output>;

/**
 * Returns what the brain holds and how it grows, from memory alone; where guidance for agents is, and what the caller may do.
 * | Growth and `added` count the existing notes by their time of arrival: promoted_at, else created_at, else `created`. Deleted
 * notes are unknown, so they are missing in the past as well; a note without a time counts as always present, one from the
 * future as new. The last figure of `growth` is `notes`.
 * | A write is known by the stamps of its note: `updated_at`, else `created_at`, with `written_by`. So of several writes to one
 * note only the last is counted, and hand edits, which leave no stamp, are not. Queued and rejected notes count as well.
 */
export const overview = operation({
  name: 'overview',
  scope: 'read',
  mutates: false,
  input: z.strictObject({}),
  output,
  async run(brain, _, caller): Promise<Overview> {
    const now = brain.clock.now();
    const weekAgo = now.getTime() - WEEK_MS;
    const reviewed = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')];
    const times = reviewed.map((note) => timesOf(note));
    return {
      notes: reviewed.length,
      added: times.filter(({ came }) => came > weekAgo).length,
      undated: times.filter(({ came }) => came === -Infinity).length,
      stale: reviewed.filter((note) => isStale(note.frontmatter, now)).length,
      growth: growthOf(
        times.map(({ came }) => came),
        now,
      ),
      queue: queueOf(pendingNotes(brain), now),
      writes: writesOf(brain.catalog.notes(), weekAgo),
      owner_notes: brain.catalog.count('vault'),
      wings: wingCounts(brain),
      latest: latestNotes(brain),
      ...(await guidanceOf(brain)),
      may: SCOPES.filter((scope) => caller.scopes.has(scope)),
      ...limitsOf(caller),
    };
  },
});

/** Returns the limits of a token; nothing for one without. */
function limitsOf({ limits }: Caller): Pick<Overview, 'may_read' | 'may_write_wings'> {
  return {
    ...(limits?.read && { may_read: [...limits.read] }),
    ...(limits?.writeWings && { may_write_wings: [...limits.writeWings] }),
  };
}

/** The number of latest notes in an overview. */
const LATEST = 10;

function latestNotes({ catalog }: Pick<Brain, 'catalog'>): Overview['latest'] {
  const latest: { note: NoteRecord; time: number }[] = [];
  for (const status of ['wiki', 'knowledge', 'vault'] as const) {
    for (const note of catalog.notes(status)) {
      const time = dateOf(note);
      if (latest.length === LATEST && time <= (latest.at(-1)?.time ?? 0)) continue;
      latest.push({ note, time });
      latest.sort((a, b) => b.time - a.time || compareText(a.note.path, b.note.path));
      latest.length = Math.min(latest.length, LATEST);
    }
  }
  return latest.map(({ note: { path, title }, time }) => ({
    path,
    title,
    changed_at: timestamp(new Date(time)),
  }));
}

async function guidanceOf(brain: Brain): Promise<Pick<Overview, 'guidance'>> {
  const path = await rootNotePath(brain);
  return (await brain.vault.stat(path)) === null ? {} : { guidance: path };
}

/** The largest brief overview, in tokens of a language model, as `tokensAbout` counts them. */
const BRIEF_TOKENS = 480;

const brief = z.object({
  notes: countShape,
  awaiting_review: countShape,
  guidance: z.string().optional(),
  may: z.array(z.string()),
  may_read: z.array(z.string()).optional(),
  may_write_wings: z.array(z.string()).optional(),
  halls: z
    .array(hallShape)
    .describe('The order of the counts in `wings`; counts that are missing at the end are 0'),
  wings: z.record(z.string(), z.array(countShape)),
  more_wings: countShape.optional(),
  maps: z.string().optional().describe('Where the map of each wing is'),
  latest: z.array(z.string()).describe('Paths without .md, newest first'),
});

/**
 * Returns an overview that is short enough for the beginning of every conversation, at most 500 tokens: wings with their notes
 * in each hall, the latest notes, where guidance is, and what the caller may do. When it would be longer, it has fewer latest
 * notes, then only the largest wings.
 */
export const briefOverview = operation({
  name: 'overview',
  scope: 'read',
  mutates: false,
  input: z.strictObject({}),
  output: brief,
  async run(brain, asked, caller): Promise<z.input<typeof brief>> {
    const { notes, owner_notes, queue, wings, latest, guidance, may, may_read, may_write_wings } =
      await overview.run(brain, asked, caller);
    const bySize = [...wings].sort((a, b) => b.notes - a.notes || compareText(a.wing, b.wing));
    const made = (wingCount: number, latestCount: number): z.input<typeof brief> => ({
      notes: notes + owner_notes,
      awaiting_review: queue.count,
      ...(guidance !== undefined && { guidance }),
      may,
      ...(may_read && { may_read: shortened(may_read) }),
      ...(may_write_wings && { may_write_wings: shortened(may_write_wings) }),
      halls: [...HALLS],
      wings: Object.fromEntries(
        bySize
          .slice(0, wingCount)
          .sort((a, b) => compareText(a.wing, b.wing))
          .map(({ wing, halls }) => [wing, withoutLastZeros(HALLS.map((hall) => halls[hall]))]),
      ),
      ...(wingCount < wings.length && { more_wings: wings.length - wingCount }),
      ...(wings.length > 0 && { maps: 'wiki/<wing>/_index.md' }),
      latest: latest.slice(0, latestCount).map(({ path }) => linkPath(path)),
    });
    let [wingCount, latestCount] = [Math.min(wings.length, MOST_WINGS), latest.length];
    for (;;) {
      const answer = made(wingCount, latestCount);
      if (tokensAbout(JSON.stringify(answer)) <= BRIEF_TOKENS) return answer;
      if (latestCount > FEWEST_LATEST) latestCount -= 1;
      else if (wingCount > 0) wingCount -= 1;
      else if (latestCount > 0) latestCount -= 1;
      else return answer;
    }
  },
});

/** The most limits of a token of one kind in a brief overview, and their characters together. */
const MOST_LIMITS = 10;
const MOST_LIMIT_CHARACTERS = 240;

/** Returns the first of a list of limits; the last entry tells how many more there are. */
function shortened(limits: readonly string[]): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const limit of limits) {
    characters += limit.length;
    if (shown.length === MOST_LIMITS || characters > MOST_LIMIT_CHARACTERS) break;
    shown.push(limit);
  }
  const left = limits.length - shown.length;
  return left === 0 ? shown : [...shown, `… ${left} more`];
}

/** The number of wings above which a brief overview is certain to be too long. */
const MOST_WINGS = 60;
const FEWEST_LATEST = 3;

function withoutLastZeros(counts: readonly number[]): number[] {
  const kept = [...counts];
  while (kept.at(-1) === 0) kept.pop();
  return kept;
}

interface Times {
  /** The time at which it became a reviewed note, in milliseconds; minus infinity when it has none. */
  readonly came: number;
  /** The time of the last write by the service; minus infinity when it has none. */
  readonly written: number;
}

/** Times by record: a record never changes, so they are read once. */
const known = new WeakMap<NoteRecord, Times>();

function timesOf(note: NoteRecord): Times {
  const found = known.get(note);
  if (found !== undefined) return found;
  const { promoted_at, created_at, created, date, updated_at } = note.frontmatter;
  const first = (...values: unknown[]) => {
    for (const value of values) {
      const time = noteTime(value);
      if (time !== null) return time.getTime();
    }
    return -Infinity;
  };
  const times = {
    came: first(promoted_at, created_at, created, date),
    written: first(updated_at, created_at),
  };
  known.set(note, times);
  return times;
}

function growthOf(came: readonly number[], now: Date): { until: string; notes: number }[] {
  const sorted = Float64Array.from(came).sort();
  let notes = 0;
  return Array.from({ length: WEEKS }, (_, week) => {
    const isLast = week === WEEKS - 1;
    const until = now.getTime() - (WEEKS - 1 - week) * WEEK_MS;
    while (notes < sorted.length && (isLast || (sorted[notes] ?? 0) <= until)) notes += 1;
    return { until: timestamp(new Date(until)), notes };
  });
}

function queueOf(queue: ReturnType<typeof pendingNotes>, now: Date) {
  const ages = { under_1_day: 0, days_1_to_3: 0, days_4_to_7: 0, over_7_days: 0 };
  for (const { created } of queue) {
    const days = Math.floor((now.getTime() - created.getTime()) / DAY_MS);
    const bucket =
      days < 1 ? 'under_1_day' : days <= 3 ? 'days_1_to_3' : days <= 7 ? 'days_4_to_7' : 'over_7_days';
    ages[bucket] += 1;
  }
  const oldest = queue[0]?.created;
  return { count: queue.length, ...(oldest !== undefined && { oldest_at: timestamp(oldest) }), ages };
}

function writesOf(notes: readonly NoteRecord[], weekAgo: number) {
  const counts = new Map<string, number>();
  let written = 0;
  for (const note of notes) {
    if (note.written_by === undefined || timesOf(note).written <= weekAgo) continue;
    written += 1;
    counts.set(note.written_by, (counts.get(note.written_by) ?? 0) + 1);
  }
  const writers = [...counts].map(([written_by, count]) => ({ written_by, notes: count }));
  writers.sort((a, b) => b.notes - a.notes || compareText(a.written_by, b.written_by));
  return { notes: written, writer_count: writers.length, writers: writers.slice(0, MAX_WRITERS) };
}
