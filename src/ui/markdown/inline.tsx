import type { SyntaxNode } from '@lezer/common';
import type { ComponentChildren } from 'preact';
import { decodeEntities } from '../../core/markdown/html';
import { Icon, type IconName } from '../kit/icons';
import { type NoteRef, reasonWords } from './note-links';
import { childrenOf, labelKey, type Reader, textOf } from './reader';

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
  return { kind: 'internal', target: decoded(plain.trim().replace(/#.*$/s, '')) };
}

function external(address: string): LinkTarget {
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? { kind: 'external', href: url.href } : { kind: 'unsafe' };
  } catch {
    return { kind: 'unsafe' };
  }
}

function decoded(path: string): string {
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
function renderWikilink(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(reader.body.slice(node.from + 2, node.to - 2));
  return internalLink(reader, target, words);
}

/** Renders `![[target]]` as a name or a link. It is never loaded. */
function renderEmbed(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { target, words } = wikilinkParts(reader.body.slice(node.from + 3, node.to - 2));
  const leads = linkTarget(target);
  if (leads.kind === 'external') return externalLink(leads.href, words, 'image-off');
  return embedChip(target, words);
}

/** Renders `![words](address)`: a remote image as a link, a local one as a name. Neither is loaded. */
function renderImage(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { inside, address } = linkParts(reader, node);
  const words = reader.body.slice(inside.from, inside.to);
  const leads = address === null ? null : linkTarget(address);
  const shown = words.trim() === '' ? (address ?? textOf(reader, node)) : words;
  if (leads === null || leads.kind === 'unsafe') return textOf(reader, node);
  if (leads.kind === 'external') return externalLink(leads.href, shown, 'image-off');
  return embedChip(leads.target, shown);
}

/** Renders `[words](address)` and `[words][label]`; `content` renders the words. */
function renderLink(
  reader: Reader,
  node: SyntaxNode,
  content: (range: { from: number; to: number }) => ComponentChildren,
): ComponentChildren {
  const { inside, address, label } = linkParts(reader, node);
  // Brackets without an address are plain text.
  if (address === null) return ['[', content(inside), ']', label === '' ? '' : `[${label}]`];
  const leads = linkTarget(address);
  if (leads.kind === 'external') return externalLink(leads.href, content(inside));
  if (leads.kind === 'internal') return internalLink(reader, leads.target, content(inside));
  return removed(content(inside), 'unlink', 'An address that could run something');
}

/** Renders a bare URL, or one in angle brackets. */
function renderAddress(reader: Reader, node: SyntaxNode): ComponentChildren {
  const written = textOf(reader, node).replace(/^<|>$/g, '');
  const whole = /^www\./i.test(written) ? `https://${written}` : written;
  const leads = linkTarget(/^[^\s:/]+@[^\s:/]+$/.test(whole) ? `mailto:${whole}` : whole);
  return leads.kind === 'external' ? externalLink(leads.href, written) : written;
}

function externalLink(href: string, children: ComponentChildren, icon?: IconName): ComponentChildren {
  return (
    <a class="external-link" href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {icon !== undefined && <Icon name={icon} />}
    </a>
  );
}

function internalLink(reader: Reader, target: string, children: ComponentChildren): ComponentChildren {
  const ref = reader.links.find(target);
  if (ref?.reason !== undefined && ref.unlinked) return removed(children, 'unlink', reasonOf(ref));
  const path = ref?.resolved;
  const { open } = reader;
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

function reasonOf(ref: NoteRef): string {
  return `Leads nowhere: ${reasonWords(ref).toLowerCase()}`;
}

function removed(children: ComponentChildren, icon: IconName, title: string): ComponentChildren {
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
function linkParts(reader: Reader, node: SyntaxNode) {
  const children = childrenOf(node);
  const marks = children.filter(({ name }) => name === 'LinkMark');
  const from = marks[0]?.to ?? node.from;
  const to = marks[1]?.from ?? node.to;
  const url = children.find(({ name, from: at }) => name === 'URL' && at >= to);
  const labelNode = children.find(({ name }) => name === 'LinkLabel');
  const label = labelNode === undefined ? '' : textOf(reader, labelNode).slice(1, -1);
  const defined = reader.definitions.get(labelKey(label === '' ? reader.body.slice(from, to) : label));
  return {
    inside: { from, to },
    address: url === undefined ? (defined ?? null) : textOf(reader, url),
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

/** Renders `[1]`, or several in a row, where the context has numbered sources; null otherwise. */
function renderMarks(reader: Reader, node: SyntaxNode): ComponentChildren {
  const { drawMarks } = reader;
  if (drawMarks === undefined) return null;
  const written = textOf(reader, node);
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
