import { fenced, inlineCode, literal, literalStart } from '../document-program/markup';
import { type Dialect, fileLink, type Made, type Tree, type TreeFile } from './tree';
import {
  baseOf,
  blocks,
  filesIn,
  foldersIn,
  foldersWith,
  folderOf,
  jsonIn,
  known,
  left,
  listOf,
  nameBy,
  oneLine,
  placesIn,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  under,
  webLink,
} from './values';

const DAY = /^\d{4}-\d\d-\d\d\.json$/;

/** The files beside the channels, and what is in them. */
const OTHERS: Readonly<Record<string, string>> = {
  'users.json': 'It lists the people, whose names stand in the notes.',
  'org_users.json': 'It lists the people, whose names stand in the notes.',
  'channels.json': 'It lists the channels, each of which is a folder of notes.',
  'groups.json': 'It lists the private channels, each of which is a folder of notes.',
  'dms.json': 'It lists the direct messages, each of which is a folder of notes.',
  'mpims.json': 'It lists the direct messages of several people, each of which is a folder of notes.',
  'integration_logs.json': 'It lists the programs that were installed.',
  'canvases.json': 'It lists canvases without their text.',
  'lists.json': 'It describes lists and holds no message.',
  'huddle_transcripts.json': 'It lists transcripts of calls.',
  'file_conversations.json': 'It lists comments on files.',
};

