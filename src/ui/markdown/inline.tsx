import type { SyntaxNode } from '@lezer/common';
import { type ComponentChildren, h } from 'preact';
import { decodeEntities } from '../../core/markdown/html';
import { Icon, type IconName } from '../kit/icons';
import { goToFragment, noteAround } from './anchors';
import { EmbedChip, type EmbeddedImage, isImageName } from './embeds';
import { footnoteMark } from './footnotes';
import { type NoteRef, reasonWords } from './note-links';
import { childrenOf, labelKey, type RenderContext, textOf } from './context';

/** The target of a link. */
type LinkTarget =
  /** A URL that a browser may open; `href` is rendered as it is. */
  | { readonly kind: 'external'; readonly href: string }
  /** A note or a file of the vault, '' for the same note, and the fragment without its `#`, '' for none. */
  | { readonly kind: 'internal'; readonly target: string; readonly fragment: string }
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
  const [path, fragment = ''] = splitOnce(plain.trim(), '#');
  return { kind: 'internal', target: decodePath(path), fragment: decodePath(fragment) };
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

/** The inside of a wikilink: `target#fragment|words`. Without words of its own it has those of the target. */
interface WikilinkParts {
  readonly target: string;
  readonly fragment: string;
  readonly words: string;
}

/** Parses the inside of a wikilink. */
export function wikilinkParts(inside: string): WikilinkParts {
  const [full, alias] = splitOnce(inside, '|');
  const target = full.replace(/\\$/, '');
  const [name, fragment = ''] = splitOnce(target, '#');
  const words = alias?.trim() ?? '';
  return {
    target: name.trim(),
    fragment: fragment.trim(),
    words: words === '' ? target.trim().replace(/^#/, '') : words,
  };
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Renders `[[target|words]]`. */
function renderWikilink(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { target, fragment, words } = wikilinkParts(context.body.slice(node.from + 2, node.to - 2));
  return internalLink(context, { target, fragment }, words);
}

/** Renders `![[target]]`. A note is drawn when it is a paragraph of its own, and a link to it elsewhere. */
export function renderEmbed(context: RenderContext, node: SyntaxNode, isAlone = false): ComponentChildren {
  const { target, fragment, words } = wikilinkParts(context.body.slice(node.from + 3, node.to - 2));
  const link = linkTarget(target);
  const { words: named, ...size } = imageSize(words);
  const shown = named.trim() || target;
  if (link.kind === 'external') return externalLink(link.href, shown, 'image-off');
  return embedded(context, { target, fragment, words: shown, isAlone, ...size });
}

/** Renders `![words](address)`: an image of the vault, or a remote image as a link, which is never loaded. */
function renderImage(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { inside, address } = linkParts(context, node);
  const { words, ...size } = imageSize(context.body.slice(inside.from, inside.to));
  const link = address === null ? null : linkTarget(address);
  const shown = words.trim() === '' ? (address ?? textOf(context, node)) : words;
  if (link === null || link.kind === 'unsafe') return textOf(context, node);
  if (link.kind === 'external') return externalLink(link.href, shown, 'image-off');
  return embedded(context, { target: link.target, fragment: '', words: shown, isAlone: false, ...size });
}

/** Renders a file of the vault that the note embeds. One that is not drawn is named, with the reason where it is missing. */
function embedded(
  context: RenderContext,
  embed: Omit<EmbeddedImage, 'path'> & {
    readonly target: string;
    readonly fragment: string;
    readonly isAlone: boolean;
  },
): ComponentChildren {
  const { target, fragment, isAlone, ...image } = embed;
  const { links, embeds, open } = context;
  const ref = links.find(target);
  const path = ref?.resolved;
  if (path === undefined || embeds === undefined || embeds.left <= 0) {
    const why =
      ref?.reason !== undefined
        ? reasonWords(ref).toLowerCase()
        : path === undefined && links.isComplete === true
          ? 'no file has this name'
          : 'embedded, not shown here';
    return <EmbedChip target={target} words={image.words} why={why} />;
  }
  if (isImageName(path)) {
    embeds.left -= 1;
    return embeds.image({ ...image, path });
  }
  if (/\.md$/i.test(path) && isAlone) {
    embeds.left -= 1;
    return embeds.note({ path, fragment, open });
  }
  return internalLink(context, { target, fragment }, image.words);
}

/** Splits the size off the words of an image: `words|300`, `300x200`. */
function imageSize(words: string): {
  readonly words: string;
  readonly width?: number;
  readonly height?: number;
} {
  const found = /^(?:([^]*)\|)?\s*(\d{1,4})(?:x(\d{1,4}))?\s*$/.exec(words);
  if (found === null) return { words };
  const [, before = '', width, height] = found;
  return { words: before, width: Number(width), ...(height !== undefined && { height: Number(height) }) };
}

/** Renders `[words](address)` and `[words][label]`. */
function renderLink(context: RenderContext, node: SyntaxNode, depth: number): ComponentChildren {
  const content = (range: { from: number; to: number }) =>
    renderInline(context, node, { ...range, depth: depth + 1 });
  const { inside, address, label } = linkParts(context, node);
  // Brackets without an address are plain text.
  if (address === null) return ['[', content(inside), ']', label === '' ? '' : `[${label}]`];
  const link = linkTarget(address);
  if (link.kind === 'external') return externalLink(link.href, content(inside));
  if (link.kind === 'internal') return internalLink(context, link, content(inside));
  return removedLink(content(inside), 'An address that could run something');
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
  { target, fragment }: { readonly target: string; readonly fragment: string },
  children: ComponentChildren,
): ComponentChildren {
  if (target === '' && fragment !== '') {
    return (
      <button
        type="button"
        class="brain-notelink"
        onClick={(event) => goToFragment(noteAround(event), fragment)}
      >
        {children}
      </button>
    );
  }
  const ref = context.links.find(target);
  if (ref?.reason !== undefined && ref.unlinked) return removedLink(children, reasonTitle(ref));
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
    <button type="button" class="brain-notelink" title={path} onClick={() => open(path, fragment)}>
      {children}
    </button>
  );
}

function reasonTitle(ref: NoteRef): string {
  return `Leads nowhere: ${reasonWords(ref).toLowerCase()}`;
}

function removedLink(children: ComponentChildren, title: string): ComponentChildren {
  return (
    <span class="brain-removed" title={title}>
      {children}
      <Icon name="unlink" />
      <span class="brain-sr"> ({title})</span>
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

const WRAPPED: Readonly<
  Record<string, 'em' | 'strong' | 'del' | 'mark' | 'sup' | 'sub' | 'code' | undefined>
> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  Highlight: 'mark',
  Superscript: 'sup',
  Subscript: 'sub',
  InlineCode: 'code',
};

/** The tags that are rendered as elements, when they have no attribute. Every other tag is text. */
const SAFE_TAG = /^<(\/?)(kbd|sub|sup|mark|u|s)>$/i;
const LINE_BREAK = /^<br\s*\/?>$/i;

/** A tag in a block of HTML, which the parser leaves whole. */
interface TagToken {
  readonly name: 'HTMLTag';
  readonly from: number;
  readonly to: number;
}
type InlineNode = SyntaxNode | TagToken;

/**
 * Renders the inline content of a node between two offsets (by default all of it) as nodes that can neither run nor load
 * anything.
 */
export function renderInline(
  context: RenderContext,
  node: SyntaxNode,
  { from = node.from, to = node.to, depth = 0 }: { from?: number; to?: number; depth?: number } = {},
): ComponentChildren[] {
  return renderRun(context, childrenOf(node), { from, to, depth });
}

/** Renders a part of a block of HTML: text, with the safe tags as elements. */
export function renderHtml(context: RenderContext, from: number, to: number): ComponentChildren[] {
  const tags: TagToken[] = [];
  for (const { index, 0: tag } of context.body.slice(from, to).matchAll(/<[a-z/!?][^<>]*>/gi)) {
    tags.push({ name: 'HTMLTag', from: from + index, to: from + index + tag.length });
  }
  return renderRun(context, tags, { from, to, depth: 0 });
}

/** Renders sibling nodes and the text between them. */
function renderRun(
  context: RenderContext,
  nodes: readonly InlineNode[],
  { from, to, depth }: { readonly from: number; readonly to: number; readonly depth: number },
): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  const pairs = depth > MAX_NESTING ? new Map<number, number>() : pairTags(context, nodes, to);
  let at = from;
  for (let index = 0; index < nodes.length; index += 1) {
    const child = nodes[index];
    if (child === undefined || context.budget.left < 0) break;
    if (child.from < at || child.to > to) continue;
    if (child.from > at) shown.push(context.body.slice(at, child.from));
    const end = pairs.get(index);
    const closing = end === undefined ? undefined : nodes[end];
    if (end !== undefined && closing !== undefined) {
      const within = { from: child.to, to: closing.from, depth: depth + 1 };
      const tag = textOf(context, child).slice(1, -1).toLowerCase();
      context.budget.left -= 1;
      shown.push(h(tag, null, renderRun(context, nodes.slice(index + 1, end), within)));
      index = end;
      at = closing.to;
      continue;
    }
    shown.push('node' in child ? renderNode(context, child, depth) : renderTag(context, child));
    at = LEADING.has(child.name) ? afterSpace(context.body, child.to, to) : child.to;
  }
  if (at < to) shown.push(context.body.slice(at, to));
  return shown;
}

/** Pairs the safe opening tags among siblings with their closing ones, by index. A tag without its pair is text. */
function pairTags(context: RenderContext, nodes: readonly InlineNode[], to: number): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: { readonly name: string; readonly index: number }[] = [];
  for (const [index, node] of nodes.entries()) {
    if (node.name !== 'HTMLTag' || node.to > to) continue;
    const found = SAFE_TAG.exec(textOf(context, node));
    if (found === null) continue;
    const [, slash, name = ''] = found;
    const key = name.toLowerCase();
    if (slash === '') {
      open.push({ name: key, index });
      continue;
    }
    const at = open.findLastIndex((one) => one.name === key);
    const opening = open[at];
    if (opening === undefined) continue;
    pairs.set(opening.index, index);
    open.length = at;
  }
  return pairs;
}

