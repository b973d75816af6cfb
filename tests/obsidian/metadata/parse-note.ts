import type { CachedMetadata, EmbedCache, HeadingCache, LinkCache, Loc, Pos, TagCache } from 'obsidian';
import { getFrontMatterInfo, parseYaml } from '../core/yaml';

const LINK = /(!?)\[\[([^\]|\n]+)(?:\|([^\]\n]*))?\]\]|(!?)\[([^\]\n]*)\]\(([^)\s]+)\)/g;
const TAG = /(?:^|\s)(#[\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)/gu;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t]*#*$/;
const FENCE = /^ {0,3}(```+|~~~+)/;

/** The metadata of a note that the host keeps: front matter, headings, links, embeds and tags, each with its place. */
export function parseNote(text: string): CachedMetadata {
  const cache: CachedMetadata = {};
  const info = getFrontMatterInfo(text);
  const at = locator(text);
  if (info.exists) {
    const matter = readMatter(info.frontmatter);
    if (matter !== null) cache.frontmatter = matter;
    cache.frontmatterPosition = { start: at(0), end: at(info.contentStart) };
  }
  const headings: HeadingCache[] = [];
  const links: LinkCache[] = [];
  const embeds: EmbedCache[] = [];
  const tags: TagCache[] = [];
  for (const { line, offset } of proseLines(text, info.contentStart)) {
    const position = (from: number, length: number): Pos => ({
      start: at(offset + from),
      end: at(offset + from + length),
    });
    const heading = HEADING.exec(line);
    if (heading !== null) {
      const [, marks = '', words = ''] = heading;
      headings.push({ heading: words, level: marks.length, position: position(0, line.length) });
    }
    for (const found of line.matchAll(LINK)) {
      const ref = { ...reference(found), position: position(found.index, found[0].length) };
      if (found[0].startsWith('!')) embeds.push(ref);
      else if (!/^[a-z][a-z\d+.-]*:/i.test(ref.link)) links.push(ref);
    }
    for (const found of line.matchAll(TAG)) {
      const tag = found[1] ?? '';
      tags.push({ tag, position: position(found.index + found[0].length - tag.length, tag.length) });
    }
  }
  if (headings.length > 0) cache.headings = headings;
  if (links.length > 0) cache.links = links;
  if (embeds.length > 0) cache.embeds = embeds;
  if (tags.length > 0) cache.tags = tags;
  return cache;
}

function readMatter(yaml: string): Record<string, unknown> | null {
  try {
    const found = parseYaml(yaml);
    return typeof found === 'object' && found !== null ? { ...found } : null;
  } catch {
    // Broken front matter is no front matter to the host; the note itself is shown as it is.
    return null;
  }
}

function reference(found: RegExpExecArray): { link: string; original: string; displayText?: string } {
  const [original, , wiki, alias, , label = '', target = ''] = found;
  if (wiki === undefined) return { original, link: decodeURI(target), displayText: label };
  return { original, link: wiki, displayText: alias ?? wiki };
}

function* proseLines(text: string, from: number): Generator<{ line: string; offset: number }> {
  let fence: string | null = null;
  let offset = from;
  for (const raw of text.slice(from).split('\n')) {
    const line = raw.replace(/\r$/, '');
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
    } else if (mark !== undefined) fence = mark;
    else yield { line, offset };
    offset += raw.length + 1;
  }
}

function locator(text: string): (offset: number) => Loc {
  return (offset) => {
    const before = text.slice(0, offset);
    const line = before.split('\n').length - 1;
    return { line, col: offset - (before.lastIndexOf('\n') + 1), offset };
  };
}
