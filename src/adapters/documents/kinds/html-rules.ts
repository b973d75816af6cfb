import TurndownService from 'turndown';
import { fenced } from './fence';
import { markdownTables } from './markdown-table';

/**
 * The converter from HTML to Markdown, with rules of ours for what it leaves out: tables, code of any shape, and links,
 * which are kept when they lead somewhere from anywhere. `base` is the address that the page says it is read from.
 */
export function htmlRules(base: string | null): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  const cells = new WeakMap<Node, string>();
  service.addRule('code block', {
    filter: 'pre',
    replacement: (_, node) => `\n\n${fenced(node.textContent ?? '', languageOf(node)).markdown}\n\n`,
  });
  service.addRule('item', {
    filter: 'li',
    replacement(content, node) {
      const marker = markerOf(node);
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

function markerOf(item: Node): string {
  const list = item.parentNode;
  if (!isElement(item) || list === null || list.nodeName !== 'OL') return '- ';
  const start = Number(attribute(list, 'start') || 1);
  return `${(Number.isSafeInteger(start) ? start : 1) + Array.from(item.parentElement?.children ?? []).indexOf(item)}. `;
}

function attribute(node: Node, name: string): string {
  return isElement(node) ? (node.getAttribute(name) ?? '') : '';
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

function languageOf(node: Node): string {
  const code = node.firstChild;
  const names = `${attribute(node, 'class')} ${code === null ? '' : attribute(code, 'class')}`;
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(names)?.[1] ?? '';
}

/** A table that shows data, and does not only place things on the page. */
function isData(table: Node): boolean {
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

function closest(node: Node, name: string): Node | null {
  for (let at = node.parentNode; at !== null; at = at.parentNode) if (at.nodeName === name) return at;
  return null;
}

function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}
