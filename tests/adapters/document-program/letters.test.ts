import * as fc from 'fast-check';
import { mailTextToMarkdown } from '../../../src/adapters/document-program/mail-text';
import { readText } from '../../../src/adapters/document-program/plain';
import { readTable } from '../../../src/adapters/document-program/table';
import { ODD_TEXTS, ODD_TOKENS, shownText } from '../../support/odd-texts';

/** The words of a text, without the marks of lists. */
function wordsOf(text: string): string[] {
  return text
    .replace(/^\s*(?:[-*+]|\d+[.)])(?=\s|$)/gm, ' ')
    .replace(/^\s*\[[ xX]\](?=\s)/gm, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The words that are not shown as they are written. */
function lost(words: readonly string[], markdown: string): string[] {
  const text = shownText(markdown);
  return words.filter((word) => !text.includes(word));
}

const composed = fc.array(fc.constantFrom(...ODD_TOKENS), { maxLength: 24 }).map((all) => all.join(''));

describe('plain text', () => {
  it.each(ODD_TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(wordsOf(text), readText(text).markdown)).toEqual([]),
  );
  it('of any kind is', () => {
    fc.assert(
      fc.property(composed, (text) => expect(lost(wordsOf(text), readText(text).markdown)).toEqual([])),
      { numRuns: 2000 },
    );
  });
});

describe('the value of a table', () => {
  const csv = (text: string) => `name,value\n"a","${text.replace(/"/g, '""')}"\n`;
  it.each(ODD_TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(text.split(/\s+/).filter(Boolean), readTable(csv(text), 'a.csv').markdown)).toEqual([]),
  );
});

describe('the text of a mail', () => {
  const fixed = { flowed: false, delSp: false };
  /** The words that a mail shows: marks of quotations fold what is behind them. */
  const written = (text: string) => wordsOf(text.replace(/^(?:>(?!From ) ?)+/gm, ''));
  it.each(ODD_TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(written(text), mailTextToMarkdown(text, fixed))).toEqual([]),
  );
  it('of any kind is, also quoted and with wrapped paragraphs', () => {
    fc.assert(
      fc.property(composed, fc.boolean(), fc.nat(3), (text, flowed, depth) => {
        const quoted = text.replace(/^/gm, '>'.repeat(depth) + (depth > 0 ? ' ' : ''));
        const markdown = mailTextToMarkdown(quoted, { flowed, delSp: false });
        expect(lost(written(flowed ? quoted.replace(/^(>*) /gm, '$1') : quoted), markdown)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
