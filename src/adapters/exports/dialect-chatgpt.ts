import { chatMessages } from '../document-program/chats';
import type { Dialect, Tree } from './tree';
import {
  attached,
  baseOf,
  filesBelow,
  filesIn,
  foldersWith,
  jsonIn,
  known,
  left,
  listOf,
  nameBy,
  oneLine,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  under,
} from './values';

const CONVERSATIONS = /^conversations(?:[-_]\d+)?\.json$/i;

/** The files beside the conversations, and what is in them. */
const OTHERS: readonly (readonly [name: RegExp, why: string])[] = [
  [/^chat\.html$/, 'It is a page that shows the conversations, which are notes.'],
  [/^message_feedback\.json$/, 'It holds ratings of answers.'],
  [/^model_comparisons\.json$/, 'It holds answers that were compared.'],
  [/^shared_conversations\.json$/, 'It lists the conversations that were shared; each of them is a note.'],
  [/^group_chats\.json$/, 'It lists group chats.'],
  [/^user(?:_settings)?\.json$/, 'It describes the account.'],
  [
    /^(?:export_manifest|conversation_asset_file_names|library_files)\.json$/,
    'It lists the files of the export.',
  ],
  [/^(?:shopping|sora|tasks)\.json$/, 'It holds data of the account and no conversation.'],
];

/** The export of ChatGPT: conversations in JSON, and pictures and recordings named by their ids. */
export const chatgpt: Dialect = {
  program: 'ChatGPT',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => CONVERSATIONS.test(baseOf(place)),
      (head) => /"mapping"\s*:\s*\{/.test(head),
    ),
  async *convert(tree, folder) {
    const fileOf = filesById(tree, folder);
    for (const file of filesIn(tree, folder)) {
      const name = baseOf(file.place);
      const other = OTHERS.find(([named]) => named.test(name));
      if (other !== undefined) yield left(file.place, other[1]);
      if (!CONVERSATIONS.test(name)) continue;
      const { value, warnings } = await jsonIn(tree, file);
      if (value === undefined) yield { kind: 'file', from: file.place, warnings };
      let isFirst = true;
      for (const each of Array.isArray(value) ? listOf(value) : recordsOf([value])) {
        const chat = recordOf(each);
        const title = oneLine(textOf(chat.title));
        const said = chatMessages(each, fileOf);
        if (said === null || said.markdown === '') {
          yield left(
            file.place,
            'The conversation has no message that can be read.',
            title || 'A conversation',
          );
          continue;
        }
        const id = textOf(chat.conversation_id) || textOf(chat.id);
        const created = timeOf(chat.create_time, 1);
        yield {
          kind: 'note',
          ...(id !== '' && { id }),
          place: under(folder, nameBy(title, `Conversation ${created.slice(0, 10)}`.trim())),
          ...(title !== '' && { title }),
          properties: known({
            created,
            modified: timeOf(chat.update_time, 1),
            model: modelOf(chat),
            source: /^[\w-]+$/.test(id) ? `https://chatgpt.com/c/${id}` : '',
            archived: chat.is_archived === true,
            starred: chat.is_starred === true,
          }),
          markdown: said.markdown,
          from: [file.place],
          warnings: [...(isFirst ? warnings : []), ...replacedIn(said.replaced)],
        };
        isFirst = false;
      }
    }
  },
};

/** Tells of messages on other branches, which stand at the end of the note. */
function replacedIn(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count === 1 ? 'One message was' : `${count} messages were`} replaced by an edit or another answer, and ${count === 1 ? 'stands' : 'stand'} at the end.`,
  ];
}

/** Returns the model of a conversation: its own, or that of the last message which names one. */
function modelOf(chat: Readonly<Record<string, unknown>>): string {
  const own = oneLine(textOf(chat.default_model_slug));
  if (own !== '') return own;
  let last = '';
  for (const node of Object.values(recordOf(chat.mapping)))
    last = oneLine(textOf(recordOf(recordOf(recordOf(node).message).metadata).model_slug)) || last;
  return last;
}

/** Returns a function that shows the file with an id, which begins the name of the file. */
function filesById(tree: Tree, folder: string): (id: string) => string | null {
  const places = new Map<string, string>();
  for (const { place } of filesBelow(tree, folder)) {
    const [id] = /^file[-_][A-Za-z0-9]+/.exec(baseOf(place)) ?? [];
    if (id !== undefined && !places.has(id)) places.set(id, place);
  }
  return (id) => {
    const place = places.get(/^file[-_][A-Za-z0-9]+/.exec(id)?.[0] ?? '');
    return place === undefined ? null : attached(place);
  };
}
