import type { Vault } from 'obsidian';
import { utf8Length } from '../../core/rules/hash';

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
