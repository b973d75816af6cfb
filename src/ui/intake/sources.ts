import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { UiHost } from '../client/host';
import { counted } from '../kit/words';
import { courierOf, Intake, type IntakeItem, type Wanted } from './intake';

/** Longest file that a browser reads to send its text, in bytes: the service takes no longer request. */
const MAX_TEXT_BYTES = 30 * 1024 * 1024;
/** Longest file that the service reads at all. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** Kinds whose bytes are the text itself, so that a browser can read it. */
const TEXT_KINDS = ['md', 'markdown', 'txt', 'text', 'log'];

/** The end of a name after its last dot, in lower case; empty when it has none. */
export function extensionOf(name: string): string {
  return /[^.]\.([^./\\]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** True for a file that a page can read by itself and send as text. */
export function isTextFile(name: string): boolean {
  return TEXT_KINDS.includes(extensionOf(name));
}

/** Characters that show otherwise than they are written, or end a line: a name could spell something else with them. */
const DECEIVING = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;
const MAX_SHOWN = 120;

/** The name of a file as it can be shown: one line, in the order in which it is written. */
export function shownName(name: string): string {
  const plain = name.replace(DECEIVING, ' ').trim();
  const points = Array.from(plain);
  return points.length > MAX_SHOWN
    ? `${points.slice(0, MAX_SHOWN).join('')}…`
    : plain || 'a file without a name';
}

/** A title for a text from the name of its file: without the extension, `-` and `_` as spaces. */
export function titleOf(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '');
  return shownName(stem.replace(/[-_]+/g, ' ')).slice(0, 200);
}

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

const intakes = new WeakMap<BrainClient, Intake>();

/** The one intake of a way to the vault, for all screens and commands that use it. */
export function intakeOf(client: BrainClient): Intake {
  const known = intakes.get(client);
  if (known !== undefined) return known;
  const made = new Intake(courierOf(client), sleep);
  intakes.set(client, made);
  return made;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void window.setTimeout(resolve, ms));
}

/** The sources of an intake as they are now. */
export function useIntakeItems(intake: Intake): readonly IntakeItem[] {
  const [items, setItems] = useState(intake.items);
  useEffect(() => {
    // What has changed between the drawing and this.
    setItems(intake.items);
    return intake.listen(() => setItems(intake.items));
  }, [intake]);
  return items;
}
