import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isSha, type Sha } from '../base/hash';
import { isRecord, parsedJson } from '../base/json';
import { localDate } from '../base/time';
import { PROCESSED } from '../documents/paths';
import type { Brain } from '../operation/context';
import { checkStorePath } from '../ports/ports';
import { fileName, type VaultPath, vaultPath } from '../vocabulary/paths';
import type { Prepared } from './request';

type Ports = Pick<Brain, 'state' | 'clock' | 'device' | 'log'>;

/** The characters of prepared pages that stay in memory; those of further files wait on the disk. */
const MAX_HELD = 16_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The pages that were made of the files of a folder and are not written yet. Those of a language model go to the disk, where a
 * later run finds them after a cut: each took the model a minute.
 */
export class PreparedPages {
  readonly #held = new Map<Sha, Prepared>();
  /** The files of stored pages; the day in their path is that of `put`. */
  readonly #stored = new Map<Sha, string>();
  #size = 0;

  constructor(private readonly ports: Ports) {}

  async put(hash: Sha, prepared: Prepared): Promise<void> {
    const size = prepared.pages.reduce((sum, { content }) => sum + content.length, 0);
    if (prepared.by !== 'llm' && this.#size + size <= MAX_HELD) {
      this.#size += size;
      this.#held.set(hash, prepared);
      return;
    }
    const file = this.#file(hash);
    await this.ports.state.writeBytes(file, utf8ToBytes(JSON.stringify(prepared)));
    this.#stored.set(hash, file);
  }

  /** Returns the pages of a file; null when they are gone, so that they have to be made again. */
  async get(hash: Sha): Promise<Prepared | null> {
    const held = this.#held.get(hash);
    if (held !== undefined) return held;
    const file = this.#stored.get(hash);
    return file === undefined ? null : this.#read(file);
  }

  /** Returns the pages that a language model has made of a file in an earlier run, today or yesterday; null without. */
  async earlier(hash: Sha): Promise<Prepared | null> {
    for (const ago of [0, DAY_MS]) {
      const found = await this.#read(this.#file(hash, ago));
      if (found?.by === 'llm') return found;
    }
    return null;
  }

  async remove(hash: Sha): Promise<void> {
    this.#held.delete(hash);
    const file = this.#stored.get(hash);
    if (file === undefined) return;
    this.#stored.delete(hash);
    await this.ports.state.remove(file);
    await this.ports.state.remove(this.#file(hash, DAY_MS));
  }

  /** Removes the pages that no later run needs, and those that were left before yesterday. */
  async clear(): Promise<void> {
    const { state, clock, device } = this.ports;
    this.#held.clear();
    const days = [0, DAY_MS].map((ago) => localDate(new Date(clock.now().getTime() - ago)));
    const folder = `local.${device}/prepared`;
    for (const day of await state.folders(folder)) {
      if (days.includes(day)) continue;
      for (const file of await state.list(`${folder}/${day}`)) await state.remove(file);
    }
  }

  #file(hash: Sha, ago = 0): string {
    const { clock, device } = this.ports;
    return `local.${device}/prepared/${localDate(new Date(clock.now().getTime() - ago))}/${hash}.json`;
  }

  async #read(file: string): Promise<Prepared | null> {
    const text = await this.ports.state.read(file);
    const parsed = parsedJson(text ?? '');
    return isRecord(parsed) && Array.isArray(parsed.pages) && typeof parsed.by === 'string'
      ? (parsed as unknown as Prepared) // This program wrote it, and nothing has torn it.
      : null;
  }
}

/** The addresses that pages of an earlier run link to, by source and by the number of the page. */
type PromisedPages = ReadonlyMap<Sha, ReadonlyMap<number, VaultPath>>;

/** What unfinished runs have promised. */
export interface Promises {
  /** Of several runs that have promised pages of one source, the newest. */
  readonly pages: PromisedPages;
  /** The sources as they were when a run that has ended read them, by folder and place (`placeIn`). */
  readonly places: ReadonlyMap<string, Sha>;
}

/** The promises of a run that nobody has finished are dropped after this time (ms). */
const KEPT_MS = 7 * DAY_MS;

interface PromiseFile {
  readonly at: number;
  readonly pages: PromisedPages;
  readonly places: ReadonlyMap<string, Sha>;
}

