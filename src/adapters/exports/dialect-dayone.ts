import { closed, inProse } from '../document-program/closed';
import { type Dialect, type Made, noteLink, type Tree, type TreeFile } from './tree';
import {
  attached,
  blocks,
  filesIn,
  foldersWith,
  headOf,
  jsonIn,
  known,
  left,
  nameBy,
  oneLine,
  recordOf,
  recordsOf,
  stemOf,
  tagsOf,
  textOf,
  timeOf,
  under,
} from './values';

/** The lists of attachments of an entry, and the folder of the files of each. */
const ATTACHMENTS = [
  ['photos', 'photos'],
  ['videos', 'videos'],
  ['audios', 'audios'],
  ['pdfAttachments', 'pdfs'],
] as const;

/** Day One's JSON export: a file for each journal, with photos and other attachments named by their MD5. */
export const dayOne: Dialect = {
  program: 'Day One',
  recognise: (tree) => foldersWith(tree, (place) => place.endsWith('.json'), isJournal),
  async *convert(tree, folder) {
    const files = filesByHash(tree, folder);
    for (const file of filesIn(tree, folder)) {
      if (!file.place.endsWith('.json') || !isJournal(await headOf(tree, file))) continue;
      const { value, warnings } = await jsonIn(tree, file);
      if (value === undefined) yield { kind: 'file', from: file.place, warnings };
      let isFirst = true;
      for (const entry of recordsOf(recordOf(value).entries)) {
        const made = entryNote(entry, { folder, file, files });
        yield made.kind === 'note' && isFirst ? { ...made, warnings } : made;
        if (made.kind === 'note') isFirst = false;
      }
    }
  },
};

