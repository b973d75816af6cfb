import path from 'node:path';
import { type Survey, survey, type SurveyOptions } from '../adapters/node/survey';
import { shellWord } from './started-as';
import { type Check, conflictCheck, someOf } from '../core/notes/check';
import { LAYOUT } from '../core/notes/first-guidance';
import type { RunningServer } from '../doors/listen';

/** Folders named in a command. */
const MAX_IN_COMMAND = 5;

/**
 * What this host knows of itself: its port, the rights on every folder of the vault `root` that the service reads, and what
 * listings pass over there.
 */
export async function hostChecks(
  root: string,
  server: Pick<RunningServer, 'url' | 'answers'> | null,
  options: SurveyOptions = {},
): Promise<Check[]> {
  const found = await survey(root, LAYOUT, options);
  return [
    ...(server === null ? [] : [await portCheck(server)]),
    rightsCheck(root, found),
    fileNamesCheck(found),
    copiesCheck(found),
  ];
}

async function portCheck(server: Pick<RunningServer, 'url' | 'answers'>): Promise<Check> {
  const name = 'port';
  if (await server.answers()) return { name, state: 'ok', message: `Listening on ${server.url}.` };
  return {
    name,
    state: 'failed',
    message: `${server.url} takes no connections any more.`,
    fix: 'Stop the server and start it again.',
    action: 'restart-server',
  };
}

function rightsCheck(root: string, { closed, locked, isReadOnly }: Survey): Check {
  const name = 'folder rights';
  const [unread, unwritten] = [new Set(closed), new Set(locked)];
  const lists: [what: string, folders: string[]][] = [
    ['read and write', closed.filter((folder) => unwritten.has(folder))],
    ['read', closed.filter((folder) => !unwritten.has(folder))],
    ['write to', locked.filter((folder) => !unread.has(folder))],
  ];
  const told = lists.filter(([, folders]) => folders.length > 0);
  if (told.length === 0) return { name, state: 'ok', message: 'This user may read and write every folder.' };
  const message = told.map(([what, folders]) => `This user may not ${what}: ${someOf(folders)}.`).join(' ');
  if (isReadOnly) {
    const fix =
      'The disk takes no changes at all. Mount it so that it does, or move the vault to another one.';
    return { name, state: 'failed', message, fix };
  }
  return {
    name,
    state: 'failed',
    message,
    fix: 'Change the rights of these folders, or run the server as the user that owns them.',
    ...(process.platform !== 'win32' && { command: openingCommand(root, [...closed, ...locked]) }),
  };
}

/** What gives the owner the rights on these folders; on those that they lie in where they are many. */
function openingCommand(root: string, folders: readonly string[]): string {
  const all = new Set(folders);
  const outermost = [...all].filter((folder) => !isBelowAny(all, folder));
  const tops = new Set(outermost.map((folder) => folder.split('/', 1)[0] ?? ''));
  const named = outermost.length <= MAX_IN_COMMAND ? outermost : [...tops];
  return ['chmod -R u+rwX', ...named.map((folder) => shellWord(path.join(root, folder)))].join(' ');
}

function isBelowAny(folders: ReadonlySet<string>, folder: string): boolean {
  for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
    if (folders.has(folder.slice(0, at))) return true;
  return false;
}

/** Files and folders that listings pass over because of their names alone. */
function fileNamesCheck({ unnamed, twins, tooLong }: Survey): Check {
  const name = 'file names';
  const kinds: [paths: readonly string[], what: string, fix: string][] = [
    [unnamed, 'These names are no UTF-8, so nothing under them can be read', 'Rename them in UTF-8.'],
    [
      twins,
      'These names stand twice in their folder, spelt in two Unicode forms (NFC and NFD), and only one is read',
      'Give one of each two another name.',
    ],
    [
      tooLong,
      'These paths are longer than this system allows where the vault is, so nothing there is read',
      'Shorten them, or move the vault to a folder with a shorter path.',
    ],
  ];
  const told = kinds.filter(([paths]) => paths.length > 0);
  if (told.length === 0) return { name, state: 'ok', message: 'No file is passed over because of its name.' };
  return {
    name,
    state: 'warning',
    message: told.map(([paths, what]) => `${what}: ${someOf(paths)}.`).join(' '),
    fix: told.map(([, , fix]) => fix).join(' '),
  };
}

function copiesCheck({ copies, closed }: Survey): Check {
  const check = conflictCheck(copies);
  if (closed.length === 0) return check;
  const unseen = `Not every folder could be looked into: ${someOf(closed)}.`;
  return {
    name: check.name,
    state: 'warning',
    message: copies.length === 0 ? unseen : `${check.message} ${unseen}`,
    fix: [check.fix, 'See the rights of these folders.'].filter((fix) => fix !== undefined).join(' '),
  };
}
