import fc from 'fast-check';
import { DocumentReader, type Field } from '../../../src/core/fulltext/reader';
import { isStopWord } from '../../../src/core/fulltext/stop-words';
import { stemOf } from '../../../src/core/fulltext/stems';
import { termsOf } from '../../../src/core/fulltext/terms';
import { eachWord } from '../../../src/core/fulltext/words';
import { type Dictionary, dictionaryOf, FIELD_END, unpackTerms } from './packed-terms';

/** The document as the analyser tells it, with strings in place of numbers. */
function plainly(fields: readonly Field[]) {
  const all = fields.map(({ text }) => {
    const terms: string[] = [];
    eachWord(text, (from, to) => terms.push(...termsOf(text.slice(from, to))));
    return terms;
  });
  const frequencies = new Map<string, number>();
  const lengths = { property: 0, other: 0 };
  const terms: string[][] = [];
  const end = fields.findIndex(({ kind }) => kind === 'property');
  fields.forEach(({ kind }, at) => {
    const read = all[at] ?? [];
    for (const term of read) {
      const before = frequencies.get(term) ?? 0;
      if (kind !== 'property') frequencies.set(term, before + (kind === 'name' ? 3 : 1));
      else if (before === 0) frequencies.set(term, 0.25);
    }
    lengths[kind === 'property' ? kind : 'other'] += read.filter((term) => !isStopWord(stemOf(term))).length;
    // One more end of a field stands before the text, and one behind it.
    if (at === end || (kind === 'text' && at > 0)) terms.push([]);
    if (at === 0 || kind === 'text' || read.length > 0) terms.push(read);
  });
  if (end < 0) terms.push([]);
  return { terms, frequencies, length: lengths.other, propertyLength: lengths.property };
}

function spelled(reader: DocumentReader, numbers: Dictionary, fields: readonly Field[]) {
  const { stream, terms, frequencies, length, propertyLength } = reader.read(fields);
  const read: string[][] = [[]];
  for (const term of unpackTerms(stream)) {
    if (term === FIELD_END) read.push([]);
    else read.at(-1)?.push(numbers.text(term));
  }
  return {
    terms: read.slice(0, -1),
    frequencies: new Map(terms.map((term, at) => [numbers.text(term), frequencies[at]])),
    length,
    propertyLength,
  };
}

describe('DocumentReader', () => {
  it('counts nothing of a document that could not be read to its end', () => {
    const numbers = dictionaryOf();
    const reader = new DocumentReader(numbers);
    const broken: Field = {
      kind: 'text',
      get text(): string {
        throw new Error('gone');
      },
    };
    expect(() => reader.read([{ kind: 'name', text: 'kettle kettle' }, broken])).toThrow('gone');
    const fields: Field[] = [{ kind: 'name', text: 'a kettle of water' }];
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
  const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(' '));
  const fieldsOf = (kind: Field['kind'], most: number) =>
    fc.array(
      text.map((each): Field => ({ kind, text: each })),
      { maxLength: most },
    );
  const document = fc
    .tuple(
      fieldsOf('name', 2),
      fieldsOf('heading', 2),
      fieldsOf('place', 2),
      text.map((each): Field[] => [{ kind: 'text', text: each }]),
      fieldsOf('property', 3),
    )
    .map((parts) => parts.flat());

  it('reads what the analyser reads, whatever it has read before', () => {
    const numbers = dictionaryOf();
    const reader = new DocumentReader(numbers);
    fc.assert(
      fc.property(document, fc.boolean(), (fields, forgets) => {
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
      const { length, terms } = reader.read([{ kind: 'text', text }]);
      expect(length).toBe(120_000);
      expect(terms).toHaveLength(80_001);
    }
  });
});
