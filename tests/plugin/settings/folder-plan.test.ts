import { LAYOUT } from '../../../src/core/vocabulary/paths';
import { describeContent, folderPlan } from '../../../src/plugin/settings/first-start';

const countsOf = (files: readonly string[]) =>
  Object.fromEntries(folderPlan(files, 'AGENTS.md').map((use) => [use.path, use.files]));

it('counts what stands in every folder that is used, however deep, and nothing else', () => {
  expect(
    countsOf([
      'wiki/a/facts/x.md',
      'wiki/a/_index.md',
      'inbox/scan.pdf',
      'Wikipedia.md',
      'notes/wiki/y.md',
      'AGENTS.md',
    ]),
  ).toEqual({
    'wiki/': 2,
    'knowledge/': 0,
    'raw/': 0,
    'inbox/': 1,
    'sessions/': 0,
    'AGENTS.md': 1,
    '.brain/': null,
  });
});

it('names every folder that the service makes', () => {
  expect(Object.keys(countsOf([]))).toEqual(expect.arrayContaining(LAYOUT.map((folder) => `${folder}/`)));
});

it('counts a folder whose name is spelt in another case: most disks make no difference', () => {
  expect(countsOf(['Wiki/a.md', 'agents.md'])).toMatchObject({ 'wiki/': 1, 'AGENTS.md': 1 });
});

it.each([
  [0, 'New'],
  [1, '1 file'],
  [1234, '1,234 files'],
  [null, 'Hidden'],
])('puts %p files into words', (files, words) => {
  expect(describeContent({ files })).toBe(words);
});
