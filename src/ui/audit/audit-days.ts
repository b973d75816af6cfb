import { localDate } from '../../core/rules/time';
import type { AuditCall } from './audit-words';

export interface AuditDay {
  /** `YYYY-MM-DD`, in the time zone of the person. */
  readonly day: string;
  readonly calls: readonly AuditCall[];
}

/** Calls by the day on which the person saw them happen. Keeps their order. */
export function byDay(calls: readonly AuditCall[]): AuditDay[] {
  const days: { day: string; calls: AuditCall[] }[] = [];
  for (const call of calls) {
    const day = localDate(new Date(call.ts));
    const last = days.at(-1);
    if (last?.day === day) last.calls.push(call);
    else days.push({ day, calls: [call] });
  }
  return days;
}

/** One bar of the strip above the calls. */
export interface Slot {
  readonly from: Date;
  readonly passed: number;
  readonly failed: number;
}

/**
 * Calls counted in slots of equal length between two moments; calls outside are left out, one at `to` belongs to the last slot.
 */
export function countSlots(calls: readonly AuditCall[], from: Date, to: Date, slots: number): Slot[] {
  const width = (to.getTime() - from.getTime()) / slots;
  const counted = Array.from({ length: slots }, (_, index) => ({
    from: new Date(from.getTime() + index * width),
    passed: 0,
    failed: 0,
  }));
  for (const call of calls) {
    const at = Date.parse(call.ts) - from.getTime();
    const slot = counted[at === to.getTime() - from.getTime() ? slots - 1 : Math.floor(at / width)];
    if (slot === undefined) continue;
    if (call.ok) slot.passed += 1;
    else slot.failed += 1;
  }
  return counted;
}
