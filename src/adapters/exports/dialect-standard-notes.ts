import { closed } from '../document-program/closed';
import { fenced, inlineCode, literal, literalStart, markdownTables } from '../document-program/markup';
import { parsedJson } from '../../core/base/json';
import { noteLink, type Dialect, type Made, type TreeFile } from './tree';
import {
  blocks,
  filesBelow,
  filesIn,
  foldersWith,
  htmlToMarkdown,
  jsonIn,
  known,
  left,
  nameBy,
  oneLine,
  plainNote,
  recordOf,
  recordsOf,
  shown,
  tagsOf,
  textOf,
  timeOf,
  under,
  webLink,
} from './values';

type Item = Readonly<Record<string, unknown>>;

const IS_BACKUP = /\.(?:txt|json)$/i;

/** Standard Notes' decrypted backup: one file of JSON with all notes and tags, and a text file for each once more. */
export const standardNotes: Dialect = {
  program: 'Standard Notes',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => IS_BACKUP.test(place) && !/(?:^|\/)Items\//.test(place),
      (head) =>
        /^\s*\{/.test(head) &&
        head.includes('"items"') &&
        /"content_type"\s*:\s*"[A-Z]/.test(head) &&
        head.includes('"uuid"'),
    ),
  async *convert(tree, folder) {
    let isRead = false;
    for (const file of filesIn(tree, folder)) {
      if (!IS_BACKUP.test(file.place)) continue;
      const { value, warnings } = await jsonIn(tree, file);
      const items = recordsOf(recordOf(value).items).filter((item) => typeof item.content_type === 'string');
      if (items.length === 0) continue;
      isRead = true;
      yield* notesOf(folder, file, items, warnings);
    }
    if (!isRead) return;
    for (const { place } of filesBelow(tree, under(folder, 'Items')))
      yield left(place, 'It is the same item as in the backup file.');
  },
};

function* notesOf(
  folder: string,
  file: TreeFile,
  items: readonly Item[],
  warnings: readonly string[],
): Generator<Made> {
  const tags = new Map<string, string[]>();
  for (const { content_type: type, content } of items) {
    if (type !== 'Tag') continue;
    const { title, references } = recordOf(content);
    for (const { uuid } of recordsOf(references)) {
      const id = textOf(uuid);
      tags.set(id, [...(tags.get(id) ?? []), textOf(title)]);
    }
  }
  const notes = items.filter(({ content_type: type }) => type === 'Note');
  const locked = notes.filter(({ content }) => typeof content === 'string').length;
  const isAny = notes.length > locked;
  if (!isAny)
    yield left(
      file.place,
      locked > 0
        ? 'The backup is encrypted. In Standard Notes choose "Backups", then "Decrypted", and import that.'
        : 'The backup has no notes.',
    );
  else if (locked > 0) yield left(file.place, 'These notes are encrypted.', `${locked} notes`);
  for (const item of notes) {
    if (typeof item.content === 'string') continue;
    const content = recordOf(item.content);
    const title = oneLine(textOf(content.title));
    const facts = recordOf(recordOf(content.appData)['org.standardnotes.sn']);
    if (content.trashed === true) {
      yield left(file.place, 'The note is in the trash of Standard Notes.', title || 'Untitled');
      continue;
    }
    const id = textOf(item.uuid);
    const { markdown, warning } = textOfNote(content);
    yield {
      kind: 'note',
      ...(id !== '' && { id }),
      place: under(folder, nameBy(title)),
      ...(title !== '' && { title }),
      properties: known({
        created: timeOf(item.created_at),
        modified: timeOf(facts.client_updated_at) || timeOf(item.updated_at),
        tags: tagsOf(tags.get(id) ?? []),
        pinned: facts.pinned === true,
        archived: facts.archived === true,
        starred: content.starred === true,
      }),
      markdown,
      from: [file.place],
      warnings: [...warnings, ...(warning === '' ? [] : [warning])],
    };
  }
}