/** Slack's export of a workspace: a folder for each channel, with a JSON file for each day. */
export const slack: Dialect = {
  program: 'Slack',
  recognise: async (tree) => {
    const found = await foldersWith(
      tree,
      (place) => /^(?:users|channels|dms)\.json$/.test(baseOf(place)),
      (head) => /^\s*\[/.test(head) && /"(?:team_id|is_general|members|real_name)"/.test(head),
    );
    const withDays = new Set<string>();
    for (const [folder, files] of foldersIn(tree))
      if (files.some(({ place }) => DAY.test(baseOf(place)))) withDays.add(folderOf(folder));
    return found.filter((folder) => withDays.has(folder));
  },
  async *convert(tree, folder) {
    const lists = new Map<string, unknown>();
    for (const file of filesIn(tree, folder)) {
      const why = OTHERS[baseOf(file.place)];
      if (why === undefined) continue;
      lists.set(baseOf(file.place), (await jsonIn(tree, file)).value);
      yield left(file.place, why);
    }
    const names = namesOf([...listOf(lists.get('users.json')), ...listOf(lists.get('org_users.json'))]);
    const channels = channelsOf(lists, names);
    for (const [at, files] of foldersIn(tree)) {
      const isChannel =
        folderOf(at) === folder && at !== folder && files.some(({ place }) => DAY.test(baseOf(place)));
      if (isChannel)
        yield* monthsOf(tree, folder, files, {
          names,
          channel: channels.get(baseOf(at)) ?? { name: baseOf(at), about: '' },
        });
    }
  },
};

type Item = Readonly<Record<string, unknown>>;

/** A channel as its notes call it. */
interface Channel {
  readonly name: string;
  /** Its topic and purpose, as Markdown. */
  readonly about: string;
}

interface Talk {
  readonly names: ReadonlyMap<string, string>;
  readonly channel: Channel;
}

function namesOf(users: readonly unknown[]): ReadonlyMap<string, string> {
  return new Map(
    recordsOf(users).map((user) => {
      const { display_name: shownAs, real_name: real } = recordOf(user.profile);
      const all = [shownAs, real, user.real_name, user.name].map((name) => oneLine(textOf(name)));
      return [textOf(user.id), all.find(Boolean) ?? ''];
    }),
  );
}

/** Returns the channels by the names of their folders. */
function channelsOf(
  lists: ReadonlyMap<string, unknown>,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, Channel> {
  const channels = new Map<string, Channel>();
  const of = (name: string) => recordsOf(lists.get(name));
  for (const one of [...of('channels.json'), ...of('groups.json')]) {
    const about = [one.purpose, one.topic].map((each) => mrkdwn(textOf(recordOf(each).value), names));
    channels.set(textOf(one.name), { name: oneLine(textOf(one.name)), about: blocks(...new Set(about)) });
  }
  for (const one of [...of('dms.json'), ...of('mpims.json')]) {
    const people = listOf(one.members).map((id) => names.get(textOf(id)) || textOf(id));
    const channel = { name: people.join(', ') || textOf(one.name), about: '' };
    for (const key of [textOf(one.id), textOf(one.name)]) if (key !== '') channels.set(key, channel);
  }
  return channels;
}

/** Makes a note of each month of a channel. */
async function* monthsOf(
  tree: Tree,
  folder: string,
  files: readonly TreeFile[],
  talk: Talk,
): AsyncGenerator<Made> {
  const days = files.filter(({ place }) => DAY.test(baseOf(place)));
  const months = new Map<string, TreeFile[]>();
  for (const file of days) {
    const month = baseOf(file.place).slice(0, 7);
    const others = months.get(month);
    if (others === undefined) months.set(month, [file]);
    else others.push(file);
  }
  const { name, about } = talk.channel;
  for (const [month, ofMonth] of months) {
    const warnings: string[] = [];
    const from: string[] = [];
    const messages: Item[] = [];
    for (const file of ofMonth) {
      const read = await jsonIn(tree, file);
      if (read.value === undefined) yield { kind: 'file', from: file.place, warnings: read.warnings };
      else {
        from.push(file.place);
        warnings.push(...read.warnings);
        for (const message of recordsOf(read.value)) messages.push(message);
      }
    }
    const markdown = daysOf(messages, tree, talk);
    if (markdown === '') {
      for (const place of from) yield left(place, 'It has no message.');
      continue;
    }
    const times = messages.map(({ ts }) => Number(ts)).filter((time) => time > 0);
    const [first, last] = times.reduce(
      ([a, b], time) => [Math.min(a, time), Math.max(b, time)],
      [Infinity, 0],
    );
    yield {
      kind: 'note',
      place: under(folder, nameBy(name, 'Channel'), `${nameBy(name, 'Channel')} ${month}`),
      title: `${name} ${month}`,
      properties: known({
        created: Number.isFinite(first) ? timeOf(first, 1) : month,
        modified: last > 0 ? timeOf(last, 1) : '',
        channel: name,
      }),
      markdown: blocks(about, markdown),
      from,
      warnings,
    };
  }
}

/** Returns messages as Markdown: a heading for each day, and the replies of a thread below its first message. */
function daysOf(messages: readonly Item[], tree: Tree, talk: Talk): string {
  const sorted = [...messages].sort((a, b) => (Number(a.ts) || 0) - (Number(b.ts) || 0));
  const starts = new Set(sorted.map(({ ts }) => textOf(ts)));
  const replies = new Map<string, string[]>();
  const tops: { readonly message: Item; readonly said: string }[] = [];
  for (const message of sorted) {
    const said = messageOf(message, tree, talk);
    if (said === '') continue;
    const thread = textOf(message.thread_ts);
    // A reply to a message of another month stands by itself.
    const isReply = thread !== '' && thread !== textOf(message.ts) && starts.has(thread);
    if (!isReply) tops.push({ message, said });
    else if (replies.get(thread)?.push(said) === undefined) replies.set(thread, [said]);
  }
  let day = '';
  return blocks(
    ...tops.map(({ message, said }) => {
      const at = timeOf(message.ts, 1).slice(0, 10);
      const below = (replies.get(textOf(message.ts)) ?? []).map((reply) =>
        reply.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>'),
      );
      const heading = at === day || at === '' ? '' : `## ${at}`;
      day = at || day;
      return blocks(heading, said, below.join('\n>\n'));
    }),
  );
}

/** Returns a message with its speaker and time (UTC); '' for one without anything to show. */
function messageOf(message: Item, tree: Tree, { names }: Talk): string {
  const profile = recordOf(message.user_profile);
  const speakers = [
    names.get(textOf(message.user)) ?? '',
    textOf(profile.display_name),
    textOf(profile.real_name),
    textOf(message.username),
    textOf(recordOf(message.bot_profile).name),
    textOf(message.user),
  ];
  const speaker = speakers.map(oneLine).find(Boolean) ?? 'Someone';
  const text = mrkdwn(textOf(message.text), names);
  const files = recordsOf(message.files).map((file) => `- ${fileOf(file, tree)}`);
  const attachments = recordsOf(message.attachments).map((each) => {
    const title = each.title === undefined ? '' : webLink(textOf(each.title_link), textOf(each.title));
    const body = mrkdwn(textOf(each.text) || (title === '' ? textOf(each.fallback) : ''), names);
    return blocks(mrkdwn(textOf(each.pretext), names), title, body);
  });
  const body = blocks(text, ...attachments, files.join('\n'));
  if (body === '') return '';
  const clock = timeOf(message.ts, 1).slice(11, 16);
  const edited = message.edited === undefined ? '' : ', edited';
  return `**${literal(speaker)}**${clock === '' ? '' : ` (${clock} UTC${edited})`}:${/^(?:[-*>`#]|\d+[.)])/.test(body) ? '\n\n' : ' '}${body}`;
}

function fileOf(file: Item, tree: Tree): string {
  const name = oneLine(textOf(file.title) || textOf(file.name)) || 'A file';
  if (file.mode === 'tombstone' || file.mode === 'hidden_by_limit') return `${literal(name)} (deleted)`;
  // Programs that complete an export put the files into a folder by their ids.
  const place = under('__uploads', textOf(file.id), textOf(file.name));
  if (placesIn(tree).has(place)) return fileLink(place, name);
  return webLink(textOf(file.permalink) || textOf(file.url_private), name);
}

const MARKUP =
  /```([^]*?)```|`([^`\n]+)`|<([^<>\n]+)>|(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\p{L}\p{N}~])/gu;

/** Converts the markup of Slack to Markdown; everything else is text. */
function mrkdwn(text: string, names: ReadonlyMap<string, string>): string {
  const pieces: string[] = [];
  let done = 0;
  const between = (part: string) => {
    for (const [at, line] of entities(part).split('\n').entries()) {
      if (at > 0) pieces.push('\n');
      const isStart = pieces.length === 0 || pieces.at(-1) === '\n';
      // Items of a list that somebody typed stay items.
      const [mark = ''] = isStart ? (/^\s*(?:[-+]|\d{1,9}[.)])\s+/.exec(line) ?? []) : [];
      if (line !== '') pieces.push(mark + (isStart ? literalStart(line.slice(mark.length)) : literal(line)));
    }
  };
  for (const found of text.matchAll(MARKUP)) {
    const [all, block, code, angle, bold, italic, struck] = found;
    between(text.slice(done, found.index));
    done = found.index + all.length;
    if (block !== undefined) pieces.push(`\n\n${fenced(entities(angles(block)), '').markdown.trimEnd()}\n\n`);
    else if (code !== undefined) pieces.push(inlineCode(entities(angles(code))));
    else if (angle !== undefined) pieces.push(reference(angle, names));
    else if (bold !== undefined) pieces.push(`**${inline(bold, names)}**`);
    else if (italic !== undefined) pieces.push(`*${inline(italic, names)}*`);
    else pieces.push(`~~${inline(struck ?? '', names)}~~`);
  }
  between(text.slice(done));
  return pieces
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Returns text in emphasis, with its mentions and links. */
function inline(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .split(/(<[^<>\n]+>)/)
    .map((part, at) => (at % 2 === 1 ? reference(part.slice(1, -1), names) : literal(entities(part))))
    .join('');
}

function angles(text: string): string {
  return text.replace(/<([^<>|\n]+)(?:\|[^<>\n]*)?>/g, '$1');
}

function entities(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) =>
    name === 'lt' ? '<' : name === 'gt' ? '>' : '&',
  );
}

/** Returns what stands between angle brackets: a mention of a person, a channel or a group, or a link. */
function reference(angle: string, names: ReadonlyMap<string, string>): string {
  const [target = '', words = ''] = [
    angle.split('|', 1)[0],
    angle.slice(angle.indexOf('|') + 1 || angle.length),
  ];
  const said = entities(words);
  if (target.startsWith('@'))
    return `@${literal(names.get(target.slice(1)) || said.replace(/^@/, '') || target.slice(1))}`;
  if (target.startsWith('#')) return `\\#${literal(said || target.slice(1))}`;
  if (target.startsWith('!date')) return literal(said);
  if (target.startsWith('!')) return `@${literal((said || target.slice(1)).replace(/^@|^subteam\^/, ''))}`;
  return webLink(entities(target), said);
}
