import { open } from 'node:fs/promises';
import { readAll } from '../src/adapters/files/whole-file';
import type { BenchDocument } from './corpus';

/** The fields of a document that engines index, and how much each counts. */
export const FIELDS = { title: 3, headings: 1, text: 1 } as const;

/** An index that holds documents. */
export interface Engine {
  /** Paths of the best documents for what a person typed, best first; any of the words may match. */
  search(query: string, limit: number): readonly string[];
  /** Replaces a document; the next search sees it. */
  update(document: BenchDocument): void;
  /** Writes the index below a folder, in the engine's own format. */
  save(folder: string): Promise<void>;
  /** Releases what stays open otherwise. */
  close?(): void;
}

/** An engine of the bench. */
export interface EngineKind {
  readonly name: string;
  /** How it is set up, for the reader of the figures. */
  readonly says: string;
  /** Its package in bench/peers; none for what is part of this project. */
  readonly peer?: string;
  /** The most documents that it is tried with, and why. */
  readonly largest?: { readonly documents: number; readonly why: string };
  /** False for an engine that is compared by its answers only. */
  readonly timed?: false;
  /** How many updates are timed, when one takes long. */
  readonly updates?: number;
  /** How many queries of each length, when one takes long: the first of those that all engines are asked. */
  readonly queries?: number;
  /** Indexes all documents; an engine that lives in a file has it below `folder`, which is empty, or in memory without one. */
  build(documents: Iterable<BenchDocument>, folder?: string): Engine;
  /** Opens what `save` wrote. Missing when the engine has no file. */
  load?(folder: string): Promise<Engine>;
}

/** Words as most full-text engines cut them; used where a peer wants a query in parts. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** All of a file in one call, as the headless server reads its index; `readFile` asks for half a MiB at a time. */
export async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    return await readAll(handle, (await handle.stat()).size, file, Infinity);
  } finally {
    await handle.close();
  }
}
