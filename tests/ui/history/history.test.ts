import { compareVersions } from '../../../src/ui/diff/model';
import { withoutStamps } from '../../../src/ui/history/stamps';
import { comparisonOf, shortName, type Version } from '../../../src/ui/history/versions';
import { sizeWords } from '../../../src/ui/kit/words';

const NOW = new Date('2026-11-20T12:00:00Z');
const version = (hash: string, at?: string): Version => ({
  hash,
  bytes: 1,
  ...(at !== undefined && { updated_at: at }),
});

it.each<[string, Version, Version[], string]>([
  [
    'alone on its day',
    version('a', '2026-10-18T03:04:00Z'),
    [version('b', '2026-10-19T03:04:00Z')],
    '18 Oct',
  ],
  ['of another year', version('a', '2025-10-18T03:04:00Z'), [], '18 Oct 2025'],
  [
    'beside one of its day',
    version('a', '2026-10-18T03:04:00Z'),
    [version('b', '2026-10-18T09:00:00Z')],
    '18 Oct, 03:04',
  ],
  [
    'beside one of its minute',
    version('a', '2026-10-18T03:04:05Z'),
    [version('b', '2026-10-18T03:04:59Z')],
    '18 Oct, 03:04:05',
  ],
  ['without a time', version('0123456789abcdef'), [], '01234567'],
])('names a version %s', (_, one, others, expected) => {
  expect(shortName(one, [one, ...others], NOW)).toBe(expected);
});

it.each<[string, Parameters<typeof comparisonOf>, ReturnType<typeof comparisonOf>]>([
  ['the present with the one before', [0, null, 3], { newer: 0, older: 1, target: 1 }],
  ['an old one with the one before it', [1, null, 3], { newer: 1, older: 2, target: 1 }],
  ['the first with nothing', [2, null, 3], { newer: 2, older: 3, target: 2 }],
  ['from an older base', [0, 2, 3], { newer: 0, older: 2, target: 2 }],
  ['from a newer base', [2, 0, 3], { newer: 0, older: 2, target: 2 }],
  ['a base with itself, as usual', [1, 1, 3], { newer: 1, older: 2, target: 1 }],
  ['the only version, which nothing can bring back', [0, null, 1], { newer: 0, older: 1, target: -1 }],
])('compares %s', (_, given, expected) => {
  expect(comparisonOf(...given)).toEqual(expected);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1949, '1.9 kB'],
  [9999, '9.9 kB'],
  [12_345, '12 kB'],
  [1_234_567, '1.2 MB'],
  [987_654_321, '987 MB'],
  [7_600_000_000_000, '7,600 GB'],
])('%i bytes', (bytes, expected) => {
  expect(sizeWords(bytes)).toBe(expected);
});

describe('a comparison without stamps', () => {
  const version = (head: string, body: string) => ({ content: `---\n${head}---\n${body}`, body });
  const older = version(
    'title: A\ncreated_at: 2026-01-02T03:04:05Z\nwritten_by: laptop\ntags: [x]\n',
    'Text.\norigin: here\n',
  );
  const newer = version(
    'title: B\ncreated_at: 2026-01-02T03:04:05Z\nwritten_by: human:me\ntags: [x]\nsupersede_reason: >-\n  Because\n  of it\nverified_at: 2026-01-03T03:04:05Z\n',
    'Text!\norigin: there\n',
  );

  it('leaves out the lines of stamps in the front matter, and keeps the numbers of the others', () => {
    const shown = withoutStamps(compareVersions(older, newer, { properties: true }), { older, newer });
    const lines = shown.rows.map((row) =>
      row.kind === 'same'
        ? `${row.left} ${row.right} ${row.text}`
        : [row.change, row.left, row.right]
            .map((side) =>
              side === null || typeof side === 'number'
                ? side
                : `${side.number} ${side.pieces.map(({ text }) => text).join('')}`,
            )
            .join(' | '),
    );
    expect(lines).toEqual([
      '1 1 ---',
      '0 | 2 title: A | 2 title: B',
      '5 5 tags: [x]',
      '6 10 ---',
      '1 | 7 Text. | 11 Text!',
      '1 | 8 origin: here | 12 origin: there',
    ]);
    expect([shown.changes, shown.added, shown.removed]).toEqual([2, 3, 3]);
  });

  it('finds no change between versions that differ in stamps alone', () => {
    const stamped = version('title: A\nupdated_at: 2026-01-02T03:04:05Z\n', 'Text.\n');
    const again = version('title: A\nupdated_at: 2026-01-03T03:04:05Z\n', 'Text.\n');
    const both = { older: stamped, newer: again };
    const whole = compareVersions(stamped, again, { properties: true });
    expect(whole.changes).toBe(1);
    expect(withoutStamps(whole, both)).toMatchObject({
      changes: 0,
      added: 0,
      removed: 0,
      propertiesChanged: true,
    });
    expect(withoutStamps(whole, { older: null, newer: null })).toEqual(whole);
  });
});
