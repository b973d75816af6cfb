import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { decodeEntities } from '../../core/markdown/html';
import { Icon, type IconName } from '../kit/icons';
import { type NoteRef, reasonWords } from './note-links';
import { childrenOf, labelKey, type RenderContext, textOf } from './context';

/** The target of a link. */
type LinkTarget =
  /** A URL that a browser may open; `href` is rendered as it is. */
  | { readonly kind: 'external'; readonly href: string }
  /** A note or a file of the vault, without the fragment; '' for a place in the same note. */
  | { readonly kind: 'internal'; readonly target: string }
  /** Anything else, which is rendered as text. */
  | { readonly kind: 'unsafe' };

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Parses the address of a link in Markdown. Only http, https and mailto become external links. */
export function linkTarget(written: string): LinkTarget {
  const bare = /^<[^]*>$/.test(written) ? written.slice(1, -1) : written;
  const plain = decodeEntities(bare.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  // Browsers ignore these characters anywhere in a URL, so "java\nscript:" is a scheme too.
  const address = [...plain].filter((character) => character > ' ' && character !== '\u007f').join('');
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return external(address);
  if (/^[\\/]{2}/.test(address)) return { kind: 'unsafe' };
  return { kind: 'internal', target: decodePath(plain.trim().replace(/#.*$/s, '')) };
}

function external(address: string): LinkTarget {
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? { kind: 'external', href: url.href } : { kind: 'unsafe' };
  } catch {
    return { kind: 'unsafe' };
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // A lone "%" is part of the name.
  }
}

/** Parses `target#heading|words`, the inside of a wikilink, into its target and its text. */
export function wikilinkParts(inside: string): { readonly target: string; readonly words: string } {
  const [full = '', alias] = splitOnce(inside, '|');
  const target = full.replace(/\\$/, '');
  const name = target.replace(/#.*$/s, '').trim();
  const words = alias?.trim() ?? '';
  return { target: name, words: words === '' ? target.trim().replace(/^#/, '') : words };
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Renders `[[target|words]]`. */
function renderWikilink(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(context.body.slice(node.from + 2, node.to - 2));
  return internalLink(context, target, words);
}

/** Renders `![[target]]` as a name or a link. It is never loaded. */
function renderEmbed(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(context.body.slice(node.from + 3, node.to - 2));
  const link = linkTarget(target);
  if (link.kind === 'external') return externalLink(link.href, words, 'image-off');
  return embedChip(target, words);
}

/** Renders `![words](address)`: a remote image as a link, a local one as a name. Neither is loaded. */
function renderImage(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { inside, address } = linkParts(context, node);
  const words = context.body.slice(inside.from, inside.to);
  const link = address === null ? null : linkTarget(address);
  const shown = words.trim() === '' ? (address ?? textOf(context, node)) : words;
  if (link === null || link.kind === 'unsafe') return textOf(context, node);
  if (link.kind === 'external') return externalLink(link.href, shown, 'image-off');
  return embedChip(link.target, shown);
}

/** Renders `[words](address)` and `[words][label]`; `content` renders the words. */
function renderLink(
  context: RenderContext,
  node: SyntaxNode,
  content: (range: { from: number; to: number }) => ComponentChildren,
): ComponentChildren {
  const { inside, address, label } = linkParts(context, node);
  // Brackets without an address are plain text.
  if (address === null) return ['[', content(inside), ']', label === '' ? '' : `[${label}]`];
  const link = linkTarget(address);
  if (link.kind === 'external') return externalLink(link.href, content(inside));
  if (link.kind === 'internal') return internalLink(context, link.target, content(inside));
  return removedLink(content(inside), 'unlink', 'An address that could run something');
}

/** Renders a bare URL, or one in angle brackets. */
function renderAddress(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const written = textOf(context, node).replace(/^<|>$/g, '');
  const whole = /^www\./i.test(written) ? `https://${written}` : written;
  const link = linkTarget(/^[^\s:/]+@[^\s:/]+$/.test(whole) ? `mailto:${whole}` : whole);
  return link.kind === 'external' ? externalLink(link.href, written) : written;
}

function externalLink(href: string, children: ComponentChildren, icon?: IconName): ComponentChildren {
  return (
    <a class="external-link" href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {icon !== undefined && <Icon name={icon} />}
    </a>
  );
}

function internalLink(
  context: RenderContext,
  target: string,
  children: ComponentChildren,
): ComponentChildren {
  const ref = context.links.find(target);
  if (ref?.reason !== undefined && ref.unlinked) return removedLink(children, 'unlink', reasonTitle(ref));
  const path = ref?.resolved;
  const { open } = context;
  if (path === undefined || open === undefined) {
    return (
      <span class="brain-notelink" title={target}>
        {children}
      </span>
    );
  }
  return (
    <button type="button" class="brain-notelink" title={path} onClick={() => open(path)}>
      {children}
    </button>
  );
}

function reasonTitle(ref: NoteRef): string {
  return `Leads nowhere: ${reasonWords(ref).toLowerCase()}`;
}

function removedLink(children: ComponentChildren, icon: IconName, title: string): ComponentChildren {
  return (
    <span class="brain-removed" title={title}>
      {children}
      <Icon name={icon} />
      <span class="brain-sr"> ({title})</span>
    </span>
  );
}

function embedChip(target: string, words: string): ComponentChildren {
  const image = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(target);
  return (
    <span class="brain-embed" title={`Embedded: ${target}`}>
      <Icon name={image ? 'image' : 'file-text'} />
      {words}
      <span class="brain-sr"> (embedded, not shown here)</span>
    </span>
  );
}

/** Where the words of a link stand, its address or null, and its label or ''. */
function linkParts(context: RenderContext, node: SyntaxNode) {
  const children = childrenOf(node);
  const marks = children.filter(({ name }) => name === 'LinkMark');
  const from = marks[0]?.to ?? node.from;
  const to = marks[1]?.from ?? node.to;
  const url = children.find(({ name, from: at }) => name === 'URL' && at >= to);
  const labelNode = children.find(({ name }) => name === 'LinkLabel');
  const label = labelNode === undefined ? '' : textOf(context, labelNode).slice(1, -1);
  const defined = context.definitions.get(labelKey(label === '' ? context.body.slice(from, to) : label));
  return {
    inside: { from, to },
    address: url === undefined ? (defined ?? null) : textOf(context, url),
    label,
  };
}

/** The deepest nesting of emphasis. Deeper emphasis is plain text. */
const MAX_NESTING = 16;

/** The nodes of marks, which are not rendered. */
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

/** The marks that are left out with the space after them. */
const LEADING = new Set(['HeaderMark', 'QuoteMark', 'TaskMarker']);

/** The nodes that are rendered with an icon, which cost more of the budget. */
const WITH_ICON = new Set(['HiddenText', 'Comment', 'Embed', 'Image']);

const WRAPPED = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  Highlight: 'mark',
  Superscript: 'sup',
  Subscript: 'sub',
} as const;

/**
 * Renders the inline content of a node between two offsets (by default all of it) as nodes that can neither run nor load
 * anything.
 */
export function renderInline(
  context: RenderContext,
  node: SyntaxNode,
  { from = node.from, to = node.to, depth = 0 }: { from?: number; to?: number; depth?: number } = {},
): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let at = from;
  for (const child of childrenOf(node)) {
    if (context.budget.left < 0) break;
    if (child.from < at || child.to > to) continue;
    if (child.from > at) shown.push(context.body.slice(at, child.from));
    shown.push(renderNode(context, child, depth));
    at = LEADING.has(child.name) ? afterSpace(context.body, child.to, to) : child.to;
  }
  if (at < to) shown.push(context.body.slice(at, to));
  return shown;
}

function afterSpace(body: string, at: number, end: number): number {
  let to = at;
  while (to < end && (body[to] === ' ' || body[to] === '\t')) to += 1;
  return to;
}

function renderNode(context: RenderContext, node: SyntaxNode, depth: number): ComponentChildren {
  const { name } = node;
  if (HIDDEN.has(name)) return null;
  context.budget.left -= WITH_ICON.has(name) ? 6 : 1;
  if (depth > MAX_NESTING || context.budget.left < 0) return textOf(context, node);
  const deeper = (range: { from?: number; to?: number } = {}) =>
    renderInline(context, node, { ...range, depth: depth + 1 });
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
      return <code class="brain-math">{textOf(context, node).replace(/^\${1,2}|\${1,2}$/g, '')}</code>;
    case 'Escape':
      return context.body.slice(node.from + 1, node.to);
    case 'Entity':
      return decodeEntities(textOf(context, node));
    case 'HardBreak':
      return <br />;
    case 'Link':
      return renderMarks(context, node) ?? renderLink(context, node, deeper);
    case 'Image':
      return renderImage(context, node);
    case 'Autolink':
    case 'URL':
      return renderAddress(context, node);
    case 'Wikilink':
      return renderWikilink(context, node);
    case 'Embed':
      return renderEmbed(context, node);
    case 'HashTag':
      return <span class="brain-hashtag">{textOf(context, node)}</span>;
    case 'FootnoteRef':
      return <sup>{context.body.slice(node.from + 2, node.to - 1)}</sup>;
    case 'HiddenText':
    case 'Comment':
      return <HiddenMark text={textOf(context, node)} />;
    case 'HTMLTag':
    case 'ProcessingInstruction':
      return <code class="brain-html">{textOf(context, node)}</code>;
    default:
      return textOf(context, node);
  }
}

/** Renders `[1]`, or several in a row, where the context has numbered sources; null otherwise. */
function renderMarks(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { drawMarks } = context;
  if (drawMarks === undefined) return null;
  const written = textOf(context, node);
  return /^(?:\[\d{1,4}\])+$/.test(written) ? drawMarks(written) : null;
}

/** The sign of a comment, which readers of the note do not see but agents do. Its tooltip has the beginning. */
export function HiddenMark({ text }: { readonly text: string }) {
  return (
    <span class="brain-hidden" dir="ltr" title={text.slice(0, 400)}>
      <Icon name="eye-off" />
      comment
    </span>
  );
}