/** Returns the text of a note by its editor. */
function textOfNote(content: Item): { readonly markdown: string; readonly warning: string } {
  const text = textOf(content.text);
  const editor = `${textOf(content.noteType)} ${textOf(content.editorIdentifier)}`;
  const value = /^\s*[[{]/.test(text) ? parsedJson(text) : undefined;
  const said = (markdown: string, warning = '') => ({ markdown, warning });
  if (value !== undefined) {
    const { root, groups } = recordOf(value);
    if (recordsOf(recordOf(root).children).length > 0) return said(lexical(recordOf(root)));
    if (Array.isArray(groups)) return said(checklist(groups));
    if (/authentic|token-vault/.test(editor))
      return said(
        recordsOf(value)
          .map(
            ({ service, account, notes }) =>
              `- ${[service, account, notes].map(shown).filter(Boolean).join(', ')}`,
          )
          .join('\n'),
        'The secrets of the authenticator were left out, so that no agent reads them.',
      );
    if (/spreadsheet|sheet/.test(editor)) return said(sheets(value));
  }
  if (
    /rich-text|plus-editor|bold-editor|minimal-editor/.test(editor) ||
    /^\s*<(?:p|div|h[1-6]|ul|ol)\b/i.test(text)
  )
    return said(htmlToMarkdown(text, () => null).markdown);
  if (/markdown|task/.test(editor)) return said(closed(text));
  if (/\bcode\b|code-editor/.test(editor)) return said(fenced(text, '').markdown.trim());
  return said(plainNote(text));
}

/** Returns the groups of the advanced checklist. */
function checklist(groups: readonly unknown[]): string {
  return blocks(
    ...recordsOf(groups).flatMap(({ name, tasks }) => [
      textOf(name) === '' ? '' : `## ${shown(name)}`,
      recordsOf(tasks)
        .map(({ description, completed }) => `- [${completed === true ? 'x' : ' '}] ${shown(description)}`)
        .join('\n'),
    ]),
  );
}

/** Returns the cells of a spreadsheet as tables. */
function sheets(value: unknown): string {
  return blocks(
    ...recordsOf(recordOf(value).sheets).flatMap(({ name, rows }) => {
      const cells = recordsOf(rows).map(({ cells: row }) => recordsOf(row).map((one) => shown(one.value)));
      return [textOf(name) === '' ? '' : `## ${shown(name)}`, [...markdownTables(cells)].join('').trim()];
    }),
  );
}

/** The depth to which the nodes of the editor are read. */
const MAX_DEPTH = 100;

/** Converts the tree of the "Super" editor (Lexical) to Markdown. */
function lexical(node: Item, depth = 0): string {
  const children = depth > MAX_DEPTH ? [] : recordsOf(node.children);
  const text = () => inline(children, depth).trim();
  switch (node.type) {
    case 'heading':
      return `${'#'.repeat(Number(/^h([1-6])$/.exec(textOf(node.tag))?.[1] ?? 1))} ${text()}`;
    case 'quote':
      return text().replace(/^/gm, '> ');
    case 'code':
      return fenced(
        rawText(children, depth),
        /^[\w+#-]+$/.exec(textOf(node.language))?.[0] ?? '',
      ).markdown.trim();
    case 'list':
      return listLines(node, depth, '');
    case 'horizontalrule':
      return '---';
    case 'table': {
      const rows = children.map((row) => recordsOf(row.children).map((cell) => lexical(cell, depth + 2)));
      return [...markdownTables(rows)].join('').trim();
    }
    case 'paragraph':
    case 'collapsible-title':
      return text();
    case 'youtube':
      return `![](https://www.youtube.com/watch?v=${encodeURIComponent(textOf(node.videoID))})`;
    case 'unencrypted-image':
      return /^https?:/.test(textOf(node.src)) ? webLink(textOf(node.src), textOf(node.alt)) : '';
    case 'snfile':
      return '(A file that is not in the backup)';
    default:
      return children.some(({ type }) => type === 'text')
        ? text()
        : blocks(...children.map((child) => lexical(child, depth + 1)));
  }
}

function listLines(list: Item, depth: number, indent: string): string {
  const children = depth > MAX_DEPTH ? [] : recordsOf(list.children);
  let number = Number(list.start) || 1;
  const lines = children.map((item) => {
    const inner = recordsOf(item.children);
    const nested = inner.filter(({ type }) => type === 'list');
    const own = inner.filter(({ type }) => type !== 'list');
    const mark = list.listType === 'number' ? `${number}. ` : '- ';
    const box = list.listType === 'check' ? `[${item.checked === true ? 'x' : ' '}] ` : '';
    const below = nested.map((one) => listLines(one, depth + 2, `${indent}    `));
    // An item that holds only a list is the indentation of that list.
    if (own.length === 0) return below.join('\n');
    number += 1;
    return [`${indent}${mark}${box}${inline(own, depth).trim()}`, ...below].join('\n');
  });
  return lines.join('\n');
}

function rawText(nodes: readonly Item[], depth: number): string {
  return nodes
    .map((node) =>
      node.type === 'linebreak'
        ? '\n'
        : node.type === 'tab'
          ? '\t'
          : textOf(node.text) || (depth > MAX_DEPTH ? '' : rawText(recordsOf(node.children), depth + 1)),
    )
    .join('');
}

const [BOLD, ITALIC, STRUCK, CODE] = [1, 2, 4, 16];

function inline(nodes: readonly Item[], depth: number): string {
  return nodes
    .map((node, at) => {
      const children = depth > MAX_DEPTH ? [] : recordsOf(node.children);
      if (node.type === 'linebreak') return '\n';
      if (node.type === 'link' || node.type === 'autolink')
        return webLink(textOf(node.url), rawText(children, depth));
      if (node.type === 'snbubble') return noteLink(textOf(node.itemUuid));
      if (typeof node.text === 'string') return styled(node.text, Number(node.format) || 0, at === 0);
      return inline(children, depth + 1);
    })
    .join('');
}

function styled(text: string, format: number, isStart: boolean): string {
  const [, before = '', core = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  if (core === '') return text;
  if ((format & CODE) !== 0) return `${before}${inlineCode(core)}${after}`;
  const marks = `${(format & BOLD) !== 0 ? '**' : ''}${(format & ITALIC) !== 0 ? '*' : ''}${(format & STRUCK) !== 0 ? '~~' : ''}`;
  const ends = `${(format & STRUCK) !== 0 ? '~~' : ''}${(format & ITALIC) !== 0 ? '*' : ''}${(format & BOLD) !== 0 ? '**' : ''}`;
  return `${before}${marks}${isStart && marks === '' ? literalStart(core) : literal(core)}${ends}${after}`;
}
