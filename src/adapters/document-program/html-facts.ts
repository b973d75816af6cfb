import { isRecord, parsedJson } from '../../core/base/json';
import type { ReadText } from './protocol';

/** What a page says of itself. */
export interface PageFacts {
  readonly title: string;
  /** The web address of the page; null when it tells none. */
  readonly address: string | null;
  /** The base of its relative links; null without one. */
  readonly base: string | null;
  readonly properties: NonNullable<ReadText['properties']>;
}

/** The length of a title or a property (UTF-16 units). */
const MAX_TITLE = 300;
/** The part of a file in which a program that saved it names the address (UTF-16 units). */
const HEAD_LENGTH = 8192;
/** The number and length of the blocks of linked data that are read. */
const MAX_BLOCKS = 20;
const MAX_BLOCK = 500_000;

/** The notes of programs that save pages, with the address as the only group. */
const SAVED = [
  /<!--\s*saved from url=\(\d+\)\s*([^\s>]+)/i,
  /<!--\s*Page saved with SingleFile\s+url:\s*([^\s>]+)/i,
  /<!--\s*Saved from\s+([^\s>]+)/i,
];

/** Reads the address, title, author, date and site of a page from its head, its linked data and the notes of savers. */
export function factsOf(document: Document, html: string): PageFacts {
  const meta = metaOf(document);
  const data = linkedDataOf(document);
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? null;
  const saved = webAddress(
    SAVED.map((note) => note.exec(html.slice(0, HEAD_LENGTH))?.[1]).find(Boolean) ?? meta('savepage-url'),
    null,
  );
  const from = saved ?? webAddress(base, null);
  const canonical = document.querySelector('link[rel~="canonical" i][href]')?.getAttribute('href');
  const address = webAddress(canonical, from) ?? webAddress(meta('og:url'), from) ?? saved;
  const site = meta('og:site_name') || nameOf(data.publisher) || meta('application-name');
  const author = authorOf(document, meta, data);
  const date = dateOf(document, meta, data);
  return {
    title: titleOf(document, meta, data),
    address,
    base: webAddress(base, saved ?? address) ?? saved ?? address ?? base,
    properties: {
      ...(author !== '' && { author }),
      ...(date !== '' && { date }),
      ...(site !== '' && { site }),
    },
  };
}

type Meta = (name: string) => string;
type LinkedData = Readonly<Record<string, unknown>>;

/** Returns a function that gives the first value of a meta element by its name, property or itemprop; '' without one. */
function metaOf(document: Document): Meta {
  const values = new Map<string, string>();
  for (const element of Array.from(document.querySelectorAll('meta[content]'))) {
    const value = line(element.getAttribute('content'));
    for (const key of ['name', 'property', 'itemprop']) {
      const name = element.getAttribute(key)?.toLowerCase();
      if (name !== undefined && value !== '' && !values.has(name)) values.set(name, value);
    }
  }
  return (name) => values.get(name) ?? '';
}

const ARTICLE = /Article|Posting|Report|WebPage|Recipe|Book|Review|NewsArticle/;

/** Returns the first object of JSON-LD that describes an article, else a page; empty without one. */
function linkedDataOf(document: Document): LinkedData {
  const found: LinkedData[] = [];
  const blocks = document.querySelectorAll('script[type="application/ld+json"]');
  for (const block of Array.from(blocks).slice(0, MAX_BLOCKS)) {
    const text = block.textContent ?? '';
    if (text.length <= MAX_BLOCK) found.push(...objectsOf(parsedJson(text)));
  }
  const typed = found.filter(({ '@type': type }) => ARTICLE.test(String(type)));
  return typed.find(({ '@type': type }) => String(type) !== 'WebPage') ?? typed[0] ?? {};
}

function objectsOf(value: unknown): LinkedData[] {
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return [];
  const { '@graph': graph } = value;
  return [value, ...(Array.isArray(graph) ? graph.filter(isRecord) : [])];
}

/** Returns the names of a person or organisation, or of several. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return /^https?:/i.test(value) ? '' : line(value);
  if (Array.isArray(value)) return line(value.slice(0, 20).map(nameOf).filter(Boolean).join(', '));
  return isRecord(value) ? nameOf(value.name) : '';
}

function authorOf(document: Document, meta: Meta, data: LinkedData): string {
  const cited = Array.from(document.querySelectorAll('meta[name="citation_author" i]'), (element) =>
    line(element.getAttribute('content')),
  );
  const written = document.querySelector(
    '[itemprop~="author"] [itemprop~="name"], [itemprop~="author"], [rel~="author"]',
  );
  const byline = line(written?.getAttribute('content') ?? written?.textContent);
  return (
    [
      nameOf(cited),
      meta('author'),
      nameOf(data.author),
      meta('dc.creator'),
      meta('article:author'),
      byline.length <= 80 ? byline.replace(/^by\s+/i, '') : '',
    ].find((name) => name !== '' && !/^https?:/i.test(name)) ?? ''
  );
}

function dateOf(document: Document, meta: Meta, data: LinkedData): string {
  const time = document.querySelector(
    'time[pubdate], [itemprop~="datePublished"], time.published, time.entry-date',
  );
  const found = [
    meta('article:published_time'),
    typeof data.datePublished === 'string' ? data.datePublished : '',
    meta('datepublished'),
    ...['citation_publication_date', 'dc.date', 'dcterms.date', 'date', 'pubdate', 'publish-date'].map(meta),
    time?.getAttribute('datetime') ?? time?.getAttribute('content') ?? '',
  ].map(line);
  const date = found.find((value) => value !== '') ?? '';
  return /^\d{4}[-/]\d\d?[-/]\d\d?/.exec(date)?.[0].replace(/\//g, '-') ?? date;
}

/** Returns the title in the head, without the name of the site at its end, else that of the metadata. */
function titleOf(document: Document, meta: Meta, data: LinkedData): string {
  const shared = meta('og:title') || (typeof data.headline === 'string' ? line(data.headline) : '');
  const title = line(document.title);
  // "Story | Site" is the story when the page tells others that this is its title.
  const isLonger =
    shared !== '' && title.startsWith(shared) && /^\s*[|–—·:»-]/.test(title.slice(shared.length));
  const taken = title === '' || isLonger ? shared : title;
  return taken;
}

function webAddress(text: string | null | undefined, base: string | null): string | null {
  const href = (text ?? '').trim();
  if (href === '' || href.length > 2000) return null;
  const url = URL.canParse(href)
    ? new URL(href)
    : base !== null && URL.canParse(href, base)
      ? new URL(href, base)
      : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function line(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
}
