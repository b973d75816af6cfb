import { type Steps, Tally } from '../base/steps';
import { firstPoints } from '../base/text';
import type { DocumentText } from '../documents/ports';
import { UNITS_PER_STEP } from '../markdown/spans';
import { changeLines, type Dialect, filterSteps, linesOf, outsideCode, Properties, stemIn } from './dialect';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const JOURNAL = /(?:^|\/)journals\/\d{4}_\d\d_\d\d\.md$/i;
const CONFIG = /(?:^|\/)logseq\/config\.edn$/i;
/** Backups, and the settings in the folder itself. A note in it is the owner's. */
const SETTINGS = /^logseq\/(?:(?:bak|\.recycle|version-files)\/|[^/]+$(?<!\.md))/i;
const PAGE = /(?:^|\/)pages\/[^/]+\.md$/i;
/** Lines that only Logseq writes. */
const MARK = new RegExp(
  `^(?:title|alias|tags|public|icon):: |^[ \\t]*(?:- )?(?:id:: ${UUID}|collapsed:: true)[ \\t\\r]*$`,
  'm',
);

/** Returns true for the text of a page that only Logseq writes. */
export function isOfLogseq(place: string, markdown: string): boolean {
  return PAGE.test(place) && MARK.test(markdown.slice(0, 100_000));
}

const PROPERTY = /^([\p{L}\p{N}][^\s:]{0,59})::(?: +(.*))?$/u;
const BULLET = /^([ \t]*)- /;
const BLOCK_ID = new RegExp(`^[ \\t]*(?:- )?id:: (${UUID})[ \\t]*$`, 'i');
/** The lines of front matter that are read. */
const MAX_FRONT_MATTER = 100;
/** The properties of a page that are read; further ones stay in its text. */
const MAX_READ = 500;
/** The length of the words that a reference to a block shows (code points). */
const WORDS = 60;

/** A graph of Logseq: `pages/`, `journals/` and `assets/`. */
export class LogseqGraph implements Dialect {
  readonly told = 'The folder was read as a Logseq graph.';
  readonly leftOut = 'settings and backups of Logseq';
  /** The folders of the graphs, with a slash at the end; '' for the top. */
  readonly #roots: ReadonlySet<string>;
  /** The first words of blocks, by their ids in lower case. */
  readonly #words = new Map<string, string>();
  /** What links call each page, by its place. */
  readonly #names = new Map<string, readonly string[]>();

  private constructor(roots: Iterable<string>) {
    this.#roots = new Set(roots);
  }

  /**
   * Returns the graphs that a folder is or holds; null without one.
   * @param marked the places of pages for which `isOfLogseq` is true
   */
  static *in(places: readonly string[], marked: readonly string[]): Steps<LogseqGraph | null> {
    const sure = yield* filterSteps(places, (place) => JOURNAL.test(place) || CONFIG.test(place));
    const roots = [...sure, ...marked].map((place) => place.split('/').slice(0, -2));
    const folders = roots.map((names) => names.map((name) => `${name}/`).join(''));
    return roots.length === 0 ? null : new LogseqGraph(folders);
  }

  has(place: string): boolean {
    return /\.md$/i.test(place) && this.#below(place) !== null;
  }

