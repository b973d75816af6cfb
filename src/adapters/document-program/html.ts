import domino from '@mixmark-io/domino';
import TurndownService from 'turndown';
import { codeLines } from './html-code';
import { factsOf } from './html-facts';
import { isHidden, removeDialogs, removeHidden } from './html-hidden';
import { escapeTexts } from './html-letters';
import { storyOf } from './html-main';
import { MATH, openShadowTrees, repair, TASK } from './html-repair';
import { CUT_WARNING, fenced, inlineCode, literal, markdownTables, within } from './markup';
import type { ReadText } from './protocol';
import { asHtml } from './xhtml';

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

/** Returns an attribute of a node; empty when it has none. */
function attribute(node: Node, name: string): string {
  return isElement(node) ? (node.getAttribute(name) ?? '') : '';
}

/** The code of a block that is taken out of the page. */
interface PageCode {
  readonly text: string;
  readonly language: string;
}

/** The attribute that links a block to its code. */
const CODE_ID = 'data-code';
/** The number of white space characters around code that stay, for code that checks whether there is any. */
const MAX_EDGE = 32;

/**
 * Takes the code out of the code blocks below an element, in id, and leaves a word in each: code needs no conversion,
 * which is slow with much white space. Returns a function that finds the code of a block, or of a copy of it. A blank block
 * stays as it is.
 */
function takeCode(root: Element): (block: Element) => PageCode | undefined {
  const taken = new Map<string, PageCode>();
  for (const block of Array.from(root.querySelectorAll('pre'))) {
    const text = codeLines(block);
    const language = languageOf(block);
    const id = String(taken.size);
    taken.set(id, { text, language });
    block.setAttribute(CODE_ID, id);
    if (text.trim() === '') continue;
    const [before, after] = [text.length - text.trimStart().length, text.trimEnd().length];
    block.textContent = `${text.slice(0, Math.min(before, MAX_EDGE))}code${text.slice(after).slice(-MAX_EDGE)}`;
  }
  return (block) => taken.get(block.getAttribute(CODE_ID) ?? '');
}

function languageOf(block: Element): string {
  const code = block.firstChild;
  const names = `${attribute(block, 'class')} ${code === null ? '' : attribute(code, 'class')}`;
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(names)?.[1] ?? '';
}

/** The elements whose contents are not text of the page. */
const NOISE = new Set([
  ...['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE', 'LINK', 'META', 'BASE', 'NAV'],
  ...['IFRAME', 'FRAME', 'FRAMESET', 'NOFRAMES', 'OBJECT', 'EMBED', 'APPLET', 'SVG', 'MATH', 'CANVAS'],
  ...['VIDEO', 'AUDIO', 'INPUT', 'SELECT', 'TEXTAREA', 'PROGRESS', 'METER', 'MAP'],
]);

/** The depth from which elements become plain text: pages that people write stay far below, and every level costs stack. */
const MAX_DEPTH = 100;

/**
 * Removes what is noise from an element, in id, and flattens elements that are nested too deep. Walks without recursion, so
 * any depth is safe.
 */
function prune(root: Element, isNoise: (node: ChildNode) => boolean): void {
  let node: ChildNode | null = root.firstChild;
  let depth = 1;
  while (node !== null) {
    const next: ChildNode | null = isNoise(node) ? null : node.firstChild;
    if (next !== null && depth < MAX_DEPTH) {
      node = next;
      depth += 1;
      continue;
    }
    if (next !== null) flatten(node);
    const done: ChildNode = node;
    let after: ChildNode | null = done;
    while (after !== null && after.nextSibling === null) {
      after = parentWithin(after, root);
      depth -= 1;
    }
    node = after?.nextSibling ?? null;
    if (isNoise(done)) done.remove();
  }
}

/** The element names that can be copied; `<b<i>` makes one that cannot. */
const NAME = /^[a-z_][\w.-]*$/i;

/**
 * Replaces elements with invalid names by their contents. A forgotten `>` makes one of two tags. Browsers show it, but a
 * document with such an element cannot be copied. The element must have been pruned.
 */
function unwrapMisnamed(root: Element): void {
  for (const element of Array.from(root.querySelectorAll('*'))) {
    if (NAME.test(element.localName)) continue;
    for (let child = element.firstChild; child !== null; child = element.firstChild) {
      element.parentNode?.insertBefore(child, element);
    }
    element.remove();
  }
}

function parentWithin(node: ChildNode, root: Element): ChildNode | null {
  const { parentElement } = node;
  return parentElement === root ? null : parentElement;
}

