import { unescaped } from './enex';
import type { Dialect, Made, TreeFile } from './tree';
import { attached, blocks, htmlToMarkdown, known, oneLine, tagsOf, textIn, timeOf } from './values';

/** Notes of Evernote, which `unenex` has taken out of their export. */
const ENML = /\.enml$/;

export const evernote: Dialect = {
  program: 'Evernote',
  async recognise(tree) {
    return tree.files.some(({ place }) => ENML.test(place)) ? [''] : [];
  },
  async *convert(tree) {
    const notes = tree.files.filter(({ place }) => ENML.test(place));
    /** By title: links between notes name notes that the export numbers otherwise. */
    const titles = new Map<string, string>();
    const texts = new Map<TreeFile, string>();
    for (const file of notes) {
      const xml = (await textIn(tree, file)) ?? '';
      texts.set(file, xml);
      const title = titleIn(xml);
      if (title !== '' && !titles.has(title)) titles.set(title, file.place);
    }
    for (const [file, xml] of texts) yield noteOf(file, xml, titles);
  },
};

function titleIn(xml: string): string {
  return oneLine(unescaped(/<title>([^<]*)<\/title>/.exec(xml)?.[1] ?? ''));
}

function noteOf(file: TreeFile, xml: string, titles: ReadonlyMap<string, string>): Made {
  const value = (name: string): string =>
    unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '').trim();
  const places = new Map(
    [...xml.matchAll(/<resource><md5>([^<]*)<\/md5><place>([^<]*)<\/place><\/resource>/g)].map(
      ([, hash = '', place = '']) => [hash, unescaped(place)],
    ),
  );
  const warnings = xml.includes('<resource><damaged/></resource>')
    ? ['An attachment is damaged and was left out.']
    : [];
  const content = /<content>\s*(?:<!\[CDATA\[(.*)\]\]>|(.*?))\s*<\/content>/s.exec(xml);
  const enml = content?.[1] ?? unescaped(content?.[2] ?? '');
  if (/<en-crypt[\s>]/.test(enml))
    warnings.push(
      'A part of it is encrypted, and was left out. Decrypt it in Evernote, and export it again.',
    );
  const used = new Set<string>();
  const html = htmlOf(enml, { places, titles, used });
  const { markdown } = htmlToMarkdown(
    html,
    (address) => (address.startsWith('enex:') ? (places.get(address.slice('enex:'.length)) ?? null) : null),
    (address) => (address.startsWith('note:') ? decodeURIComponent(address.slice('note:'.length)) : null),
  );
  const rest = [...places].flatMap(([hash, place]) => (used.has(hash) ? [] : [attached(place)]));
  const title = titleIn(xml);
  return {
    kind: 'note',
    place: file.place.replace(ENML, ''),
    id: file.place,
    ...(title !== '' && { title }),
    properties: known({
      created: timeIn(value('created')),
      modified: timeIn(value('updated')),
      tags: tagsOf([...xml.matchAll(/<tag>([^<]*)<\/tag>/g)].map(([, tag = '']) => unescaped(tag))),
      source: /^https?:/i.test(value('source-url')) ? value('source-url') : '',
      author: value('author'),
      reminder: timeIn(value('reminder-time')),
      reminder_done: timeIn(value('reminder-done-time')),
      location: [value('latitude'), value('longitude')].filter(Boolean).join(', '),
    }),
    markdown: blocks(withTasks(markdown), tasksIn(xml), rest.join('\n')),
    from: [file.place],
    warnings,
  };
}

/** Returns the text of a note as HTML: tasks become check boxes, and what is shown becomes a picture of its hash. */
function htmlOf(
  enml: string,
  {
    places,
    titles,
    used,
  }: {
    readonly places: ReadonlyMap<string, string>;
    readonly titles: ReadonlyMap<string, string>;
    readonly used: Set<string>;
  },
): string {
  const body = /<en-note[^>]*>(.*)<\/en-note>/s.exec(enml)?.[1] ?? enml;
  return (
    body
      // The address of another note means nothing elsewhere; its words are its title.
      .replace(/<a\s[^>]*href="evernote:[^"]*"[^>]*>(.*?)<\/a>/gs, (_, words: string) => {
        const id = titles.get(oneLine(unescaped(words.replace(/<[^>]*>/g, ''))));
        return id === undefined ? words : `<a href="note:${encodeURIComponent(id)}">${words}</a>`;
      })
      .replace(/<en-crypt[^>]*>.*?<\/en-crypt>/gs, '<i>(encrypted)</i>')
      .replace(
        /<en-todo([^>]*?)\/?>(?:<\/en-todo>)?/g,
        (_, said: string) =>
          `<input type="checkbox"${/checked\s*=\s*"true"/i.test(said) ? ' checked' : ''}/>`,
      )
      .replace(/<en-media([^>]*?)\/?>(?:<\/en-media>)?/g, (_, said: string) => {
        const hash = /hash\s*=\s*"([\da-f]{32})"/i.exec(said)?.[1]?.toLowerCase() ?? '';
        if (!places.has(hash)) return '';
        used.add(hash);
        return `<img src="enex:${hash}" alt=""/>`;
      })
  );
}

/** Makes tasks of lines that begin with a check box; those that follow one another are one list. */
function withTasks(markdown: string): string {
  return markdown
    .replace(/^([☑☐]) ?/gm, (_, box: string) => `- [${box === '☑' ? 'x' : ' '}] `)
    .replace(/^(- \[[x ]\] .*)\n\n(?=- \[[x ]\] )/gm, '$1\n');
}

/** Returns the tasks of a note, which Evernote keeps beside its text since 2021. */
function tasksIn(xml: string): string {
  return [...xml.matchAll(/<task>(.*?)<\/task>/gs)]
    .map(([, task = '']) => {
      const of = (name: string): string =>
        unescaped(new RegExp(`<${name}>([^<]*)</${name}>`).exec(task)?.[1] ?? '').trim();
      const due = timeIn(of('dueDate')).slice(0, 10);
      return `- [${/completed/i.test(of('taskStatus')) ? 'x' : ' '}] ${oneLine(of('title'))}${due === '' ? '' : ` 📅 ${due}`}`;
    })
    .join('\n');
}

/** Reads a time of the form `20130730T205204Z`. */
function timeIn(text: string): string {
  return timeOf(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
