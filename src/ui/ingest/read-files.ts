import { CallError } from '../client';
import type { UiHost } from '../host';
import { counted } from '../parts/words';
import { isTextFile, MAX_FILE_BYTES, MAX_TEXT_BYTES, shownName, titleOf } from './file-kinds';
import type { Wanted } from './intake';

/** As much of a browser's `File` as is read here. */
export type FileLike = Pick<File, 'name' | 'size' | 'arrayBuffer'>;

type Hands = Pick<UiHost, 'ingestFile' | 'draggedPaths'>;

const MIB = 1024 * 1024;

/**
 * A file that a person has chosen or dropped, to be ingested. Some hosts take every kind; a page in a browser can only read
 * texts and send them.
 */
export function wantedFile(file: FileLike, host: Hands): Wanted {
  const name = shownName(file.name);
  const { ingestFile } = host;
  if (ingestFile === undefined) return { name, source: () => textOf(file) };
  return {
    name,
    source: async () => {
      checkSize(file, MAX_FILE_BYTES);
      const bytes = new Uint8Array(await bytesOf(file));
      return { kind: 'file', begin: () => ingestFile(file.name, bytes) };
    },
  };
}

/** Everything that was dropped. A folder is refused in its turn, so that it is named like a file that failed. */
export function wantedDrop(data: DataTransfer, host: Hands): readonly Wanted[] {
  const files = [...data.items].filter(({ kind }) => kind === 'file');
  if (files.length > 0) {
    // What was dropped can only be asked for now; the files themselves can be read later.
    return files.flatMap((item) => {
      const entry = item.webkitGetAsEntry();
      if (entry?.isDirectory === true) return [refusedFolder(entry.name, host)];
      const file = item.getAsFile();
      return file === null ? [] : [wantedFile(file, host)];
    });
  }
  const text = data.getData('text/uri-list') || data.getData('text/plain');
  return (host.draggedPaths?.(text) ?? []).map(wantedPath);
}

/** Text that a person has pasted or written, with a title or without. */
export function wantedText(text: string, title: string): Wanted {
  const named = title.trim();
  return {
    name: named === '' ? 'Pasted text' : shownName(named),
    source: () => Promise.resolve({ kind: 'text', text, ...(named !== '' && { title: named }) }),
  };
}

/** A file or folder of the vault. */
export function wantedPath(path: string): Wanted {
  return { name: shownName(path), source: () => Promise.resolve({ kind: 'path', path }) };
}

function refusedFolder(folder: string, { ingestFile }: Hands): Wanted {
  const instead =
    ingestFile === undefined
      ? 'Put it into the folder inbox of the vault.'
      : 'Drop its files, or put it into the vault and choose "Ingest this folder" in its menu.';
  return {
    name: shownName(folder),
    source: () => Promise.reject(new CallError('unsupported_type', `This is a folder. ${instead}`)),
  };
}

async function textOf(file: FileLike): Promise<{ kind: 'text'; text: string; title: string; label: string }> {
  const inbox = 'Put it into the folder inbox of the vault: the server reads it there.';
  if (!isTextFile(file.name)) {
    throw new CallError('unsupported_type', `A page can only send text and Markdown. ${inbox}`);
  }
  checkSize(file, MAX_TEXT_BYTES);
  const bytes = await bytesOf(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'text', text, title: titleOf(file.name), label: shownName(file.name) };
  } catch {
    throw new CallError('unsupported_type', `This is no text in UTF-8. ${inbox}`);
  }
}

function checkSize({ size }: FileLike, most: number): void {
  if (size === 0) throw new CallError('empty_content', 'The file is empty.');
  if (size <= most) return;
  throw new CallError(
    'too_large',
    `The file has ${counted(Math.ceil(size / MIB), 'MiB', 'MiB')}; ${most / MIB} MiB can be taken at most.`,
  );
}

async function bytesOf(file: FileLike): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch {
    throw new CallError('source_missing', 'The file cannot be read. It may have been moved since.');
  }
}
