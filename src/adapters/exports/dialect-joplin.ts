import { closed, inProse } from '../document-program/closed';
import { type Dialect, fileLink, type Made, noteLink, type TreeFile } from './tree';
import {
  attached,
  baseOf,
  blocks,
  filesIn,
  folderOf,
  foldersWith,
  htmlToMarkdown,
  known,
  left,
  nameBy,
  oneLine,
  shown,
  stemOf,
  tagsOf,
  textIn,
  timeOf,
  under,
} from './values';

const NAMED = /(?:^|\/)[0-9a-f]{32}\.md$/;
const [NOTE, FOLDER, RESOURCE, NOTE_TAG] = ['1', '2', '4', '6'];
/** What an item is that becomes no note. */
const OTHERS: Readonly<Record<string, string>> = {
  '2': 'It describes a notebook, which is a folder now.',
  '4': 'It describes an attachment.',
  '5': 'It describes a tag.',
  '6': 'It says which note has a tag.',
  '9': 'It is a key of Joplin.',
  '13': 'It is an older version of a note.',
};
const MAX_DEPTH = 50;

/** An item of Joplin: a note, notebook, attachment, tag, or what joins two of them. */
interface Item {
  readonly file: TreeFile;
  readonly title: string;
  readonly body: string;
  readonly data: ReadonlyMap<string, string>;
}

/** Joplin's RAW export and its archive (`.jex`): a file for each item, with the data of the item at its end. */
export const joplin: Dialect = {
  program: 'Joplin',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => NAMED.test(place),
      (head, file) => file.size > head.length || /^type_: \d+\s*$/m.test(head),
    ),
  async *convert(tree, folder) {
    const items = new Map<string, Item>();
    for (const file of filesIn(tree, folder)) {
      if (!NAMED.test(file.place)) continue;
      const text = await textIn(tree, file);
      const item = text === null ? null : itemOf(file, text);
      // A file without an id is none of Joplin's, and stays as it is.
      if (item !== null && !items.has(idOf(item))) items.set(idOf(item), item);
    }
    const files = new Map(
      filesIn(tree, under(folder, 'resources')).map((file) => [stemOf(file.place), file]),
    );
    const tags = new Map<string, string[]>();
    for (const { data } of items.values()) {
      if (data.get('type_') !== NOTE_TAG) continue;
      const name = items.get(data.get('tag_id') ?? '')?.title ?? '';
      const note = data.get('note_id') ?? '';
      const names = tags.get(note);
      if (names === undefined) tags.set(note, [name]);
      else names.push(name);
    }
    for (const item of items.values()) {
      const type = item.data.get('type_') ?? '';
      if (type === NOTE) yield noteOf(item, { folder, items, files, tags: tags.get(idOf(item)) ?? [] });
      else yield left(item.file.place, OTHERS[type] ?? 'Its kind is not known here.', item.title);
      const file = type === RESOURCE ? files.get(idOf(item)) : undefined;
      if (file !== undefined)
        yield { kind: 'file', from: file.place, place: placeOfFile(folder, item, file) };
    }
  },
};

function idOf({ data }: Item): string {
  return data.get('id') ?? '';
}

/** Reads an item: its title, its text, and lines of data behind the last blank line. */
function itemOf(file: TreeFile, text: string): Item | null {
  const lines = text.trimEnd().split('\n');
  let at = lines.length;
  const data = new Map<string, string>();
  while (at > 0) {
    const [, key, value = ''] = /^([a-z_]+):(?: (.*))?$/.exec(lines[at - 1] ?? '') ?? [];
    if (key === undefined) break;
    at -= 1;
    data.set(key, value);
  }
  if (!data.has('type_') || data.get('id') !== stemOf(file.place)) return null;
  const [title = '', ...body] = lines.slice(0, at);
  return { file, title: title.trim(), body: body.join('\n').trim(), data };
}

/** What a note is read with. */
interface Export {
  readonly folder: string;
  readonly items: ReadonlyMap<string, Item>;
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly tags: readonly string[];
}

