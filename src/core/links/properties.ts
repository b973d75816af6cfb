import { bytesOf, readBlock } from '../frontmatter/block';
import { splitNote } from '../frontmatter/split';
import type { Values } from '../frontmatter/yaml';
import { type LinkUse, readAddress } from '../markdown/address';
import { readWiki, wikiStop } from '../markdown/inline';
import type { Followed } from './follow';

/** A link in a value of the front matter. */
interface PropertyLink extends LinkUse {
  /** The range of the target's source in the value, without its fragment; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** The range of the whole link. */
  readonly start: number;
  readonly end: number;
}

const OPENING = /!?\[/g;
const MARKDOWN_LINK =
  /\[([^[\]\n]*)\]\([ \t]*(<[^<>\n]*>|(?:[^\s()<>]|\([^\s()<>]*\))+)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)/y;

/** Returns the links in one value: wikilinks, embeds, and Markdown links that lead into the vault. Never throws. */
export function linksInValue(value: string): PropertyLink[] {
  const links: PropertyLink[] = [];
  OPENING.lastIndex = 0;
  for (let found = OPENING.exec(value); found !== null; found = OPENING.exec(value)) {
    const at = OPENING.lastIndex - 1;
    const embed = found[0] !== '[';
    const link = value[at + 1] === '[' ? wikilinkAt(value, at, embed) : markdownLinkAt(value, at, embed);
    if (link === null) continue;
    if (link.target !== '') links.push(link);
    OPENING.lastIndex = Math.max(OPENING.lastIndex, link.end);
  }
  return links;
}

function wikilinkAt(value: string, at: number, embed: boolean): PropertyLink | null {
  const wiki = readWiki(value, at, wikiStop(value, at));
  if (wiki === null || /[[\]]/.test(wiki.target)) return null;
  const [name = ''] = wiki.target.split('#', 1);
  const target = name.trim();
  const from = at + 2 + name.indexOf(target);
  const fragment = wiki.target.slice(name.length + 1).trim();
  const text = wiki.alias.trim();
  return {
    kind: embed ? 'embed' : 'wikilink',
    target,
    fragment: fragment === '' ? null : fragment,
    text: text === '' ? null : text,
    from,
    to: from + target.length,
    start: at - Number(embed),
    end: wiki.end,
  };
}

function markdownLinkAt(value: string, at: number, image: boolean): PropertyLink | null {
  MARKDOWN_LINK.lastIndex = at;
  const [all, text = '', written = ''] = MARKDOWN_LINK.exec(value) ?? [];
  if (all === undefined) return null;
  const address = readAddress(written);
  if (address.kind !== 'internal') return null;
  const pointed = written.startsWith('<') ? 1 : 0;
  const hash = written.indexOf('#');
  const from = at + text.length + all.slice(text.length).indexOf(written, 2) + pointed;
  return {
    kind: image ? 'image' : 'mdlink',
    target: address.name,
    fragment: address.fragment,
    text: text.trim() === '' ? null : text.trim(),
    from,
    to: from + (hash < 0 ? written.length - pointed : hash) - pointed,
    start: at - Number(image),
    end: at + all.length,
  };
}

/** Returns the links in all values of a front matter, lists and maps included, in order. */
export function propertyLinks(values: Values): PropertyLink[] {
  return Object.values(values).flatMap(linksIn);
}

function linksIn(value: unknown): PropertyLink[] {
  if (typeof value === 'string') return value.includes('[') ? linksInValue(value) : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linksIn) : [];
}

/**
 * Returns a link's new target as it is written, and the words that a link without words gets; `text` when it becomes its words; null to
 * leave it.
 */
type Retarget = (link: PropertyLink) => Followed | null;

/**
 * Changes the targets of the links in a note's properties, in their own YAML quotes; every other byte stays. The note is returned
 * unchanged when its front matter cannot be read, or when the result would not read as equal but for the links.
 */
