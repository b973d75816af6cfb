import { BrainError } from '../../core/errors';
import type { StateStore, VaultStore } from '../../core/ports';
import { isRecord } from '../../core/rules/record';
import { type VaultPath, vaultPath } from '../../core/rules/paths';

/** So many bytes tell whether what stands is the beginning of the file that was being made. */
const BEGINNING = 64;

/**
 * Remembers the one file of bytes that is being made, because the app writes in place: a cut leaves its beginning, which no
 * journal can complete and nobody asked for, and a loss of power zeros in the place of the rest. Texts of notes have the
 * journal for that.
 */
export class NewBytes {
  readonly #state: Pick<StateStore, 'read' | 'write' | 'remove'>;
  readonly #file: string;

  constructor(state: Pick<StateStore, 'read' | 'write' | 'remove'>, device: string) {
    this.#state = state;
    this.#file = `local.${device}/new-bytes.json`;
  }

  /** Runs `make`, which makes the file or, failing, takes away what stands of it. */
  async around<T>(path: VaultPath, bytes: Uint8Array, make: () => Promise<T>): Promise<T> {
    const beginning = [...bytes.subarray(0, BEGINNING)];
    const record = { path, size: bytes.length, zeros: zerosAtEnd(bytes), beginning };
    await this.#state.write(this.#file, JSON.stringify(record));
    const made = await make();
    await this.#state.remove(this.#file);
    return made;
  }

  /** Takes away the beginning of a file that an earlier run was cut off in; leaves everything else alone. */
  async settle(vault: Pick<VaultStore, 'readBytes' | 'remove'>): Promise<void> {
    const text = await this.#state.read(this.#file);
    if (text === null) return;
    const record = parse(text);
    if (record !== null && (await isCut(vault, record))) await vault.remove(record.path);
    await this.#state.remove(this.#file);
  }
}

interface Record {
  readonly path: VaultPath;
  readonly size: number;
  /** How many zeros the whole file ends with. */
  readonly zeros: number;
  readonly beginning: readonly unknown[];
}

async function isCut(
  vault: Pick<VaultStore, 'readBytes'>,
  { path, size, zeros, beginning }: Record,
): Promise<boolean> {
  try {
    const bytes = await vault.readBytes(path, size);
    if (bytes === null) return false;
    const ending = zerosAtEnd(bytes);
    if (bytes.length === size && ending <= zeros) return false;
    const written = bytes.subarray(0, Math.min(BEGINNING, bytes.length - ending));
    return written.every((byte, index) => byte === beginning[index]);
  } catch (error) {
    if (error instanceof BrainError) return false; // Something else and larger stands there.
    throw error;
  }
}

function parse(text: string): Record | null {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return null; // Damaged by another program: then nothing is known.
  }
  if (!isRecord(data)) return null;
  // A version that did not know of zeros let every file of the whole size be.
  const { path, size, zeros = Infinity, beginning } = data;
  const isWhole =
    typeof path === 'string' &&
    typeof size === 'number' &&
    typeof zeros === 'number' &&
    Array.isArray(beginning);
  return isWhole ? { path: vaultPath(path), size, zeros, beginning } : null;
}

function zerosAtEnd(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.length - end;
}
