import type { SyntaxNode } from '@lezer/common';
import { cloneElement, type ComponentChildren, isValidElement } from 'preact';
import { Icon } from '../kit/icons';
import { CALLOUT, calloutLook } from './callouts';
import { childrenOf, type RenderContext, textOf, withoutBlockId } from './context';
import { renderFootnotes } from './footnotes';
import { commentText, renderEmbed, renderHtml, renderInline } from './inline';
import { renderList } from './lists';
import { renderTable } from './table';

/** A title of this length may be cut off (characters). */
const CUT_TITLE = 150;

/** The state that carries over from block to block. */
interface BlockState {
  /** The level of the last heading. No level is skipped on the way down, for screen readers navigate by levels. */
  level: number;
  /** The title above the note. A first heading with the same text is left out. */
  readonly title: string;
  first: boolean;
  /** The number of `<details>` around the block. */
  details: number;
}

/**
 * Renders the blocks of a node as elements that can neither run nor load anything. The direction of each follows its first
 * letter and applies to its nested blocks, so that bullets and bars are at the beginning of its lines.
 */
export function renderBlocks(context: RenderContext, node: SyntaxNode, title: string): ComponentChildren[] {
  const state: BlockState = { level: 2, title, first: true, details: 0 };
  const blocks = renderSequence(context, childrenOf(node), state);
  const footnotes = renderFootnotes(context, ({ node: of, from, to }) =>
    renderInline(context, of, { from, to }),
  );
  return [...blocks, footnotes].map((block) =>
    isValidElement(block) && typeof block.type === 'string' ? cloneElement(block, AUTO_DIRECTION) : block,
  );
}

/** Renders sibling blocks. */
function renderSequence(
  context: RenderContext,
  nodes: readonly SyntaxNode[],
  state: BlockState,
): ComponentChildren[] {
  const ends = state.details < MAX_DETAILS ? detailsEnds(context, nodes) : new Map<number, number>();
  const blocks: ComponentChildren[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index];
    if (node === undefined) break;
    const end = ends.get(index);
    if (end === undefined) {
      blocks.push(renderBlock(context, node, state));
      continue;
    }
    blocks.push(renderDetails(context, nodes.slice(index, end + 1), state));
    index = end;
  }
  return blocks;
}

/** The deepest nesting of `<details>`. Deeper ones are text. */
const MAX_DETAILS = 8;
const DETAILS = /^(<details(?: open)?>\s*)(?:(<summary>)([^]*?)<\/summary>\s*)?/i;
const DETAILS_END = /<\/details>\s*$/i;

/** Pairs the HTML blocks that open a `<details>` with those that close it, by index. Both are the same for one block. */
function detailsEnds(context: RenderContext, nodes: readonly SyntaxNode[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const [index, node] of nodes.entries()) {
    if (node.name !== 'HTMLBlock') continue;
    const written = textOf(context, node);
    const tags = written.match(/<\/?details\b/gi)?.length ?? 0;
    const opens = DETAILS.test(written);
    const closes = DETAILS_END.test(written);
    if (opens && closes && tags === 2) ends.set(index, index);
    else if (opens && tags === 1) open.push(index);
    else if (closes && tags === 1) {
      const from = open.pop();
      if (from !== undefined) ends.set(from, index);
    }
  }
  return ends;
}

/** Renders a `<details>` from the block that opens it to the one that closes it. */
function renderDetails(
  context: RenderContext,
  nodes: readonly SyntaxNode[],
  state: BlockState,
): ComponentChildren {
  const [first] = nodes;
  const last = nodes.at(-1);
  if (first === undefined || last === undefined) return null;
  const written = textOf(context, first);
  const [head = '', tag = '', summaryTag = '', summary = ''] = DETAILS.exec(written) ?? [];
  const summaryFrom = first.from + tag.length + summaryTag.length;
  const closing = textOf(context, last);
  const end = last.from + closing.length - (DETAILS_END.exec(closing)?.[0].length ?? 0);
  state.first = false;
  state.details += 1;
  const content = renderSequence(context, nodes.slice(1, -1), state);
  state.details -= 1;
  return (
    <details open={/^<details open/i.test(written)}>
      <summary>
        {summary.trim() === '' ? 'Details' : renderHtml(context, summaryFrom, summaryFrom + summary.length)}
      </summary>
      {htmlText(context, first.from + head.length, first === last ? end : first.to)}
      {content}
      {first !== last && htmlText(context, last.from, end)}
    </details>
  );
}

