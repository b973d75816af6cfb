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
  /** The last text that the service wrote there. */
  readonly hash: Sha;
}

/** What the change log of all devices says of rules and of the queue. */
export interface RulesPast {
  promotionsOf(rule: string): Promotions;
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
  const created = new Map<VaultPath, PlacedChange>();
  const written = new Map<VaultPath, PlacedChange & { readonly hash: Sha }>();
  const today = localDate(clock.now());
  // A promotion removes a note of the queue, so its line has such a path too.
  for await (const changes of changesWith(state, pace, (line) => line.includes('"raw/'))) {
    for (const change of changes) {
      const rule = change.op === 'promote' ? STAMP.exec(change.decision?.by ?? '')?.[1] : undefined;
      if (rule !== undefined) acts.set(rule, oneMore(acts.get(rule), change.ts, today));
      for (const { path, before, after } of change.notes) {
        if (after === null || zoneOf(path) !== 'raw') continue;
        const isLater = (other?: PlacedChange): boolean =>
          other === undefined || comparePlaces(other, change) < 0;
        if (before === null && isLater(created.get(path))) created.set(path, change);
        if (isLater(written.get(path))) written.set(path, { ...change, hash: after });
      }
    }
  }
  return {
    promotionsOf: (rule) => acts.get(rule) ?? { all: 0, today: 0 },
    arrivalOf(path) {
      const [first, last] = [created.get(path), written.get(path)];
      return first === undefined || last === undefined ? null : { op: first.op, hash: last.hash };
    },
  };
}

function oneMore(past: Promotions | undefined, ts: Timestamp, today: string): Promotions {
  const { all = 0, today: soFar = 0, last = ts } = past ?? {};
  const isToday = localDate(new Date(ts)) === today;
  return { all: all + 1, today: soFar + (isToday ? 1 : 0), last: last > ts ? last : ts };
}
