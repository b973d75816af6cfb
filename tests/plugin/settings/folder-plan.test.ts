import { NAMED_FOLDERS } from '../../../src/core/vocabulary/first-start';
import { LAYOUT } from '../../../src/core/vocabulary/paths';
import { folderPlan, writtenWords } from '../../../src/plugin/settings/folder-plan';

const countsOf = (files: readonly string[]) =>
  Object.fromEntries(folderPlan(files, 'AGENTS.md').map((use) => [use.path, use.content]));

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
    'wiki/': '2 files',
    'knowledge/': 'New',
    'raw/': 'New',
    'inbox/': '1 file',
    'sessions/': 'New',
    'imports/': 'New',
    'AGENTS.md': '1 file',
    '.brain/': 'Hidden',
  });
});

it('names every folder that the service makes, and every one whose files a first start tells of', () => {
  const folders = [...LAYOUT, ...NAMED_FOLDERS].map((folder) => `${folder}/`);
  expect(Object.keys(countsOf([]))).toEqual(expect.arrayContaining(folders));
});

it('counts a folder whose name is spelt in another case: most disks make no difference', () => {
  expect(countsOf(['Wiki/a.md', 'agents.md'])).toMatchObject({ 'wiki/': '1 file', 'AGENTS.md': '1 file' });
});

it('puts large numbers into words', () => {
  expect(countsOf(Array.from({ length: 1234 }, (_, n) => `raw/${n}.md`))).toMatchObject({
    'raw/': '1,234 files',
  });
});

it.each([
  [
    [],
    'wiki/, knowledge/, raw/, inbox/, sessions/, AGENTS.md, .brain/. None of these folders has files yet.',
  ],
  [
    ['raw/a.md', 'AGENTS.md', 'Plan.md'],
    'wiki/, knowledge/, inbox/, sessions/, .brain/. It changes none of the files that are there.',
  ],
  [
    ['Wiki/a/x.md', 'inbox/scan.pdf', 'imports/old.md'],
    'knowledge/, raw/, sessions/, AGENTS.md, .brain/. It changes none of the files that are there but the lists of wings, below your text in wiki/<wing>/_index.md.',
  ],
])('says of %p what a start makes and changes', (files, words) => {
  expect(writtenWords(folderPlan(files, 'AGENTS.md'), 'AGENTS.md')).toBe(`Start makes ${words}`);
});