function isNoise(node: ChildNode): boolean {
  if (node.nodeType === 8) return true; // A comment.
  if (!isElement(node)) return false;
  // A button in a heading is its text, as in lists of questions.
  if (node.nodeName === 'BUTTON') return !node.closest('h1, h2, h3, h4, h5, h6, summary, dt');
  if (node.nodeName === 'DIALOG' && !node.hasAttribute('open')) return true;
  return NOISE.has(node.nodeName.toUpperCase()) || node.getAttribute('role') === 'navigation';
}

/** Replaces the contents of an element by their text. */
function flatten(top: ChildNode): void {
  const texts: string[] = [];
  let node: Node | null = top.firstChild;
  while (node !== null && node !== top) {
    if (node.nodeType === 3) texts.push(node.nodeValue ?? '');
    let next: Node | null = node.nodeType === 1 && NOISE.has(node.nodeName) ? null : node.firstChild;
    while (next === null && node !== null && node !== top) {
      next = node.nextSibling;
      if (next === null) node = node.parentNode;
    }
    node = next;
  }
  const { ownerDocument } = top;
  let child = top.firstChild;
  while (child !== null) {
    child.remove();
    child = top.firstChild;
  }
  if (ownerDocument !== null) top.appendChild(ownerDocument.createTextNode(texts.join(' ')));
}

/**
 * Converts an element to Markdown; it is taken out of its document and changed. `base` is the base address of the page.
 * Turndown ends with an expression that takes time quadratic in the longest run of white space, so the element is put into
 * another one whose rule returns nothing to it.
 */
function markdownOf(root: HTMLElement, base: string | null, targetOf?: TargetOf): string {
  const around = domino.createDocument('', true).body;
  around.appendChild(root);
  const codeOf = takeCode(root);
  const isData = cached(showsData);
  escapeTexts(root, (element) => {
    const table = /^(?:TD|TH|CAPTION)$/.test(element.nodeName) ? closest(element, 'TABLE') : null;
    return table !== null && isData(table);
  });
  const service = htmlRules({ base, codeOf, isData, ...(targetOf && { targetOf }) });
  // The text is escaped before.
  service.escape = (text) => text;
  let whole = '';
  service.addRule('whole', {
    filter: ({ parentNode }) => parentNode !== null && parentNode.parentNode === null,
    replacement(content) {
      whole = content;
      return '';
    },
  });
  service.turndown(around);
  return whole.replace(/^[\t\r\n]+/, '').trimEnd();
}

/**
 * Returns the Markdown of a link, or of what a page shows from another file (a picture, a recording, a film, an attachment); null
 * where the reader writes it by its own rule.
 * @param words the text of the link, or the description of what is shown; as Markdown, and on one line
 */
type TargetOf = (address: string, words: string, isShown: boolean) => string | null;

/** What the rules ask about a page. */
interface Page {
  /** The base address of relative links; null without one. */
  readonly base: string | null;
  readonly codeOf: (block: Element) => PageCode | undefined;
  /** Returns true for a table that becomes one of Markdown. */
  readonly isData: (table: Node) => boolean;
  readonly targetOf?: TargetOf;
}

/** Browsers show these elements as blocks, and Turndown takes them as parts of a line. */
const BLOCK: TurndownService.Rule = {
  filter: (node) =>
    /^(?:DETAILS|SUMMARY|DIALOG|LEGEND)$/.test(node.nodeName) ||
    (/^(?:SPAN|LABEL)$/.test(node.nodeName) && /display\s*:\s*block/i.test(attribute(node, 'style'))),
  replacement: (content) => `\n\n${content.trim()}\n\n`,
};

/**
 * Returns Turndown with own rules for what it leaves out: tables, code of any shape, and links. It is for one document, which must not change meanwhile.
 */
