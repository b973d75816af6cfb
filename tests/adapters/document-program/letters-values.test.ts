import * as fc from 'fast-check';
import { readCalendar } from '../../../src/adapters/document-program/calendar';
import { readCards } from '../../../src/adapters/document-program/cards';
import { readNotebook } from '../../../src/adapters/document-program/notebook';
import { readTable } from '../../../src/adapters/document-program/table';
import { lost, ODD_TEXTS, ODD_TOKENS, wordsOf } from '../../support/odd-texts';

const composed = fc.array(fc.constantFrom(...ODD_TOKENS), { maxLength: 24 }).map((all) => all.join(''));

describe('the line above a table', () => {
  const csv = (text: string) => `# ${text}\nname,value\n1,2\n`;
  it.each(ODD_TEXTS.filter((text) => !text.includes('\n')))('%j is shown as it is written', (text) =>
    expect(lost(text.split(/\s+/).filter(Boolean), readTable(csv(text), 'a.csv').markdown)).toEqual([]),
  );
});

/** A text as a value of a vCard or of iCalendar data. */
const value = (text: string) => text.replace(/[\\,;]/g, '\\$&').replace(/\n/g, '\\n');

describe.each<[string, (text: string) => string]>([
  ['a card', (text) => readCards(`BEGIN:VCARD\nFN:A\nNOTE:${value(text)}\nEND:VCARD`).markdown],
  [
    'an event',
    (text) =>
      readCalendar(
        `BEGIN:VCALENDAR\nBEGIN:VEVENT\nDESCRIPTION:${value(text)}\nLOCATION:${value(text)}\nEND:VEVENT\nEND:VCALENDAR`,
      ).markdown,
  ],
  [
    'the name of an event',
    (text) =>
      readCalendar(
        `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:${value(text.replace(/\s+/g, ' '))}\nEND:VEVENT\nEND:VCALENDAR`,
      ).markdown,
  ],
  [
    'the output of a cell',
    (text) =>
      readNotebook(
        JSON.stringify({
          cells: [{ cell_type: 'code', source: text, outputs: [{ output_type: 'stream', text }] }],
        }),
      ).markdown,
  ],
])('the text of %s', (_, markdownOf) => {
  // The gate takes templates apart in code too.
  const isShown = (text: string) => !text.includes('<%') || !markdownOf('x').startsWith('`');
  it.each(ODD_TEXTS.filter(isShown))('%j is shown as it is written', (text) =>
    expect(lost(wordsOf(text), markdownOf(text))).toEqual([]),
  );
  it('of any kind is', () => {
    fc.assert(
      fc.property(composed.filter(isShown), (text) =>
        expect(lost(wordsOf(text), markdownOf(text))).toEqual([]),
      ),
      { numRuns: 1000 },
    );
  });
});
