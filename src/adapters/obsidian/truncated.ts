import type { Vault } from 'obsidian';
import { BrainError } from '../../core/base/errors';
import { utf8Length } from '../../core/base/hash';
import { isRecord } from '../../core/base/json';
import type { StateStore, VaultStore } from '../../core/ports/ports';
import { type VaultPath, vaultPath } from '../../core/vocabulary/paths';

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

const BOM = /^\uFEFF/;

/**
 * Takes off the end of a file that was cut while `text` was written what is none of it, so that the beginning of what was to
 * stand there is left, which can be told and completed: the half of a character, or the zeros that a loss of power leaves in
 * the place of bytes. Leaves every other file alone. Resolves true when the file was shortened.
 */
export function dropCutEnd(vault: Vault, path: string, text: string): Promise<boolean> {
  return shorten(vault, path, (stands) => wholeBeginning(stands, text));
}

/**
 * The same for a file whose whole text nobody knows any more: `isOurs` tells whether the text before the half of a character
 * is the beginning of something that can be made again.
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
    // The app shows a half character as the sign for what cannot be shown. Anything else was written by someone meanwhile.
    const [shown, beginning] = [now.replace(BOM, ''), whole.replace(BOM, '')];
    const isTorn = shown.startsWith(beginning) && /^\uFFFD{0,3}\0*$/.test(shown.slice(beginning.length));
    return isTorn ? whole : now;
  });
  return written === whole;
}

/**
 * The whole characters of bytes that are the beginning of a text and end within a character or in zeros; null for all others.
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

/** The whole characters of bytes that end within one; null for all others. */
function textBeforeCut(stands: Uint8Array): string | null {
  try {
    // As a stream, the decoder waits for the rest of the last character and refuses anything else that is no text.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(stands, { stream: true });
    return utf8Length(text) === stands.length ? null : text;
  } catch {
    return null; // The decoder knows no other failure.
  }
}

/** True for a byte that goes on with the character before it. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