function htmlRules({ base, codeOf, isData, targetOf }: Page): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  const cells = new WeakMap<Node, string>();
  const placeOf = places();
  service.addRule('code block', {
    filter: 'pre',
    replacement(_, node) {
      const { text, language } = (isElement(node) && codeOf(node)) || { text: '', language: '' };
      return `\n\n${fenced(text, language).markdown}\n\n`;
    },
  });
  service.addRule('code', { filter: 'code', replacement: codeInLine });
  service.addRule('item', {
    filter: 'li',
    replacement(content, node) {
      const marker = markerOf(node, placeOf);
      const lines = content.trim().replace(/\n/g, `\n${' '.repeat(marker.length)}`);
      const task = isElement(node) && node.hasAttribute(TASK) ? `[${attribute(node, TASK)}] ` : '';
      return `${marker}${task}${lines}${node.nextSibling === null ? '' : '\n'}`;
    },
  });
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) =>
      `\n\n${'#'.repeat(Number(node.nodeName.slice(1)))} ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replace(/(?<=^|\s)#+$/, '\\$&')}\n\n`,
  });
  service.addRule('block', BLOCK);
  service.addRule('formula', {
    filter: (node) => node.hasAttribute(MATH),
    replacement: (_, node) => formula(node),
  });
  // Markdown has no mark of its own for these.
  service.addRule('raised', {
    filter: ['sup', 'sub'],
    replacement: (content, { nodeName }) => {
      const name = nodeName.toLowerCase();
      return content.trim() === '' ? content : `<${name}>${content}</${name}>`;
    },
  });
  service.addRule('strike', { filter: ['del', 's'], replacement: (content) => `~~${content}~~` });
  addAddressRules(service, base, targetOf);
  service.addRule('cell', {
    filter: ['td', 'th', 'caption'],
    replacement(content, node) {
      const table = closest(node, 'TABLE');
      if (table === null || !isData(table)) return `\n\n${content}\n\n`;
      if (node.nodeName === 'CAPTION') return `${content.trim()}\n\n`;
      cells.set(node, content);
      return '';
    },
  });
  service.addRule('table', {
    filter: 'table',
    replacement(content, node) {
      const rows = isData(node) ? gridOf(rowsOf(node), cells) : [];
      return `\n\n${content.trim()}\n\n${[...markdownTables(rows)].join('')}\n\n`;
    },
  });
  // Rows and their groups add no text: the table's rule takes the text of the cells from `cells`.
  service.addRule('rows', { filter: ['tr', 'thead', 'tbody', 'tfoot'], replacement: (content) => content });
  return service;
}

/** Adds the rules for what has an address: links and pictures. */
function addAddressRules(service: TurndownService, base: string | null, targetOf?: TargetOf): void {
  service.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement(content, node) {
      const words = content.replace(/\n+/g, ' ');
      return (
        targetOf?.(attribute(node, 'href'), words, false) ?? linkTo(attribute(node, 'href'), words, base)
      );
    },
  });
  // A picture is not fetched; its description stays, with a link to it.
  service.addRule('image', {
    filter: 'img',
    replacement(_, node) {
      const alt = literal(attribute(node, 'alt').trim().replace(/\s+/g, ' '), { isLink: true });
      const shown = targetOf?.(attribute(node, 'src'), alt, true) ?? null;
      if (shown !== null) return shown;
      // A link has no link in its text.
      return closest(node, 'A') === null ? linkTo(imageAddress(node), alt, base) : alt;
    },
  });
}

function markerOf(item: Node, placeOf: (item: Element) => number): string {
  const list = item.parentNode;
  if (!isElement(item) || list === null || list.nodeName !== 'OL') return '- ';
  const start = Number(attribute(list, 'start') || 1);
  return `${(Number.isSafeInteger(start) ? start : 1) + placeOf(item)}. `;
}

/** Converts inline code. Markdown strips one space on both sides, so code with such spaces gets another pair. */
function codeInLine(content: string): string {
  const line = content.replace(/\r?\n|\r/g, ' ');
  if (line === '') return '';
  const isApart = line.startsWith(' ') && line.endsWith(' ') && /[^ ]/.test(line);
  return inlineCode(isApart ? ` ${line} ` : line);
}

/** Converts an element that holds TeX. Within a table there is no block. */
function formula(node: Node): string {
  const tex = node.textContent ?? '';
  const isBlock = attribute(node, MATH) === 'block' && closest(node, 'TABLE') === null;
  return isBlock ? `\n\n$$\n${tex}\n$$\n\n` : `$${tex}$`;
}

/** The attributes in which pages keep the address of a picture that is loaded late. */
const LATE = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-orig-file',
  'data-full-src',
  'data-hi-res-src',
];

/** Returns the address of a picture: of the picture itself, rather than of what is shown until it is loaded. */
function imageAddress(node: Node): string {
  const usable = (address: string) => address.trim() !== '' && !/^\s*(?:data|about|blob):/i.test(address);
  const late = LATE.map((name) => attribute(node, name)).find(usable);
  if (late !== undefined) return late;
  const sets = [
    attribute(node, 'data-srcset'),
    attribute(node, 'data-lazy-srcset'),
    attribute(node, 'srcset'),
  ];
  const parent = node.parentNode;
  if (parent?.nodeName === 'PICTURE' && isElement(parent))
    for (const source of Array.from(parent.getElementsByTagName('source')))
      sets.push(attribute(source, 'data-srcset'), attribute(source, 'srcset'));
  const own = attribute(node, 'src');
  if (usable(own) && sets[0] === '' && sets[1] === '') return own;
  return sets.map(largestOf).find(usable) ?? own;
}

