import * as fc from 'fast-check';
import { compareVersions, type DiffModel, type DiffRow } from '../../../src/ui/diff/model';
import { cpuMs } from '../../support/cpu';

/** A busy machine must not change what a test sees. */
const NO_HURRY = { linesMs: 10_000, wordsMs: 10_000 };

const note = (head: string, body: string) => ({ content: head + body, body });
const compare = (older: ReturnType<typeof note>, newer: ReturnType<typeof note>, properties = true) =>
  compareVersions(older, newer, { properties, ...NO_HURRY });

/** A row as `7 was | 7 is`, marked words in brackets. */
function drawn(row: DiffRow): string {
  if (row.kind === 'same') return `${row.left} ${row.text} | ${row.right} ${row.text}`;
  return [row.left, row.right]
    .map((side) =>
      side === null
        ? '-'
        : `${side.number} ${side.pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')}`,
    )
    .join(' | ');
}
const changed = (model: DiffModel) => model.rows.filter((row) => row.kind === 'changed').map(drawn);

const OLD = note('---\nwing: homelab\norigin: http\n---\n', '# MTU\n\nThe tunnel uses 1420.\nCheck it.\n');
const NEW = note(
  '---\nwing: homelab\norigin: mcp\n---\n',
  '# MTU\n\nThe tunnel uses 1412.\nCheck it.\nTwice.\n',
);

it('marks the words of changed lines, numbered as in their files', () => {
  const model = compare(OLD, NEW);
  expect(changed(model)).toEqual([
    '3 origin: [http] | 3 origin: [mcp]',
    '7 The tunnel uses [1420]. | 7 The tunnel uses [1412].',
    '- | 9 Twice.',
  ]);
  expect(model).toMatchObject({ changes: 3, added: 3, removed: 2, rough: false });
});

it('leaves the properties out when asked, and still says that they changed', () => {
  const model = compare(OLD, NEW, false);
  expect(changed(model)).toEqual(['7 The tunnel uses [1420]. | 7 The tunnel uses [1412].', '- | 9 Twice.']);
  expect(model).toMatchObject({ propertiesChanged: true, textChanged: true });
});

it('tells a change of the properties alone from one of the text', () => {
  const other = note('---\nwing: homelab\norigin: mcp\n---\n', OLD.body);
  expect(compare(OLD, other)).toMatchObject({ propertiesChanged: true, textChanged: false, changes: 1 });
  expect(compare(OLD, OLD)).toMatchObject({ propertiesChanged: false, textChanged: false, changes: 0 });
});

it('reads other line ends as the same lines', () => {
  const model = compare(note('', 'one\r\ntwo\r\n'), note('', 'one\ntwo\n'));
  expect(model).toMatchObject({ changes: 0, textChanged: true });
});

it('marks nothing in a line that has little in common with the other', () => {
  const model = compare(note('', 'alpha beta gamma\n'), note('', 'one two three four\n'));
  expect(changed(model)).toEqual(['1 alpha beta gamma | 1 one two three four']);
});

it('joins words with only space between them into one mark', () => {
  const model = compare(note('', 'reason: old words here\n'), note('', 'reason: new ones now\n'));
  expect(changed(model)).toEqual(['1 reason: [old words here] | 1 reason: [new ones now]']);
});

it('says so when two texts cannot be matched in time, and loses no line', () => {
  const lines = (word: string) =>
    Array.from({ length: 4000 }, (_, index) => `${word} ${index * 7}`).join('\n');
  const model = compareVersions(note('', `${lines('a')}\n`), note('', `${lines('b')}\n`), {
    properties: true,
    linesMs: 1,
  });
  expect(model).toMatchObject({ rough: true, added: 4000, removed: 4000, changes: 1 });
  expect(model.rows).toHaveLength(4000);
});

it('marks whole lines once comparing words has taken its time', () => {
  const lines = (word: string) =>
    Array.from({ length: 100 }, (_, index) => `Line ${index} ${word} here.`).join('\n');
  const model = compareVersions(note('', lines('was')), note('', lines('is')), {
    properties: true,
    linesMs: 10_000,
    wordsMs: 0,
  });
  const drawnLines = changed(model);
  expect(drawnLines).toHaveLength(100);
  expect(drawnLines[0]).toBe('1 Line 0 [was] here. | 1 Line 0 [is] here.');
  expect(drawnLines[99]).toBe('100 Line 99 was here. | 100 Line 99 is here.');
});

it('compares an ordinary long note in a fraction of a second', () => {
  const line = (index: number) => `Line ${index} says something about the tunnel, the uplink and the switch.`;
  const lines = Array.from({ length: 2000 }, (_, index) => line(index));
  const edited = lines.map((text, index) => (index % 40 === 3 ? text.replace('uplink', 'downlink') : text));
  const times = Array.from({ length: 7 }, () => {
    const start = cpuMs();
    const model = compare(note('', lines.join('\n')), note('', edited.join('\n')));
    expect(model).toMatchObject({ rough: false, added: 50 });
    return cpuMs() - start;
  });
  expect(times.sort((a, b) => a - b)[3]).toBeLessThan(250);
});

it('gives back both versions from its rows, whatever they say', () => {
  const text = fc
    .array(fc.constantFrom('', 'one two', 'two  three', 'a', '日本 語', '---', 'x y z'), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, text, text, (headA, a, headB, b) => {
      const model = compare(note(headA, a), note(headB, b));
      const side = (pick: 'left' | 'right') =>
        model.rows
          .flatMap((row) => {
            if (row.kind === 'same') return [{ number: row[pick], text: row.text }];
            const found = row[pick];
            return found === null
              ? []
              : [{ number: found.number, text: found.pieces.map((p) => p.text).join('') }];
          })
          .map(({ number, text: line }, index) => {
            expect(number).toBe(index + 1);
            return `${line}\n`;
          })
          .join('');
      expect(side('left')).toBe(headA + a);
      expect(side('right')).toBe(headB + b);
      const numbers = model.rows.flatMap((row) => (row.kind === 'changed' ? [row.change] : []));
      expect([...new Set(numbers)]).toEqual(Array.from({ length: model.changes }, (_, index) => index));
    }),
  );
});
