import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Failure } from './suite';

const reasons = z.array(
  z.strictObject({
    why: z.string().min(20),
    fails: z.array(z.string().regex(/^[a-z0-9-]+(?::[a-z0-9-]+)?$/)).min(1),
  }),
);
const baselineSchema = z.record(
  z.enum(['product', 'wiring']),
  z.record(z.enum(['2025-11-25', '2026-07-28']), reasons),
);

export type Profile = 'product' | 'wiring';
export type Revision = '2025-11-25' | '2026-07-28';
export const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];

/**
 * What is expected to fail: a whole `scenario`, or one `scenario:check` of it, each below the reason why.
 * @throws ZodError when the file says something else.
 */
export function readBaseline(profile: Profile, revision: Revision): readonly string[] {
  const text = readFileSync('tests/conformance/baseline.yml', 'utf8');
  return baselineSchema.parse(parse(text))[profile][revision].flatMap(({ fails }) => fails);
}

/** What a run says that the baseline does not, and what the baseline says in vain; both are empty when all is as expected. */
export function compare(
  failures: readonly Failure[],
  expected: readonly string[],
): { readonly unexpected: string[]; readonly stale: string[] } {
  const names = ({ scenario, check }: Failure) => [scenario, `${scenario}:${check}`];
  const unexpected = failures.filter((failure) => !names(failure).some((name) => expected.includes(name)));
  const met = new Set(failures.flatMap(names));
  return {
    unexpected: unexpected.map(({ scenario, check, message }) => `${scenario}:${check} ${message}`),
    stale: expected.filter((name) => !met.has(name)),
  };
}