function noteOf(item: Item, all: Export): Made {
  const { title, body, data, file } = item;
  if (data.get('encryption_applied') === '1')
    return left(file.place, 'The note is encrypted. Decrypt it in Joplin and export it again.', title);
  if (Number(data.get('deleted_time') ?? 0) > 0)
    return left(file.place, 'The note is in the trash of Joplin.', title);
  const isTodo = data.get('is_todo') === '1';
  const done = timeOf(data.get('todo_completed'));
  const [latitude, longitude] = [Number(data.get('latitude')), Number(data.get('longitude'))];
  const hasPlace = Boolean(latitude || longitude);
  const source = data.get('source_url') ?? '';
  const markdown =
    data.get('markup_language') === '2'
      ? htmlToMarkdown(
          body,
          (address) => fileOf(all, idIn(address)),
          (address) => (all.items.has(idIn(address)) ? idIn(address) : null),
        ).markdown
      : linked(body, all);
  return {
    kind: 'note',
    id: idOf(item),
    place: under(all.folder, ...notebooksOf(item, all.items).map((name) => nameBy(name)), nameBy(title)),
    ...(title !== '' && { title }),
    properties: known({
      created: timeOf(data.get('user_created_time')) || timeOf(data.get('created_time')),
      modified: timeOf(data.get('user_updated_time')) || timeOf(data.get('updated_time')),
      tags: tagsOf(all.tags),
      author: oneLine(data.get('author') ?? ''),
      source: /^https?:/i.test(source) ? source : '',
      location: hasPlace ? `${latitude}, ${longitude}` : '',
      due: isTodo ? timeOf(data.get('todo_due')) : '',
      completed: isTodo ? done : '',
      conflict: data.get('is_conflict') === '1',
    }),
    markdown: blocks(isTodo ? `- [${done === '' ? ' ' : 'x'}] ${shown(title)}` : '', markdown),
    from: [file.place],
  };
}

/** Returns the names of the notebooks that an item lies in, the outermost first. */
function notebooksOf(item: Item, items: ReadonlyMap<string, Item>): string[] {
  const names: string[] = [];
  const seen = new Set<Item>();
  let at = items.get(item.data.get('parent_id') ?? '');
  while (at?.data.get('type_') === FOLDER && !seen.has(at) && seen.size < MAX_DEPTH) {
    seen.add(at);
    names.unshift(at.title);
    at = items.get(at.data.get('parent_id') ?? '');
  }
  return names;
}

const LINK = /(!?)\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(:\/([0-9a-f]{32})(?:#[^()\s]*)?(?:\s+"[^"]*")?\)/g;
const PICTURE = /<img\s[^<>]*src=["']?:\/([0-9a-f]{32})[^<>]*>/gi;

/** Replaces the links to notes and attachments, which Joplin writes by their ids. */
function linked(body: string, all: Export): string {
  return closed(body, (line) =>
    inProse(
      inProse(line, PICTURE, (found) => {
        const place = fileOf(all, /:\/([0-9a-f]{32})/.exec(found)?.[1] ?? '');
        return place === null ? found : attached(place);
      }),
      LINK,
      (found) => {
        const [, mark = '', words = '', id = ''] = new RegExp(LINK).exec(found) ?? [];
        const place = fileOf(all, id);
        if (place !== null) return mark === '' ? fileLink(place, words) : attached(place, words);
        return noteLink(id, words);
      },
    ),
  );
}

function idIn(address: string): string {
  return /^:\/([0-9a-f]{32})/.exec(address)?.[1] ?? '';
}

function fileOf({ files }: Export, id: string): string | null {
  return files.get(id)?.place ?? null;
}

/** Returns the place of an attachment: it has the name that it had before Joplin stored it. */
function placeOfFile(folder: string, item: Item, file: TreeFile): string {
  const ending = /\.[^.]+$/.exec(baseOf(file.place))?.[0] ?? '';
  const name = nameBy(item.title || item.data.get('filename') || stemOf(file.place));
  const whole =
    ending === '' || name.toLowerCase().endsWith(ending.toLowerCase()) ? name : `${name}${ending}`;
  return under(folder, baseOf(folderOf(file.place)), whole);
}
