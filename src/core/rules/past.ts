import type { Sha } from '../base/hash';
import type { Timestamp } from '../base/time';
import { localDate, timestamp } from '../base/time';
import type { Brain } from '../operation/context';
import type { PastChange } from '../storage/change-log';
import type { VaultPath } from '../vocabulary/paths';

/** What a rule has promoted. */
interface Promotions {
  readonly all: number;
  /** On the calendar day of the host. */
  readonly today: number;
  readonly last?: Timestamp;
}

/** How a queued note came to its text, as far as the past knows it. */
interface Arrival {
  /** The operation that created it. */
  readonly op: string;
  /** The text that the service left there; null when another hand changed the note in between. */
  readonly hash: Sha | null;
}

/** What the past of a vault says of rules and of the queue. */
export interface RulesPast {
  promotionsOf(rule: string): Promotions;
  /** Null for a note that the service has not put there, or that has left the queue since. */
  arrivalOf(path: VaultPath): Promise<Arrival | null>;
}

export async function rulesPast({ past, clock }: Pick<Brain, 'past' | 'clock'>): Promise<RulesPast> {
  const reader = await past.read();
  const today = localDate(clock.now());
  return {
    promotionsOf(rule) {
      const times = reader.timesOfRule(rule);
      const last = times.reduce((latest, time) => Math.max(latest, time), -Infinity);
      return {
        all: times.length,
        today: times.filter((time) => localDate(new Date(time)) === today).length,
        ...(times.length > 0 && { last: timestamp(new Date(last)) }),
      };
    },
    arrivalOf: async (path) => arrivalIn(path, await reader.naming(path)),
  };
}

/**
 * Follows a note of the queue through its changes. Each change must start from the text of the one before it: a text that came from
 * elsewhere in between, of which a later change made another, is not the service's.
 */
function arrivalIn(at: VaultPath, changes: readonly PastChange[]): Arrival | null {
  let arrival: Arrival | null = null;
  for (const { op, notes } of changes) {
    for (const { path, before, after } of notes) {
      if (path !== at) continue;
      if (after === null) arrival = null;
      else if (before === null) arrival = { op, hash: after };
      else if (arrival !== null) arrival = { op: arrival.op, hash: arrival.hash === before ? after : null };
    }
  }
  return arrival;
}
