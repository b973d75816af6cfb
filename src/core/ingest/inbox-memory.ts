import type { Brain } from '../brain';
import { PathQueue } from '../path-queue';
import { isRecord } from '../rules/record';
import { type VaultPath, vaultPath } from '../rules/paths';

/** What this device remembers of its inbox. */
interface Kept {
  /** The folder that is watched; empty while none is. */
  readonly folder: string;
  /** True when a start of the service made the inbox, so that it is watched without anybody's word. */
  readonly made: boolean;
  readonly waiting: ReadonlySet<VaultPath>;
}

/**
 * Which files stood in the inbox when it was switched on and wait for a person. Kept on this device alone, so that a restart
 * neither takes them nor leaves what came meanwhile, and another device that shares the vault has its own inbox switched off.
 */
export class InboxMemory {
  readonly #ports: Pick<Brain, 'state' | 'device' | 'log'>;
  readonly #path: string;
  readonly #queue = new PathQueue();
  #kept: Kept | null = null;

  constructor(ports: Pick<Brain, 'state' | 'device' | 'log'>) {
    this.#ports = ports;
    this.#path = `local.${ports.device}/inbox.json`;
  }

  /** True once it is switched on. */
  get isOn(): boolean {
    return (this.#kept?.folder ?? '') !== '';
  }

  /** True when an earlier start made the inbox and began to watch it. */
  get isMade(): boolean {
    return this.#kept?.made === true;
  }

  /** The files that wait, sorted. */
  waiting(): VaultPath[] {
    return [...(this.#kept?.waiting ?? [])].sort();
  }

  isWaiting(path: VaultPath): boolean {
    return this.#kept?.waiting.has(path) === true;
  }

  /** Reads what an earlier start has kept. What cannot be understood counts as nothing: then all files wait for a person. */
  async load(): Promise<void> {
    const { state, log } = this.#ports;
    const text = await state.read(this.#path);
    this.#kept = text === null ? null : parse(text);
    if (text !== null && this.#kept === null) log.warn('inbox.memory', { path: this.#path });
  }

  /**
   * Switches the folder on, durably: of the files that stand there those wait that waited before, or, when this folder was
   * not watched before, all.
   */
  async switchOn(folder: VaultPath, standing: readonly VaultPath[], made: boolean): Promise<void> {
    const before = this.#kept?.folder === folder ? this.#kept : null;
    const waiting = standing.filter((path) => before === null || before.waiting.has(path));
    await this.#keep({ folder, made: made || this.isMade, waiting: new Set(waiting) });
  }

  /**
   * Switches it off: what stands there when it is switched on again waits then. That the service made the inbox stays true:
   * the app and a server share this memory, and each has its own switch.
   */
  async switchOff(): Promise<void> {
    await this.#keep({ folder: '', made: this.isMade, waiting: new Set() });
  }

  /** Lets those go for which `isLeaving` is true, durably, and resolves with them. */
  release(isLeaving: (path: VaultPath) => boolean): Promise<VaultPath[]> {
    return this.#queue.run('', async () => {
      const leaving = new Set(this.waiting().filter(isLeaving));
      if (this.#kept === null || leaving.size === 0) return [];
      const left = this.waiting().filter((path) => !leaving.has(path));
      await this.#keep({ ...this.#kept, waiting: new Set(left) });
      return [...leaving];
    });
  }

  async #keep(kept: Kept): Promise<void> {
    const text = textOf(kept);
    if (this.#kept === null || textOf(this.#kept) !== text) await this.#ports.state.write(this.#path, text);
    this.#kept = kept;
  }
}

function textOf({ folder, made, waiting }: Kept): string {
  return `${JSON.stringify({ v: 1, folder, made, waiting: [...waiting].sort() })}\n`;
}

function parse(text: string): Kept | null {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return null; // Cut by a program that synced it, or edited by hand.
  }
  if (!isRecord(data) || data.v !== 1 || typeof data.folder !== 'string') return null;
  const waiting: unknown[] = Array.isArray(data.waiting) ? data.waiting : [];
  const paths = waiting.filter((path) => typeof path === 'string').map(vaultPath);
  return { folder: data.folder, made: data.made === true, waiting: new Set(paths) };
}