function isJournal(head: string): boolean {
  return (
    /^\s*\{/.test(head) &&
    head.includes('"entries"') &&
    /"(?:creationDate|creationDevice|dayone-moment)/.test(head)
  );
}

/** The files of a journal's attachments by their MD5, which is their name. */
function filesByHash(tree: Tree, folder: string): ReadonlyMap<string, string> {
  const files = ATTACHMENTS.flatMap(([, name]) => filesIn(tree, under(folder, name)));
  return new Map(files.map(({ place }) => [stemOf(place).toLowerCase(), place]));
}

/** The journal of an entry and its files. */
interface Journal {
  readonly folder: string;
  readonly file: TreeFile;
  readonly files: ReadonlyMap<string, string>;
}

type Item = Readonly<Record<string, unknown>>;

function entryNote(entry: Item, { folder, file, files }: Journal): Made {
  const attachments = new Map<string, string>();
  for (const [list] of ATTACHMENTS)
    for (const { identifier, md5, pdfName, filename } of recordsOf(entry[list])) {
      const place = files.get(textOf(md5).toLowerCase());
      const name = oneLine(textOf(pdfName) || textOf(filename)) || 'An attachment';
      attachments.set(
        textOf(identifier),
        place === undefined ? `${name} (not in the export)` : attached(place, name),
      );
    }
  const { markdown, used } = momentsIn(unescaped(textOf(entry.text)), attachments);
  const others = [...attachments].filter(([id]) => !used.has(id)).map(([, shown]) => shown);
  const whole = blocks(markdown, others.join('\n'));
  const created = timeOf(entry.creationDate);
  if (whole === '')
    return left(file.place, 'The entry has no text and no attachment.', `Entry of ${created}`);
  const zone = textOf(entry.timeZone);
  const id = textOf(entry.uuid);
  const title = titleOf(markdown);
  const day = dayIn(created, zone);
  return {
    kind: 'note',
    ...(id !== '' && { id }),
    place: under(
      folder,
      nameBy(stemOf(file.place), 'Journal'),
      nameBy([day, title].filter(Boolean).join(' ')),
    ),
    ...(title !== '' && { title }),
    properties: known({
      created,
      modified: timeOf(entry.modifiedDate),
      timezone: zone,
      tags: tagsOf(Array.isArray(entry.tags) ? entry.tags : []),
      starred: entry.starred === true,
      pinned: entry.isPinned === true,
      ...locationOf(recordOf(entry.location)),
      weather: weatherOf(recordOf(entry.weather)),
      activity: oneLine(textOf(recordOf(entry.userActivity).activityName)),
      music: [recordOf(entry.music).track, recordOf(entry.music).artist]
        .map(textOf)
        .filter(Boolean)
        .join(', '),
    }),
    markdown: whole,
    from: [file.place],
  };
}

/** Day One escapes every mark of punctuation; those that mean nothing where they stand are shown without a backslash. */
function unescaped(text: string): string {
  return text.replace(/\u200b/g, '').replace(/\\([.!()-])/g, (all, mark: string, at: number) => {
    const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    const next = text.charAt(at + 2);
    if (mark === '.' || mark === ')') return /^\s*\d+$/.test(line.slice(-12)) ? all : mark;
    if (mark === '-') return line.trim() === '' ? all : mark;
    if (mark === '!') return next === '[' ? all : mark;
    return line.endsWith(']') ? all : mark;
  });
}

const MOMENT = /!\[[^[\]\n]*\]\(dayone-moment:\/(?:\w*\/)?\/?([\w-]+)\)/g;
const ENTRY = /\[((?:[^[\]\n\\]|\\.)*)\]\(dayone2?:\/\/view\?entryId=([\w-]+)[^()\s]*\)/g;

/** Replaces the embeds of attachments and the links to entries. `used` has the ids of the attachments that were embedded. */
function momentsIn(
  text: string,
  attachments: ReadonlyMap<string, string>,
): { markdown: string; used: ReadonlySet<string> } {
  const used = new Set<string>();
  const markdown = closed(text, (line) => {
    const shown = inProse(line, MOMENT, (found) => {
      const [, id = ''] = new RegExp(MOMENT).exec(found) ?? [];
      used.add(id);
      return attachments.get(id) ?? 'An attachment (not in the export)';
    });
    return inProse(shown, ENTRY, (found) => {
      const [, words = '', id = ''] = new RegExp(ENTRY).exec(found) ?? [];
      return noteLink(id, words);
    });
  }).trim();
  return { markdown, used };
}

/** Returns the first line of text, without marks of Markdown. */
function titleOf(markdown: string): string {
  const line = markdown.split('\n').find((each) => each.trim() !== '' && !/^\s*!?\[/.test(each)) ?? '';
  const words = oneLine(
    line.replace(/^[\s#>*+-]+(?:\[[ xX]\])?/, '').replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1'),
  );
  const bare = words
    .replace(/\\(?=\p{P}|\p{S})|[*_`]|~~|==/gu, '')
    .replace(/!?\[\[[^[\]]*\]\]/g, '')
    .trim();
  return bare.length <= 80 ? bare : `${bare.slice(0, 80).replace(/\s+\S*$/, '')}…`;
}

/** Returns the day of a time where the entry was written. */
function dayIn(time: string, zone: string): string {
  if (time.length < 11) return time;
  try {
    const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone || 'UTC', dateStyle: 'short' });
    return parts.format(new Date(time));
  } catch (error) {
    // An unknown time zone.
    if (!(error instanceof RangeError)) throw error;
    return time.slice(0, 10);
  }
}

function locationOf(location: Item): Record<string, string> {
  const { latitude, longitude } = location;
  const names = [location.placeName, location.localityName, location.administrativeArea, location.country];
  const hasPlace = typeof latitude === 'number' && typeof longitude === 'number';
  return {
    place: [...new Set(names.map((name) => oneLine(textOf(name))).filter(Boolean))].join(', '),
    location: hasPlace ? `${latitude}, ${longitude}` : '',
  };
}

function weatherOf(weather: Item): string {
  const { temperatureCelsius: celsius, conditionsDescription: words } = weather;
  const degrees = typeof celsius === 'number' ? `${Math.round(celsius)} °C` : '';
  return [oneLine(textOf(words)), degrees].filter(Boolean).join(', ');
}
