import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import type { TextCall, TextRunner } from '../base/steps';
import { type Store, TextFailed, type TextThreads } from '../ports/ports';

type Ports = Pick<Store, 'state' | 'log' | 'device'> & {
  readonly version: string;
  readonly textThreads?: TextThreads | undefined;
};

/** The ends of a thread or of the process after which a text is passed over. */
const MAX_ENDS = 2;
/** The passed over texts that are remembered, the newest last. */
const MAX_BLAMED = 1000;
/** The lines after which the list of texts at work is dropped, once it is not needed. */
const MAX_LINES = 1000;

/** How a text was begun: among others, alone, and alone once more after an end of the process. */
type Begun = '+' | '!' | '?';
type Suspect = Exclude<Begun, '?'>;

/**
 * Reads the long texts of a vault, in threads where the host has them, and passes over those that end what reads them. A text is
 * blamed only after two ends while nothing but this text was read: of its thread, or of the process, which a thread out of memory
 * can end. What is known of a text goes by its hash; an upgrade forgets it.
 *
 * For the ends of the process the state has a list of the texts at work, which is only appended to while they are read, and never
 * synced: it has to survive the process, not the machine. Its lines are a mark and a hash: `+` begun, `!` begun alone, `?` begun
 * alone after an end while it was, `-` done. A text that the process before left after `+` or `!` is a suspect, which is read
 * alone; one left after `?` is blamed. A suspect that a process has not read is one no more.
 */
export class LongTexts implements TextRunner {
  readonly #blamed = new Set<Sha>();
  /** Texts that were at work when the process ended, with the mark of that beginning. They are read alone. */
  readonly #suspects = new Map<Sha, Suspect>();
  readonly #running = new Set<Promise<unknown>>();
  #loaded: Promise<void> | null = null;
  /** The lines of the list. */
  #lines = 0;
  /** Resolves when no suspect is being read. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: Ports) {}

  async run(call: TextCall, caller: string, here: () => Promise<unknown>): Promise<unknown> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      // The next text tries again.
      this.#loaded = null;
      throw error;
    });
    await this.#loaded;
    const hash = sha256(call.text);
    const left = this.#suspects.get(hash);
    if (left !== undefined)
      return this.#alone(() => this.#marked(left === '+' ? '!' : '?', hash, call, caller, here));
    await this.#free;
    return this.#tracked(this.#marked('+', hash, call, caller, here));
  }

  /** Forgets which texts were passed over, so that they are read again. */
  async forgive(): Promise<void> {
    await this.#loaded;
    this.#blamed.clear();
    this.#suspects.clear();
    await this.ports.state.remove(this.#blamePath);
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Runs work when no other text is being read, and lets no other one begin meanwhile. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#free.then(() => Promise.allSettled(this.#running)).then(work);
    this.#free = done.catch(() => undefined);
    return done;
  }

  async #marked(
    mark: Begun,
    hash: Sha,
    call: TextCall,
    caller: string,
    here: () => Promise<unknown>,
  ): Promise<unknown> {
    if (this.#blamed.has(hash)) throw tooEntangled();
    await this.#note(mark, hash);
    try {
      return await this.#read(hash, call, caller, here);
    } finally {
      this.#suspects.delete(hash);
      await this.#note('-', hash);
    }
  }

  async #read(hash: Sha, call: TextCall, caller: string, here: () => Promise<unknown>): Promise<unknown> {
    const { textThreads, log } = this.ports;
    if (textThreads === undefined) return here();
    for (let ends = 1; ; ends += 1) {
      try {
        return await textThreads.run(call, caller);
      } catch (error) {
        if (!(error instanceof TextFailed)) throw error;
        log.warn('text.failed', { task: call.task, length: call.text.length, message: error.message });
        if (ends < MAX_ENDS) continue;
        await this.#blame([hash]);
        throw tooEntangled();
      }
    }
  }

  get #folder(): string {
    return `local.${this.ports.device}`;
  }

  get #blamePath(): string {
    return `${this.#folder}/entangled.json`;
  }

  get #linesPath(): string {
    return `${this.#folder}/texts.log`;
  }

  async #load(): Promise<void> {
    const { state, version, log } = this.ports;
    const known = parsed(await state.read(this.#blamePath));
    if (isRecord(known) && known.version === version && Array.isArray(known.texts))
      for (const hash of known.texts) if (isSha(hash)) this.#blamed.add(hash);
    const text = (await state.read(this.#linesPath)) ?? '';
    const left = unfinished(text);
    await this.#blame([...left].flatMap(([hash, mark]) => (mark === '?' ? hash : [])));
    for (const [hash, mark] of left) if (mark !== '?') this.#suspects.set(hash, mark);
    if (left.size > 0) log.warn('text.interrupted', { texts: left.size });
    if (text !== '') await this.#drop();
  }

  /** Adds a line to the list. A list that cannot be written keeps no text from being read. */
  async #note(mark: Begun | '-', hash: Sha): Promise<void> {
    try {
      await this.ports.state.append(this.#linesPath, `${mark}${hash}\n`, false);
      this.#lines += 1;
    } catch {
      // Then an end of the process blames nobody.
    }
    if (mark === '-' && this.#lines >= MAX_LINES && this.#running.size <= 1) await this.#drop();
  }

  /** Drops the list, also where no standby answers: a list that comes back after a failure says the same of the texts. */
  async #drop(): Promise<void> {
    this.#lines = 0;
    try {
      await this.ports.state.remove(this.#linesPath, false);
    } catch {
      // The list is only longer than it has to be.
    }
  }

  async #blame(hashes: readonly Sha[]): Promise<void> {
    if (hashes.length === 0) return;
    for (const hash of hashes) this.#blamed.add(hash);
    const texts = [...this.#blamed].slice(-MAX_BLAMED);
    const { state, version } = this.ports;
    await state.write(this.#blamePath, `${JSON.stringify({ version, texts })}\n`);
  }
}

/** Returns the texts that were begun and not finished, with the mark of their last beginning. */
function unfinished(lines: string): Map<Sha, Begun> {
  const open = new Map<Sha, Begun>();
  for (const line of lines.split('\n')) {
    const [mark] = line;
    const hash = line.slice(1);
    if (!isSha(hash)) continue; // The line is empty or torn.
    if (mark === '-') open.delete(hash);
    else if (mark === '+' || mark === '!' || mark === '?') open.set(hash, mark);
  }
  return open;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Returns the error for a text that ended what read it. */
function tooEntangled(): BrainError {
  return new BrainError(
    'too_entangled',
    'The text is too entangled to be read: twice it used up the memory or the computing time that a text may have. Split it into several notes, or simplify its links, tables and nested markup.',
  );
}
