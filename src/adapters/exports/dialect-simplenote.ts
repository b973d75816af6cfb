import { closed } from '../document-program/closed';
import { noteLink, type Dialect } from './tree';
import {
  baseOf,
  filesIn,
  folderOf,
  foldersWith,
  headOf,
  jsonIn,
  known,
  left,
  listOf,
  nameBy,
  oneLine,
  recordOf,
  recordsOf,
  tagsOf,
  textOf,
  timeOf,
  plainNote,
  under,
} from './values';

/** The link from one note to another. */
const LINK = /\[([^[\]\n]{0,500})\]\(simplenote:\/\/note\/([\w-]{1,100})\)/g;

/** Simplenote's archive: `source/notes.json` with all notes, and a text file for each of them once more. */
export const simplenote: Dialect = {
  program: 'Simplenote',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => baseOf(place) === 'notes.json',
      (head) => /^\s*\{\s*"activeNotes"\s*:/.test(head) || /^\s*\{\s*"trashedNotes"\s*:/.test(head),
    ),
  async *convert(tree, folder) {
    const file = filesIn(tree, folder).find(({ place }) => baseOf(place) === 'notes.json');
    if (file === undefined) return;
    const top = baseOf(folder) === 'source' ? folderOf(folder) : folder;
    const { value, warnings } = await jsonIn(tree, file);
    const { activeNotes, trashedNotes } = recordOf(value);
    const firstLines = new Set<string>();
    for (const note of recordsOf(activeNotes)) {
      const content = textOf(note.content).trim();
      const [first = '', ...rest] = content.split('\n');
      firstLines.add(oneLine(first));
      const title = oneLine(first.replace(/^#{1,6} /, ''));
      const isMarkdown = note.markdown === true;
      const body = title.length <= 200 ? rest.join('\n').trim() : content;
      const id = textOf(note.id);
      yield {
        kind: 'note',
        ...(id !== '' && { id }),
        place: under(top, nameBy(title)),
        ...(title !== '' && { title: title.slice(0, 200) }),
        properties: known({
          created: timeOf(note.creationDate),
          modified: timeOf(note.lastModified),
          tags: tagsOf(listOf(note.tags)),
          pinned: note.pinned === true,
          shared_with: listOf(note.collaboratorEmails).map(textOf).filter(Boolean),
        }),
        markdown: isMarkdown
          ? closed(body).replace(LINK, (_, words: string, to: string) => noteLink(to, words))
          : plainNote(body, LINK, (_, words, to) => noteLink(to ?? '', words)),
        from: [file.place],
        warnings,
      };
    }
    for (const { content } of recordsOf(trashedNotes)) {
      firstLines.add(oneLine(textOf(content).trim().split('\n')[0] ?? ''));
      yield left(file.place, 'The note is in the trash of Simplenote.', textOf(content) || 'Empty note');
    }
    for (const copies of [filesIn(tree, top), filesIn(tree, under(top, 'trash'))])
      for (const copy of copies)
        if (/\.(?:txt|md)$/i.test(copy.place)) {
          const head = (await headOf(tree, copy)).replace(/^\ufeff/, '').trimStart();
          if (firstLines.has(oneLine(head.split('\n')[0] ?? '')))
            yield left(copy.place, 'It is the same note as in notes.json.');
        }
  },
};
