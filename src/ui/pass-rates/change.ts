import type { PassRates, Skill } from './days';

/**
 * How much the rate of a skill differs from that of the same time before, in percentage points; null where one of the
 * two has no data. `longer` counts twice the time, so what it has more is the time before.
 */
export function changeOf(skill: Skill, longer: PassRates | null): number | null {
  const both = longer?.by_skill?.find((one) => one.skill === skill.skill);
  if (both === undefined || skill.pass_rate === null) return null;
  const pass = both.pass - skill.pass;
  const fail = both.fail - skill.fail;
  if (pass + fail <= 0) return null;
  return Math.round(skill.pass_rate * 100) - Math.round((pass / (pass + fail)) * 100);
}

/** `+4 points`, `−17 points`, `no change`; nothing where there is nothing to compare. */
export function changeWords(points: number | null): string {
  if (points === null) return '';
  if (points === 0) return 'no change';
  return `${points > 0 ? '+' : '−'}${Math.abs(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`;
}