/** The runs of this process that go on. Another run leaves their files alone. */
const running = new Set<string>();

/** Names a file by its folder, as its sender calls it, and its place below the folder. */
export function placeIn(folder: string, place: string): string {
  return `${folder}/${place}`;
}

function folderOf({ device }: Ports): string {
  return `local.${device}/promised`;
}

/** Returns the addresses that unfinished runs have promised. */
export async function readPromises(ports: Ports): Promise<Promises> {
  const found: (PromiseFile & { readonly isRunning: boolean })[] = [];
  for (const file of await ports.state.list(folderOf(ports))) {
    const read = parsePromises((await ports.state.read(file)) ?? '');
    if (read === null || ports.clock.now().getTime() - read.at > KEPT_MS) await ports.state.remove(file);
    else found.push({ ...read, isRunning: running.has(fileName(file).replace(/\.json$/, '')) });
  }
  found.sort((a, b) => a.at - b.at);
  const places = new Map<string, Sha>();
  for (const { places: own, isRunning } of found) {
    for (const [place, hash] of own) {
      if (isRunning) places.delete(place);
      else places.set(place, hash);
    }
  }
  return { pages: new Map(found.flatMap(({ pages }) => [...pages])), places };
}

/** Returns true for the promised path of an attachment; the others are paths of pages. */
export function isAttachmentPath(path: VaultPath): boolean {
  return path.startsWith(`${PROCESSED}/`);
}

/**
 * Writes the addresses of a run, durably. The run goes on until `endRun`.
 * @param places the sources by folder and place (`placeIn`)
 */
export async function writePromises(
  ports: Ports,
  id: string,
  pages: ReadonlyMap<Sha, readonly (readonly [number, VaultPath])[]>,
  places: readonly (readonly [string, Sha])[],
): Promise<void> {
  if (pages.size === 0) return;
  const at = ports.clock.now().getTime();
  const text = JSON.stringify({ v: 1, at, pages: Object.fromEntries(pages), places });
  running.add(id);
  await ports.state.write(`${folderOf(ports)}/${id}.json`, text);
}

/** Ends a run: a later one may give its addresses to files that were edited since. */
export function endRun(id: string): void {
  running.delete(id);
}

/**
 * Drops the promises of a run that has ended, and earlier ones for files of it.
 * @param sources the files of the run, and what earlier runs have read at their places
 */
export async function dropPromises(ports: Ports, id: string, sources: ReadonlySet<Sha>): Promise<void> {
  for (const file of await ports.state.list(folderOf(ports))) {
    const isOwn = file.endsWith(`/${id}.json`);
    const pages = isOwn ? null : parsePromises((await ports.state.read(file)) ?? '')?.pages;
    const isCovered =
      pages !== null &&
      pages !== undefined &&
      [...pages].every(([hash, paths]) => sources.has(hash) || [...paths.values()].every(isAttachmentPath));
    if (isOwn || isCovered) await ports.state.remove(file);
  }
}

function parsePromises(text: string): PromiseFile | null {
  const data = parsedJson(text);
  if (!isRecord(data) || data.v !== 1 || typeof data.at !== 'number' || !isRecord(data.pages)) return null;
  const pages = new Map<Sha, ReadonlyMap<number, VaultPath>>();
  for (const [hash, listed] of Object.entries(data.pages)) {
    if (!isSha(hash) || !Array.isArray(listed)) continue;
    const paths = new Map<number, VaultPath>();
    for (const pair of listed) {
      const values: readonly unknown[] = Array.isArray(pair) ? pair : [];
      const [index, path] = values;
      if (typeof index === 'number' && typeof path === 'string') paths.set(index, checked(path));
    }
    pages.set(hash, paths);
  }
  const places = new Map<string, Sha>();
  for (const pair of Array.isArray(data.places) ? data.places : []) {
    const values: readonly unknown[] = Array.isArray(pair) ? pair : [];
    const [place, hash] = values;
    if (typeof place === 'string' && isSha(hash)) places.set(place, hash);
  }
  return { at: data.at, pages, places };
}

function checked(path: string): VaultPath {
  checkStorePath(path, false);
  return vaultPath(path);
}
