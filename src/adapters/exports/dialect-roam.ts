import { closed, inProse } from '../document-program/closed';
import { markdownTables } from '../document-program/markup';
import { type Dialect, type Made, noteEmbed, noteLink, type Tree, type TreeFile } from './tree';
import {
  filesIn,
  foldersWith,
  headOf,
  jsonIn,
  known,
  left,
  nameBy,
  oneLine,
  recordsOf,
  tagsOf,
  textOf,
  timeOf,
  under,
} from './values';

/** The levels of blocks that are indented; deeper ones stay on the last level. */
const MAX_DEPTH = 60;

/** Roam Research's JSON export: a list of pages, each a tree of blocks. */
export const roam: Dialect = {
  program: 'Roam Research',
  recognise: (tree) => foldersWith(tree, isNamed, (head) => isPages(head) || isEdn(head)),
  async *convert(tree, folder) {
    for (const file of filesIn(tree, folder)) {
      if (!isNamed(file.place)) continue;
      const head = await headOf(tree, file);
      if (isEdn(head))
        yield left(file.place, 'It is the EDN export of Roam. Choose JSON when you export, and import that.');
      else if (isPages(head)) yield* pagesIn(tree, folder, file);
    }
  },
};

function isNamed(place: string): boolean {
  return /\.(?:json|edn)$/i.test(place);
}

function isEdn(head: string): boolean {
  return /^\s*#datascript\/DB\s/.test(head);
}

function isPages(head: string): boolean {
  const keys = new Set([...head.matchAll(/"([\w:/-]+)"\s*:/g)].map(([, key]) => key));
  const hasTime = keys.has('edit-time') || keys.has('create-time') || keys.has(':create/time');
  return /^\s*\[/.test(head) && keys.has('title') && hasTime && (keys.has('uid') || keys.has('children'));
}

/** A block of a page. */
type Block = Readonly<Record<string, unknown>>;

/** What the blocks of all pages refer to. */
interface Graph {
  /** The titles of the pages that become notes. */
  readonly titles: ReadonlySet<string>;
  /** The title of the page of each block. */
  readonly pageOf: ReadonlyMap<string, string>;
  /** The blocks that others refer to. */
  readonly named: ReadonlySet<string>;
  /** The first words of each of these blocks. */
  readonly words: ReadonlyMap<string, string>;
}

async function* pagesIn(tree: Tree, folder: string, file: TreeFile): AsyncGenerator<Made> {
  const { value, warnings } = await jsonIn(tree, file);
  if (value === undefined) {
    yield { kind: 'file', from: file.place, warnings };
    return;
  }
  const pages = recordsOf(value).filter(
    ({ title, children }) => textOf(title).trim() !== '' && isList(children),
  );
  const graph = graphOf(pages);
  let bare = 0;
  for (const page of recordsOf(value)) {
    const title = textOf(page.title).trim();
    if (title === '' || !isList(page.children)) bare += 1;
    else yield pageNote(page, graph, { folder, file, warnings: bare === 0 ? warnings : [] });
  }
  if (bare > 0)
    yield left(file.place, 'They are pages without any text.', `${bare} ${bare === 1 ? 'page' : 'pages'}`);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

const REFERENCE = /\(\(([\w-]{9,})\)\)/g;

function graphOf(pages: readonly Block[]): Graph {
  const named = new Set<string>();
  const pageOf = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const page of pages) {
    const title = textOf(page.title).trim();
    const open = [...recordsOf(page.children)];
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      const text = textOf(block.string);
      const uid = textOf(block.uid);
      if (uid !== '' && !pageOf.has(uid)) {
        pageOf.set(uid, title);
        texts.set(uid, text);
      }
      for (const [, of = ''] of text.matchAll(REFERENCE)) named.add(of);
      for (const child of recordsOf(block.children)) open.push(child);
    }
  }
  const words = new Map([...named].map((uid) => [uid, firstWords(texts.get(uid) ?? '')]));
  return { titles: new Set(pages.map(({ title }) => textOf(title).trim())), pageOf, named, words };
}

