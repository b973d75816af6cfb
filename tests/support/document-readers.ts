import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ConverterSettings } from '../../src/adapters/documents/converter';
import { documentReader, type OpenDocumentReader } from '../../src/adapters/documents/reader';
import { characterMapFolder, nodeThreads } from '../../src/adapters/documents/node-thread';
import { processTime } from '../../src/adapters/host/device';
import { outgoingHttp } from '../../src/adapters/host/http';
import type { DocumentFile } from '../../src/core/documents/ports';

/** The reader of the headless server, with its threads. */
export function nodeReader(
  settings: () => ConverterSettings = () => ({}),
  folder: string | null = characterMapFolder(),
  wait: (milliseconds: number) => Promise<void> = (ms) => sleep(ms, undefined, { ref: false }),
  used: () => number = processTime,
): OpenDocumentReader {
  return documentReader({
    startThread: nodeThreads(folder),
    http: outgoingHttp,
    settings,
    used,
    sleep: wait,
    breathe: () => setImmediate(undefined),
  });
}

/** A document of `tests/fixtures/documents`. */
export function fixture(name: string): DocumentFile {
  return { name, bytes: new Uint8Array(readFileSync(`tests/fixtures/documents/${name}`)) };
}

/** A document with this text. */
export function document(name: string, text: string): DocumentFile {
  return { name, bytes: new TextEncoder().encode(text) };
}
