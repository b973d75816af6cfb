import path from 'node:path';
import { type Survey, survey, type SurveyedFolder, type SurveyOptions } from '../../adapters/vault/survey';
import type { Clock } from '../../core/base/host';
import { compareText } from '../../core/base/text';
import { isHeld, type LookOptions } from '../../core/status/checks';
import { type Check, conflictCheck, someOf } from '../../core/vocabulary/check';
import type { RunningServer } from '../../doors/http/listen';
import { shellWord } from '../terminal/program';

/** The number of folders that a command names. */
const MAX_IN_COMMAND = 5;

/** Checks a host; `server` is null until it runs. */
type HostChecks = (
  server: Pick<RunningServer, 'url' | 'answers'> | null,
  options?: LookOptions,
) => Promise<Check[]>;

/**
 * Returns the checks of this host: its port, the rights on every folder of the vault `root` that the service reads, and the
 * files that listings leave out. The folders are surveyed at most once a minute, or when the caller probes.
 */
export function hostChecks(root: string, clock: Clock, options: SurveyOptions = {}): HostChecks {
  const surveys = new SurveyCache(() => survey(root, options), clock);
  return async (server, { probe } = { probe: false }) => {
    const found = await surveys.get(probe);
    return [
      ...(server === null ? [] : [await portCheck(server)]),
      rightsCheck(found),
      foldersCheck(found),
      fileNamesCheck(found),
      copiesCheck(found),
    ];
  };
}

/** The checks of a host without a folder of the vault: its port. */
export const portChecks: HostChecks = async (server) => (server === null ? [] : [await portCheck(server)]);

/** Caches surveys: that of a large vault takes seconds, and a page asks for the status after every change. */
class SurveyCache {
  #last: { readonly at: number; readonly found: Survey } | null = null;
  #running: Promise<Survey> | null = null;
  /** The survey for callers that probe while one is running, which may have passed a folder that was mended since. */
  #next: Promise<Survey> | null = null;

