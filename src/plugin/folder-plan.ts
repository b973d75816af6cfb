/** A folder or file that the service uses, and what stands there now. */
export interface FolderUse {
  readonly path: string;
  readonly purpose: string;
  /** How many files stand there; null when the app cannot see into it. */
  readonly files: number | null;
}

const FOLDERS: readonly (readonly [path: string, purpose: string])[] = [
  ['wiki', 'Curated notes, one folder per wing. Each wing gets a map, _index.md.'],
  ['knowledge', 'Notes without a wing.'],
  ['raw', 'The review queue: what agents propose and what you capture.'],
  [
    'inbox',
    'Files that wait to be taken in. Nothing takes them before you say so, or have the folder watched.',
  ],
  ['sessions', 'Records of what agents did.'],
];

/**
 * The folders that will be used, and how many files each holds already. Spelling of case is ignored: on most disks
 * `Wiki` and `wiki` are one folder.
 */
export function folderPlan(files: readonly string[], rootNote: string): readonly FolderUse[] {
  const folded = files.map((path) => path.toLowerCase());
  const folders = FOLDERS.map(([path, purpose]) => ({
    path: `${path}/`,
    purpose,
    files: folded.filter((file) => file.startsWith(`${path}/`)).length,
  }));
  return [
    ...folders,
    {
      path: rootNote,
      purpose: 'Guidance that every agent reads first. Made only when there is none.',
      files: folded.filter((file) => file === rootNote.toLowerCase()).length,
    },
    {
      path: '.brain/',
      purpose: 'Older versions, the audit log and the journal. Obsidian does not show it.',
      files: null,
    },
  ];
}

/** `412 files`, `1 file`, `New`: what a row says of how much stands there. */
export function amountOf({ files }: Pick<FolderUse, 'files'>): string {
  if (files === null) return 'Hidden';
  if (files === 0) return 'New';
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`;
}