/** Returns the last address of a `srcset`, which is the largest in most. */
function largestOf(set: string): string {
  return set.trim().split(/,\s+/).at(-1)?.split(/\s/)[0] ?? '';
}

function linkTo(address: string, text: string, base: string | null): string {
  const target = absolute(address, base);
  if (target === null || text.trim() === '') return text;
  return `[${text.trim()}](${target.replace(/[()\s<>]/g, (c) => encodeURIComponent(c).replace('(', '%28').replace(')', '%29'))})`;
}

function absolute(address: string, base: string | null): string | null {
  const href = address.trim();
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return href;
  // A fragment leads nowhere from a note.
  if (href === '' || href.startsWith('#') || /^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  // Without the page's address a relative link may lead to a file that comes together with the page.
  if (base === null || !/^https?:\/\//i.test(base)) return href.startsWith('//') ? null : href;
  return URL.canParse(href, base) ? new URL(href, base).href : null;
}

/** Returns true for a table of data, false for one that only lays out the page. */
function showsData(table: Node): boolean {
  if (!isElement(table) || attribute(table, 'role') === 'presentation') return false;
  if (table.querySelectorAll('table').length > 0) return false;
  return rowsOf(table).some((row) => row.children.length > 1);
}

function rowsOf(table: Node): Element[] {
  return isElement(table) ? Array.from(table.querySelectorAll('tr')) : [];
}

/** The columns that one cell spans at most, and the cells of a table from which spans are no longer followed. */
const MAX_SPAN = 100;
const MAX_GRID = 100_000;

/** Returns the texts of a table's cells, each in the column where it is shown; the rest of a span is empty. */
function gridOf(rows: readonly Element[], cells: WeakMap<Node, string>): string[][] {
  let count = 0;
  // The rows below for which a cell above occupies each column.
  const taken: number[] = [];
  return rows.map((row, index) => {
    const texts: string[] = [];
    const skipTaken = (isLast: boolean) => {
      for (let at = texts.length; isLast ? at < taken.length : (taken[at] ?? 0) > 0; at += 1) {
        taken[at] = Math.max(0, (taken[at] ?? 0) - 1);
        if (!isLast) texts.push('');
      }
    };
    for (const one of Array.from(row.children)) {
      skipTaken(false);
      const isSmall = count < MAX_GRID;
      const columns = isSmall ? Math.min(Math.max(1, Number(one.getAttribute('colspan')) || 1), MAX_SPAN) : 1;
      const below = isSmall ? Math.min(spannedRows(one), rows.length - index) - 1 : 0;
      for (let at = 0; at < columns; at += 1) {
        taken[texts.length] = below;
        texts.push(at === 0 ? (cells.get(one) ?? '').trim() : '');
      }
    }
    skipTaken(true);
    while (taken.length > 0 && taken.at(-1) === 0) taken.pop();
    count += texts.length;
    if (count >= MAX_GRID) taken.length = 0;
    return texts;
  });
}

/** Returns the number of rows of a cell; 0 in the page means all that follow. */
function spannedRows(cell: Element): number {
  const rows = cell.getAttribute('rowspan');
  if (rows === null || rows.trim() === '') return 1;
  return Number(rows) === 0 ? Infinity : Math.max(1, Math.floor(Number(rows)) || 1);
}

/** Caches a predicate on nodes: every cell of a table asks about the table, and each answer reads all cells. */
function cached(ask: (node: Node) => boolean): (node: Node) => boolean {
  const known = new WeakMap<Node, boolean>();
  return (node) => {
    const answer = known.get(node) ?? ask(node);
    known.set(node, answer);
    return answer;
  };
}

/** Returns a function that gives the index of an element among its siblings. The children of a parent are counted once. */
function places(): (element: Element) => number {
  const known = new WeakMap<Element, number>();
  return (element) => {
    if (!known.has(element))
      Array.from(element.parentElement?.children ?? []).forEach((one, at) => known.set(one, at));
    return known.get(element) ?? 0;
  };
}

function closest(node: Node, name: string): Node | null {
  for (let at = node.parentNode; at !== null; at = at.parentNode) if (at.nodeName === name) return at;
  return null;
}

/**
 * Converts HTML to Markdown: the story of a web page, without scripts, styles and navigation. Nothing that it refers to is
 * fetched.
 * @param isMail true for the HTML of a mail, all of which is its story
 * @param name the name of the file, which may say that it is XHTML
 */
export function readHtml(text: string, isMail = false, name = ''): ReadText {
  const html = asHtml(text, name);
  const document = domino.createDocument(html, true);
  const { title, address, base, properties } = factsOf(document, html);
  const { body } = document;
  openShadowTrees(body);
  const visible = isMail ? 0 : visibleWords(body);
  // The steps that follow walk by recursion.
  prune(body, () => false);
  repair(body);
  prune(body, isNoise);
  if (!isMail) removeDialogs(body, title);
  removeHidden(body);
  unwrapMisnamed(body);
  const root = isMail ? body : storyOf(body);
  const kept = wordsIn(root.textContent ?? '');
  const whole = markdownOf(root, base);
  const markdown = within(whole);
  return {
    markdown,
    ...(title !== '' && { title }),
    ...(address !== null && { address }),
    ...(Object.keys(properties).length > 0 && { properties }),
    warnings: [
      ...(visible >= FEW_WORDS && kept * 4 < visible ? [fewKept(kept, visible)] : []),
      ...(markdown.length < whole.length ? [CUT_WARNING] : []),
    ],
  };
}

/** The elements that show another file, beside pictures. */
const SHOWN = 'video, audio, embed, object, iframe';

/**
 * Converts HTML that a program has exported to Markdown. All of it is text of the note; nothing that it refers to is fetched.
 * @param targetOf says what becomes of links and of files that are shown
 */
export function readWholeHtml(html: string, targetOf: TargetOf): { markdown: string; title: string } {
  const document = domino.createDocument(asHtml(html, ''), true);
  const { body } = document;
  for (const shown of Array.from(body.querySelectorAll(SHOWN))) {
    const source = shown.querySelector('source');
    const address =
      attribute(shown, 'src') || attribute(shown, 'data') || (source && attribute(source, 'src'));
    if (!address) continue;
    const picture = document.createElement('img');
    picture.setAttribute('src', address);
    shown.parentNode?.replaceChild(picture, shown);
  }
  prune(body, () => false);
  repair(body);
  prune(body, isNoise);
  unwrapMisnamed(body);
  markStyles(body);
  const markdown = markdownOf(body, null, targetOf);
  return { markdown, title: (document.title ?? '').replace(/\s+/g, ' ').trim() };
}

/** Puts text that a style shows as bold or italic into the elements for it. */
function markStyles(body: HTMLElement): void {
  for (const span of Array.from(body.querySelectorAll('span[style]'))) {
    const style = attribute(span, 'style');
    const names = [
      /font-weight\s*:\s*(?:bold|[6-9]00)/i.test(style) && 'b',
      /font-style\s*:\s*italic/i.test(style) && 'i',
      /text-decoration[\w-]*\s*:[^;]*line-through/i.test(style) && 'del',
    ];
    for (const name of names) {
      if (name === false || (span.textContent ?? '').trim() === '') continue;
      const marked = span.ownerDocument.createElement(name);
      for (let child = span.firstChild; child !== null; child = span.firstChild) marked.appendChild(child);
      span.appendChild(marked);
    }
  }
}

/** The words from which a page is told of that loses most of them. */
const FEW_WORDS = 40;

function fewKept(kept: number, visible: number): string {
  return `Only ${kept} of ${visible} words of the page were kept; the rest looked like menus, dialogs, comments or teasers. If something is missing, save the page from the reading view of your browser, or copy its text into a file, and ingest that.`;
}

/** The elements that no browser shows. */
const UNSEEN = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'HEAD',
  'TITLE',
  'IFRAME',
  'NOFRAMES',
  'SVG',
  'MATH',
]);

/** Counts the words that a page shows. Walks without recursion, so any depth is safe. */
function visibleWords(body: HTMLElement): number {
  let count = 0;
  for (let node: Node | null = body; node !== null;) {
    if (node.nodeType === 3) count += wordsIn(node.nodeValue ?? '');
    const isSeen: boolean = !isElement(node) || !(UNSEEN.has(node.nodeName.toUpperCase()) || isHidden(node));
    let next: Node | null = isSeen ? node.firstChild : null;
    while (next === null && node !== null && node !== body) {
      next = node.nextSibling;
      if (next === null) node = node.parentNode;
    }
    node = next;
  }
  return count;
}

/** Counts the words of a text; each character counts in scripts without spaces between words. */
function wordsIn(text: string): number {
  return (
    text.match(
      /[\u0e00-\u0eff\u3041-\u30ff\u3400-\u9fff]|[^\P{L}\u0e00-\u0eff\u3041-\u30ff\u3400-\u9fff]+|\p{N}+/gu,
    )?.length ?? 0
  );
}
