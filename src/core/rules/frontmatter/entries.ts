/** One top-level key with its bytes: `before + text + after` is what stands in the block. */
export interface Entry {
  readonly key: string;
  /** Comments above the key (and blank lines among them); they move with it. */
  readonly before: string;
  /** The key line and all lines that continue its value. */
  readonly text: string;
  /** Blank lines below that are no part of the value. */
  readonly after: string;
  /** Where the value starts in `text`, right after the colon. */
  readonly valueAt: number;
  /** Number of the key line in the block, from 1. */
  readonly line: number;
}

/** A block as lines: `head`, all entries and `tail` joined are the block again, byte for byte. */
export interface BlockLines {
  /** Comments and blank lines above the first key; they stay first. */
  readonly head: string;
  readonly entries: readonly Entry[];
  /** Comments after the last value, and the document end mark `...` with what follows it. */
  readonly tail: string;
}

/** Why a block is not taken, and the line in the block that shows it, from 1. */
export interface Fault {
  readonly line: number;
  readonly reason: string;
}

const BLANK = /^[ \t]*$/;
/** Lines that belong to the value above: indented ones, list items at column 0, a bracket that closes. */
const CONTINUATION = /^(?:[ \t]|-(?:[ \t]|$)|[\]}])/;
const END_MARK = /^\.\.\.[ \t]*$/;
const MARKER = /^(?:---|\.\.\.)(?:[ \t]|$)/;
/** The header of a block scalar to which the blank lines below it belong. */
const KEEPS_BLANKS = /[|>]\d?\+\d?[ \t]*(?:#.*)?$/m;

/** True when blank lines below this entry would become a part of its value (`|+`). */
export function keepsBlanks(text: string): boolean {
  return KEEPS_BLANKS.test(text);
}

type Draft = { -readonly [Part in keyof Entry]: Entry[Part] };

/** Cuts a block into its top-level entries, or says which line is none that this editor is sure about. */
export function parseEntries(block: string): BlockLines | Fault {
  const entries: Draft[] = [];
  let head = '';
  let tail = '';
  // What stands between a value and what comes next: blank lines, then, from the first comment on, all the rest.
  let blanks = '';
  let loose = '';
  const settle = (): void => {
    const last = entries.at(-1);
    if (!last) [head, loose] = [blanks + loose, ''];
    else if (keepsBlanks(last.text)) last.text += blanks;
    else last.after = blanks;
    blanks = '';
  };

  let line = 0;
  for (let at = 0; at < block.length;) {
    const feed = block.indexOf('\n', at);
    const bytes = block.slice(at, feed === -1 ? block.length : feed + 1);
    const text = bytes.replace(/\r?\n$/, '');
    const last = entries.at(-1);
    at += bytes.length;
    line += 1;
    if (BLANK.test(text)) {
      if (tail !== '') tail += bytes;
      else if (loose === '') blanks += bytes;
      else loose += bytes;
    } else if (text.startsWith('#') || (!last && /^[ \t]+#/.test(text))) {
      if (tail !== '') tail += bytes;
      else loose += bytes;
    } else if (tail !== '') {
      return { line, reason: 'there is text after the end mark "..."' };
    } else if (END_MARK.test(text)) {
      settle();
      [tail, loose] = [loose + bytes, ''];
    } else if (CONTINUATION.test(text)) {
      if (!last) return { line, reason: 'an indented line or list item stands under no key' };
      // Some readers do not count a tab as indentation, and take such a line for a key of the note itself.
      if (/^\t.*:(?:[ \t]|$)/.test(text))
        return { line, reason: 'a key must be indented with spaces, not a tab' };
      last.text += blanks + loose + bytes;
      blanks = loose = '';
    } else {
      const key = keyOf(text);
      if ('reason' in key) return { line, reason: key.reason };
      settle();
      entries.push({ key: key.name, before: loose, text: bytes, after: '', valueAt: key.end, line });
      loose = '';
    }
  }
  if (tail === '') settle();
  return { head, entries, tail: tail + loose };
}

/** The name of the key that a line at column 0 starts with, and where its value starts. */
function keyOf(line: string): { name: string; end: number } | { reason: string } {
  const quoted = /^(?:"([^"\\]*)"|'((?:[^']|'')*)')[ \t]*:(?=[ \t]|$)/.exec(line);
  if (quoted) return { name: quoted[1] ?? (quoted[2] ?? '').replaceAll("''", "'"), end: quoted[0].length };
  if (/^\?(?:[ \t]|$)/.test(line)) return { reason: 'a key that starts with "?" is not supported' };
  if (/^[&*!]/.test(line)) return { reason: 'a key must not carry an anchor, an alias or a tag' };
  if (line.startsWith('"')) return { reason: 'a quoted key must end on its line and hold no escape' };
  if (/^[[{]/.test(line)) return { reason: 'write one "key: value" a line, not a map or list in brackets' };
  const colon = line.search(/:(?:[ \t]|$)/);
  let end = Math.max(colon, 0);
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end -= 1;
  const name = line.slice(0, end);
  if (name === '' || /^[,\]}#|>'%@`]/.test(name) || /[ \t]#/.test(name) || MARKER.test(line)) {
    return { reason: 'it is not a "key: value" line' };
  }
  return { name, end: colon + 1 };
}
