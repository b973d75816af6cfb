import { MAX_TEXT } from '../../../core/ingest/document';

export { MAX_TEXT };

export const CUT_WARNING = `The document has more text than is read: only the first ${MAX_TEXT.toLocaleString('en')} characters were taken. The rest stands in the original alone.`;

/** The beginning of a text that may be taken, without half a character at its end. */
export function within(text: string, limit = MAX_TEXT): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit);
}

/** Joins parts until the limit is reached, so that no more of them are made than are taken. */
export function joinWithin(parts: Iterable<string>, limit = MAX_TEXT): { text: string; isCut: boolean } {
  const taken: string[] = [];
  let size = 0;
  for (const part of parts) {
    if (size + part.length > limit) {
      taken.push(within(part, limit - size));
      return { text: taken.join(''), isCut: true };
    }
    taken.push(part);
    size += part.length;
  }
  return { text: taken.join(''), isCut: false };
}
