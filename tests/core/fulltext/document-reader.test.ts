import fc from 'fast-check';
import { DocumentReader, type Field } from '../../../src/core/fulltext/reader';
import { isStopWord } from '../../../src/core/fulltext/stop-words';
import { Analyser } from '../../../src/core/fulltext/terms';
import { type Dictionary, dictionaryOf, FIELD_END, unpackTerms } from './packed-terms';

/** The document as the analyser tells it, with strings in place of numbers. */
function plainly(fields: readonly Field[]) {
  const analyser = new Analyser();
  const all = fields.map(({ text }) => analyser.all(text));
  const frequencies = new Map<string, number>();
  fields.forEach(({ weight }, at) => {
    for (const term of all[at] ?? []) frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
  });
  const [first, ...rest] = all;
  const last = rest.pop();
  const between = rest.filter((terms) => terms.length > 0);
  // The text stands behind one more end of a field.
  const terms = first === undefined || last === undefined ? all : [first, ...between, [], last];
  return { terms, frequencies, length: all.flat().filter((term) => !isStopWord(term)).length };
}

function spelled(reader: DocumentReader, numbers: Dictionary, fields: readonly Field[]) {
  const { stream, terms, frequencies, length } = reader.read(fields);
  const read: string[][] = [[]];
  for (const term of unpackTerms(stream)) {
    if (term === FIELD_END) read.push([]);
    else read.at(-1)?.push(numbers.text(term));
  }
  return {
    terms: read.slice(0, -1),
    frequencies: new Map(terms.map((term, at) => [numbers.text(term), frequencies[at]])),
    length,
  };
}

describe('DocumentReader', () => {
  it('counts nothing of a document that could not be read to its end', () => {
    const numbers = dictionaryOf();
    const reader = new DocumentReader(numbers);
    const broken: Field = {
      weight: 1,
      get text(): string {
        throw new Error('gone');
      },
    };
    expect(() => reader.read([{ text: 'kettle kettle', weight: 1 }, broken])).toThrow('gone');
    const fields = [{ text: 'a kettle of water', weight: 2 }];
    expect(spelled(reader, numbers, fields)).toEqual(plainly(fields));
  });

  const word = fc.oneof(
    fc.constantFrom(
      'the',
      'Running',
      'trashFile',
      'v1.2',
      '东京天气',
      '水',
      'don’t',
      '\u0640',
      'Straße',
      'C++',
      'state_of_the_art',
      'out-of-date',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const field = fc.record({
    text: fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
    weight: fc.integer({ min: 1, max: 3 }),
  });

  it('reads what the analyser reads, whatever it has read before', () => {
    const numbers = dictionaryOf();
    const reader = new DocumentReader(numbers);
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), fc.boolean(), (fields, forgets) => {
        if (forgets) reader.forget();
        expect(spelled(reader, numbers, fields)).toEqual(plainly(fields));
      }),
      { numRuns: 1000 },
    );
  });

  it('finds its way through a vocabulary larger than it remembers', () => {
    const numbers = dictionaryOf();
    const reader = new DocumentReader(numbers);
    for (let page = 0; page < 4; page += 1) {
      const text = Array.from({ length: 40_000 }, (_, n) => `snake_${page * 30_000 + n}`).join(' ');
      const { length, terms } = reader.read([{ text, weight: 1 }]);
      expect(length).toBe(120_000);
      expect(terms).toHaveLength(80_001);
    }
  });
});
