import { becomesOf, countOfFiles, type NAMED_FOLDERS } from '../../core/vocabulary/first-start';
import { LAYOUT } from '../../core/vocabulary/paths';

/** A folder or file of the service. */
export interface FolderUse {
  readonly path: string;
  readonly purpose: string;
  /** Its present content: `412 files`, `New`, or `Hidden` where the app does not list the files. */
  readonly content: string;
  /** What becomes of the files in it, in words that follow a colon; absent without files. */
  readonly becomes?: string;
}

const FOLDERS: readonly (readonly [path: (typeof NAMED_FOLDERS)[number], purpose: string])[] = [
  ['wiki', 'Curated notes, one folder per wing. Each wing gets a map, _index.md.'],
  ['knowledge', 'Notes without a wing.'],
  ['raw', 'The review queue: what agents propose and what you capture.'],
  [
    'inbox',
    'Files that wait to be taken in. Nothing takes them before you say so, or have the folder watched.',
  ],
  ['sessions', 'Records of what agents did.'],
  ['imports', 'Your own notes from elsewhere.'],
];

/**
 * Returns the folders of the service, and the number of files that each has already. Case is ignored: on most disks `Wiki`
 * and `wiki` are one folder.
 */
export function folderPlan(files: readonly string[], rootNote: string): readonly FolderUse[] {
  const folded = files.map((path) => path.toLowerCase());
  const folders = FOLDERS.map(([path, purpose]) => {
    const { length } = folded.filter((file) => file.startsWith(`${path}/`));
    const becomes = length > 0 && { becomes: becomesOf(path) };
    return { path: `${path}/`, purpose, content: describe(length), ...becomes };
  });
  return [
    ...folders,
    {
      path: rootNote,
      purpose: 'Guidance that every agent reads first. Made only when there is none.',
      content: describe(folded.filter((file) => file === rootNote.toLowerCase()).length),
    },
    {
      path: '.brain/',
      purpose: 'Older versions, the audit log and the journal. Obsidian does not show it.',
      content: 'Hidden',
    },
  ];
}

/** Says what a first start makes and what it changes, by what is in the folders now. */
export function writtenWords(folders: readonly FolderUse[], rootNote: string): string {
  const isMade = ({ path }: FolderUse): boolean => path === rootNote || LAYOUT.includes(path.slice(0, -1));
  const missing = folders.filter((use) => use.content === NEW && isMade(use)).map(({ path }) => path);
  const made = [...missing, '.brain/'].join(', ');
  const standing = folders.filter(({ becomes }) => becomes !== undefined).map(({ path }) => path);
  if (standing.length === 0) return `Start makes ${made}. None of these folders has files yet.`;
  const maps = ' but the lists of wings, below your text in wiki/<wing>/_index.md';
  const but = standing.includes('wiki/') ? maps : '';
  return `Start makes ${made}. It changes none of the files that are there${but}.`;
}

/** What is said of a folder without files. */
const NEW = 'New';

function describe(files: number): string {
  return files === 0 ? NEW : countOfFiles(files);
}
