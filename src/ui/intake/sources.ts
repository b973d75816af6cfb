import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { UiHost } from '../client/host';
import { ingestClientOf, Intake, type IntakeItem, type IngestRequest } from './intake';

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

type FileHost = Pick<UiHost, 'ingestFile' | 'draggedPaths'>;

/** Returns a file to ingest. It is read when its turn comes. */
export function fileRequest(file: File, host: FileHost): IngestRequest {
  return {
    name: shownName(file.name),
    async source() {
      if (file.size === 0) throw new CallError('empty_content', 'The file is empty.');
      return { kind: 'file', begin: () => host.ingestFile(file.name, file) };
    },
  };
}

/** Files in which programs hand out notes: they are imported, and the queue does not read them. */
const ARCHIVE = /\.(?:zip|enex|jex|mbox|textpack|tar|tgz|gz)$/i;

/** Returns true for the name of an archive of notes. */
export function isArchive(name: string): boolean {
  return ARCHIVE.test(name);
}

/**
 * Returns everything that was dropped but archives, which are imported. A folder fails when its turn comes, so that it is listed like a file that failed.
 */
export function dropRequests(data: DataTransfer, host: FileHost): readonly IngestRequest[] {
  const files = [...data.items].filter(({ kind }) => kind === 'file');
  if (files.length > 0) {
    // The items are readable only during the event; their files can be read later.
    return files.flatMap((item) => {
      const entry = item.webkitGetAsEntry();
      if (entry?.isDirectory === true) return [folderRequest(entry.name)];
      const file = item.getAsFile();
      return file === null || isArchive(file.name) ? [] : [fileRequest(file, host)];
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

function folderRequest(folder: string): IngestRequest {
  const instead = 'Drop its files, or import it whole under "Imports".';
  return {
    name: shownName(folder),
    source: () => Promise.reject(new CallError('unsupported_type', `This is a folder. ${instead}`)),
  };
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
