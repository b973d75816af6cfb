import type { Sha } from '../base/hash';
import type { Timestamp } from '../base/time';
import { localDate } from '../base/time';
import type { Brain } from '../operation/context';
import { changesWith, comparePlaces, type PlacedChange } from '../storage/change-log';
import { type VaultPath, zoneOf } from '../vocabulary/paths';

/** What a rule has promoted. */
interface Promotions {
  readonly all: number;
  /** On the calendar day of the host. */
  readonly today: number;
  readonly last?: Timestamp;
}

/** How a queued note came to its text, as far as the change log knows it. */
interface Arrival {
  /** The operation that created it. */
  readonly op: string;
  /** The text that the service left there; null when another hand changed the note in between. */
  readonly hash: Sha | null;
}

/** What the change log of all devices says of rules and of the queue. */
export interface RulesPast {
  promotionsOf(rule: string): Promotions;
  /** Null for a note that the service has not put there, or that has left the queue since. */
  arrivalOf(path: VaultPath): Arrival | null;
}

/** The stamp of a rule: `human:me/rule:ci`. */
const STAMP = /^human:.*\/rule:([a-z0-9-]{1,40})$/s;

/** Reads the change log in slices. */
export async function rulesPast({
  state,
  pace,
  clock,
}: Pick<Brain, 'state' | 'pace' | 'clock'>): Promise<RulesPast> {
  const acts = new Map<string, Promotions>();
  const steps = new Map<VaultPath, QueueStep[]>();
  const today = localDate(clock.now());
  // A promotion removes a note of the queue, so its line has such a path too.
  for await (const changes of changesWith(state, pace, (line) => line.includes('"raw/'))) {
    for (const change of changes) {
      const rule = change.op === 'promote' ? STAMP.exec(change.decision?.by ?? '')?.[1] : undefined;
      if (rule !== undefined) acts.set(rule, oneMore(acts.get(rule), change.ts, today));
      for (const { path, before, after } of change.notes) {
        if (zoneOf(path) !== 'raw') continue;
        const known = steps.get(path) ?? [];
        known.push({ change, before, after });
        steps.set(path, known);
      }
    }
  }
  return {
    promotionsOf: (rule) => acts.get(rule) ?? { all: 0, today: 0 },
    arrivalOf: (path) => arrivalIn(steps.get(path) ?? []),
  };
}

/** One change of a note of the queue, in the change log. */
interface QueueStep {
  readonly change: PlacedChange;
  readonly before: Sha | null;
  readonly after: Sha | null;
}

/**
 * Follows a note of the queue through the log. Each change must start from the text of the one before it: a text that came from
 * elsewhere in between, of which a later change made another, is not the service's.
 */
function arrivalIn(steps: readonly QueueStep[]): Arrival | null {
  const inOrder = [...steps].sort((a, b) => comparePlaces(a.change, b.change));
  return inOrder.reduce<Arrival | null>((arrival, { change, before, after }) => {
    if (after === null) return null;
    if (before === null) return { op: change.op, hash: after };
    return arrival && { op: arrival.op, hash: arrival.hash === before ? after : null };
  }, null);
}

function oneMore(past: Promotions | undefined, ts: Timestamp, today: string): Promotions {
  const { all = 0, today: soFar = 0, last = ts } = past ?? {};
  const isToday = localDate(new Date(ts)) === today;
  return { all: all + 1, today: soFar + (isToday ? 1 : 0), last: last > ts ? last : ts };
}
