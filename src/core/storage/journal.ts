import * as z from 'zod';
import { isSha } from '../base/hash';
import { damagedText } from '../base/text';
import type { Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { type ChangeEvent, isEvent } from './change-log';
import { toldShape } from './event-data';
import { appendLines, valuesOf } from './lines';
import type { Plan, Step } from './plan';

/** The journal is emptied when it exceeds this many characters and no plan in it is open. */
const MAX_LENGTH = 1024 * 1024;

const path = z.string().transform(vaultPath);
const before = z.custom<Extract<Step, { before: unknown }>['before']>(isSha);
const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create'), path, text: z.string(), like: path.optional() }),
  z.object({ kind: z.literal('edit'), path, before, text: z.string(), optional: z.boolean().default(false) }),
  z.object({ kind: z.literal('remove'), path, before }),
]);
const decision = z.object({
  by: z.string(),
  title: z.string().optional(),
  reason: z.string().optional(),
});
const begun = z.object({
  id: z.string(),
  op: z.string(),
  decision: decision.optional(),
  steps: z.array(step),
  folders: z.array(z.string()),
  /** Absent in records of earlier versions. */
  event: z.custom<ChangeEvent>(isEvent).optional(),
  ...toldShape,
});
const undoing = z.object({ undo: z.string(), steps: z.number().int().min(0) });
const made = z.object({ made: z.string(), skipped: z.array(path) });
const done = z.object({ done: z.string() });
const line = z.union([begun, undoing, made, done]);

/** A plan that was begun and whose end is not recorded. */
export interface OpenRecord extends Plan {
  readonly id: string;
  /** The folders that the plan creates, outermost first. */
  readonly folders: readonly string[];
  /** The change as the log names it; absent in a record of an earlier version. */
  readonly event?: ChangeEvent | undefined;
  /** The number of first steps to take back when the plan had failed; otherwise null. */
  readonly undo: number | null;
  /** True when all its steps are done, and only its line in the change log is missing. */
  readonly isMade?: true;
}

/** Returns the path of a device's journal, below `.brain/`. */
export function journalPath(device: string): string {
  return `local.${device}/journal.jsonl`;
}

/**
 * Returns the open plans in a journal's text, oldest first. A line that does not parse is the torn end of a failed append: its
 * plan never began. A line with characters that the service never writes is damaged and is ignored.
 */
export function openRecords(text: string): OpenRecord[] {
  const open = new Map<string, OpenRecord>();
  const whole = text
    .split('\n')
    .filter((raw) => !isDamaged(raw))
    .join('\n');
  for (const entry of valuesOf(whole, (value) => line.safeParse(value).data ?? null)) {
    if ('id' in entry) open.set(entry.id, { ...entry, undo: null });
    else if ('done' in entry) open.delete(entry.done);
    else if ('made' in entry) {
      const record = open.get(entry.made);
      const steps = record?.steps.filter((each) => !entry.skipped.includes(each.path)) ?? [];
      if (record) open.set(record.id, { ...record, steps, isMade: true });
    } else {
      const record = open.get(entry.undo);
      if (record) open.set(record.id, { ...record, undo: entry.steps });
    }
  }
  return [...open.values()];
}

/** The service writes printable ASCII. A tab comes from a person. A power cut leaves zeros in an append, which is torn then. */
function isDamaged(line: string): boolean {
  return /[^\0\t\r -~]/.test(line);
}

/**
 * A redo log: each plan is recorded before it changes the vault. At most one plan that needs the journal is carried out at a
 * time, so its methods never overlap. There is one for each open state, because it knows the open plans.
 */
export class Journal {
  readonly #file: string;
  readonly #open = new Set<string>();
  #length = 0;
  #count = 0;
  /** Lines whose append failed. They precede the next line; otherwise a plan that ended would count as open. */
  #unwritten: object[] = [];

  constructor(private readonly ports: Pick<Store, 'state' | 'clock' | 'device'>) {
    this.#file = journalPath(ports.device);
  }

  /** Records a plan; durable when it resolves, with the plan's id. When it rejects, the plan is not recorded. */
  async begin(plan: Plan, folders: readonly string[], event?: ChangeEvent): Promise<string> {
    const id = `${this.ports.clock.now().getTime()}-${(this.#count += 1)}`;
    const record = { ...plan, id, folders, event };
    // A failed sync may leave the line in the file all the same, so it is closed.
    await this.#append(record, true).catch((error: unknown) => this.#keep({ done: id }, error));
    this.#open.add(id);
    return id;
  }

  /** True while a plan is left to the next start, which takes it back, finishes it, or logs it. */
  get hasUnfinished(): boolean {
    return this.#open.size > 0;
  }

  /** Records that the plan failed and that its first `steps` steps are being taken back. */
  async undoing(id: string, steps: number): Promise<void> {
    const note = { undo: id, steps };
    await this.#append(note, true).catch((error: unknown) => this.#keep(note, error));
  }

  /** Records that the steps of the plan are done but for some, and that the next start has only to log it. */
  async made(id: string, skipped: readonly VaultPath[]): Promise<void> {
    const note = { made: id, skipped };
    await this.#append(note, true).catch((error: unknown) => this.#keep(note, error));
  }

  /** Records that nothing of the plan is left to do. Not synced: a second recovery of a finished plan does no harm. */
  async done(id: string): Promise<void> {
    this.#open.delete(id);
    const note = { done: id };
    try {
      if (this.#length > MAX_LENGTH && this.#open.size === 0) await this.clear();
      else await this.#append(note, false);
    } catch (error) {
      this.#keep(note, error);
    }
  }

  /** Returns the open plans of earlier runs, oldest first. */
  async read(): Promise<OpenRecord[]> {
    return openRecords((await this.ports.state.read(this.#file)) ?? '');
  }

  /**
   * Copies a journal with damaged lines, whose plans are unknown. Returns the path of the copy below `.brain/`, or null when no
   * line is damaged.
   */
  async keepDamage(): Promise<string | null> {
    const bytes = await this.ports.state.readBytes(this.#file);
    if (bytes === null || !damagedText(bytes).split('\n').some(isDamaged)) return null;
    const copy = this.#file.replace(/\.jsonl$/, `-damaged-${this.ports.clock.now().getTime()}.jsonl`);
    await this.ports.state.writeBytes(copy, bytes);
    return copy;
  }

  /** Empties the journal, durably. An empty or missing one is left alone. */
  async clear(): Promise<void> {
    const isEmpty = this.#length === 0 && ((await this.ports.state.read(this.#file)) ?? '') === '';
    if (!isEmpty) await this.ports.state.write(this.#file, '');
    this.#length = 0;
    this.#unwritten = [];
  }

  #keep(note: object, error: unknown): never {
    this.#unwritten.push(note);
    throw error;
  }

  async #append(note: object, sync: boolean): Promise<void> {
    this.#length += await appendLines(this.ports.state, this.#file, [...this.#unwritten, note], sync);
    this.#unwritten = [];
  }
}
