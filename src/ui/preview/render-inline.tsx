import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { decodeEntities } from '../../core/rules/markdown-html';
import { Icon } from '../parts/icon';
import { childrenOf, type Reader, textOf } from './reader';
import { renderAddress, renderEmbed, renderImage, renderLink, renderWikilink } from './render-links';

/** Emphasis within emphasis is shown to this depth; deeper it is plain text. */
const MAX_NESTING = 16;

/** Marks that are not shown. */
const HIDDEN = new Set([
  'EmphasisMark',
  'StrikethroughMark',
  'HighlightMark',
  'CodeMark',
  'HeaderMark',
  'QuoteMark',
  'TaskMarker',
  'ListMark',
]);

/** Marks after which the space belongs to them. */
const LEADING = new Set(['HeaderMark', 'QuoteMark', 'TaskMarker']);

/** What brings a drawing with it, and so costs more. */
const WITH_ICON = new Set(['HiddenText', 'Comment', 'Embed', 'Image']);

const WRAPPED = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  Highlight: 'mark',
  Superscript: 'sup',
  Subscript: 'sub',
} as const;

/** The inline content of a node between two offsets (all of it unless given), as nodes that can neither run nor load. */
export function renderInline(
  reader: Reader,
  node: SyntaxNode,
  { from = node.from, to = node.to, depth = 0 }: { from?: number; to?: number; depth?: number } = {},
): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let at = from;
  for (const child of childrenOf(node)) {
    if (reader.budget.left < 0) break;
    if (child.from < at || child.to > to) continue;
    if (child.from > at) shown.push(reader.body.slice(at, child.from));
    shown.push(renderNode(reader, child, depth));
    at = LEADING.has(child.name) ? afterSpace(reader.body, child.to, to) : child.to;
  }
  if (at < to) shown.push(reader.body.slice(at, to));
  return shown;
}

function afterSpace(body: string, at: number, end: number): number {
  let to = at;
  while (to < end && (body[to] === ' ' || body[to] === '\t')) to += 1;
  return to;
}

function renderNode(reader: Reader, node: SyntaxNode, depth: number): ComponentChildren {
  const { name } = node;
  if (HIDDEN.has(name)) return null;
  reader.budget.left -= WITH_ICON.has(name) ? 6 : 1;
  if (depth > MAX_NESTING || reader.budget.left < 0) return textOf(reader, node);
  const deeper = (range: { from?: number; to?: number } = {}) =>
    renderInline(reader, node, { ...range, depth: depth + 1 });
  switch (name) {
    case 'Emphasis':
    case 'StrongEmphasis':
    case 'Strikethrough':
    case 'Highlight':
    case 'Superscript':
    case 'Subscript': {
      const Tag = WRAPPED[name];
      return <Tag>{deeper()}</Tag>;
    }
    case 'InlineCode':
      return <code>{deeper()}</code>;
    case 'Math':
      return <code class="brain-math">{textOf(reader, node).replace(/^\${1,2}|\${1,2}$/g, '')}</code>;
    case 'Escape':
      return reader.body.slice(node.from + 1, node.to);
    case 'Entity':
      return decodeEntities(textOf(reader, node));
    case 'HardBreak':
      return <br />;
    case 'Link':
      return renderMarks(reader, node) ?? renderLink(reader, node, deeper);
    case 'Image':
      return renderImage(reader, node);
    case 'Autolink':
    case 'URL':
      return renderAddress(reader, node);
    case 'Wikilink':
      return renderWikilink(reader, node);
    case 'Embed':
      return renderEmbed(reader, node);
    case 'HashTag':
      return <span class="brain-hashtag">{textOf(reader, node)}</span>;
    case 'FootnoteRef':
      return <sup>{reader.body.slice(node.from + 2, node.to - 1)}</sup>;
    case 'HiddenText':
    case 'Comment':
      return <HiddenMark text={textOf(reader, node)} />;
    case 'HTMLTag':
    case 'ProcessingInstruction':
      return <code class="brain-html">{textOf(reader, node)}</code>;
    default:
      return textOf(reader, node);
  }
}

/** Brackets that hold nothing but numbers, where the reader of the text draws them; else null. */
function renderMarks(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { drawMarks } = reader;
  if (drawMarks === undefined) return null;
  const written = textOf(reader, node);
  return /^(?:\[\d{1,4}\])+$/.test(written) ? drawMarks(written) : null;
}

/** Stands for a comment, which readers of the note do not see but agents do. Its tooltip holds the beginning. */
export function HiddenMark({ text }: { readonly text: string }) {
  return (
    <span class="brain-hidden" dir="ltr" title={text.slice(0, 400)}>
      <Icon name="eye-off" />
      comment
    </span>
  );
}
