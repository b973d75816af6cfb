import {
  mergeOutcomes,
  NOTHING,
  type Outcome,
  outcomeOf,
  outcomeWords,
  type SourceAnswer,
} from '../../../src/ui/intake/intake';
import { shownName } from '../../../src/ui/intake/sources';

type Page = SourceAnswer['pages'][number];
const page = (extra: Partial<Page> = {}): Page => ({
  title: 'MTU',
  status: 'written',
  path: 'raw/mtu.md',
  warnings: [],
  ...extra,
});
const answer = (pages: readonly Page[], extra: Partial<SourceAnswer> = {}): SourceAnswer => ({
  extraction: 'llm',
  pages,
  warnings: [],
  ...extra,
});

it('sorts the pages by what became of them', () => {
  const { path: _, ...nowhere } = page();
  const found = outcomeOf(
    answer(
      [
        page(),
        { ...nowhere, status: 'duplicate', title: 'DNS', duplicate_of: 'wiki/net/facts/dns.md' },
        { ...nowhere, status: 'rejected_before', title: 'Spam' },
        { ...nowhere, status: 'skipped_empty_title', title: '' },
        page({ warnings: ['cut', 'odd'] }),
      ],
      { warnings: ['cut'] },
    ),
  );
  expect(found).toEqual({
    written: [
      { title: 'MTU', path: 'raw/mtu.md' },
      { title: 'MTU', path: 'raw/mtu.md' },
    ],
    duplicates: [{ title: 'DNS', path: 'wiki/net/facts/dns.md' }],
    standing: [],
    rejectedBefore: ['Spam'],
    skipped: 1,
    unchanged: 0,
    failures: [],
    warnings: ['cut', 'odd'],
  });
});

it('does not count the notes of a source that is known as found anew', () => {
  const { path: _, ...nowhere } = page();
  const found = outcomeOf(
    answer([{ ...nowhere, status: 'duplicate', duplicate_of: 'raw/mtu.md' }], { extraction: 'unchanged' }),
  );
  expect(found.standing).toEqual([{ title: 'MTU', path: 'raw/mtu.md' }]);
  expect(found.duplicates).toEqual([]);
  expect(outcomeWords(found)).toBe('Nothing new since it was last ingested');
});

const led = (title: string) => ({ title, path: `raw/${title}.md` });
it.each<[string, Partial<Outcome>, string]>([
  ['one note', { written: [led('a')] }, '1 note made'],
  [
    'all kinds',
    { written: [led('a'), led('b')], duplicates: [led('c')], rejectedBefore: ['d'], skipped: 2 },
    '2 notes made, 1 known already, 1 rejected before, 2 without a title skipped',
  ],
  ['a source that is known', { unchanged: 1 }, 'Nothing new since it was last ingested'],
  [
    'a folder',
    { written: [led('a')], unchanged: 3, failures: [{ name: 'x', message: 'y' }] },
    '1 note made, 3 unchanged, 1 file failed',
  ],
  ['nothing at all', {}, 'Nothing was found to make a note of'],
])('says in a line what became of %s', (_, part, words) => {
  expect(outcomeWords({ ...NOTHING, ...part })).toBe(words);
});

it('joins outcomes, and says a warning of all of them once', () => {
  const one = outcomeOf(answer([page()], { warnings: ['No model is set.'] }));
  const all = mergeOutcomes([one, one, { ...NOTHING, unchanged: 1 }]);
  expect(all.written).toHaveLength(2);
  expect(all.unchanged).toBe(1);
  expect(all.warnings).toEqual(['No model is set.']);
});

it('shows hostile names as they are written, on one line', () => {
  expect(shownName('evil\u202Efdp.exe')).toBe('evil fdp.exe');
  expect(shownName('a\nb\tc\u0000.md')).toBe('a b c .md');
  expect(shownName('\u200b')).toBe('a file without a name');
  expect(Array.from(shownName('😀'.repeat(500)))).toHaveLength(121);
});
