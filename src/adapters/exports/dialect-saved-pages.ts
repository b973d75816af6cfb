import { separated } from '../document-program/separated';
import type { Dialect, Made, Tree, TreeFile } from './tree';
import {
  baseOf,
  filesIn,
  foldersWith,
  known,
  nameBy,
  plain,
  shown,
  stemOf,
  tagsOf,
  textIn,
  timeOf,
  under,
  webLink,
} from './values';

/** A page that a person has saved. */
interface Page {
  readonly address: string;
  readonly title: string;
  /** Its folders from the top; what the program calls them. */
  readonly folders: readonly string[];
  /** RFC 3339; '' where it is unknown. */
  readonly added: string;
  readonly tags: readonly string[];
  /** What the person has written or marked. */
  readonly said: readonly string[];
}

/** Makes one note of saved pages: a heading for each folder, a line for each page. */
function pagesNote(file: TreeFile, place: string, title: string, pages: readonly Page[]): Made {
  const lines: string[] = [];
  let last: readonly string[] = [];
  for (const { address, title: name, folders, added, tags, said } of pages) {
    const isSame = folders.length === last.length && folders.every((one, at) => one === last[at]);
    if (!isSame) {
      const common = folders.findIndex((one, at) => one !== last[at]);
      for (const [at, folder] of folders.entries())
        if ((common >= 0 && at >= common) || (common < 0 && at === folders.length - 1))
          lines.push('', `${'#'.repeat(Math.min(6, at + 2))} ${shown(folder) || 'Untitled'}`, '');
      last = folders;
    }
    const day = added.slice(0, 10);
    const marks = tagsOf(tags)
      .map((tag) => ` #${tag}`)
      .join('');
    lines.push(`- ${webLink(address, name)}${day === '' ? '' : ` (${day})`}${marks}`);
    for (const one of said) lines.push(plain(one).replace(/^(?=.)/gm, '    > '));
  }
  const times = pages
    .map(({ added }) => added)
    .filter(Boolean)
    .sort();
  return {
    kind: 'note',
    place,
    title,
    properties: known({ created: times[0] ?? '', modified: times.at(-1) ?? '' }),
    markdown: lines.join('\n').trim(),
    from: [file.place],
  };
}

const HTML = /\.html?$/i;
const CSV = /\.csv$/i;

/** The bookmarks that browsers, Raindrop, Pinboard and others export (the bookmark file of Netscape). */
export const bookmarks: Dialect = {
  program: 'Browser bookmarks',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => HTML.test(place),
      (head) => /^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i.test(head),
    ),
  async *convert(tree, folder) {
    for (const file of filesIn(tree, folder)) {
      const text = HTML.test(file.place) ? await textIn(tree, file) : null;
      if (text === null || !/^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i.test(text)) continue;
      yield pagesNote(file, under(folder, nameBy(stemOf(file.place))), 'Bookmarks', bookmarksIn(text));
    }
  },
};

/** Reads the elements of a bookmark file one after another; it nests folders as lists without end tags of their items. */
function bookmarksIn(text: string): Page[] {
  const pages: Page[] = [];
  const folders: (string | null)[] = [];
  let name: string | null = null;
  for (const [, end = '', element = '', attributes = '', words = ''] of text.matchAll(
    /<(\/?)(dl|h3|a|dd)\b([^<>]*)>([^<]*)/gi,
  )) {
    const kind = element.toLowerCase();
    if (kind === 'h3' && end === '') name = entities(words).trim();
    else if (kind === 'dl' && end === '') {
      // What is nested deeper than any person would stands in the folder above.
      folders.push(folders.length < 30 ? name : null);
      name = null;
    } else if (kind === 'dl') folders.pop();
    else if (kind === 'dd' && end === '') {
      const last = pages.at(-1);
      if (last !== undefined && name === null && words.trim() !== '')
        pages[pages.length - 1] = { ...last, said: [entities(words).trim()] };
    } else if (kind === 'a' && end === '') {
      const value = (key: string) =>
        entities(new RegExp(`\\b${key}="([^"]*)"`, 'i').exec(attributes)?.[1] ?? '');
      if (/^(?:place|javascript|data):/i.test(value('href'))) continue;
      pages.push({
        address: value('href'),
        title: entities(words),
        folders: folders.filter((one): one is string => one !== null),
        added: timeOf(value('add_date'), 1),
        tags: value('tags').split(',').filter(Boolean),
        said: [],
      });
    }
  }
  return pages;
}

/** Returns text with the letters that its entities mean. */
function entities(text: string): string {
  const named: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
  };
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi,
    (found: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? found) : found;
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0x10ffff ? found : String.fromCodePoint(code);
    },
  );
}

