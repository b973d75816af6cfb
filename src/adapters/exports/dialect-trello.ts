import { closed } from '../document-program/closed';
import { type Dialect, fileLink, type Made, noteLink, type Tree, type TreeFile } from './tree';
import {
  blocks,
  filesIn,
  foldersWith,
  headOf,
  jsonIn,
  known,
  left,
  listOf,
  nameBy,
  oneLine,
  placesIn,
  recordOf,
  recordsOf,
  shown,
  tagsOf,
  textOf,
  timeOf,
  under,
  webLink,
} from './values';

/** Trello's JSON export of a board: a note for each card in the folder of its list, and one note that lists them. */
export const trello: Dialect = {
  program: 'Trello',
  recognise: (tree) => foldersWith(tree, (place) => place.endsWith('.json'), isBoard),
  async *convert(tree, folder) {
    for (const file of filesIn(tree, folder)) {
      if (!file.place.endsWith('.json') || !isBoard(await headOf(tree, file))) continue;
      const { value, warnings } = await jsonIn(tree, file);
      const board = recordOf(value);
      if (recordsOf(board.cards).length + recordsOf(board.lists).length === 0)
        yield { kind: 'file', from: file.place, warnings };
      else yield* boardNotes(board, { tree, folder, file, warnings });
    }
  },
};

