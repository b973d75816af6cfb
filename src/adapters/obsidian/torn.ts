import type { Vault } from 'obsidian';

const BOM = /^\uFEFF/;

/**
 * Takes the half of a character off the end of a file that was cut while `text` was written, so that what stands is text
 * again: the beginning of what was to stand there, which can be told and completed. Leaves every other file alone.
 * Resolves true when the file was shortened.
 */
export async function dropHalfCharacter(vault: Vault, path: string, text: string): Promise<boolean> {
  const file = vault.getFileByPath(path);
  if (file === null || !(await vault.adapter.exists(path))) return false;
  const whole = wholeBeginning(new Uint8Array(await vault.readBinary(file)), text);
  if (whole === null) return false;
  const written = await vault.process(file, (now) => {
    // The app shows a half character as the sign for what cannot be shown. Anything else was written by someone meanwhile.
    const [shown, beginning] = [now.replace(BOM, ''), whole.replace(BOM, '')];
    const isTorn = shown.startsWith(beginning) && /^\uFFFD{1,3}$/.test(shown.slice(beginning.length));
    return isTorn ? whole : now;
  });
  return written === whole;
}

/** The whole characters of bytes that are the beginning of a text and end within a character; null for all others. */
function wholeBeginning(stands: Uint8Array, text: string): string | null {
  const ours = new TextEncoder().encode(text);
  if (stands.length >= ours.length || stands.some((byte, index) => byte !== ours[index])) return null;
  let end = stands.length;
  while (isContinuation(ours[end])) end -= 1;
  return end === stands.length
    ? null
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(ours.slice(0, end));
}

/** True for a byte that goes on with the character before it. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
