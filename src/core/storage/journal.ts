import * as z from 'zod';
import { isSha } from '../base/hash';
import type { Clock } from '../base/host';
import { asciiJson } from '../base/json';
import { damagedText } from '../base/text';
import type { StateStore } from '../ports/ports';
import { vaultPath } from '../vocabulary/paths';
import type { Plan, Step } from './plan';

/** The journal is emptied when it has grown to this many characters and nothing in it is unfinished. */
const MAX_LENGTH = 1024 * 1024;

const path = z.string().transform(vaultPath);
const before = z.custom<Extract<Step, { before: unknown }>['before']>(isSha);
const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create'), path, text: z.string() }),
  z.object({ kind: z.literal('edit'), path, before, text: z.string(), optional: z.boolean().default(false) }),
  z.object({ kind: z.literal('remove'), path, before }),
]);
const begun = z.object({
  id: z.string(),
  op: z.string(),
  steps: z.array(step),
  folders: z.array(z.string()),
});
const undoing = z.object({ undo: z.string(), steps: z.number().int().min(0) });
const done = z.object({ done: z.string() });
const line = z.union([begun, undoing, done]);

/** A plan that was begun and of which nobody knows yet how it ended. */
export interface OpenRecord extends Plan {
  readonly id: string;
  /** Folders that the plan was about to make, outermost first. */
  readonly folders: readonly string[];
  /** When the plan had failed: how many of its first steps may have happened and are to be taken back. Else null. */
  readonly undo: number | null;
}

/** Where a device keeps its journal, below `.brain/`. */
export function journalPath(device: string): string {
  return `local.${device}/journal.jsonl`;
}

/**
 * The unfinished plans in a journal's text, oldest first. A line that cannot be read is the torn end of an append that
 * failed: what it was to announce never began. A line with characters that no line is written with was damaged since, and
 * what it says is not believed.
 */
export function openRecords(text: string): OpenRecord[] {
  const open = new Map<string, OpenRecord>();
  for (const raw of text.split('\n')) {
    if (isDamaged(raw)) continue;
    const parsed = line.safeParse(parseJson(raw));
    if (!parsed.success) continue;
    const entry = parsed.data;
    if ('id' in entry) open.set(entry.id, { ...entry, undo: null });
    else if ('done' in entry) open.delete(entry.done);
    else {
      const record = open.get(entry.undo);
      if (record) open.set(record.id, { ...record, undo: entry.steps });
    }
  }
  return [...open.values()];
}

/** Lines are written in printable ASCII. A tab is a person's; zeros are what a power cut leaves of an append, which tore it. */
function isDamaged(line: string): boolean {
  return /[^\0\t\r -~]/.test(line);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // See openRecords: a torn line announces nothing.
  }
}

const journals = new WeakMap<StateStore, Journal>();

/** The journal of this device in `state`: one for as long as the state is open, as it knows what is unfinished. */
export function journalOf(state: StateStore, device: string, clock: Clock): Journal {
  const file = journalPath(device);
  const known = journals.get(state);
  if (known?.file === file) return known;
  const journal = new Journal(state, file, clock);
  journals.set(state, journal);
  return journal;
}

/**
 * What this device is about to do to the vault, written down before it is done. At most one plan that needs
 * it is carried out at a time, so nothing here runs twice at once.
 */
class Journal {
  readonly #open = new Set<string>();
  #length = 0;
  #count = 0;
  /** Lines whose append failed. They go before the next one, or a plan that ended would be taken for unfinished. */
  #owed = '';

  constructor(
    private readonly state: StateStore,
    readonly file: string,
    private readonly clock: Clock,
  ) {}

  /** Announces a plan; durable when it resolves with the plan's id. When it rejects, the plan is not announced. */
  async begin(plan: Plan, folders: readonly string[]): Promise<string> {
    const id = `${this.clock.now().getTime()}-${(this.#count += 1)}`;
    const record = { id, op: plan.op, steps: plan.steps, folders };
    try {
      await this.#append(record, true);
    } catch (error) {
      // It may stand in the file all the same (a failed sync says nothing): take it back.
      this.#owe({ done: id });
      throw error;
    }
    this.#open.add(id);
    return id;
  }

  /** True while a plan that failed could not be taken back: the next start takes it back or finishes it. */
  get hasUnfinished(): boolean {
    return this.#open.size > 0;
  }

  /** Says that the plan failed and that its first `steps` steps are being taken back. */
  async undoing(id: string, steps: number): Promise<void> {
    const note = { undo: id, steps };
    try {
      await this.#append(note, true);
    } catch (error) {
      this.#owe(note);
      throw error;
    }
  }

  /** Says that nothing of the plan is left to do. Not synced: finding the plan finished once more does no harm. */
  async done(id: string): Promise<void> {
    this.#open.delete(id);
    const note = { done: id };
    try {
      if (this.#length > MAX_LENGTH && this.#open.size === 0) await this.clear();
      else await this.#append(note, false);
    } catch (error) {
      this.#owe(note);
      throw error;
    }
  }

  /** Every unfinished plan of an earlier run, oldest first. */
  async read(): Promise<OpenRecord[]> {
    return openRecords((await this.state.read(this.file)) ?? '');
  }

  /**
   * Keeps a copy of a journal with damaged lines, whose plans nobody knows any more, and says where below `.brain/`; null when
   * there is no such line.
   */
  async keepDamage(): Promise<string | null> {
    const bytes = await this.state.readBytes(this.file);
    if (bytes === null || !damagedText(bytes).split('\n').some(isDamaged)) return null;
    const copy = this.file.replace(/\.jsonl$/, `-damaged-${this.clock.now().getTime()}.jsonl`);
    await this.state.writeBytes(copy, bytes);
    return copy;
  }

  /** Empties the journal, durably; leaves an empty or missing one alone. */
  async clear(): Promise<void> {
    const text = await this.state.read(this.file);
    if (text !== null && text !== '') await this.state.write(this.file, '');
    this.#length = 0;
    this.#owed = '';
  }

  #owe(note: object): void {
    this.#owed += `${asciiJson(note)}\n`;
  }

  async #append(note: object, sync: boolean): Promise<void> {
    // The leading line feed ends what an earlier, failed append may have left without an end.
    const text = `\n${this.#owed}${asciiJson(note)}\n`;
    await this.state.append(this.file, text, sync);
    this.#length += text.length;
    this.#owed = '';
  }
}
