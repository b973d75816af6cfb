/** The folders that a first start names when they have files already, each with what becomes of the files. */
const BECOMES = {
  wiki: 'those that the service has not stamped stay yours, and no agent changes one. The list of a wing goes below your text in wiki/<wing>/_index.md',
  knowledge: 'those that the service has not stamped stay yours, and no agent changes one',
  raw: 'they wait in the review queue',
  inbox: 'they stay untouched until you have them taken in, or have the folder watched',
  sessions: 'records of sessions in them are counted, and nothing is changed',
  imports: 'they stay yours, and no agent changes one',
} as const;

type NamedFolder = keyof typeof BECOMES;

export const NAMED_FOLDERS = Object.keys(BECOMES).filter((name): name is NamedFolder => name in BECOMES);

/** Says what becomes of the files that a folder has already, in words that follow a colon. */
export function becomesOf(folder: NamedFolder): string {
  return BECOMES[folder];
}

/** Returns a number of files in words. */
export function countOfFiles(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`;
}