export function retargetProperties(text: string, retarget: Retarget): string {
  const split = splitNote(text);
  if (split === null || !/\[|\\[xuU]/.test(split.block)) return text;
  const block = readBlock(split.block);
  if ('reason' in block) return text;
  let result = '';
  let end = 0;
  let at = block.head.length;
  for (const entry of block.entries) {
    const start = at + entry.before.length;
    at += bytesOf(entry).length;
    for (const scalar of scalarsIn(entry.text, entry.valueAt)) {
      for (const link of linksInValue(scalar.value)) {
        const made = changed(scalar.value, link, retarget);
        if (made === null) continue;
        const from = start + scalar.offset(made.from);
        result += split.block.slice(end, from) + scalar.encode(made.text);
        end = start + scalar.offset(made.to);
      }
    }
  }
  if (end === 0) return text;
  result += split.block.slice(end);
  const read = readBlock(result);
  if ('reason' in read || !isRetargeted(read.values, block.values, retarget)) return text;
  const rest = split.close.length + split.body.length;
  const from = text.length - rest - split.block.length;
  return text.slice(0, from) + result + text.slice(text.length - rest);
}

/** Returns the range of a value that gets another text, and that text; null for a link that stays. */
function changed(
  value: string,
  link: PropertyLink,
  retarget: Retarget,
): { from: number; to: number; text: string } | null {
  const made = retarget(link);
  if (made === null) return null;
  if (made === 'text') return { from: link.start, to: link.end, text: link.text ?? link.target };
  const { from, to } = link;
  const { target, words } = made;
  const keepsWords = words === undefined || (link.text !== null && words !== null);
  if (link.kind !== 'wikilink' || keepsWords) return { from, to, text: target };
  const end = link.end - ']]'.length;
  const fragment = value.slice(to, end).replace(/\|[^]*$/, '');
  return { from, to: end, text: `${target}${fragment}${words === null ? '' : `|${words}`}` };
}

/** Returns true when two values are equal but for links with their new targets. */
function isRetargeted(now: unknown, before: unknown, retarget: Retarget): boolean {
  if (typeof before === 'string') return now === before || now === retargeted(before, retarget);
  if (typeof before !== 'object' || before === null) return now === before;
  if (typeof now !== 'object' || now === null || Array.isArray(now) !== Array.isArray(before)) return false;
  const [ours, theirs] = [Object.entries(now), Object.entries(before)];
  return (
    ours.length === theirs.length &&
    ours.every(([key, value], n) => key === theirs[n]?.[0] && isRetargeted(value, theirs[n]?.[1], retarget))
  );
}

function retargeted(value: string, retarget: Retarget): string {
  let result = '';
  let end = 0;
  for (const link of linksInValue(value)) {
    const made = changed(value, link, retarget);
    if (made === null) continue;
    result += value.slice(end, made.from) + made.text;
    end = made.to;
  }
  return result + value.slice(end);
}

/** A YAML scalar with its source. */
interface WrittenScalar {
  /** The decoded value. */
  readonly value: string;
  /** Returns the offset in the source text of a character of the value. */
  offset(at: number): number;
  /** Encodes a text for the quotes of this scalar. */
  encode(text: string): string;
}

const SKIPPED = /(?:[\s,:\]}]|(?<=\s)#[^\n]*|(?<=^|[\s])[-?](?=\s|$))+/y;
const DOUBLE = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const SINGLE = /'[^']*(?:''[^']*)*'/y;
const BLOCK_HEADER = /[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n/y;
const PLAIN_IN_BLOCK = /[^\s](?:[^\n\s:]|:(?!\s)|[ \t\r]+(?![#\s]))*/y;
const PLAIN_IN_FLOW = /[^\s](?:[^\n\s:,[\]{}]|:(?!\s)|[ \t\r]+(?![#\s]))*/y;

/**
 * Returns the scalars of an entry that may hold a link, keys included. The scan is approximate, because the caller parses the
 * result again.
 */
function scalarsIn(text: string, valueAt: number): WrittenScalar[] {
  const scalars: WrittenScalar[] = [];
  const match = (pattern: RegExp, at: number): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  let depth = 0;
  for (let at = valueAt; at < text.length;) {
    const skipped = match(SKIPPED, at);
    if (skipped !== null) {
      if (depth > 0) depth = Math.max(0, depth - skipped.split(/[\]}]/).length + 1);
      at += skipped.length;
      continue;
    }
    const sign = text[at];
    if (sign === '[' || sign === '{') {
      depth += 1;
      at += 1;
      continue;
    }
    const quoted = match(sign === '"' ? DOUBLE : SINGLE, at);
    const header = depth === 0 ? match(BLOCK_HEADER, at) : null;
    let written: string;
    if (quoted !== null) {
      written = quoted;
      if (/[[\\]/.test(quoted))
        scalars.push(sign === '"' ? doubleQuoted(quoted, at) : singleQuoted(quoted, at));
    } else if (header !== null) {
      written = header + blockAfter(text, at, at + header.length);
      scalars.push(asWritten(written, at));
    } else {
      written = match(depth > 0 ? PLAIN_IN_FLOW : PLAIN_IN_BLOCK, at) ?? text.slice(at, at + 1);
      if (written.includes('[')) scalars.push(asWritten(written, at));
    }
    at += written.length;
  }
  return scalars;
}

/** Returns the lines of a block scalar: blank ones, and those indented deeper than the line with its header. */
function blockAfter(text: string, header: number, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', header - 1) + 1, header);
  const indent = /^[ ]*/.exec(line)?.[0].length ?? 0;
  let end = start;
  while (end < text.length) {
    const feed = text.indexOf('\n', end);
    const next = text.slice(end, feed < 0 ? text.length : feed + 1);
    if (next.trim() !== '' && !next.startsWith(' '.repeat(indent + 1))) break;
    end += next.length;
  }
  return text.slice(start, end);
}

function asWritten(written: string, start: number): WrittenScalar {
  return { value: written, offset: (at) => start + at, encode: (text) => text };
}

function singleQuoted(written: string, start: number): WrittenScalar {
  return decoded(written, start, /''|(?<![ \t])[ \t]*(?:\r?\n[ \t]*)+/g, (text) =>
    text.replaceAll("'", "''"),
  );
}

function doubleQuoted(written: string, start: number): WrittenScalar {
  return decoded(
    written,
    start,
    /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|[^])|(?<![ \t])[ \t]*(?:\r?\n[ \t]*)+/g,
    (text) => JSON.stringify(text).slice(1, -1).replaceAll('<%', '\\u003c%'),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', _: '\u00a0', N: '\u0085' };

function decoded(
  written: string,
  start: number,
  pattern: RegExp,
  encode: (text: string) => string,
): WrittenScalar {
  let value = '';
  /** The beginnings of runs of unescaped characters, in the value and in the source. */
  const runs: (readonly [number, number])[] = [[0, 1]];
  let end = 1;
  for (const { 0: escape, index } of written.slice(0, -1).matchAll(pattern)) {
    if (index < end) continue;
    value += written.slice(end, index);
    runs.push([value.length, index]);
    value += decodedEscape(escape);
    end = index + escape.length;
    runs.push([value.length, end]);
  }
  value += written.slice(end, -1);
  return {
    value,
    offset(at) {
      let [low, high] = [0, runs.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((runs[middle]?.[0] ?? 0) <= at) low = middle;
        else high = middle - 1;
      }
      const [from, to] = runs[low] ?? [0, 1];
      return start + to + at - from;
    },
    encode,
  };
}

/** Decodes an escape, or the folded line ends of a quoted scalar. */
function decodedEscape(escape: string): string {
  if (escape === "''") return "'";
  if (!escape.startsWith('\\')) {
    const feeds = escape.split('\n').length - 1;
    return feeds === 1 ? ' ' : '\n'.repeat(feeds - 1);
  }
  if (escape.includes('\n')) return '';
  if (escape.length > 2) {
    const point = Number.parseInt(escape.slice(2), 16);
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  }
  const sign = escape.slice(1);
  return ESCAPES[sign] ?? sign;
}
