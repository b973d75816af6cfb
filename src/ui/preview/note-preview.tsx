import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { parseBody } from './grammar';
import { NO_LINKS, type NoteLinks } from './note-links';
import { definitionsIn, type Reader } from './reader';
import { renderBlocks } from './render-block';
import { useParts } from './use-parts';

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
export function renderBody(
  body: string,
  options: { title: string } & Pick<Reader, 'links' | 'open' | 'drawMarks'>,
): ComponentChildren {
  const { title, links, open, drawMarks } = options;
  const budget = { left: MIN_CONSTRUCTS + Math.ceil(body.length / CHARS_PER_CONSTRUCT) };
  const reader: Reader = { body, links, open, drawMarks, budget, definitions: definitionsIn(body) };
  return renderBlocks(reader, parseBody(body).topNode, { level: 2, title, first: true });
}
