import { ITEMS_PER_STEP, type Steps, Tally } from '../base/steps';
import type { DocumentText } from '../documents/ports';
import { folderOf } from '../vocabulary/paths';
import {
  changeLines,
  type Dialect,
  linesOf,
  linkText,
  outsideCode,
  PLACES_PER_STEP,
  Properties,
  stemIn,
} from './dialect';

/** The name of an exported file: the title, then the id of the page. `_all` marks a database with all of its rows. */
const NAMED = /^(.+?) ([0-9a-f]{32})(_all)?$/i;
const EXTENSION = /\.(?:md|csv|html?)$/i;

/** Returns title and id in the name of a file that Notion exported; null for any other name. */
function exported(place: string): { title: string; id: string; isAll: boolean } | null {
  if (!EXTENSION.test(place)) return null;
  const [, title = '', id, all] = NAMED.exec(stemIn(place)) ?? [];
  const isNamed = id !== undefined && title.trim() !== '';
  return isNamed ? { title: title.trim(), id: id.toLowerCase(), isAll: all !== undefined } : null;
}

/** Returns the name of a file without the id that Notion writes behind the title. */
export function withoutNotionId(name: string): string {
  const found = exported(name);
  return found === null ? name : found.title + name.slice(name.lastIndexOf('.'));
}

/** Keys that Notion itself gives to rows. A block with one of them has properties, also without its database. */
const USUAL =
  /^(?:Created|Created time|Created by|Last edited time|Last edited by|Status|Tags|Date|Due|Due date|Assign|Assignee|Owner|Priority|URL|Type|Parent item|Sub-item)$/;

/** An export of Notion as Markdown and CSV. */
export class NotionExport implements Dialect {
  readonly told = 'The folder was read as a Notion export.';
  readonly leftOut = 'views of databases, whose rows the file "…_all.csv" has';
  /** The places by the ids of their pages; a database with all rows goes before its view. */
  readonly #byId = new Map<string, string>();
  /** The databases by the folders of their rows: the columns, and the ids of the rows by title (null for several). */
  readonly #databases = new Map<string, Database>();

  private constructor() {}

  /** Returns the export that a folder is or holds; null without a file that is named as those of Notion. */
  static *in(places: readonly string[]): Steps<NotionExport | null> {
    const made = new NotionExport();
    const tally = new Tally(PLACES_PER_STEP);
    for (const place of places) {
      made.#add(place);
      if (tally.isFull()) yield;
    }
    return made.#byId.size === 0 ? null : made;
  }

  #add(place: string): void {
    const found = exported(place);
    if (found === null) return;
    if (found.isAll || !this.#byId.has(found.id)) this.#byId.set(found.id, place);
    if (!/\.csv$/i.test(place)) return;
    const database = this.#databaseOf(place) ?? { columns: new Set(), rows: new Map() };
    for (const folder of rowFolders(place)) this.#databases.set(folder, database);
  }

  has(place: string): boolean {
    return exported(place) !== null;
  }

  /** A view of a database has some of the rows that the whole database has. */
  isLeftOut(place: string): boolean {
    const found = exported(place);
    const other = this.#byId.get(found?.id ?? '');
    return found?.isAll === false && /_all\.csv$/i.test(other ?? '') && /\.csv$/i.test(place);
  }

  isScanned(place: string): boolean {
    return this.#databaseOf(place) !== undefined;
  }

  *scan(place: string, { markdown }: DocumentText): Steps<void> {
    const database = this.#databaseOf(place);
    const found = exported(place);
    if (database === undefined || found === null) return;
    if (/\.csv$/i.test(place)) {
      const lines = yield* linesOf(markdown);
      const tally = new Tally(ITEMS_PER_STEP);
      for (const [n, line] of lines.entries()) {
        if (tally.isFull()) yield;
        if (isRule(lines[n + 1])) for (const cell of cellsOf(line)) database.columns.add(plainCell(cell));
      }
      return;
    }
    const heading = /^# (.*)$/m.exec(markdown.slice(0, 2000))?.[1] ?? found.title;
    const title = titleKey(plainCell(heading));
    database.rows.set(title, database.rows.has(title) ? null : found.id);
  }

  names(place: string): readonly string[] {
    const found = exported(place);
    return found !== null && this.#byId.get(found.id) === place ? [found.id] : [];
  }