function isBoard(head: string): boolean {
  // The name of a board comes first; its cards follow far behind.
  return (
    /^\s*\{/.test(head) &&
    /"(?:idOrganization|idMemberCreator|dateLastActivity|shortLink)"/.test(head) &&
    /"(?:idBoardSource|labelNames|descData|prefs|idEnterprise|cards)"/.test(head)
  );
}

type Item = Readonly<Record<string, unknown>>;

interface Export {
  readonly tree: Tree;
  readonly folder: string;
  readonly file: TreeFile;
  readonly warnings: readonly string[];
}

/** What the cards of a board refer to, by their ids. */
interface Board {
  readonly folder: string;
  readonly lists: ReadonlyMap<string, Item>;
  readonly members: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, Item>;
  readonly checklists: ReadonlyMap<string, readonly Item[]>;
  readonly comments: ReadonlyMap<string, readonly Item[]>;
  readonly fields: ReadonlyMap<string, Item>;
}

function* boardNotes(board: Item, { tree, folder, file, warnings }: Export): Generator<Made> {
  const title = oneLine(textOf(board.name));
  const at = under(folder, nameBy(title, 'Board'));
  const lists = inOrder(board.lists);
  const cards = inOrder(board.cards);
  const comments = recordsOf(board.actions)
    .filter(({ type }) => type === 'commentCard' || type === 'copyCommentCard')
    .reverse();
  const all: Board = {
    folder: at,
    lists: new Map(lists.map((list) => [textOf(list.id), list])),
    members: new Map(
      recordsOf(board.members).map((one) => [
        textOf(one.id),
        oneLine(textOf(one.fullName) || textOf(one.username)),
      ]),
    ),
    labels: new Map(recordsOf(board.labels).map((one) => [textOf(one.id), one])),
    checklists: grouped(inOrder(board.checklists), ({ idCard }) => textOf(idCard)),
    comments: grouped(comments, ({ data }) => textOf(recordOf(recordOf(data).card).id)),
    fields: new Map(recordsOf(board.customFields).map((one) => [textOf(one.id), one])),
  };
  const byList = grouped(cards, ({ idList }) => textOf(idList));
  const listed = lists.map((list) => {
    const own = byList.get(textOf(list.id)) ?? [];
    const lines = own.map(
      (card) =>
        `- ${noteLink(idOf(card), textOf(card.name) || 'Card')}${card.closed === true ? ' (archived)' : ''}`,
    );
    return `## ${shown(list.name) || 'List'}${list.closed === true ? ' (archived)' : ''}\n\n${lines.join('\n')}`.trim();
  });
  const homeless = cards.filter(({ idList }) => !all.lists.has(textOf(idList)));
  yield {
    kind: 'note',
    id: `board ${textOf(board.id)}`,
    place: under(at, nameBy(title, 'Board')),
    ...(title !== '' && { title }),
    properties: known({
      created: createdBy(textOf(board.id)),
      modified: timeOf(board.dateLastActivity),
      source: webAddress(board.url),
      archived: board.closed === true,
    }),
    markdown: blocks(
      closed(textOf(board.desc).trim()),
      ...listed,
      homeless.length === 0
        ? ''
        : `## Cards of no list\n\n${homeless.map((card) => `- ${noteLink(idOf(card), textOf(card.name))}`).join('\n')}`,
    ),
    from: [file.place],
    warnings,
  };
  for (const card of cards) {
    if (textOf(card.name).trim() === '' && textOf(card.desc).trim() === '' && idOf(card) === '')
      yield left(file.place, 'The card has no name and no text.', 'A card');
    else yield cardNote(card, all, tree, file);
  }
}

/** Returns the items of a list by their position. */
function inOrder(value: unknown): Item[] {
  const position = ({ pos }: Item): number => (typeof pos === 'number' ? pos : Number.MAX_VALUE);
  return [...recordsOf(value)].sort((a, b) => position(a) - position(b));
}

function grouped(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function idOf({ id }: Item): string {
  return textOf(id);
}

/** The first eight digits of an id of Trello are the time when it was made (seconds, hexadecimal). */
function createdBy(id: string): string {
  return /^[0-9a-f]{24}$/i.test(id) ? timeOf(parseInt(id.slice(0, 8), 16), 1) : '';
}

function webAddress(value: unknown): string {
  const address = textOf(value).trim();
  return /^https?:\/\/\S+$/i.test(address) ? address : '';
}

function cardNote(card: Item, board: Board, tree: Tree, file: TreeFile): Made {
  const title = oneLine(textOf(card.name));
  const list = board.lists.get(textOf(card.idList));
  const listName = list === undefined ? '' : oneLine(textOf(list.name));
  const labels =
    recordsOf(card.labels).length > 0
      ? recordsOf(card.labels)
      : listOf(card.idLabels).map((id) => board.labels.get(textOf(id)) ?? {});
  const members = listOf(card.idMembers).map((id) => board.members.get(textOf(id)) ?? '');
  const isTask = textOf(card.due) !== '';
  const task = `- [${card.dueComplete === true ? 'x' : ' '}] ${shown(title) || 'Card'}`;
  return {
    kind: 'note',
    id: idOf(card),
    place: under(board.folder, ...(listName === '' ? [] : [nameBy(listName)]), nameBy(title, 'Card')),
    ...(title !== '' && { title }),
    properties: known({
      created: createdBy(idOf(card)),
      modified: timeOf(card.dateLastActivity),
      // A label without a name has only its colour.
      tags: tagsOf(labels.map(({ name }) => name)),
      list: listName,
      members: members.filter(Boolean),
      start: timeOf(card.start),
      due: timeOf(card.due),
      completed: isTask && card.dueComplete === true,
      archived: card.closed === true || list?.closed === true,
      source: webAddress(card.shortUrl) || webAddress(card.url),
      ...fieldsOf(card, board),
    }),
    markdown: blocks(
      isTask ? task : '',
      closed(textOf(card.desc).trim()),
      ...(board.checklists.get(idOf(card)) ?? []).map((list) => checklist(list, board)),
      attachmentsOf(card, board, tree),
      commentsOf(board.comments.get(idOf(card)) ?? []),
    ),
    from: [file.place],
  };
}

/** The names of properties that a field of a board may not have. */
const OWN = new Set(
  'created modified tags aliases list members start due completed archived source title __proto__'.split(' '),
);

/** Returns the values of the fields that a board has added to its cards. */
function fieldsOf(card: Item, { fields }: Board): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const { idCustomField, idValue, value } of recordsOf(card.customFieldItems)) {
    const field = fields.get(textOf(idCustomField)) ?? {};
    const name = oneLine(textOf(field.name))
      .toLowerCase()
      .replace(/[:#[\]{}]/g, '');
    if (name === '' || OWN.has(name)) continue;
    const option = recordsOf(field.options).find(({ id }) => id === idValue);
    const { text, number, date, checked } = recordOf(option?.value ?? value);
    const said = Number(number);
    if (checked !== undefined) values[name] = checked === 'true' || checked === true;
    else if (number !== undefined && Number.isFinite(said)) values[name] = said;
    else values[name] = timeOf(date) || oneLine(textOf(text));
  }
  return values;
}

function checklist(list: Item, { members }: Board): string {
  const items = inOrder(list.checkItems).map((item) => {
    const due = timeOf(item.due).slice(0, 10);
    const member = members.get(textOf(item.idMember)) ?? '';
    const more = [due === '' ? '' : `due ${due}`, shown(member)].filter(Boolean).join(', ');
    return `- [${item.state === 'complete' ? 'x' : ' '}] ${shown(item.name)}${more === '' ? '' : ` (${more})`}`;
  });
  return items.length === 0 ? '' : `## ${shown(list.name) || 'Checklist'}\n\n${items.join('\n')}`;
}

function attachmentsOf(card: Item, { folder }: Board, tree: Tree): string {
  const lines = recordsOf(card.attachments).map(({ name, url, fileName }) => {
    const place = under(folder, 'attachments', textOf(fileName) || textOf(name));
    if (placesIn(tree).has(place)) return `- ${fileLink(place, textOf(name))}`;
    return `- ${webLink(textOf(url), textOf(name))}`;
  });
  return lines.length === 0 ? '' : `## Attachments\n\n${lines.join('\n')}`;
}

function commentsOf(actions: readonly Item[]): string {
  const said = actions.flatMap((action) => {
    const text = closed(textOf(recordOf(action.data).text).trim());
    const { fullName, username } = recordOf(action.memberCreator);
    const who = shown(fullName) || shown(username) || 'Someone';
    const time = timeOf(action.date).slice(0, 16).replace('T', ' ');
    return text === '' ? [] : [blocks(`**${who}**${time === '' ? '' : `, ${time} UTC`}:`, text)];
  });
  return said.length === 0 ? '' : blocks('## Comments', ...said);
}
