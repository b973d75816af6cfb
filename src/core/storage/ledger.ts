import { BrainError } from '../base/errors';
import { isSha, type Sha } from '../base/hash';
import { isRecord } from '../base/json';
import { compareText } from '../base/text';
import { timestamp } from '../base/time';
import { checkStorePath, type StateStore, type Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { appendLines, valuesOf } from './lines';

/** The record of an ingested source. */
export interface LedgerEntry {
  /** The name that the sender gave. */
  readonly source: string | null;
  /** The path of the original. */
  readonly original: VaultPath | null;
  readonly extraction: string;
  /** The pages made from it, and those with the same text, at their paths at that time. */
  readonly pages: readonly VaultPath[];
  /** Identifies the sources that came together with it; absent for one that came alone. */
  readonly batch?: string | undefined;
}

const LEDGER_FILE = /^ledger\.([0-9a-z-]{1,32})\.jsonl$/;
/** Files of other devices come with the sync of the vault; they are read again after this long (ms). */
const FRESH_MS = 5 * 60_000;

interface Line {
  readonly ts: string;
  readonly device: string;
  readonly sourceHash: Sha;
  /** Null for a line that cancels the lines before it. */
  readonly entry: LedgerEntry | null;
}

/** The sources and their pages: read from the files of all devices, written to the file of this one. */
export class Ledger {
  #own: Line[] | null = null;
  #entries = new Map<Sha, LedgerEntry>();
  #readAt = -Infinity;
  /** True when this process has added lines that may not be durable yet. */
  #isUnsettled = false;
  /** Calls run one at a time, because a read must not be older than a write before it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: Pick<Store, 'state' | 'clock' | 'device'>) {}

  /** Returns the record of a source, or null. */
  async find(sourceHash: Sha): Promise<LedgerEntry | null> {
    return (await this.entries()).get(sourceHash) ?? null;
  }

  /** Returns all records. */
  entries(): Promise<ReadonlyMap<Sha, LedgerEntry>> {
    return this.#next(async () => {
      await this.#read();
      return this.#entries;
    });
  }

  /**
   * Adds to the record of a source; durable when it resolves, unless `isDurable` is false: the pages of the source show what a
   * lost line said.
   */
  add(sourceHash: Sha, entry: LedgerEntry, isDurable = true): Promise<void> {
    return this.#next(() => this.#append(sourceHash, entry, isDurable));
  }

  /** Makes all lines of this device durable. */
  settle(): Promise<void> {
    const { state, device } = this.ports;
    return this.#next(async () => {
      if (!this.#isUnsettled) return;
      await appendLines(state, `ledger.${device}.jsonl`, [], true);
      this.#isUnsettled = false;
    });
  }

  /**
   * Removes the record of a source, so that it may be ingested again; durable when it resolves. Does nothing for an unknown
   * source.
   */
  clear(sourceHash: Sha): Promise<void> {
    return this.#next(async () => {
      await this.#read();
      if (!this.#entries.has(sourceHash)) {
        this.#readAt = -Infinity; // Another server may have recorded the source since.
        await this.#read();
      }
      if (this.#entries.has(sourceHash)) await this.#append(sourceHash, null);
    });
  }

  /** Reads the files again with the next question: their lines have changed. */
  readAnew(): void {
    this.#own = null;
    this.#readAt = -Infinity;
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined); // The caller gets the error; the next call is independent of it.
    return result;
  }

  async #append(sourceHash: Sha, entry: LedgerEntry | null, isDurable = true): Promise<void> {
    await this.#read();
    const { state, clock, device } = this.ports;
    const ts = timestamp(clock.now());
    const values = entry === null ? { cleared: true } : entry;
    const line = { v: 1, ts, source_hash: sourceHash, ...values };
    this.#isUnsettled ||= !isDurable;
    await appendLines(state, `ledger.${device}.jsonl`, [line], isDurable);
    if (isDurable) this.#isUnsettled = false;
    const added = { ts, device, sourceHash, entry };
    this.#own?.push(added);
    merge(this.#entries, added);
  }

  async #read(): Promise<void> {
    const { state, clock, device } = this.ports;
    const now = clock.now().getTime();
    const age = now - this.#readAt;
    if (this.#own !== null && age >= 0 && age < FRESH_MS) return;
    const lines: Line[] = [];
    for (const path of await ledgerFiles(state)) {
      const [, writer = ''] = LEDGER_FILE.exec(path) ?? [];
      if (writer === device && this.#own !== null) continue;
      const read = valuesOf(await state.read(path), (value) => lineIn(value, writer));
      if (writer === device) this.#own = read;
      else for (const line of read) lines.push(line);
    }
    this.#own ??= [];
    const entries = new Map<Sha, LedgerEntry>();
    // The sort is stable: lines of one second and one device keep their order.
    const all = [...this.#own, ...lines].sort(
      (a, b) => compareText(a.ts, b.ts) || compareText(a.device, b.device),
    );
    for (const line of all) merge(entries, line);
    this.#entries = entries;
    this.#readAt = now;
  }
}

async function ledgerFiles(state: Pick<StateStore, 'list'>): Promise<string[]> {
  return (await state.list('')).filter((path) => LEDGER_FILE.test(path));
}

/** Merges a line into a record: the pages add up, the other fields are those of the last line. */
function merge(entries: Map<Sha, LedgerEntry>, { sourceHash, entry }: Line): void {
  if (entry === null) {
    entries.delete(sourceHash);
    return;
  }
  const old = entries.get(sourceHash);
  entries.set(sourceHash, {
    source: entry.source ?? old?.source ?? null,
    original: entry.original ?? old?.original ?? null,
    extraction: entry.extraction,
    pages: [...new Set([...(old?.pages ?? []), ...entry.pages])],
    batch: entry.batch ?? old?.batch,
  });
}

/** Returns the line of a ledger. The source of a torn one is found again by its pages in the vault. */
function lineIn(value: unknown, device: string): Line | null {
  if (!isRecord(value)) return null;
  const { ts, source_hash: sourceHash, source, original, extraction, pages, cleared, batch } = value;
  if (typeof ts !== 'string' || !isSha(sourceHash)) return null;
  if (cleared === true) return { ts, device, sourceHash, entry: null };
  if (typeof extraction !== 'string' || !Array.isArray(pages)) return null;
  const entry = {
    source: typeof source === 'string' ? source : null,
    original: placeOf(original),
    extraction,
    pages: pages.map(placeOf).filter((page) => page !== null),
    ...(typeof batch === 'string' && { batch }),
  };
  return { ts, device, sourceHash, entry };
}

/**
 * Returns the path in a line; null for one that cannot be in a vault. The file comes with the sync of the vault and may contain
 * anything.
 */
function placeOf(value: unknown): VaultPath | null {
  if (typeof value !== 'string') return null;
  try {
    // Some disks have names that a caller may not give.
    checkStorePath(value, false);
    return vaultPath(value);
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}
