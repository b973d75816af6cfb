import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { UiHost } from '../client/host';
import { counted } from '../kit/words';
import { ingestClientOf, Intake, type IntakeItem, type IngestRequest } from './intake';

/** The largest file whose text a browser sends, since the service takes no longer request (bytes). */
const MAX_TEXT_BYTES = 30 * 1024 * 1024;
/** The largest file that the service reads (bytes). */
const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** The extensions of plain text files, which a browser can read. */
const TEXT_KINDS = ['md', 'markdown', 'txt', 'text', 'log'];

/** Returns the extension of a name in lower case, or an empty text. */
export function extensionOf(name: string): string {
  return /[^.]\.([^./\\]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Returns true for a file that the web page can read and send as text. */
export function isTextFile(name: string): boolean {
  return TEXT_KINDS.includes(extensionOf(name));
}

/** Control and format characters and line ends, which could make a name look like another one. */
const DECEIVING = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;
const MAX_SHOWN = 120;

/** Returns the name of a file for display: one line, without control and format characters, shortened. */
export function shownName(name: string): string {
  const plain = name.replace(DECEIVING, ' ').trim();
  const points = Array.from(plain);
  return points.length > MAX_SHOWN
    ? `${points.slice(0, MAX_SHOWN).join('')}…`
    : plain || 'a file without a name';
}

/** Returns a title for a text from the name of its file: without the extension, `-` and `_` as spaces. */
export function titleOf(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '');
  return shownName(stem.replace(/[-_]+/g, ' ')).slice(0, 200);
}

/** The members of a browser's `File` that this module reads. */
export type FileLike = Pick<File, 'name' | 'size' | 'arrayBuffer'>;

type FileHost = Pick<UiHost, 'ingestFile' | 'draggedPaths'>;

const MIB = 1024 * 1024;

/** Returns a file to ingest. A host with `ingestFile` takes files of every kind; the web page reads and sends only texts. */
export function fileRequest(file: FileLike, host: FileHost): IngestRequest {
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

/** Returns everything that was dropped. A folder fails when its turn comes, so that it is listed like a file that failed. */
export function dropRequests(data: DataTransfer, host: FileHost): readonly IngestRequest[] {
  const files = [...data.items].filter(({ kind }) => kind === 'file');
  if (files.length > 0) {
    // The items are readable only during the event; their files can be read later.
    return files.flatMap((item) => {
      const entry = item.webkitGetAsEntry();
      if (entry?.isDirectory === true) return [folderRequest(entry.name, host)];
      const file = item.getAsFile();
      return file === null ? [] : [fileRequest(file, host)];
    });
  }
  const text = data.getData('text/uri-list') || data.getData('text/plain');
  return (host.draggedPaths?.(text) ?? []).map(pathRequest);
}

/** Returns a pasted or typed text to ingest; the title may be empty. */
export function textRequest(text: string, title: string): IngestRequest {
  const named = title.trim();
  return {
    name: named === '' ? 'Pasted text' : shownName(named),
    source: () => Promise.resolve({ kind: 'text', text, ...(named !== '' && { title: named }) }),
  };
}

/** Returns a file or folder of the vault to ingest. */
export function pathRequest(path: string): IngestRequest {
  return { name: shownName(path), source: () => Promise.resolve({ kind: 'path', path }) };
}

function folderRequest(folder: string, { ingestFile }: FileHost): IngestRequest {
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

const intakes = new WeakMap<BrainClient, Intake>();

/** Returns the intake of a client. All screens and commands with that client share it. */
export function intakeOf(client: BrainClient): Intake {
  const existing = intakes.get(client);
  if (existing !== undefined) return existing;
  const intake = new Intake(ingestClientOf(client), sleep);
  intakes.set(client, intake);
  return intake;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void window.setTimeout(resolve, ms));
}

/** Returns the items of an intake, kept up to date. */
export function useIntakeItems(intake: Intake): readonly IntakeItem[] {
  const [items, setItems] = useState(intake.items);
  useEffect(() => {
    // The items may have changed between the rendering and this effect.
    setItems(intake.items);
    return intake.listen(() => setItems(intake.items));
  }, [intake]);
  return items;
}
