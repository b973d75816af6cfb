import domino from '@mixmark-io/domino';
import TurndownService from 'turndown';
import { fenced } from './fence';
import { takeCode, type PageCode } from './html-code';
import { attribute, isElement } from './html-node';
import { markdownTables } from './markdown-table';
import { inlineCode } from './markup-lines';

/**
 * An element as Markdown; it is taken out of its document and changed. `base` is the address that the page says it is read
 * from. The converter ends with an expression that takes the square of the longest run of white space, so it is given the
 * element in another one and sees nothing of what came of it.
 */
export function markdownOf(root: HTMLElement, base: string | null): string {
  const around = domino.createDocument('', true).body;
  around.appendChild(root);
  const service = htmlRules(base, takeCode(root));
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
 * The converter from HTML to Markdown, with rules of ours for what it leaves out: tables, code of any shape, and links,
 * which are kept when they lead somewhere from anywhere. It is for one document, which stays as it is meanwhile.
 */
function htmlRules(base: string | null, codeOf: (block: Element) => PageCode | undefined): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  const cells = new WeakMap<Node, string>();
  const isData = remembered(showsData);
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
      return `${marker}${lines}${node.nextSibling === null ? '' : '\n'}`;
    },
  });
  service.addRule('strike', { filter: ['del', 's'], replacement: (content) => `~~${content}~~` });
  service.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement: (content, node) => linkTo(attribute(node, 'href'), content.replace(/\n+/g, ' '), base),
  });
  // A picture is not fetched: the reader gets its description, and where it is.
  service.addRule('image', {
    filter: 'img',
    replacement: (_, node) => linkTo(attribute(node, 'src'), attribute(node, 'alt').trim(), base),
  });
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
      const rows = isData(node) ? rowsOf(node).map((row) => cellsOf(row, cells)) : [];
      return `\n\n${content.trim()}\n\n${[...markdownTables(rows)].join('')}\n\n`;
    },
  });
  // Cells are blank for the table, not for its form: `blankReplacement` would leave them out of their row.
  service.addRule('rows', { filter: ['tr', 'thead', 'tbody', 'tfoot'], replacement: (content) => content });
  return service;
}

function markerOf(item: Node, placeOf: (item: Element) => number): string {
  const list = item.parentNode;
  if (!isElement(item) || list === null || list.nodeName !== 'OL') return '- ';
  const start = Number(attribute(list, 'start') || 1);
  return `${(Number.isSafeInteger(start) ? start : 1) + placeOf(item)}. `;
}

/** Code within a line. A space on both sides is told from one that parts the code from its marks. */
function codeInLine(content: string): string {
  const line = content.replace(/\r?\n|\r/g, ' ');
  if (line === '') return '';
  const isApart = line.startsWith(' ') && line.endsWith(' ') && /[^ ]/.test(line);
  return inlineCode(isApart ? ` ${line} ` : line);
}

function linkTo(address: string, text: string, base: string | null): string {
  const target = absolute(address, base);
  if (target === null || text.trim() === '') return text;
  return `[${text.trim()}](${target.replace(/[()\s<>]/g, (c) => encodeURIComponent(c).replace('(', '%28').replace(')', '%29'))})`;
}

function absolute(address: string, base: string | null): string | null {
  const given = address.trim();
  if (/^(?:https?:\/\/|mailto:)/i.test(given)) return given;
  // A page without an address of its own leads nowhere, and neither does a jump within it.
  if (given === '' || given.startsWith('#') || /^[a-z][a-z0-9+.-]*:/i.test(given)) return null;
  if (base === null || !/^https?:\/\//i.test(base)) return null;
  return URL.canParse(given, base) ? new URL(given, base).href : null;
}

/** A table that shows data, and does not only place things on the page. */
function showsData(table: Node): boolean {
  if (!isElement(table) || attribute(table, 'role') === 'presentation') return false;
  if (table.querySelectorAll('table').length > 0) return false;
  return rowsOf(table).some((row) => row.children.length > 1);
}

function rowsOf(table: Node): Element[] {
  return isElement(table) ? Array.from(table.querySelectorAll('tr')) : [];
}

function cellsOf(row: Element, cells: WeakMap<Node, string>): string[] {
  return Array.from(row.children).flatMap((one) => {
    const span = Math.min(Number(one.getAttribute('colspan')) || 1, 100);
    return [(cells.get(one) ?? '').trim(), ...Array<string>(Math.max(0, span - 1)).fill('')];
  });
}

/** Asks about each node once: a table has as many cells that ask as it has cells to be looked through. */
function remembered(ask: (node: Node) => boolean): (node: Node) => boolean {
  const known = new WeakMap<Node, boolean>();
  return (node) => {
    const answer = known.get(node) ?? ask(node);
    known.set(node, answer);
    return answer;
  };
}

/** Tells the place of an element among its siblings, counted from 0. Each family is counted once. */
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
