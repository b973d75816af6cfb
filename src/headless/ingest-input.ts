import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { documentReader } from '../adapters/documents/document-reader';
import { nodeThreads } from '../adapters/documents/node-thread';
import { outgoingHttp } from '../adapters/node/outgoing-http';
import { formatOf } from '../core/ingest/formats';
import { MAX_FILE_BYTES } from '../core/ingest/source-files';
import type { status } from '../core/notes/status';
import type { Client } from './client';
import { CommandError, UsageError } from './io';
import { unreadable } from './unreadable';

/** What `brain ingest` was given. `vault` is a path of the vault, which only the server can find. */
export type IngestInput =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'vault'; readonly path: string }
  | { readonly kind: 'file' | 'folder'; readonly path: string };

/**
 * Tells a path from a text: what stands on this machine is a path, and so is `inbox` with what may follow it; a text has a
 * space.
 * @throws UsageError for one word that looks like a path and leads nowhere: it is more likely mistyped than meant as a text.
 */
export async function chooseInput(what: string | undefined): Promise<IngestInput> {
  if (what === undefined || what === '-') return { kind: 'stdin' };
  const info = await stat(what).catch(() => null);
  if (info !== null) return { kind: info.isDirectory() ? 'folder' : 'file', path: path.resolve(what) };
  if (/^(?:brain\/)?inbox(?:\/\S*|\/.*\.\w+)?$/.test(what)) return { kind: 'vault', path: what };
  const looksLikePath = /^\S*[\\/]\S*$/.test(what) || (!what.includes('\n') && formatOf(what) !== null);
  if (looksLikePath) {
    throw new UsageError(
      `There is no file or folder "${what}" here. To ingest this as a text, send it on standard input.`,
    );
  }
  if (what.trim() === '') throw new UsageError('The text is empty.');
  return { kind: 'text', text: what };
}

/**
 * The text of a file that this program reads because the server may not; null when it is of a kind that only the server reads.
 * @throws CommandError when the file cannot be read or has no text.
 */
export async function textOfFile(
  file: string,
): Promise<{ text: string; title: string | undefined; source: string } | null> {
  const name = path.basename(file);
  const format = formatOf(name);
  if (format === null || !('native' in format) || format.native === 'pdf') return null;
  const documents = documentReader({
    startThread: nodeThreads(null),
    http: outgoingHttp,
    settings: () => ({}),
    sleep: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
    breathe: () => breathe(),
  });
  try {
    const { markdown, title } = await documents.read({ name, bytes: await bytesOf(file) });
    return { text: markdown, title, source: `file:${name}` };
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    documents.close();
  }
}

/** What to do with a file or folder that the server may not read, as it said, and this program does not. */
export async function outOfReach(at: string, client: Client, { body }: CommandError): Promise<CommandError> {
  // Who may not see the status is told the usual name.
  const found = await client.get<typeof status>('/status').catch(() => null);
  const inbox = found?.value.watcher.folder ?? 'inbox';
  const folder = path.dirname(at);
  return new CommandError(
    `The server may not read ${at}. Copy it into the folder "${inbox}" of the vault, or start the server with BRAIN_INGEST_ROOTS="${folder}".`,
    'path_not_allowed',
    body,
  );
}

async function bytesOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new Error('it is no regular file.');
    if (info.size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}
