import { compareVersions } from '../../../src/ui/diff/model';
import { withoutStamps } from '../../../src/ui/history/stamps';

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
