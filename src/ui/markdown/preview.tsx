import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { count } from '../kit/words';
import { renderBlocks } from './blocks';
import { parseBody } from './grammar';
import { NO_LINKS, type NoteLinks } from './note-links';
import { definitionsIn, type Reader } from './reader';

/** How much of a note is shown at first, and more of it with each press: about seven thousand words, or so many lines. */
export const PREVIEW_STEP = 40_000;
const LINES_STEP = 1000;

/**
 * The beginning of a text that may be very long, and a line that says how much is left and shows more of it; null when
 * all is shown. Another text starts from its beginning again.
 */
function useParts(text: string): { readonly shown: string; readonly more: ComponentChildren } {
  const [steps, setSteps] = useState({ of: text, count: 1 });
  const number = steps.of === text ? steps.count : 1;
  const shown = beginning(text, number * PREVIEW_STEP, number * LINES_STEP);
  const rest = text.length - shown.length;
  if (rest === 0) return { shown, more: null };
  const more = (
    <p class="brain-more">
      {count(rest)} more characters.{' '}
      <button type="button" class="brain-plain" onClick={() => setSteps({ of: text, count: number + 1 })}>
        Show more
      </button>
    </p>
  );
  return { shown, more };
}

/**
 * The beginning of a text within a length and a number of lines, cut at the end of a line when one is near, and never
 * inside a character.
 */
function beginning(text: string, length: number, lines: number): string {
  const most = Math.min(length, endOfLine(text, lines));
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most - 1);
  const end = line > most * 0.9 ? line + 1 : most;
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end);
}

/** Where so many lines end; infinity when there are fewer. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return Infinity;
  }
  return at + 1;
}

/** So many inline constructs are drawn in any note, and one more for every so many characters. */
const MIN_CONSTRUCTS = 2000;
const CHARS_PER_CONSTRUCT = 20;

interface Props {
  /** The text of a note without its front matter. */
  readonly body: string;
  /** What stands above it: a first heading that says the same is left out. */
  readonly title?: string;
  readonly links?: NoteLinks;
  /** Opens a note of the vault that the text links to. */
  readonly onOpen?: (path: string) => void;
  /** True when `body` is itself only the beginning of the note. */
  readonly cut?: boolean;
  /** Draws `[1]`, or several of them in a row, for a text with numbered sources. */
  readonly drawMarks?: (marks: string) => ComponentChildren;
}

/**
 * A note as it reads, made of elements of our own from its syntax tree, so that nothing in it can run or load anything: no
 * HTML is interpreted, no image is fetched, and only http, https and mailto addresses become links. A long note is shown in
 * parts; the time it takes grows with the part, whatever stands in it.
 */
export function NotePreview({ body, title = '', links = NO_LINKS, onOpen, cut = false, drawMarks }: Props) {
  const { shown, more } = useParts(body);
  const content = useMemo(
    () => renderBody(shown, { title, links, open: onOpen, drawMarks }),
    [shown, title, links, onOpen, drawMarks],
  );
  return (
    <>
      <article class="markdown-rendered brain-note">{content}</article>
      {more}
      {more === null && cut && <p class="brain-more">The note goes on. Open it to read the rest.</p>}
    </>
  );
}

/** A body as elements. */
function renderBody(
  body: string,
  options: { title: string } & Pick<Reader, 'links' | 'open' | 'drawMarks'>,
): ComponentChildren {
  const { title, links, open, drawMarks } = options;
  const budget = { left: MIN_CONSTRUCTS + Math.ceil(body.length / CHARS_PER_CONSTRUCT) };
  const reader: Reader = { body, links, open, drawMarks, budget, definitions: definitionsIn(body) };
  return renderBlocks(reader, parseBody(body).topNode, { level: 2, title, first: true });
}

/** A note's text as it is written, every character of it visible but none of it read. A long one is shown in parts. */
export function NoteSource({ body }: { readonly body: string }) {
  const { shown, more } = useParts(body);
  return (
    <>
      <pre class="brain-code" dir="auto">
        {shown}
      </pre>
      {more}
    </>
  );
}
