/** Longest file that a browser reads to send its text, in bytes: the service takes no longer request. */
export const MAX_TEXT_BYTES = 30 * 1024 * 1024;
/** Longest file that the service reads at all. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

/** Kinds whose bytes are the text itself, so that a browser can read it. */
const TEXT_KINDS = ['md', 'markdown', 'txt', 'text', 'log'];

/** The end of a name after its last dot, in lower case; empty when it has none. */
export function extensionOf(name: string): string {
  return /[^.]\.([^./\\]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** True for a file that a page can read by itself and send as text. */
export function isTextFile(name: string): boolean {
  return TEXT_KINDS.includes(extensionOf(name));
}

/** Characters that show otherwise than they are written, or end a line: a name could spell something else with them. */
const DECEIVING = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;
const MAX_SHOWN = 120;

/** The name of a file as it can be shown: one line, in the order in which it is written. */
export function shownName(name: string): string {
  const plain = name.replace(DECEIVING, ' ').trim();
  const points = Array.from(plain);
  return points.length > MAX_SHOWN
    ? `${points.slice(0, MAX_SHOWN).join('')}…`
    : plain || 'a file without a name';
}

/** A title for a text from the name of its file: without the extension, `-` and `_` as spaces. */
export function titleOf(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '');
  return shownName(stem.replace(/[-_]+/g, ' ')).slice(0, 200);
}
