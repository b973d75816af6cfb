import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BenchDocument, flat } from './corpus';
import { randomFrom } from './support';

const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const HEADING = /^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/gm;
/**
 * A recombined document takes its other paragraphs from so many neighbours: those of the same folder, so of the same
 * language.
 */
const NEIGHBOURS = 40;

/** Reads one Markdown text: title is its first heading of level 1, else the name of the file. */
export function markdownDocument(path: string, source: string): BenchDocument {
  const body = plainLinks(source.replace(FRONT_MATTER, ''));
  const title = /^#[ \t]+(.+)$/m.exec(body)?.[1]?.trim() ?? basename(path, '.md');
  const headings = [...body.matchAll(HEADING)].map(([, heading = '']) => heading);
  return { path, title, headings: headings.filter((heading) => heading !== title).join('\n'), text: body };
}

/** Every Markdown file below a folder, in a seeded order. */
export function markdownDocuments(folder: string, seed: number): BenchDocument[] {
  const paths = markdownPaths(folder);
  const random = randomFrom(seed);
  for (let at = paths.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [paths[at], paths[other]] = [paths[other] ?? '', paths[at] ?? ''];
  }
  return paths.map((path) => flatDocument(markdownDocument(path, readFileSync(join(folder, path), 'utf8'))));
}

/** The Markdown files below a folder, sorted. */
export function markdownPaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
}

/**
 * Documents made from paragraphs of real ones: each keeps about half of the paragraphs of one document and takes the others
 * from its neighbours by path, so that words still go together as they do in real notes.
 */
export function* recombined(
  real: readonly BenchDocument[],
  seed: number,
  count: number,
): Iterable<BenchDocument> {
  const random = randomFrom(seed + 1);
  const sorted = [...real].sort((a, b) => (a.path < b.path ? -1 : 1));
  const paragraphs = sorted.map(({ text }) => text.split(/\n\s*\n/).filter((part) => part.trim() !== ''));
  for (let n = 0; n < count; n += 1) {
    const base = Math.floor(random() * sorted.length);
    const neighbour = (): number =>
      (base + Math.floor(random() * NEIGHBOURS) - NEIGHBOURS / 2 + sorted.length) % sorted.length;
    const parts = (paragraphs[base] ?? []).map((own) => {
      const others = random() < 0.5 ? undefined : paragraphs[neighbour()];
      return others?.[Math.floor(random() * others.length)] ?? own;
    });
    const title = (random() < 0.5 ? sorted[base] : sorted[neighbour()])?.title ?? '';
    const text = parts.join('\n\n');
    const headings = [...text.matchAll(HEADING)].map(([, heading = '']) => heading).join('\n');
    yield flatDocument({ path: `recombined/${n}.md`, title, headings, text });
  }
}

/** `[[a|b]]` and `[b](a)` as `b`, `[[a]]` as `a`: what a reader sees. */
function plainLinks(text: string): string {
  return text
    .replace(/!?\[\[(?:[^\][|]*\|)?([^\][|]+)\]\]/g, '$1')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1');
}

function flatDocument({ path, title, headings, text }: BenchDocument): BenchDocument {
  return { path, title: flat(title), headings: flat(headings), text: flat(text) };
}
