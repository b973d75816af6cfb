import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { count } from '../kit/words';
import { renderBlocks } from './blocks';
import { parseBody } from './grammar';
import { NO_LINKS, type NoteLinks } from './note-links';
import { type EmbeddedNote, NoteEmbed, VaultImage } from './embeds';
import { definitionsIn, type RenderContext } from './context';
import { footnotesIn } from './footnotes';

/**
 * The characters that are shown at first and added per press of the button: about seven thousand words, or `LINES_STEP`
 * lines.
 */
export const PREVIEW_STEP = 40_000;
const LINES_STEP = 1000;

/**
 * Returns the beginning of a text, and a button that shows more of it; `more` is null when all is shown. Another text starts
 * from its beginning.
 */
function useShownPart(text: string): { readonly shown: string; readonly more: ComponentChildren } {
  const [steps, setSteps] = useState({ of: text, count: 1 });
  const number = steps.of === text ? steps.count : 1;
  const shown = prefix(text, number * PREVIEW_STEP, number * LINES_STEP);
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
 * Returns the beginning of a text within a length and a number of lines. Cuts at the end of a line if one is near, and never
 * inside a character.
 */
function prefix(text: string, length: number, lines: number): string {
  const most = Math.min(length, endOfLine(text, lines));
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most - 1);
  const end = line > most * 0.9 ? line + 1 : most;
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end);
}

/** Returns the offset after a number of lines; infinity for fewer lines. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return Infinity;
  }
  return at + 1;
}

/**
 * The budget of inline constructs: `MIN_CONSTRUCTS` for any note, and one more for every `CHARS_PER_CONSTRUCT` characters.
 */
const MIN_CONSTRUCTS = 2000;
const CHARS_PER_CONSTRUCT = 20;

interface Props {
  /** The text of a note without its front matter. */
  readonly body: string;
  /** The title above the note. A first heading with the same text is left out. */
  readonly title?: string;
  readonly links?: NoteLinks;
  /** Opens a note of the vault that the text links to, at the fragment of the link, '' for none. */
  readonly onOpen?: (path: string, fragment: string) => void;
  /** True when `body` is only the beginning of the note. */
  readonly cut?: boolean;
  /** Renders `[1]`, or several in a row, for a text with numbered sources. */
  readonly drawMarks?: (marks: string) => ComponentChildren;
  /** True for a note that is embedded in another one: what it embeds itself is named and not drawn. */
  readonly isEmbedded?: boolean;
}

/**
 * A rendered note. It consists of elements that are created here from the syntax tree, so that nothing in it can run or load
 * anything but images of the vault: no HTML is interpreted, nothing is fetched from elsewhere, and only http, https and mailto
 * URLs become links. A long note is rendered in parts, in time linear in the part.
 */
export function NotePreview(props: Props) {
  const { body, title = '', links = NO_LINKS, onOpen, cut = false, drawMarks, isEmbedded = false } = props;
  const { shown, more } = useShownPart(body);
  const content = useMemo(
    () => renderBody(shown, { title, links, open: onOpen, drawMarks, isEmbedded }),
    [shown, title, links, onOpen, drawMarks, isEmbedded],
  );
  return (
    <>
      <article class="markdown-rendered brain-note">{content}</article>
      {more}
      {more === null && cut && <p class="brain-more">The note goes on. Open it to read the rest.</p>}
    </>
  );
}

/** The embeds of a note that are drawn. Each is a request. */
const MAX_EMBEDS = 40;

const DRAWN: Omit<NonNullable<RenderContext['embeds']>, 'left'> = {
  image: (image) => <VaultImage {...image} />,
  note: (note: EmbeddedNote) => (
    <NoteEmbed embed={note} preview={(body, title) => <NotePreview body={body} title={title} isEmbedded />} />
  ),
};

function renderBody(
  body: string,
  options: { title: string; isEmbedded: boolean } & Pick<RenderContext, 'links' | 'open' | 'drawMarks'>,
): ComponentChildren {
  const { title, isEmbedded, ...given } = options;
  const budget = { left: MIN_CONSTRUCTS + Math.ceil(body.length / CHARS_PER_CONSTRUCT) };
  const tree = parseBody(body);
  const footnotes = footnotesIn(body, tree);
  const definitions = definitionsIn(body);
  const embeds = isEmbedded ? undefined : { left: MAX_EMBEDS, ...DRAWN };
  const context: RenderContext = { ...given, body, budget, definitions, footnotes, embeds };
  return renderBlocks(context, tree.topNode, title);
}

/** The source of a note as plain text. A long one is shown in parts. */
export function NoteSource({ body }: { readonly body: string }) {
  const { shown, more } = useShownPart(body);
  return (
    <>
      <pre class="brain-code" dir="auto">
        {shown}
      </pre>
      {more}
    </>
  );
}