/** Renders a tag by itself: a line break, or its source. */
function renderTag(context: RenderContext, node: InlineNode): ComponentChildren {
  const written = textOf(context, node);
  return LINE_BREAK.test(written) ? <br /> : <code class="brain-html">{written}</code>;
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
  const Tag = WRAPPED[name];
  if (Tag !== undefined) return <Tag>{renderInline(context, node, { depth: depth + 1 })}</Tag>;
  return (RENDERERS[name] ?? textOf)(context, node, depth);
}

type Renderer = (context: RenderContext, node: SyntaxNode, depth: number) => ComponentChildren;

const footnote: Renderer = (context, node) => footnoteMark(context, node);
const hiddenText: Renderer = (context, node) => <HiddenText text={textOf(context, node)} />;

/** How nodes are drawn, by name; others are shown as written. */
const RENDERERS: Readonly<Record<string, Renderer | undefined>> = {
  Math: (context, node) => (
    <code class="brain-math" title="Formula in TeX">
      {textOf(context, node).replace(/^\${1,2}|\${1,2}$/g, '')}
    </code>
  ),
  Escape: ({ body }, node) => body.slice(node.from + 1, node.to),
  Entity: (context, node) => decodeEntities(textOf(context, node)),
  HardBreak: () => <br />,
  Link: (context, node, depth) => renderMarks(context, node) ?? renderLink(context, node, depth),
  Image: renderImage,
  Autolink: renderAddress,
  URL: renderAddress,
  Wikilink: renderWikilink,
  Embed: (context, node) => renderEmbed(context, node),
  HashTag: (context, node) => <span class="brain-hashtag">{textOf(context, node)}</span>,
  FootnoteRef: footnote,
  InlineFootnote: footnote,
  HiddenText: hiddenText,
  Comment: hiddenText,
  HTMLTag: renderTag,
  ProcessingInstruction: renderTag,
};

/** Renders `[1]`, or several in a row, where the context has numbered sources; null otherwise. */
function renderMarks(context: RenderContext, node: SyntaxNode): ComponentChildren {
  const { drawMarks } = context;
  if (drawMarks === undefined) return null;
  const written = textOf(context, node);
  return /^(?:\[\d{1,4}\])+$/.test(written) ? drawMarks(written) : null;
}

/** A comment, which a reader of the note does not see but an agent does. It is shown, since a reviewer has to know it. */
function HiddenText({ text }: { readonly text: string }) {
  return (
    <span class="brain-hidden" dir="ltr" title={COMMENT}>
      <Icon name="eye-off" />
      <span class="brain-sr">Comment: </span>
      <bdi>{commentText(text)}</bdi>
    </span>
  );
}

const COMMENT = 'A comment, which the note does not show';

/** Returns the inside of a comment, of Obsidian or of HTML. */
export function commentText(written: string): string {
  return written.replace(/^(?:%%|<!--)\s?|\s?(?:%%|-->)\s*$/g, '');
}
