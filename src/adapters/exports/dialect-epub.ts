import { unescaped } from './enex';
import type { Dialect, Made, Tree, TreeFile } from './tree';
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
    const root =
      /full-path\s*=\s*"([^"]+)"/.exec(await text(under(folder, 'META-INF/container.xml')))?.[1] ?? '';
    const opf = under(folder, unescaped(root));
    const book = await text(opf);
    if (book === '') return;
    const base = folderOf(opf);
    const find = filesFrom(tree, base);
    const items = new Map(
      [...book.matchAll(/<item\s([^>]*)>/g)].map(([, said = '']) => [
        attribute(said, 'id'),
        find(attribute(said, 'href')),
      ]),
    );
    const chapters = [...book.matchAll(/<itemref\s([^>]*)>/g)].flatMap(
      ([, said = '']) => items.get(attribute(said, 'idref')) ?? [],
    );
    const used = new Set<string>();
    for (const [index, place] of chapters.entries()) {
      const file = byPlace.get(place);
      if (file === undefined) continue;
      used.add(place);
      yield await chapterOf(tree, { folder, file, index, book, chapters });
    }
    for (const { place } of byPlace.values())
      if (!used.has(place) && !/\.(?:png|jpe?g|gif|webp|svg|mp3|mp4|m4a|pdf)$/i.test(place))
        yield left(place, 'It is a part of the book that is no chapter, such as its fonts, styles or lists.');
  },
};

interface Chapter {
  readonly folder: string;
  readonly file: TreeFile;
  readonly index: number;
  readonly book: string;
  readonly chapters: readonly string[];
}

async function chapterOf(tree: Tree, { folder, file, index, book, chapters }: Chapter): Promise<Made> {
  const html = (await textIn(tree, file)) ?? '';
  const find = filesFrom(tree, folderOf(file.place));
  const { markdown, title } = htmlToMarkdown(
    html,
    (address) => {
      const place = find(address);
      return place === null || chapters.includes(place) || !placesIn(tree).has(place) ? null : place;
    },
    (address) => {
      const place = find(address);
      return place !== null && chapters.includes(place) ? place : null;
    },
  );
  const heading = /^#{1,3} (.+)$/m.exec(markdown)?.[1] ?? '';
  const name = oneLine(heading.replace(/[*_`[\]]/g, '')) || title || stemOf(file.place);
  const said = (tag: string): string[] =>
    [...book.matchAll(new RegExp(`<dc:${tag}[^>]*>([^<]*)</dc:${tag}>`, 'g'))].map(([, value = '']) =>
      oneLine(unescaped(value)),
    );
  return {
    kind: 'note',
    id: file.place,
    place: under(folder, `${String(index + 1).padStart(2, '0')} ${nameBy(name)}`),
    title: name,
    properties: known({
      book: said('title')[0] ?? '',
      author: said('creator'),
      language: said('language')[0] ?? '',
      publisher: said('publisher')[0] ?? '',
      created: /^\d{4}-\d\d-\d\d/.exec(said('date')[0] ?? '')?.[0] ?? '',
      tags: tagsOf(said('subject')),
    }),
    markdown,
    from: [file.place],
  };
}

function attribute(said: string, name: string): string {
  return unescaped(new RegExp(`(?:^|\\s)${name}\\s*=\\s*"([^"]*)"`).exec(said)?.[1] ?? '');
}