  *translate(place: string, text: DocumentText): Steps<DocumentText> {
    const found = exported(place);
    if (found === null) return text;
    const title = text.title ?? found.title;
    if (/\.csv$/i.test(place)) {
      return { ...text, title, markdown: yield* this.#linkRows(place, text.markdown) };
    }
    const isMarkdown = /\.md$/i.test(place);
    const { markdown, properties } = isMarkdown
      ? this.#takeProperties(place, text.markdown)
      : { markdown: text.markdown, properties: {} };
    const shown = yield* changeLines(yield* calloutSteps(markdown), (line) =>
      outsideCode(line, (prose) => this.#linked(prose)),
    );
    const hasHeading = /^# /m.test(shown.slice(0, 2000));
    return {
      ...text,
      ...(!hasHeading && { title }),
      properties: { ...text.properties, ...properties },
      markdown: shown,
    };
  }

  /** Returns the database to which a table or a row belongs. */
  #databaseOf(place: string): Database | undefined {
    const folders = /\.csv$/i.test(place) ? rowFolders(place) : [folderOf(place)];
    return folders.flatMap((folder) => this.#databases.get(folder) ?? [])[0];
  }

  /** Returns the id of a page of the export in an address; null for any other address. */
  #idIn(address: string): string | null {
    const [path = ''] = decoded(address).split(/[?#]/, 1);
    const isLocal = !/^[a-z][a-z\d+.-]*:/i.test(path) && EXTENSION.test(path);
    if (!isLocal && !/^https?:\/\/(?:[\w-]+\.)?notion\.(?:so|site|com)\//i.test(path)) return null;
    const last = path.slice(path.lastIndexOf('/') + 1).replace(EXTENSION, '');
    const [, id = ''] = ID_AT_END.exec(last.replace(UUID_AT_END, '$1$2$3$4$5').toLowerCase()) ?? [];
    return this.#byId.has(id) ? id : null;
  }

  #linked(prose: string): string {
    if (!/[0-9a-f]{12}/i.test(prose)) return prose;
    return prose.replace(ADDRESS, (all: string, open?: string, address?: string, bare?: string) => {
      const id = this.#idIn((address ?? bare ?? '').replace(/^<|>$/g, ''));
      if (id === null) return all;
      if (open !== undefined) return `${open}${id})`;
      return `[${linkText(exported(this.#byId.get(id) ?? '')?.title ?? '')}](${id})`;
    });
  }

  /** Takes the lines of properties below the title out of a page, when it is certain that they are properties. */
  #takeProperties(place: string, markdown: string): { markdown: string; properties: Properties['values'] } {
    const none = { markdown, properties: {} };
    const [head, before = '', block = ''] = HEAD.exec(markdown.slice(0, MAX_HEAD)) ?? [];
    if (head === undefined || head.length === MAX_HEAD) return none;
    const columns = this.#databaseOf(place)?.columns;
    const pairs = block.trimEnd().split(/\r?\n/).map(pairOf);
    const isKnown = (key: string): boolean => (columns === undefined ? true : columns.has(key));
    const isCertain =
      pairs.every((pair) => pair !== null && isKnown(pair.key)) &&
      (columns !== undefined || pairs.some((pair) => USUAL.test(pair?.key ?? '')));
    if (!isCertain) return none;
    const properties = new Properties();
    const kept: string[] = [];
    for (const pair of pairs) {
      if (pair === null) continue;
      const value = this.#valueOf(pair.value);
      const isTaken = /^tags$/i.test(pair.key)
        ? properties.add('tags', value.split(', ').filter(Boolean))
        : properties.add(pair.key, value);
      if (!isTaken) kept.push(`${pair.key}: ${pair.value}`);
    }
    const rest = kept.length === 0 ? '' : `${kept.join('\n')}\n\n`;
    return {
      markdown: before + rest + markdown.slice(head.length).replace(/^\r?\n/, ''),
      properties: properties.values,
    };
  }

  #linkedCell(cell: string): string {
    return cell.includes('.md)') || cell.includes('notion.') ? ` ${this.#valueOf(cell.trim())} ` : cell;
  }

  /** Returns the value of a property, with links to pages of the export. */
  #valueOf(value: string): string {
    if (value.length > 2000) return value;
    const related = value.replace(RELATION, (all: string, before: string, name: string, path: string) => {
      const id = this.#idIn(path);
      return id === null ? all : `${before}[${linkText(name)}](${id})`;
    });
    return this.#linked(related);
  }