  isLeftOut(place: string): boolean {
    return SETTINGS.test(this.#below(place) ?? '');
  }

  isScanned(place: string): boolean {
    return this.has(place);
  }

  *scan(place: string, { markdown }: DocumentText): Steps<void> {
    const blocks: string[] = [];
    let first = '';
    const lines = yield* linesOf(markdown);
    const { properties } = pageProperties(lines);
    const tally = new Tally(UNITS_PER_STEP);
    for (const line of lines) {
      if (tally.isFull(line.length + 1)) yield;
      const id = BLOCK_ID.exec(line.slice(0, 200))?.[1]?.toLowerCase();
      if (id !== undefined) {
        blocks.push(`((${id}))`);
        this.#words.set(id, first);
      } else if (BULLET.test(line)) first = shownWords(line.slice(0, 500));
    }
    const { title, journal } = titleOf(place, properties);
    this.#names.set(place, [title, ...journal, ...listOf(properties.get('alias')), ...blocks]);
  }

  names(place: string): readonly string[] {
    return this.#names.get(place) ?? [titleOf(place, new Map()).title];
  }

  *translate(place: string, text: DocumentText): Steps<DocumentText> {
    const lines = yield* linesOf(text.markdown);
    const page = pageProperties(lines);
    const { title, journal } = titleOf(place, page.properties);
    const { values, kept } = noteProperties(page, title, journal);
    const rest = lines.slice(page.end);
    if (kept.length > 0 && rest[0]?.trim() !== '') kept.push('');
    const body = [...kept, ...rest].join('\n');
    const blocks = yield* blockSteps(body);
    const changed = yield* changeLines(blocks, (line) => this.#line(line));
    // A note is called like its first heading, also one in a block.
    const first = /^[ \t]*(?:- )*# (.*)$/m.exec(changed)?.[1]?.trim() ?? title;
    const isNamed = first === title || lines[0]?.trimEnd() === '---';
    const markdown = isNamed ? changed : `# ${title}\n\n${changed}`;
    return { ...text, title, properties: { ...text.properties, ...values }, markdown };
  }

  /** Returns the place below the folder of its graph; null outside of all. */
  #below(place: string): string | null {
    for (let at = 0; at >= 0; at = place.indexOf('/', at) + 1 || -1)
      if (this.#roots.has(place.slice(0, at))) return place.slice(at);
    return null;
  }

  #line(line: string): string {
    // A query stays as it is: Obsidian would take its links for those of the note.
    const asCode = line.replace(
      /(?<!`)\{\{query (?:(?!\{\{query )[^`])*\}\}(?!`)/g,
      (query) => `\`${query}\``,
    );
    return outsideCode(task(asCode), (prose) => this.#prose(prose));
  }