/** Returns the words by which a link names a block. */
function firstWords(text: string): string {
  const line = oneLine(text.replace(/\{\{.*?\}\}|[[\]()*_^~`#]|\bhttps?:\S+/g, ' '));
  return line.length <= 60 ? line : `${line.slice(0, 60).replace(/\s+\S*$/, '')}…`;
}

function pageNote(
  page: Block,
  graph: Graph,
  { folder, file, warnings }: { folder: string; file: TreeFile; warnings: readonly string[] },
): Made {
  const title = textOf(page.title).trim();
  const { properties, rest } = attributesOf(recordsOf(page.children));
  return {
    kind: 'note',
    id: title,
    place: under(folder, nameBy(title)),
    title,
    properties: known({
      created: timeOf(page['create-time'] ?? page[':create/time']),
      modified: timeOf(page['edit-time'] ?? page[':edit/time']),
      ...properties,
    }),
    markdown: rest
      .map((block) => blockLines(block, graph))
      .join('\n')
      .trim(),
    from: [file.place],
    warnings,
  };
}

/** The names of properties that say what the page itself says. */
const OWN = new Set(['title', 'created', 'modified', '__proto__']);

/** Takes the attributes (`key:: value`) at the beginning of a page whose values are plain text. */
function attributesOf(children: readonly Block[]): {
  properties: Record<string, string | string[]>;
  rest: readonly Block[];
} {
  const properties: Record<string, string | string[]> = {};
  for (const [at, block] of children.entries()) {
    const [, key = '', value = ''] =
      /^([^:\n[\]{}()#]{1,60})::\s*(\S[^\n]*)$/.exec(textOf(block.string)) ?? [];
    const name = key.trim().toLowerCase().replace(/\s+/g, '_');
    const isTags = name === 'tags' && /^(?:#?\[\[[^[\]]*\]\]|#[^\s[\]#]+|[,\s])+$/.test(value);
    const isPlain = name !== '' && !OWN.has(name) && !/\[\[|\(\(|\{\{|#|`/.test(value);
    if (isList(block.children) || !(isTags || isPlain) || Object.hasOwn(properties, name))
      return { properties, rest: children.slice(at) };
    properties[name] =
      isTags || name === 'tags'
        ? tagsOf(value.split(/\]\]|[,#]|\s(?=#)/).map((tag) => tag.replace(/[[\]#]/g, '')))
        : value.trim();
  }
  return { properties, rest: [] };
}

/** Returns a block and the blocks below it as a list. Walks without recursion, so any depth is safe. */
function blockLines(top: Block, graph: Graph): string {
  const lines: string[] = [];
  const open: { block: Block; depth: number; mark: string }[] = [{ block: top, depth: 0, mark: '-' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { block, depth, mark } = next;
    const text = textOf(block.string);
    const heading = Number(block.heading);
    const isTable = /^\{\{(?:\[\[)?table(?:\]\])?\}\}$/.test(text.trim());
    const uid = textOf(block.uid);
    const name = graph.named.has(uid) ? `^${markOf(uid)}` : '';
    const indent = '\t'.repeat(depth);
    const said = `${heading >= 1 && heading <= 6 ? `${'#'.repeat(heading)} ` : ''}${inlineOf(text, graph)}`;
    if (isTable) lines.push('', tableOf(block, graph), name, '');
    else lines.push(itemOf(said, indent, mark, name));
    if (isTable) continue;
    const children = recordsOf(block.children);
    const isNumbered = block['view-type'] === 'numbered' || block[':children/view-type'] === 'numbered';
    const below = children.map((child, at) => ({
      block: child,
      depth: Math.min(MAX_DEPTH, depth + 1),
      mark: isNumbered ? `${at + 1}.` : '-',
    }));
    for (const child of below.reverse()) open.push(child);
  }
  return lines.join('\n');
}

/** Returns an item of a list; lines after its first one belong to it, and the name of the block stands at its end. */
function itemOf(said: string, indent: string, mark: string, name: string): string {
  const [first = '', ...more] = said.split('\n');
  const below = `${indent}${' '.repeat(mark.length + 1)}`;
  const isCode = more.length > 0 && /^\s*(?:`{3,}|~{3,}|\|)/m.test(more.at(-1) ?? '');
  const lines = [`${indent}${mark} ${first}`, ...more.map((line) => (line === '' ? line : below + line))];
  if (name === '') return lines.join('\n').trimEnd();
  // Behind a block of code the name stands on a line of its own.
  return isCode ? `${lines.join('\n')}\n${below}${name}` : `${lines.join('\n').trimEnd()} ${name}`;
}

/** Returns a table: each row is a block, each further column the first block below the one before. */
function tableOf(table: Block, graph: Graph): string {
  const rows = recordsOf(table.children).flatMap((row) => {
    const all: string[][] = [];
    const open: { block: Block; before: readonly string[] }[] = [{ block: row, before: [] }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const cells = [...next.before, inlineOf(textOf(next.block.string), graph)];
      const children = recordsOf(next.block.children);
      // A very wide row is cut into rows, so that no cell is lost and the work stays in bounds.
      if (children.length === 0 || cells.length >= MAX_DEPTH) all.push(cells);
      for (const block of [...children].reverse())
        open.push({ block, before: cells.length >= MAX_DEPTH ? [] : cells });
    }
    return all;
  });
  return [...markdownTables(rows)].join('').trimEnd();
}

/** Returns the name of a block for links: letters, digits and hyphens. */
function markOf(uid: string): string {
  return uid.replace(/[^A-Za-z0-9-]/g, '-');
}

const EMBED =
  /\{\{(?:\[\[)?embed(?:-path|-children)?(?:\]\])?:\s*(\(\(([\w-]{9,})\)\)|\[\[([^[\]]+)\]\])\s*\}\}/g;
const TODO = /\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}\s*/;
const MEDIA =
  /\{\{(?:\[\[)?(?:video|youtube|audio|pdf|iframe|vimeo|loom|tweet)(?:\]\])?:\s*(https?:\/\/[^\s{}]+)\s*\}\}/g;
const WORDS_OF = /\[([^[\]\n]+)\]\((?:\(\(([\w-]{9,})\)\)|\[\[([^\n]+?)\]\])\)/g;

/** Returns the text of a block as Markdown. */
function inlineOf(string: string, graph: Graph): string {
  const [, state] = TODO.exec(string) ?? [];
  const text = string
    .replace(TODO, '')
    .replace(/^\s+|\s+$/g, '')
    // Roam ends a block of code behind its last line.
    .replace(/(^|\n)(```[^\n`]*\n(?:[^`]|`(?!``))*?)\n?```(?=\s|$)/g, '$1$2\n```');
  const said = closed(text, (line) =>
    links(
      inProse(line, new RegExp(`${EMBED.source}|${MEDIA.source}`, 'g'), (found) => {
        const [, , uid, page] = new RegExp(EMBED).exec(found) ?? [];
        if (uid !== undefined) return blockLink(uid, graph, '', true);
        if (page !== undefined) return graph.titles.has(page) ? noteEmbed(page) : `[[${page}]]`;
        return `![](${new RegExp(MEDIA).exec(found)?.[1] ?? ''})`;
      }),
      graph,
    ),
  );
  return state === undefined ? said : `[${state === 'DONE' ? 'x' : ' '}] ${said}`;
}

function links(line: string, graph: Graph): string {
  let said = inProse(line, WORDS_OF, (found) => {
    const [, words = '', uid, page = ''] = new RegExp(WORDS_OF).exec(found) ?? [];
    return uid === undefined ? pageLink(page, graph, words) : blockLink(uid, graph, words);
  });
  said = inProse(said, REFERENCE, (found) => blockLink(found.slice(2, -2), graph));
  said = inProse(said, /#\[\[([^[\]\n]+)\]\]/g, (found) => {
    const [tag = ''] = tagsOf([found.slice(3, -2)]);
    return tag === '' ? found : `#${tag}`;
  });
  said = outerLinks(said, graph);
  said = inProse(said, /\^\^([^^\n]+)\^\^/g, (found) => `==${found.slice(2, -2)}==`);
  said = inProse(
    said,
    /(?<![\w_])__(?=\S)([^_\n]+?)(?<=\S)__(?![\w_])/g,
    (found) => `*${found.slice(2, -2)}*`,
  );
  return inProse(said, /\$\$[^$\n]+\$\$/g, (found) => found.slice(1, -1));
}

/** Replaces links to pages; of links within the name of a page the outermost one is meant. */
function outerLinks(line: string, graph: Graph): string {
  return inProse(line, /\[\[(?!id:|place:)(?:[^[\]\n]|\[\[[^[\]\n]*\]\])+\]\]/g, (found, before) =>
    before === '!' ? found : pageLink(found.slice(2, -2), graph),
  );
}

function pageLink(title: string, { titles }: Graph, words = ''): string {
  const page = title.trim();
  const isShort = page.includes('[[') || /[\\/:*?"<>|#^]/.test(page);
  const shown = words || (isShort ? page.replace(/\[\[|\]\]/g, '') : '');
  if (titles.has(page)) return noteLink(page, shown);
  return `[[${page.replace(/[[\]|#^]/g, '')}${words === '' ? '' : `|${words}`}]]`;
}

function blockLink(uid: string, graph: Graph, words = '', isEmbed = false): string {
  const page = graph.pageOf.get(uid);
  if (page === undefined) return words || `((${uid}))`;
  const part = `^${markOf(uid)}`;
  return isEmbed ? noteEmbed(page, part) : noteLink(page, words || graph.words.get(uid) || page, part);
}
