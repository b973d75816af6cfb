import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import {
  APPLIES,
  checkEnvelope,
  CLAIM_PROVENANCES,
  envelopeProblem,
  HALF_LIVES,
  isStale,
} from '../../../src/core/vocabulary/envelope';

function problemOf(values: Record<string, unknown>): { field: unknown; allowed: unknown } | null {
  try {
    checkEnvelope(values);
    return null;
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_envelope') throw error;
    expect(envelopeProblem(values)).toBe(error.message);
    return { field: error.details?.field, allowed: error.details?.allowed };
  }
}

describe('checkEnvelope', () => {
  it.each<[values: Record<string, unknown>]>([
    [{}],
    [{ title: 'x' }],
    [{ half_life: undefined, applies: undefined, claim_provenance: undefined }],
    [{ half_life: 'volatile', claim_provenance: 'asserted' }],
    [{ applies: 'homelab', claim_provenance: 'inferred' }],
    [{ half_life: 'durable', applies: 'universal', claim_provenance: 'asserted' }],
    [JSON.parse('{"__proto__": {"half_life": "eternal"}}')],
    [Object.create({ half_life: 'eternal' })],
  ])('accepts %j', (values) => {
    expect(problemOf(values)).toBeNull();
    expect(envelopeProblem(values)).toBeNull();
  });

  it.each<[values: Record<string, unknown>, field: string, allowed: readonly string[]]>([
    [{ half_life: 'eternal', claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
    [{ half_life: '', claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
    [{ half_life: null, claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
    [{ half_life: ['volatile'], claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
    [{ half_life: 'Volatile', claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
    [{ applies: 'everywhere', claim_provenance: 'asserted' }, 'applies', APPLIES],
    [{ applies: true, claim_provenance: 'asserted' }, 'applies', APPLIES],
    [{ half_life: 'volatile', claim_provenance: 'guessed' }, 'claim_provenance', CLAIM_PROVENANCES],
    [{ claim_provenance: 3 }, 'claim_provenance', CLAIM_PROVENANCES],
    [{ half_life: 'volatile' }, 'claim_provenance', CLAIM_PROVENANCES],
    [{ applies: 'local' }, 'claim_provenance', CLAIM_PROVENANCES],
    [{ half_life: 'volatile', applies: 'local' }, 'claim_provenance', CLAIM_PROVENANCES],
    [{ claim_provenance: 'asserted' }, 'half_life', HALF_LIVES],
  ])('refuses %j', (values, field, allowed) => {
    expect(problemOf(values)).toEqual({ field, allowed });
  });

  it('says which values are allowed and what to do', () => {
    expect(envelopeProblem({ half_life: 'eternal' })).toBe(
      '"half_life" must be one of: volatile, seasonal, durable. Correct it, or leave it out.',
    );
    expect(envelopeProblem({ half_life: 'volatile', applies: 'local' })).toBe(
      '"half_life" and "applies" without "claim_provenance": add claim_provenance (asserted or inferred), or leave half_life and applies out.',
    );
    expect(envelopeProblem({ claim_provenance: 'asserted' })).toBe(
      '"claim_provenance" alone says nothing: add half_life (volatile, seasonal, durable) or applies (local, homelab, universal), or leave claim_provenance out.',
    );
  });

  it('accepts exactly what the rules allow', () => {
    const value = (allowed: readonly string[]) =>
      fc.option(fc.constantFrom<unknown>(...allowed, '', 'other', null, 1), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({
          half_life: value(HALF_LIVES),
          applies: value(APPLIES),
          claim_provenance: value(CLAIM_PROVENANCES),
        }),
        (values) => {
          const { half_life, applies, claim_provenance } = values;
          // A null is no value.
          const says = (one: unknown) => one !== undefined && one !== null;
          const inside = (allowed: readonly unknown[], one: unknown) => !says(one) || allowed.includes(one);
          const fine =
            inside(HALF_LIVES, half_life) &&
            inside(APPLIES, applies) &&
            inside(CLAIM_PROVENANCES, claim_provenance) &&
            says(claim_provenance) === (says(half_life) || says(applies));
          expect(envelopeProblem(values) === null).toBe(fine);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('isStale', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  it.each<[frontmatter: Record<string, unknown>, stale: boolean]>([
    [{}, false],
    [{ created_at: '2000-01-01T00:00:00Z' }, false],
    [{ half_life: 'eternal', created_at: '2000-01-01T00:00:00Z' }, false],
    [{ half_life: 'volatile' }, false],
    [{ half_life: 'volatile', created_at: 'long ago' }, false],
    [{ half_life: 'volatile', created_at: '2026-10-21T12:00:00Z' }, true],
    [{ half_life: 'volatile', created_at: '2026-10-21T12:00:01Z' }, false],
    [{ half_life: 'volatile', created_at: '2026-10-21' }, true],
    [{ half_life: 'seasonal', created_at: '2026-07-23T12:00:00Z' }, true],
    [{ half_life: 'seasonal', created_at: '2026-07-23T12:00:01Z' }, false],
    [{ half_life: 'durable', created_at: '2023-11-21T12:00:00Z' }, true],
    [{ half_life: 'durable', created_at: '2023-11-21T12:00:01Z' }, false],
    [{ half_life: 'volatile', created_at: '2020-01-01', promoted_at: '2026-11-01' }, false],
    [
      {
        half_life: 'volatile',
        created_at: '2020-01-01',
        promoted_at: '2020-02-01',
        updated_at: '2026-11-01',
      },
      false,
    ],
    [{ half_life: 'volatile', created_at: '2026-11-01', updated_at: '2020-01-01' }, true],
    [{ half_life: 'volatile', created_at: '2027-01-01' }, false],
  ])('%j: %s', (frontmatter, stale) => {
    expect(isStale(frontmatter, now)).toBe(stale);
  });

  it('is told of one front matter for any moment', () => {
    const frontmatter = { half_life: 'volatile', created_at: '2026-11-01T12:00:00Z' };
    const on = (day: string) => isStale(frontmatter, new Date(`2026-${day}T12:00:00Z`));
    expect(['11-20', '12-02', '11-30', '12-01'].map(on)).toEqual([false, true, false, true]);
  });
});
