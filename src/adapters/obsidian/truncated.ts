import type { Vault } from 'obsidian';
import { BrainError } from '../../core/base/errors';
import { utf8Length } from '../../core/base/hash';
import { isRecord, parsedJson } from '../../core/base/json';
import type { StateStore, VaultStore } from '../../core/ports/ports';
import { type VaultPath, vaultPath } from '../../core/vocabulary/paths';

/** The number of bytes in the record: enough to recognize the beginning of the file. */
const BEGINNING = 64;

/**
 * The record of the binary file that is being made, because the app writes in place. A crash leaves its beginning, which no
 * journal can complete and nobody wants; a loss of power leaves zeros in the place of the rest. The journal records the
 * texts of notes.
 */
export class NewBytes {
  readonly #state: Pick<StateStore, 'read' | 'write' | 'remove'>;
  readonly #file: string;

  constructor(state: Pick<StateStore, 'read' | 'write' | 'remove'>, device: string) {
    this.#state = state;
    this.#file = `local.${device}/new-bytes.json`;
  }

  /** Runs `make` with a record of the file; `make` makes the file, or removes its beginning when it fails. */
  async around<T>(path: VaultPath, bytes: Uint8Array, make: () => Promise<T>): Promise<T> {
    const beginning = [...bytes.subarray(0, BEGINNING)];
    const record = { path, size: bytes.length, zeros: zerosAtEnd(bytes), beginning };
    await this.#state.write(this.#file, JSON.stringify(record));
    const made = await make();
    await this.#state.remove(this.#file);
    return made;
  }

  /** Removes the beginning of a file that an earlier run was cut off in; leaves every other file alone. */
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
  /** The number of zeros at the end of the whole file. */
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
    if (error instanceof BrainError) return false; // The file is another one, and larger.
    throw error;
  }
}

function parse(text: string): Record | null {
  const data = parsedJson(text);
  if (!isRecord(data)) return null;
  // An earlier version had no `zeros`, and left every file of the whole size alone.
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

const BOM = /^\uFEFF/;

/**
 * Removes from the end of a file that was cut off while `text` was written what is not part of the text: half a character,
 * or the zeros that a loss of power leaves. The rest is a beginning of the text, which can be recognized and completed.
 * Leaves every other file alone. Resolves true when the file was shortened.
 */
export function dropCutEnd(vault: Vault, path: string, text: string): Promise<boolean> {
  return shorten(vault, path, (stands) => wholeBeginning(stands, text));
}

/**
 * Removes half a character from the end of a file whose whole text is unknown: `isOurs` returns true when the text before
 * it is the beginning of a derived file. Resolves true when the file was shortened.
 */
export function dropCutCharacter(
  vault: Vault,
  path: string,
  isOurs: (beginning: string) => boolean,
): Promise<boolean> {
  return shorten(vault, path, (stands) => {
    const beginning = textBeforeCut(stands);
    return beginning !== null && isOurs(beginning) ? beginning : null;
  });
}

async function shorten(
  vault: Vault,
  path: string,
  wholeOf: (stands: Uint8Array) => string | null,
): Promise<boolean> {
  const file = vault.getFileByPath(path);
  if (file === null || !(await vault.adapter.exists(path))) return false;
  const whole = wholeOf(new Uint8Array(await vault.readBinary(file)));
  if (whole === null) return false;
  const written = await vault.process(file, (now) => {
    // The app shows half a character as U+FFFD. Any other text was written by another program meanwhile.
    const [shown, beginning] = [now.replace(BOM, ''), whole.replace(BOM, '')];
    const isTorn = shown.startsWith(beginning) && /^\uFFFD{0,3}\0*$/.test(shown.slice(beginning.length));
    return isTorn ? whole : now;
  });
  return written === whole;
}

/**
 * Returns the whole characters of bytes that are the beginning of `text` and end within a character or in zeros; null for
 * all others.
 */
function wholeBeginning(stands: Uint8Array, text: string): string | null {
  const ours = new TextEncoder().encode(text);
  const differs = stands.findIndex((byte, index) => byte !== ours[index]);
  const isZeroed = differs >= 0 && stands.subarray(differs).every((byte) => byte === 0);
  if (stands.length > ours.length || (differs >= 0 && !isZeroed)) return null;
  let end = differs < 0 ? stands.length : differs;
  while (isContinuation(ours[end])) end -= 1;
  return end === stands.length
    ? null
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(ours.slice(0, end));
}

/** Returns the whole characters of bytes that end within a character; null for all others. */
function textBeforeCut(stands: Uint8Array): string | null {
  try {
    // In stream mode the decoder accepts an incomplete last character, and refuses other bytes that are not UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(stands, { stream: true });
    return utf8Length(text) === stands.length ? null : text;
  } catch {
    return null; // The decoder has no other error.
  }
}

/** Returns true for a UTF-8 continuation byte. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
