import { access, constants, readdir } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../adapters/node/file-system';
import { shellWord } from './started-as';
import { isConflictName } from '../core/rules/ignored-names';
import { type Check, conflictCheck, someOf } from '../core/notes/check';
import { LAYOUT } from '../core/notes/first-guidance';
import type { RunningServer } from '../doors/listen';

/** What this host knows of itself: its port, the rights on the folders of the vault `root`, and what listings pass over. */
export async function hostChecks(
  root: string,
  server: Pick<RunningServer, 'url' | 'answers'> | null,
): Promise<Check[]> {
  return [
    ...(server === null ? [] : [await portCheck(server)]),
    await rightsCheck(root),
    await copiesCheck(root),
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

async function rightsCheck(root: string): Promise<Check> {
  const name = 'folder rights';
  const closed: string[] = [];
  for (const folder of LAYOUT) {
    try {
      await access(path.join(root, folder), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) closed.push(folder);
    }
  }
  if (closed.length === 0)
    return { name, state: 'ok', message: 'This user may read and write every folder.' };
  return {
    name,
    state: 'failed',
    message: `This user may not read and write: ${closed.join(', ')}.`,
    fix: 'Change the rights of these folders, or run the server as the user that owns them.',
    ...(process.platform !== 'win32' && {
      command: ['chmod -R u+rwX', ...closed.map((folder) => shellWord(path.join(root, folder)))].join(' '),
    }),
  };
}

async function copiesCheck(root: string): Promise<Check> {
  const copies: string[] = [];
  const closed: string[] = [];
  for (const folder of LAYOUT) {
    try {
      // With their types: without them Node goes through links to folders, and so out of the vault.
      const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
      for (const { name: file, parentPath } of entries) {
        if (!isConflictName(file)) continue;
        copies.push(path.relative(root, path.join(parentPath, file)).replaceAll(path.sep, '/'));
      }
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) closed.push(folder);
    }
  }
  if (closed.length === 0) return conflictCheck(copies.sort());
  return {
    name: 'conflict copies',
    state: 'warning',
    message: `Not every folder could be looked into: ${someOf(closed)}.`,
    fix: 'See the rights of these folders.',
  };
}