function htmlText(context: RenderContext, from: number, to: number): ComponentChildren {
  return context.body.slice(from, to).trim() === '' ? null : <p>{renderHtml(context, from, to)}</p>;
}

/** The HTML attribute that takes the direction of an element from its first letter. */
const AUTO_DIRECTION = { dir: 'auto' };

/** Renders a block. An unknown one is rendered as its source. */
function renderBlock(context: RenderContext, node: SyntaxNode, state: BlockState): ComponentChildren {
  const { name } = node;
  const level = /^(?:ATX|Setext)Heading([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return renderHeading(context, node, Number(level), state);
  state.first = false;
  switch (name) {
    case 'Paragraph':
      return renderParagraph(context, node);
    case 'FencedCode':
      return isMermaid(context, node) ? (
        <SourceFigure caption="Mermaid diagram, shown as its source" text={codeOf(context, node)} />
      ) : (
        <CodeBlock text={codeOf(context, node)} />
      );
    case 'CodeBlock':
      return <CodeBlock text={codeOf(context, node)} />;
    case 'MathBlock':
      return (
        <SourceFigure
          caption="Formula, shown as its source in TeX"
          text={textOf(context, node).replace(/^\$\$\n?|\n?[ \t]*\$\$\s*$/g, '')}
        />
      );
    case 'HTMLBlock':
    case 'ProcessingInstructionBlock':
      return <CodeBlock text={textOf(context, node)} />;
    case 'HiddenBlock':
    case 'CommentBlock':
      return <HiddenBlock text={commentText(textOf(context, node))} />;
    case 'Blockquote':
      return renderQuote(context, node, state);
    case 'BulletList':
    case 'OrderedList':
      return renderList(context, node, (item) => renderBlock(context, item, state));
    case 'Table':
      return renderTable(context, node);
    case 'HorizontalRule':
      return <hr />;
    case 'QuoteMark':
      return null;
    default:
      return <p>{textOf(context, node)}</p>;
  }
}

/** The classes of the headings of a note, by level. */
const HEADINGS = [
  'brain-note-h1',
  'brain-note-h2',
  'brain-note-h3',
  'brain-note-h4',
  'brain-note-h5',
  'brain-note-h6',
];

function renderHeading(
  context: RenderContext,
  node: SyntaxNode,
  level: number,
  state: BlockState,
): ComponentChildren {
  const { to, anchor } = withoutBlockId(context, node);
  const content = renderInline(context, node, { to });
  const rest = state.first && level === 1 ? restOfTitle(plainHeading(context, node), state.title) : null;
  state.first = false;
  if (rest !== null) return rest === '' ? null : <p class="brain-note-rest">{`\u2026${rest}`}</p>;
  // The screen uses the first two levels itself.
  const shown = Math.min(level + 2, state.level + 1, 6);
  state.level = shown;
  const attributes = { class: HEADINGS[level - 1], 'data-anchor': anchor };
  if (shown <= 3) return <h3 {...attributes}>{content}</h3>;
  if (shown === 4) return <h4 {...attributes}>{content}</h4>;
  if (shown === 5) return <h5 {...attributes}>{content}</h5>;
  return <h6 {...attributes}>{content}</h6>;
}

/** Returns the part of a heading that a cut-off title lacks; empty for an equal title, null for a different one. */
function restOfTitle(heading: string, title: string): string | null {
  if (heading === title) return '';
  const isCut = title.length >= CUT_TITLE && heading.startsWith(title);
  return isCut ? heading.slice(title.length) : null;
}

function plainHeading(context: RenderContext, node: SyntaxNode): string {
  return textOf(context, node)
    .replace(/^#+[ \t]*|[ \t]*#*$|\n[=-]+\s*$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Renders a paragraph up to the footnotes in it, which are listed below the note. */
function renderParagraph(context: RenderContext, node: SyntaxNode, from = node.from): ComponentChildren {
  const { to: end, anchor } = withoutBlockId(context, node);
  const footnotes = context.footnotes.starts.get(node.from);
  const to = Math.min(end, footnotes ?? end);
  if (context.body.slice(from, to).trim() === '') {
    return anchor === undefined ? null : <p class="brain-block-id" data-anchor={anchor} />;
  }
  const only = node.firstChild;
  if (only?.name === 'Embed' && only.from === from && only.to === to && context.embeds !== undefined) {
    // The note that it may draw is no part of a paragraph.
    return <div data-anchor={anchor}>{renderEmbed(context, only, true)}</div>;
  }
  return <p data-anchor={anchor}>{renderInline(context, node, { from, to })}</p>;
}

/** Renders a quote, or a callout as a quote with a title. */
function renderQuote(context: RenderContext, node: SyntaxNode, state: BlockState): ComponentChildren {
  const children = childrenOf(node).filter(({ name }) => name !== 'QuoteMark');
  const [first, ...rest] = children;
  const callout = first?.name === 'Paragraph' ? CALLOUT.exec(textOf(context, first)) : null;
  if (first === undefined || callout === null) {
    return <blockquote>{renderSequence(context, children, state)}</blockquote>;
  }
  const [head, mark = '', kind = '', fold = '', title = ''] = callout;
  const look = calloutLook(kind);
  const from = first.from + mark.length;
  const name = (
    <>
      <Icon name={look.icon} />
      <span>
        {title.trim() === '' ? look.title : renderInline(context, first, { from, to: from + title.length })}
      </span>
    </>
  );
  const content = [
    renderParagraph(context, first, first.from + head.length),
    ...renderSequence(context, rest, state),
  ];
  return (
    <blockquote class={look.class}>
      {fold === '' ? (
        <>
          <p class="brain-callout-title">{name}</p>
          {content}
        </>
      ) : (
        <details open={fold === '+'}>
          <summary class="brain-callout-title">{name}</summary>
          {content}
        </details>
      )}
    </blockquote>
  );
}

/** A comment of several lines, which a reader of the note does not see but an agent does. */
function HiddenBlock({ text }: { readonly text: string }) {
  return (
    <div class="brain-hidden-block" dir="auto">
      <p class="brain-hidden" dir="ltr">
        <Icon name="eye-off" />
        Comment, which the note does not show
      </p>
      {text}
    </div>
  );
}

/** A code block. It is focusable, so that the keyboard scrolls it sideways. */
function CodeBlock({ text }: { readonly text: string }) {
  return (
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}

/** A text that Obsidian draws and the preview does not, and the words that say so. */
function SourceFigure({ caption, text }: { readonly caption: string; readonly text: string }) {
  return (
    <figure class="brain-source-figure">
      <figcaption class="brain-small brain-muted" dir="ltr">
        {caption}
      </figcaption>
      <CodeBlock text={text} />
    </figure>
  );
}

function isMermaid(context: RenderContext, node: SyntaxNode): boolean {
  const info = childrenOf(node).find(({ name }) => name === 'CodeInfo');
  return info !== undefined && /^mermaid\b/i.test(textOf(context, info).trim());
}

function codeOf(context: RenderContext, node: SyntaxNode): string {
  const lines = childrenOf(node).filter(({ name }) => name === 'CodeText');
  return lines.map((line) => textOf(context, line)).join('');
}
