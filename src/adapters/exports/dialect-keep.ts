import type { Dialect, Made, Tree, TreeFile } from './tree';
import {
  attached,
  baseOf,
  blocks,
  filesFrom,
  filesIn,
  foldersWith,
  htmlToMarkdown,
  jsonIn,
  known,
  left,
  listOf,
  nameBy,
  oneLine,
  placesIn,
  plain,
  recordsOf,
  shown,
  stemOf,
  tagsOf,
  textIn,
  textOf,
  timeOf,
  under,
  webLink,
} from './values';

const MICROSECONDS = 1_000_000;
/** What is bold, italic or a heading in the HTML of a note; a note without it is told by its plain text. */
const STYLED =
  /<(?:h[1-6]|b|strong|i|em|del|s)[\s>]|font-weight\s*:\s*(?:bold|[6-9]00)|font-style\s*:\s*italic/i;
const KEEP_HTML = /<div class="note"[\s>]/;

/** Google Keep as Google Takeout exports it: a `.json` and a `.html` file for each note, with the attachments beside them. */
export const keep: Dialect = {
  program: 'Google Keep',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => place.endsWith('.json'),
      (head) => head.includes('"userEditedTimestampUsec"') && head.includes('"isTrashed"'),
    ),
  async *convert(tree, folder) {
    const files = filesIn(tree, folder);
    const pages = new Map(
      files.flatMap((file) => (/\.html$/i.test(file.place) ? [[stemOf(file.place), file]] : [])),
    );
    const notes = new Set<string>();
    for (const file of files) {
      if (!file.place.endsWith('.json')) continue;
      const page = pages.get(stemOf(file.place));
      const { value, warnings } = await jsonIn(tree, file);
      const made = noteOf(tree, folder, file, value, warnings);
      if (made === null && page !== undefined) continue;
      notes.add(stemOf(file.place));
      yield made ?? { kind: 'file', from: file.place, warnings };
      if (page !== undefined && made?.kind === 'left') yield left(page.place, made.why);
      else if (page !== undefined) yield left(page.place, 'It is the same note as the JSON file beside it.');
    }
    for (const page of pages.values()) {
      if (notes.has(stemOf(page.place))) continue;
      const html = await textIn(tree, page);
      if (html !== null && KEEP_HTML.test(html)) yield noteOfPage(tree, folder, page, html);
    }
    for (const file of files)
      if (/^Labels\.txt$/i.test(baseOf(file.place)))
        yield left(file.place, 'It lists the labels, which are the tags of the notes.');
  },
};

function noteOf(
  tree: Tree,
  folder: string,
  file: TreeFile,
  value: unknown,
  warnings: readonly string[],
): Made | null {
  const [note] = recordsOf([value]);
  if (
    note === undefined ||
    !('userEditedTimestampUsec' in note || 'textContent' in note || 'listContent' in note)
  )
    return null;
  const title = oneLine(textOf(note.title));
  if (note.isTrashed === true) return left(file.place, 'The note is in the trash of Keep.', title);
  const text = textOf(note.textContent);
  const html = textOf(note.textContentHtml);
  const items = recordsOf(note.listContent).map((item) =>
    `- [${item.isChecked === true ? 'x' : ' '}] ${shown(item.text)}`.trimEnd(),
  );
  const links = recordsOf(note.annotations).flatMap(({ url, title: name, description }) => {
    const address = textOf(url);
    const said = shown(description);
    return address === '' ? [] : [`- ${webLink(address, textOf(name))}${said === '' ? '' : `: ${said}`}`];
  });
  const files = recordsOf(note.attachments).map(({ filePath }) =>
    attachmentOf(tree, folder, textOf(filePath)),
  );
  const sharedWith = recordsOf(note.sharees).flatMap(({ isOwner, email }) =>
    isOwner === true ? [] : [textOf(email)],
  );
  return {
    kind: 'note',
    place: under(folder, nameBy(title || text.split('\n')[0] || stemOf(file.place))),
    ...(title !== '' && { title }),
    properties: known({
      created: timeOf(note.createdTimestampUsec, MICROSECONDS),
      modified: timeOf(note.userEditedTimestampUsec, MICROSECONDS),
      tags: tagsOf(recordsOf(note.labels).map(({ name }) => name)),
      pinned: note.isPinned === true,
      archived: note.isArchived === true,
      shared_with: sharedWith.filter(Boolean),
    }),
    markdown: blocks(
      STYLED.test(html) ? htmlToMarkdown(html, filesFrom(tree, folder)).markdown : plain(text),
      items.join('\n'),
      files.join('\n'),
      links.join('\n'),
    ),
    from: [file.place],
    warnings: [...warnings, ...(listOf(note.listContent).length > items.length ? [LOST_ITEMS] : [])],
  };
}

const LOST_ITEMS = 'Some items of the list are damaged and were left out.';

/** Takeout calls a picture `.jpeg` in the note that it stores as `.jpg`. */
function attachmentOf(tree: Tree, folder: string, name: string): string {
  const places = placesIn(tree);
  const stem = name.replace(/\.[^.]*$/, '');
  const place = [name, `${stem}.jpg`, `${stem}.jpeg`, `${stem}.png`]
    .map((each) => under(folder, each))
    .find((each) => places.has(each));
  return place === undefined ? `${shown(name)} (not in the export)` : attached(place);
}

/** Reads a note of which only the page came. */
function noteOfPage(tree: Tree, folder: string, page: TreeFile, html: string): Made {
  const { markdown, title } = htmlToMarkdown(html, filesFrom(tree, folder));
  const labels = [...html.matchAll(/class="label-name"[^<>]*>([^<]*)</g)].map(([, label]) => label);
  return {
    kind: 'note',
    place: under(folder, stemOf(page.place)),
    ...(title !== '' && { title }),
    properties: known({ tags: tagsOf(labels) }),
    markdown,
    from: [page.place],
  };
}
