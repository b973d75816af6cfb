import { unescaped } from './enex';
import type { Dialect, Made, Properties, Tree, TreeFile } from './tree';
import {
  filesBelow,
  filesFrom,
  folderOf,
  htmlToMarkdown,
  known,
  left,
  nameBy,
  oneLine,
  placesIn,
  stemOf,
  tagsOf,
  textIn,
  under,
} from './values';

const CONTAINER = /(?:^|\/)META-INF\/container\.xml$/;

/** A book by EPUB 2 or 3: its chapters in the order of reading. */
export const epub: Dialect = {
  program: 'EPUB e-book',
  recognise: (tree) =>
    Promise.resolve(
      tree.files.flatMap(({ place }) =>
        CONTAINER.test(place) ? [place.replace(/\/?META-INF\/container\.xml$/, '')] : [],
      ),
    ),
  async *convert(tree, folder) {
    const byPlace = new Map([...filesBelow(tree, folder)].map((file) => [file.place, file]));
    const text = async (place: string): Promise<string> => {
      const file = byPlace.get(place);
      return file === undefined ? '' : ((await textIn(tree, file)) ?? '');
    };
    const container = await text(under(folder, 'META-INF/container.xml'));
    const [, said = ''] = /<(?:\w{1,64}:)?rootfile\s([^<>]*)>/.exec(container) ?? [];
    const opf = under(folder, attribute(said, 'full-path'));
    const book = await text(opf);
    if (book === '') return;
    const find = filesFrom(tree, folderOf(opf));
    const items = new Map(
      tagsIn(book, 'item').map((item) => [attribute(item, 'id'), find(attribute(item, 'href'))]),
    );
    // A book may name a chapter again; it is one note.
    const chapters = new Set(
      tagsIn(book, 'itemref').flatMap((item) => items.get(attribute(item, 'idref')) ?? []),
    );
    const inFolder = filesFrom(tree, folder);
    const locked = new Set(
      tagsIn(await text(under(folder, 'META-INF/encryption.xml')), 'CipherReference').map((reference) =>
        inFolder(attribute(reference, 'URI')),
      ),
    );
    const properties = propertiesOf(book);
    for (const [index, place] of [...chapters].entries()) {
      const file = byPlace.get(place);
      if (file === undefined) continue;
      if (locked.has(place))
        yield left(place, 'Its seller has locked it (DRM). Read it in the program that it was bought for.');
      else yield await chapterOf(tree, { folder, file, index, properties, chapters });
    }
    for (const { place } of byPlace.values())
      if (!chapters.has(place) && PARTS.test(place))
        yield left(place, 'It is a part of the book that is no chapter, such as its fonts, styles or lists.');
  },
};

/** Files of a book that are for reading programs: a list of all others would leave out what a person may miss. */
const PARTS =
  /(?:^|\/)(?:mimetype|META-INF\/[^/]+)$|\.(?:opf|ncx|xml|xpgt|plist|smil|pls|css|js|x?html?|ttf|otf|woff2?)$/i;

interface Chapter {
  readonly folder: string;
  readonly file: TreeFile;
  readonly index: number;
  /** What the book says of itself. */
  readonly properties: Properties;
  readonly chapters: ReadonlySet<string>;
}

async function chapterOf(tree: Tree, { folder, file, index, properties, chapters }: Chapter): Promise<Made> {
  const html = (await textIn(tree, file)) ?? '';
  const find = filesFrom(tree, folderOf(file.place));
  const { markdown, title } = htmlToMarkdown(
    html,
    (address) => {
      const place = find(address);
      return place === null || chapters.has(place) || !placesIn(tree).has(place) ? null : place;
    },
    (address) => {
      const place = find(address);
      return place !== null && chapters.has(place) ? place : null;
    },
  );
  const heading = /^#{1,3} (.+)$/m.exec(markdown)?.[1] ?? '';
  const name = oneLine(heading.replace(/[*_`[\]]/g, '')) || title || stemOf(file.place);
  return {
    kind: 'note',
    id: file.place,
    place: under(folder, `${String(index + 1).padStart(2, '0')} ${nameBy(name)}`),
    title: name,
    properties,
    markdown,
    from: [file.place],
  };
}

/** Returns what a book says of itself (Dublin Core). */
function propertiesOf(book: string): Properties {
  const said = (tag: string): string[] =>
    [...book.matchAll(new RegExp(`<dc:${tag}(?:\\s[^<>]*)?>([^<]*)</dc:${tag}>`, 'g'))].map(
      ([, value = '']) => oneLine(unescaped(value)),
    );
  return known({
    book: said('title')[0] ?? '',
    author: said('creator'),
    language: said('language')[0] ?? '',
    publisher: said('publisher')[0] ?? '',
    created: /^\d{4}-\d\d-\d\d/.exec(said('date')[0] ?? '')?.[0] ?? '',
    tags: tagsOf(said('subject')),
  });
}

/** Returns the attributes of each tag of a name, with any prefix. */
function tagsIn(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<(?:[\\w.-]{1,64}:)?${name}\\s([^<>]*)>`, 'g'))].map(
    ([, said = '']) => said,
  );
}

function attribute(said: string, name: string): string {
  const [, double, single = ''] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(said) ?? [];
  return unescaped(double ?? single);
}