  constructor(
    private readonly make: () => Promise<Survey>,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the running survey, else the one of the last minute, else a new one; with `probe`, one that begins after
   * the call.
   */
  get(probe: boolean): Promise<Survey> {
    if (!probe && this.#running !== null) return this.#running;
    if (this.#next !== null) return this.#next;
    if (this.#running !== null) return (this.#next = this.#after(this.#running));
    const now = this.clock.now().getTime();
    const last = this.#last;
    if (!probe && last !== null && isHeld(last.at, now)) return Promise.resolve(last.found);
    return this.#begin(now);
  }

  async #after(before: Promise<Survey>): Promise<Survey> {
    await before.catch(() => undefined); // The callers of that survey get its error.
    const next = this.#begin(this.clock.now().getTime());
    this.#next = null;
    return next;
  }

  #begin(at: number): Promise<Survey> {
    const made = this.make().then((found) => {
      this.#last = { at, found };
      return found;
    });
    return (this.#running = made.finally(() => (this.#running = null)));
  }
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

function rightsCheck({ closed, locked, isReadOnly }: Survey): Check {
  const name = 'folder rights';
  const [unread, unwritten] = [new Set(pathsOf(closed)), new Set(pathsOf(locked))];
  const lists: [what: string, folders: string[]][] = [
    ['read and write', [...unread].filter((folder) => unwritten.has(folder))],
    ['read', [...unread].filter((folder) => !unwritten.has(folder))],
    ['write to', [...unwritten].filter((folder) => !unread.has(folder))],
  ];
  const faulty = lists.filter(([, folders]) => folders.length > 0);
  if (faulty.length === 0)
    return { name, state: 'ok', message: 'This user may read and write every folder.' };
  const message = faulty.map(([what, folders]) => `This user may not ${what}: ${someOf(folders)}.`).join(' ');
  if (isReadOnly) {
    const fix =
      'The disk takes no changes at all. Mount it so that it does, or move the vault to another one.';
    return { name, state: 'failed', message, fix };
  }
  const command = process.platform === 'win32' ? null : openingCommand([...closed, ...locked]);
  return {
    name,
    state: 'failed',
    message,
    fix: 'Change the rights of these folders, or run the server as the user that owns them.',
    ...(command !== null && { command }),
  };
}

function pathsOf(folders: readonly { readonly path: string }[]): string[] {
  return folders.map((folder) => folder.path);
}

/**
 * Returns the command that gives the owner the rights on these folders; on their top folders when they are many. Null when
 * their real paths are unknown: `chmod` follows a link that it is given.
 */
function openingCommand(folders: readonly SurveyedFolder[]): string | null {
  // By their real paths: a path in the vault may lead through a link and be spelt otherwise on the disk.
  const all = new Map<string, string>();
  for (const { path: at, full } of folders) if (full !== null) all.set(full, topOf(at, full));
  const outermost = [...all].filter(([full]) => !isBelowAny(all, full));
  if (outermost.length === 0) return null;
  const isFew = outermost.length <= MAX_IN_COMMAND;
  const named = new Set(outermost.map(([full, top]) => (isFew ? full : top)));
  return ['chmod -R u+rwX', ...[...named].map((full) => shellWord(full))].join(' ');
}

/** Returns the real path of the layout's folder above this one: there is no link between them. */
function topOf(at: string, full: string): string {
  return path.join(full, ...at.split('/').slice(1).fill('..'));
}

function isBelowAny(folders: ReadonlyMap<string, unknown>, folder: string): boolean {
  for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
    if (folders.has(folder.slice(0, at))) return true;
  return false;
}

/** Checks for folders that cannot be read for a reason other than rights. */
function foldersCheck({ misplaced, failed }: Survey): Check {
  const reasons = failed.map((folder) => `${folder.path} (${folder.code})`);
  return faultsCheck(
    'folders',
    'failed',
    'No file or foreign link stands where a folder belongs, and the disk answers for each.',
    [
      [
        misplaced,
        'Where these folders belong stands a file, or a link that leads to no folder of the vault, so nothing there is read',
        'Put a folder in the place of each, and move into it what it is to hold.',
      ],
      [
        reasons,
        'These folders could not be looked into',
        'Check again; where that stays so, see to the disk on which they lie.',
      ],
    ],
  );
}

/** Checks for files and folders that listings leave out because of their names. */
function fileNamesCheck({ unnamed, twins, tooLong }: Survey): Check {
  return faultsCheck('file names', 'warning', 'No file is passed over because of its name.', [
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
  ]);
}

type Fault = readonly [paths: readonly string[], what: string, fix: string];

/** Returns one check of several kinds of faults; it is ok when there are none. */
function faultsCheck(name: string, state: Check['state'], fine: string, kinds: readonly Fault[]): Check {
  const faulty = kinds.filter(([paths]) => paths.length > 0);
  if (faulty.length === 0) return { name, state: 'ok', message: fine };
  return {
    name,
    state,
    message: faulty.map(([paths, what]) => `${what}: ${someOf(paths)}.`).join(' '),
    fix: faulty.map(([, , fix]) => fix).join(' '),
  };
}

function copiesCheck({ copies, closed, misplaced, failed }: Survey): Check {
  const check = conflictCheck(copies);
  const others = [...misplaced, ...pathsOf(failed)];
  const unseen = [...new Set([...pathsOf(closed), ...others])].sort(compareText);
  if (unseen.length === 0) return check;
  const notSeen = `Not every folder could be looked into: ${someOf(unseen)}.`;
  const fixes = [
    ...(check.fix === undefined ? [] : [check.fix]),
    ...(closed.length > 0 ? ['See the rights of these folders.'] : []),
    ...(others.length > 0 ? ['See what "folders" says of them.'] : []),
  ];
  return {
    name: check.name,
    state: 'warning',
    message: copies.length === 0 ? notSeen : `${check.message} ${notSeen}`,
    fix: fixes.join(' '),
  };
}
