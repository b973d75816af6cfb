import fc from 'fast-check';
import { isStopWord } from '../../../src/core/fulltext/stop-words';
import { Analyser } from '../../../src/core/fulltext/terms';
import { type Doc, emptyIndex, indexOf, packed, putDoc, seen, unpacked } from './index-model';

const K1 = 1.2;
const B = 0.75;
const analyser = new Analyser();

interface PlainDoc {
  readonly title: readonly string[];
  readonly all: readonly string[];
  readonly length: number;
  /** The length for a word that stands only in the properties. */
  readonly whole: number;
  frequency(term: string): number;
}

function plainDoc({ title, body, properties = '' }: Doc): PlainDoc {
  const [inTitle, inBody] = [analyser.all(title), analyser.all(body)];
  const beside = analyser.all(properties);
  const count = (terms: readonly string[], wanted: string): number =>
    terms.filter((term) => term === wanted).length;
  const all = [...inTitle, '', ...inBody];
  const length = Math.max(40, [...inTitle, ...inBody].filter((term) => !isStopWord(term)).length);
  return {
    title: inTitle,
    all,
    length,
    whole: length + beside.filter((term) => !isStopWord(term)).length,
    frequency: (term) => 3 * count(inTitle, term) + count(inBody, term) || (beside.includes(term) ? 0.25 : 0),
  };
}

/** How much it counts that the query stands in a document word for word. */
function wordingIn({ all, title }: PlainDoc, sequence: readonly string[]): number {
  const text = `\n${all.join('\n')}\n`;
  if (!text.includes(`\n${sequence.join('\n')}\n`)) return 0;
  const name = `\n${title.join('\n')}\n`;
  const wanted = `\n${sequence.join('\n')}\n`;
  const named = name === wanted ? 1 : name.includes(wanted) ? 0.3 : 0;
  return 2.5 * Math.max(0, 1 - 2 / sequence.length) ** 2 + named;
}

/** Scores as the papers and the docstrings say them, in plain sums over plain lists. */
function plainScores(docs: readonly Doc[], sequence: readonly string[]): Map<string, number> {
  const plain = docs.map(plainDoc);
  const average = plain.reduce((sum, { length }) => sum + length, 0) / docs.length;
  const idf = (term: string): number => {
    const holders = plain.filter((doc) => doc.frequency(term) > 0).length;
    return Math.log(1 + (docs.length - holders + 0.5) / (holders + 0.5));
  };
  const terms = sequence.filter((term) => docs.some((doc) => plainDoc(doc).frequency(term) > 0));
  const total = terms.reduce((sum, term) => sum + idf(term), 0);
  const saturated = (count: number, norm: number): number => (count * (K1 + 1)) / (count + norm);
  const scores = plain.map((doc) => {
    const whole = terms.reduce((sum, term) => {
      const frequency = doc.frequency(term);
      const length = frequency < 1 ? doc.whole : doc.length;
      return sum + idf(term) * saturated(frequency, K1 * (1 - B + (B * length) / average));
    }, 0);
    const passages = doc.all.map((_, at) => {
      const inside = doc.all.slice(at, at + 30);
      return terms.reduce(
        (sum, term) => sum + idf(term) * saturated(inside.filter((each) => each === term).length, K1),
        0,
      );
    });
    const distinct = [...new Set(doc.title)].filter((term) => terms.includes(term) || !isStopWord(term));
    const all = distinct.reduce((sum, term) => sum + idf(term), 0);
    const named = distinct.filter((term) => terms.includes(term)).reduce((sum, term) => sum + idf(term), 0);
    const wording = terms.length === sequence.length ? wordingIn(doc, sequence) : 0;
    // Where a single term is looked for, passages say nothing new.
    const passage = terms.length === 1 ? 0 : 0.6 * Math.max(0, ...passages);
    return whole + passage + (all === 0 ? 0 : (1.25 * named ** 2) / all) + total * wording;
  });
  return new Map(docs.map(({ path }, at) => [path, scores[at] ?? 0]));
}

describe('a score', () => {
  const word = fc.constantFrom(
    ...Array.from({ length: 12 }, (_, n) => `word${n + 10}`),
    'the',
    'pot',
    'Router',
  );
  const text = (most: number) =>
    fc.array(word, { maxLength: most, size: 'max' }).map((words) => words.join(' '));
  const docs = fc
    .array(fc.tuple(text(4), text(150), fc.option(text(60))), { minLength: 1, maxLength: 8, size: 'max' })
    .map((parts) =>
      parts.map(([title, body, properties], n): Doc => ({
        path: `doc${n}`,
        title,
        body,
        ...(properties !== null && { properties }),
      })),
    );
  const query = fc.uniqueArray(fc.constantFrom('word11', 'word12', 'word13', 'word14', 'pot', 'router'), {
    minLength: 1,
    maxLength: 4,
  });

  it('is within the error of its classes what the formula gives', () => {
    fc.assert(
      fc.property(docs, query, (all, terms) => {
        const expected = plainScores(all, terms);
        const hits = indexOf(all).search(terms.join(' '), { limit: 20 });
        const met = all.filter((doc) => terms.some((term) => plainDoc(doc).frequency(term) > 0));
        expect(hits.map(({ item }) => item.path).sort()).toEqual(met.map(({ path }) => path).sort());
        for (const { item, score } of hits) {
          const plain = expected.get(item.path) ?? 0;
          expect(Math.abs(score - plain)).toBeLessThan(0.01 + 0.08 * plain);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('hostile text', () => {
  const hostile = [
    '\ud800 \udfff a\ud800b \udc00\ud800',
    'x'.repeat(1_000_000),
    '漢'.repeat(300_000),
    `a${'\u0301\u0316'.repeat(200_000)}`,
    'a.'.repeat(200_000),
    '\u0000\u0001 \uffff \ufeff',
    'ﷺ'.repeat(1000),
    Array.from({ length: 3000 }, (_, n) => `q${n}`).join(' '),
  ];

  it('is put, searched, kept and dropped', () => {
    const docs = hostile.map((body, n): Doc => ({ path: `doc${n}`, title: body.slice(0, 2000), body }));
    const index = emptyIndex();
    for (const doc of docs) putDoc(index, doc);
    const loaded = unpacked(packed(index), new Map(docs.map((doc) => [doc.path, doc])));
    for (const text of hostile) {
      const query = text.slice(0, 2000);
      const hits = index.search(query, { limit: 10 });
      expect(hits.every(({ score }) => Number.isFinite(score) && score > 0)).toBe(true);
      expect(loaded && seen(loaded.search(query, { limit: 10 }))).toEqual(seen(hits));
    }
    for (const { path } of docs) index.drop(path);
    expect(index.size).toBe(0);
    expect([...index.terms()]).toEqual([]);
  });

  it('has a thousand terms of a query counted, and no more', () => {
    const doc: Doc = { path: 'a', title: 'x', body: hostile.at(-1) ?? '' };
    const [hit] = indexOf([doc]).search(doc.body, { limit: 1 });
    expect(hit?.terms.size).toBe(1000);
  });
});
