import * as fc from 'fast-check';
import { lost, ODD_TEXTS, ODD_TOKENS, wordsOf } from '../../support/odd-texts';
import { shownAs } from '../../support/read-document';

const composed = fc.array(fc.constantFrom(...ODD_TOKENS), { maxLength: 24 }).map((all) => all.join(''));

describe('the line above a table', () => {
  const csv = (text: string) => `# ${text}\nname,value\n1,2\n`;
  it.each(ODD_TEXTS.filter((text) => !text.includes('\n')))('%j is shown as it is written', async (text) =>
    expect(lost(text.split(/\s+/).filter(Boolean), await shownAs('table', csv(text)))).toEqual([]),
  );
});

/** A text as a value of a vCard or of iCalendar data. */
const value = (text: string) => text.replace(/[\\,;]/g, '\\$&').replace(/\n/g, '\\n');

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\n');

describe.each<[string, 'cards' | 'calendar' | 'notebook', (text: string) => string]>([
  ['a card', 'cards', (text) => `BEGIN:VCARD\nFN:A\nNOTE:${value(text)}\nEND:VCARD`],
  ['an event', 'calendar', (text) => calendar(`DESCRIPTION:${value(text)}`, `LOCATION:${value(text)}`)],
  ['the name of an event', 'calendar', (text) => calendar(`SUMMARY:${value(text.replace(/\s+/g, ' '))}`)],
  [
    'the output of a cell',
    'notebook',
    (text) =>
      JSON.stringify({
        cells: [{ cell_type: 'code', source: text, outputs: [{ output_type: 'stream', text }] }],
      }),
  ],
])('the text of %s', (_, kind, documentOf) => {
  const unshown = async (text: string) => lost(wordsOf(text), await shownAs(kind, documentOf(text)));
  // The gate takes templates apart in code too.
  const isShown = (text: string) => kind !== 'notebook' || !text.includes('<%');
  it.each(ODD_TEXTS.filter(isShown))('%j is shown as it is written', async (text) =>
    expect(await unshown(text)).toEqual([]),
  );
  it('of any kind is', () =>
    fc.assert(
      fc.asyncProperty(composed.filter(isShown), async (text) => expect(await unshown(text)).toEqual([])),
      { numRuns: 1000 },
    ));
});