/** Pocket: a page with two lists, or tables. */
export const pocket: Dialect = {
  program: 'Pocket',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => HTML.test(place) || CSV.test(place),
      (head, { place }) =>
        HTML.test(place)
          ? /<title>Pocket Export<\/title>/i.test(head)
          : /^\ufeff?title,url,time_added,/.test(head),
    ),
  async *convert(tree, folder) {
    for (const file of filesIn(tree, folder)) {
      const text = HTML.test(file.place) || CSV.test(file.place) ? await textIn(tree, file) : null;
      if (text === null) continue;
      const place = under(folder, nameBy(stemOf(file.place)));
      if (/<title>Pocket Export<\/title>/i.test(text.slice(0, 4096)))
        yield pagesNote(file, place, 'Pocket', pocketPages(text));
      else if (text.startsWith('title,url,time_added,'))
        yield pagesNote(
          file,
          place,
          'Pocket',
          inOrder(
            rowsOf(text).map((row) => ({
              ...pageOf(row.url, row.title),
              folders: [row.status === 'archive' ? 'Archive' : 'Unread'],
              added: timeOf(row.time_added, 1),
              tags: (row.tags ?? '').split('|').filter(Boolean),
            })),
          ),
        );
    }
  },
};

function pocketPages(text: string): Page[] {
  const pages: Page[] = [];
  let list = 'Unread';
  for (const [, element = '', attributes = '', words = ''] of text.matchAll(/<(h1|a)\b([^<>]*)>([^<]*)/gi)) {
    if (element.toLowerCase() === 'h1') {
      list = entities(words);
      continue;
    }
    const value = (key: string) =>
      entities(new RegExp(`\\b${key}="([^"]*)"`, 'i').exec(attributes)?.[1] ?? '');
    pages.push({
      ...pageOf(value('href'), entities(words)),
      folders: [list],
      added: timeOf(value('time_added'), 1),
      tags: value('tags').split(',').filter(Boolean),
    });
  }
  return pages;
}

/** Instapaper: one table. */
export const instapaper = ofTable('Instapaper', /^\ufeff?URL,Title,Selection,Folder,Timestamp/, (row) => ({
  ...pageOf(row.URL, row.Title),
  folders: [row.Folder ?? ''],
  added: timeOf(row.Timestamp, 1),
  tags: listed(row.Tags),
  said: [row.Selection ?? ''].filter(Boolean),
}));

/** Raindrop: one table; its other form is the bookmark file of browsers. */
export const raindrop = ofTable(
  'Raindrop',
  /^\ufeff?id,title,note,excerpt,url,folder,tags,created/,
  (row) => ({
    ...pageOf(row.url, row.title),
    folders: (row.folder ?? '').split('/').map((one) => one.trim()),
    added: timeOf(row.created),
    tags: listed(row.tags),
    said: [row.note ?? '', row.excerpt ?? '', row.highlights ?? ''].filter((one) => one.trim() !== ''),
  }),
);

type Row = Readonly<Record<string, string | undefined>>;

function ofTable(program: string, head: RegExp, page: (row: Row) => Page): Dialect {
  return {
    program,
    recognise: (tree: Tree) =>
      foldersWith(
        tree,
        (place) => CSV.test(place),
        (text) => head.test(text),
      ),
    async *convert(tree, folder) {
      for (const file of filesIn(tree, folder)) {
        const text = CSV.test(file.place) ? await textIn(tree, file) : null;
        if (text === null || !head.test(text)) continue;
        const pages = inOrder(rowsOf(text).map(page));
        yield pagesNote(file, under(folder, nameBy(stemOf(baseOf(file.place)))), program, pages);
      }
    },
  };
}

/** Returns the rows of a table with a head, by the names of its columns. */
function rowsOf(text: string): Row[] {
  const [head = [], ...rows] = separated(text.replace(/^\ufeff/, ''), ',').rows;
  return rows
    .filter((row) => row.some((value) => value !== ''))
    .map((row) => Object.fromEntries(head.map((name, at) => [name.trim(), row[at] ?? ''])));
}

function pageOf(address = '', title = ''): Page {
  return { address, title, folders: [], added: '', tags: [], said: [] };
}

/** Reads tags that stand as `a, b` or as a list of JSON. */
function listed(text = ''): string[] {
  return text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((one) => one.trim().replace(/^"|"$/g, ''))
    .filter(Boolean);
}

/** Returns pages with those of one folder together, in the order in which the folders come. */
function inOrder(pages: readonly Page[]): Page[] {
  const groups = new Map<string, Page[]>();
  for (const page of pages) {
    const key = page.folders.join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [page]);
    else group.push(page);
  }
  return [...groups.values()].flat();
}