  /** Links the first cells of a table to the pages of its rows. */
  *#linkRows(place: string, markdown: string): Steps<string> {
    const rows = this.#databaseOf(place)?.rows ?? new Map<string, string | null>();
    if (rows.size === 0) return markdown;
    let isRow = false;
    return yield* changeLines(markdown, (line) => {
      if (!line.startsWith('|')) isRow = false;
      else if (isRule(line)) isRow = true;
      else if (isRow) {
        const [start = '', first = '', ...others] = line.split(CELL_END);
        const title = titleKey(plainCell(first));
        const id = title === '' ? null : rows.get(title);
        const linked = typeof id === 'string' ? ` [${first.trim()}](${id}) ` : first;
        return [start, linked, ...others.map((cell) => this.#linkedCell(cell))].join('|');
      }
      return line;
    });
  }
}

interface Database {
  readonly columns: Set<string>;
  readonly rows: Map<string, string | null>;
}

const ID_AT_END = /(?:^|[ -])([0-9a-f]{32})(?:_all)?$/;
const UUID_AT_END = /([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;
/** The address of a Markdown link with its opening parenthesis; or a bare address of Notion. */
const ADDRESS =
  /(\]\()(<[^<>\n]*>|(?:[^\s()<>]|\([^\s()<>]*\))+)\)|((?<![(\w])<?https?:\/\/(?:[\w-]+\.)?notion\.(?:so|site|com)\/[^\s<>()[\]|]+>?)/gi;
/** A relation in a property: the title of a page, then its file. */
const RELATION = /(^|, )([^(),][^()]*?) \(([^\s()]+\.(?:md|csv))\)/gi;
/** The title, and the first paragraph below it. */
const HEAD = /^(\s*# [^\n]*\n(?:[ \t]*\r?\n)?)((?:[^\s\n][^\n]*(?:\n|$))+)/;
/** The title and the properties of a page are shorter (UTF-16 units); a longer first paragraph is text. */
const MAX_HEAD = 64 * 1024;
const CELL_END = /(?<!\\)\|/;

function pairOf(line: string): { key: string; value: string } | null {
  const [, key, value = ''] = /^([^\s:#>|`*\-[(][^:]{0,59}):(?: (.*))?$/.exec(line.trimEnd()) ?? [];
  return key === undefined || key.endsWith(' ') ? null : { key, value: value.trim() };
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Returns the folders in which the rows of a database may be: older exports name them as the table. */
function rowFolders(place: string): string[] {
  const stem = stemIn(place).replace(/_all$/i, '');
  const folder = folderOf(place);
  const names = new Set([stem, NAMED.exec(stem)?.[1]?.trim() ?? stem]);
  return [...names].map((name) => (folder === '' ? name : `${folder}/${name}`));
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && /^\|(?: --- \|)+$/.test(line);
}

function cellsOf(line: string): string[] {
  return line.length > 10_000 ? [] : line.split(CELL_END).slice(1, -1);
}

/** Returns the words of a cell. */
function plainCell(cell: string): string {
  return cell
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/&amp;/g, '&')
    .trim();
}

function titleKey(title: string): string {
  return title.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** Makes callouts of the `<aside>` elements of a page. */
function* calloutSteps(markdown: string): Steps<string> {
  if (!markdown.includes('</aside>')) return markdown;
  const lines = yield* linesOf(markdown);
  let left = lines.filter((line) => line.trim() === '</aside>').length;
  let indent: string | null = null;
  return yield* changeLines(markdown, (line) => {
    const isEnd = line.trim() === '</aside>';
    if (isEnd) left -= 1;
    const [, before = '', rest] = /^([ \t]*)<aside>[ \t]*(.*)$/.exec(line) ?? [];
    if (indent === null && rest !== undefined && left > 0) {
      indent = before;
      return `${indent}> [!note]${rest === '' ? '' : `\n${indent}> ${rest}`}`;
    }
    if (indent === null) return line;
    const within = indent;
    if (isEnd) indent = null;
    return isEnd ? '' : `${within}> ${line.startsWith(within) ? line.slice(within.length) : line}`.trimEnd();
  });
}
