import fc from 'fast-check';
import { Reranker, type WeightedQuery } from '../../../src/core/fulltext/rerank';
import { PASSAGE_SATURATIONS, worthOf } from '../../../src/core/fulltext/scoring';
import { FIELD_END, LONG_TERM, streamOf } from './packed-terms';

const WINDOW = 30;
/** Terms of both kinds, some of which end in the same unit. */
const TERMS = [
  1,
  2,
  3,
  LONG_TERM - 1,
  LONG_TERM,
  LONG_TERM + 1,
  LONG_TERM + 2,
  2 * LONG_TERM + 1,
  3 * LONG_TERM,
];
const weightOf = (term: number): number => (term === 3 ? 0 : 100 + (term % 7));

interface Fields {
  readonly title: readonly number[];
  /** None of them is empty. */
  readonly headings: readonly (readonly number[])[];
  readonly body: readonly number[];
}

/** All terms of a document as its stream has them. */
function termsOf({ title, headings, body }: Fields): number[] {
  const names = [title, ...headings].flatMap((name) => [...name, FIELD_END]);
  return [...names, FIELD_END, ...body, FIELD_END];
}

const isOne = (query: readonly WeightedQuery[], sequence: readonly number[]): boolean =>
  query.length === 1 && query[0]?.ids.length === 1 && sequence.length <= 1;

/** The bonus as it is described, for every window anew. */
function plainly(fields: Fields, query: readonly WeightedQuery[], sequence: readonly number[]): number {
  const { title } = fields;
  const terms = termsOf(fields);
  const groupOf = (term: number): WeightedQuery | undefined => query.find(({ ids }) => ids.includes(term));
  const windows = terms.map((_, at) => {
    const inside = terms.slice(Math.max(0, at - WINDOW + 1), at + 1);
    return query.reduce((sum, group) => {
      const count = inside.filter((term) => groupOf(term) === group).length;
      return sum + worthOf(PASSAGE_SATURATIONS[count] ?? 0, group.weight);
    }, 0);
  });
  const distinct = [...new Set(title)];
  const named = distinct.reduce((sum, term) => sum + (groupOf(term)?.weight ?? 0), 0);
  const all = distinct.reduce((sum, term) => sum + (groupOf(term)?.weight ?? weightOf(term)), 0);
  const forTitle = named === 0 ? 0 : Math.round((1.25 * 16 * named * named) / all);
  const isScored = sequence.some((term) => groupOf(term) !== undefined);
  const total = query.reduce((sum, { weight }) => sum + weight, 0);
  const places = isScored
    ? terms.map((_, at) => at).filter((at) => sequence.every((term, n) => terms[at + n] === term))
    : [];
  const isWhole = places.some(
    (at) =>
      (at === 0 || terms[at - 1] === FIELD_END) &&
      terms.indexOf(FIELD_END, at) === at + sequence.length &&
      at + sequence.length < terms.length - 1,
  );
  const asName = isWhole ? 1 : places.some((at) => at < title.length) ? 0.3 : 0;
  const forWording = places.length === 0 ? 0 : 2.5 * Math.max(0, 1 - 2 / sequence.length) ** 2 + asName;
  const isOneTerm = isOne(query, sequence);
  const passage = isOneTerm ? 0 : Math.round(0.6 * Math.max(...windows));
  return passage + forTitle + Math.round(16 * total * forWording);
}

/** The bonus of a document whose stream stands in `units` from `from` up to `end`. */
function bonusOf(
  look: Reranker,
  query: readonly WeightedQuery[],
  sequence: readonly number[],
  units: Uint16Array,
  from: number,
  end: number,
): number {
  return look.withQuery(
    query,
    { sequence, isOneTerm: isOne(query, sequence) },
    (at) => at.titleBonus(units, from, end) + at.textBonus(units, from, end),
  );
}

describe('a second look', () => {
  const look = new Reranker(weightOf);
  const term = fc.constantFrom(...TERMS);
  const body = fc
    .array(fc.tuple(term, fc.nat(40)), { maxLength: 12 })
    .map((runs) => runs.flatMap(([each, gap]) => [each, ...Array.from({ length: gap }, (_, n) => 10 + n)]));
  const query = fc
    .uniqueArray(fc.tuple(term, fc.integer({ min: 1, max: 50_000 })), {
      minLength: 1,
      maxLength: 5,
      selector: ([id]) => id,
    })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.boolean()))
    .map(([parts, isTwo]): WeightedQuery[] =>
      parts.map(([id, weight], at) => ({ ids: at === 0 && isTwo ? [id, 77] : [id], weight })),
    );

  const words = fc.array(term, { maxLength: 4 });
  const headings = fc.array(fc.array(term, { minLength: 1, maxLength: 4 }), { maxLength: 3 });
  const fields = fc.record({ title: words, headings, body });
  const asked = fc.oneof(
    fc.tuple(query, words),
    // Most queries of people are one word.
    fc
      .tuple(term, fc.integer({ min: 1, max: 50_000 }))
      .map(([id, weight]): [WeightedQuery[], number[]] => [[{ ids: [id], weight }], [id]]),
  );

  it('gives what looking at every passage, the whole title and every place of the wording gives', () => {
    fc.assert(
      fc.property(fields, asked, fc.nat(3), (document, [groups, sequence], shift) => {
        const stream = streamOf(termsOf(document));
        // Streams stand in the middle of others.
        const units = Uint16Array.from([...Array<number>(shift).fill(0xffff), ...stream, 1, 2, 3]);
        const bonus = bonusOf(look, groups, sequence, units, shift, shift + stream.length);
        expect(bonus).toBe(plainly(document, groups, sequence));
      }),
      { numRuns: 3000 },
    );
  });

  it('forgets a query when the next one begins, also after an error', () => {
    const stream = streamOf([5, FIELD_END, FIELD_END, LONG_TERM + 5, FIELD_END]);
    const ask = (ids: number[]): number =>
      bonusOf(look, [{ ids, weight: 1000 }], [], stream, 0, stream.length);
    const first = ask([5]);
    expect(() =>
      look.withQuery([{ ids: [5, LONG_TERM + 5], weight: 1000 }], { sequence: [], isOneTerm: false }, () => {
        throw new Error('stopped');
      }),
    ).toThrow('stopped');
    expect(ask([6])).toBe(0);
    expect(ask([5])).toBe(first);
    expect(first).toBeGreaterThan(0);
  });

  it('looks at the same part of a long document, whatever numbers its terms have', () => {
    const long = (filler: number, tail: number): number => {
      const stream = streamOf([FIELD_END, ...Array.from({ length: tail }, () => filler), 5]);
      return bonusOf(look, [{ ids: [5, 6], weight: 1000 }], [], stream, 0, stream.length);
    };
    expect(long(9, 8190)).toBeGreaterThan(0);
    expect(long(LONG_TERM + 9, 8190)).toBe(long(9, 8190));
    expect(long(9, 8191)).toBe(0);
    expect(long(LONG_TERM + 9, 8191)).toBe(0);
  });
});