  #prose(prose: string): string {
    return prose
      .replace(EMBED_BLOCK, (all: string, id: string) => {
        return this.#words.has(id.toLowerCase()) ? `![[((${id.toLowerCase()}))#^${id.toLowerCase()}]]` : all;
      })
      .replace(/\{\{embed \[\[([^[\]]+)\]\]\}\}/g, '![[$1]]')
      .replace(BLOCK_REFERENCE, (all: string, label: string | undefined, one?: string, other?: string) => {
        const id = (one ?? other ?? '').toLowerCase();
        const words = this.#words.get(id);
        if (words === undefined) return all;
        const shown = (label ?? words).replace(/[[\]|]/g, ' ').trim();
        return `[[((${id}))#^${id}${shown === '' ? '' : `|${shown}`}]]`;
      })
      .replace(/\[([^[\]\n]+)\]\(\[\[([^[\]]+)\]\]\)/g, '[[$2|$1]]')
      .replace(
        /(?<![\p{L}\p{N}_#&/])#\[\[([^[\]]+)\]\]/gu,
        (all: string, words: string) => tagOf(words) ?? all.slice(1),
      )
      .replace(/\^\^(?=\S)([^^\n]*[^\s^])\^\^/g, '==$1==')
      .replace(/(!\[[^[\]\n]*\]\([^()\n]*\))\{:(?:height|width) [^{}\n]*\}/g, '$1');
  }
}

const EMBED_BLOCK = new RegExp(`\\{\\{embed \\(\\((${UUID})\\)\\)\\}\\}`, 'gi');
/** A reference to a block, with words of its own or without. An embed in brackets is none. */
const BLOCK_REFERENCE = new RegExp(
  `\\[([^[\\]\\n]+)\\]\\(\\(\\((${UUID})\\)\\)\\)|(?<!\\[)\\(\\((${UUID})\\)\\)(?!#)`,
  'gi',
);

/** Returns the tag of several words; null when it has other characters than those of a tag. */
function tagOf(words: string): string | null {
  const tag = words.trim().replace(/\s+/g, '-');
  return /^[\p{L}\p{M}\p{N}_/-]+$/u.test(tag) && /[^\d/_-]/.test(tag) ? `#${tag}` : null;
}

/** Returns the properties at the top of a page. Front matter stays in the text; only its title and aliases count. */
function pageProperties(lines: readonly string[]): ReturnType<typeof propertyLines> {
  if (lines[0]?.trimEnd() !== '---') return propertyLines(lines);
  const properties = new Map<string, string>();
  for (const line of lines.slice(1, MAX_FRONT_MATTER)) {
    if (line.trimEnd() === '---') break;
    const [, key, value = ''] = /^(title|alias):[ \t]+["']?([^"'\n]*)/i.exec(line.slice(0, 500)) ?? [];
    if (key !== undefined) properties.set(key.toLowerCase(), value.trim());
  }
  return { properties, end: 0 };
}

/**
 * Reads the properties before the first block, or a first block of nothing else; the second one of a name is text. `end` is the
 * number of their lines.
 */
function propertyLines(lines: readonly string[]): { properties: Map<string, string>; end: number } {
  const properties = new Map<string, string>();
  let end = 0;
  const isBlock = /^- [^\s:]+::/.test(lines[0]?.slice(0, 200) ?? '');
  for (; end < Math.min(lines.length, MAX_READ); end += 1) {
    const line = lines[end] ?? '';
    const start = isBlock ? (end === 0 ? '- ' : '  ') : '';
    if (!line.startsWith(start) || line.length >= 10_000) break;
    const [, key, value = ''] = PROPERTY.exec(line.slice(start.length).trimEnd()) ?? [];
    if (key === undefined || properties.has(key.toLowerCase())) break;
    properties.set(key.toLowerCase(), value.trim());
  }
  // A block with text too has properties of its own.
  const isMixed = isBlock && /^[ \t]+[^\s-]/.test(lines[end] ?? '');
  return isMixed ? { properties: new Map(), end: 0 } : { properties, end };
}

/** Returns the properties of the note of a page, and as lines what of the page is no property of a note. */
function noteProperties(
  page: ReturnType<typeof propertyLines>,
  title: string,
  journal: readonly string[],
): { values: Properties['values']; kept: string[] } {
  const properties = new Properties();
  const own = page.properties.get('title') ?? title;
  const names = [...journal.slice(0, 1), ...(own === title || own === '' ? [] : [own])];
  for (const key of ['alias', 'aliases']) names.push(...listOf(page.properties.get(key)));
  const hasAliases = properties.add('aliases', names);
  if (!hasAliases) properties.add('aliases', journal.slice(0, 1));
  const kept: string[] = [];
  // Front matter stays in the text as it is.
  for (const [key, value] of page.end === 0 ? [] : page.properties) {
    if (key === 'collapsed' || (key === 'title' && value === title)) continue;
    if (hasAliases && /^(?:title|alias|aliases)$/.test(key)) continue;
    const isTaken = key !== 'title' && properties.add(key, key === 'tags' ? listOf(value) : value);
    if (!isTaken) kept.push(`${key}:: ${value}`);
  }
  return { values: properties.values, kept };
}

/** Returns the values of a property: `[[a]], b` are two. */
function listOf(value = ''): string[] {
  const names = value.match(/#?\[\[[^[\]]*\]\]|[^,\s[\]][^,[\]]*/g) ?? [];
  return names
    .map((name) =>
      name
        .replace(/^#?\[\[|\]\]$/g, '')
        .replace(/^#/, '')
        .trim(),
    )
    .filter((name) => name !== '');
}

/** Returns the title of a page, and for a journal the names of its day. */
function titleOf(
  place: string,
  properties: ReadonlyMap<string, string>,
): { title: string; journal: string[] } {
  const own = properties.get('title') ?? '';
  const stem = stemIn(place);
  const [, year = '', month = '', day = ''] =
    (/(?:^|\/)journals\//i.test(place) && /^(\d{4})[_-](\d\d)[_-](\d\d)$/.exec(stem)) || [];
  if (year !== '') return { title: `${year}-${month}-${day}`, journal: dayNames(year, month, day) };
  if (own !== '') return { title: own, journal: [] };
  return { title: decoded(stem.replace(/___/g, '/')), journal: [] };
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Returns the titles that journals have in the usual date formats, the default one first. */
function dayNames(year: string, month: string, day: string): string[] {
  const name = MONTHS[Number(month) - 1] ?? '';
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const weekday = DAYS[date.getUTCDay()] ?? '';
  const number = Number(day);
  const ending = number > 3 && number < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  const short = `${name.slice(0, 3)} ${number}${ending}, ${year}`;
  return [
    short,
    `${name} ${number}${ending}, ${year}`,
    `${weekday.slice(0, 3)}, ${short}`,
    `${weekday}, ${year}/${month}/${day}`,
    ...['_', '/', ''].map((sign) => [year, month, day].join(sign)),
    ...[', ', ' '].map((sign) => `${weekday.slice(0, 3)}${sign}${day}-${month}-${year}`),
    `${day}-${month}-${year}`,
    `${day}.${month}.${year}`,
  ];
}

function decoded(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (coded) => {
    try {
      return decodeURIComponent(coded);
    } catch {
      return coded;
    }
  });
}

/** Returns the first words of a block, without markup. */
function shownWords(line: string): string {
  const words = line
    .replace(BULLET, '')
    .replace(/^(?:TODO|DOING|DONE|NOW|LATER|WAITING|CANCELED|CANCELLED|IN-PROGRESS) /, '')
    .replace(/^#{1,6} /, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[[\]|`*_{}]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return firstPoints(words, WORDS);
}

/** Shows the state of a task: a box for one to do or done; any other state stays as a word behind the box. */
function task(line: string): string {
  return line.replace(
    /^([ \t]*- )(TODO|DOING|DONE|NOW|LATER|WAITING|CANCELED|CANCELLED|IN-PROGRESS) /,
    (_, bullet: string, state: string) => {
      const isClosed = state === 'DONE' || state.startsWith('CANCEL');
      const word = state === 'TODO' || state === 'DONE' ? '' : `${state} `;
      return `${bullet}[${isClosed ? 'x' : ' '}] ${word}`;
    },
  );
}

/** Writes the ids of blocks behind their texts, and leaves out which blocks were folded. */
function* blockSteps(body: string): Steps<string> {
  const result: string[] = [];
  /** The index in `result` of the last line of the text of the block that is open. */
  let last = -1;
  let fence = '';
  const tally = new Tally(UNITS_PER_STEP);
  for (const line of yield* linesOf(body)) {
    if (tally.isFull(line.length + 1)) yield;
    const [, mark = ''] = /^[ \t]*(?:- )*(`{3,}|~{3,})/.exec(line.slice(0, 200)) ?? [];
    const isCode = fence !== '' || mark !== '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    if (!isCode && /^[ \t]*collapsed:: (?:true|false)[ \t]*$/.test(line)) continue;
    const id = isCode ? undefined : BLOCK_ID.exec(line.slice(0, 200))?.[1];
    const own = result[last];
    if (id !== undefined && own !== undefined) {
      const isFence = /^[ \t]*(?:`{3,}|~{3,})/.test(own);
      const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
      result[last] = isFence ? `${own}\n\n${indent}^${id.toLowerCase()}` : `${own} ^${id.toLowerCase()}`;
      continue;
    }
    result.push(line);
    if (line.trim() !== '' && !/^[ \t]*[^\s:-][^\s:]*:: /.test(line)) last = result.length - 1;
  }
  return result.join('\n');
}
