import { closed } from '../document-program/closed';
import { chatMessages } from '../document-program/chats';
import { fenced } from '../document-program/markup';
import { type Dialect, type Made, noteLink, type TreeFile } from './tree';
import {
  baseOf,
  blocks,
  filesIn,
  foldersWith,
  jsonIn,
  known,
  left,
  nameBy,
  oneLine,
  type Parsed,
  plain,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  under,
} from './values';

const CONVERSATIONS = /^conversations(?:[-_]\d+)?\.json$/i;
const PROJECTS = /^projects(?:[-_]\d+)?\.json$/i;
const MEMORIES = /^memories\.json$/i;

/** The export of Claude: conversations, projects with their documents, and memories. */
export const claude: Dialect = {
  program: 'Claude',
  recognise: (tree) =>
    foldersWith(
      tree,
      (place) => [CONVERSATIONS, PROJECTS].some((named) => named.test(baseOf(place))),
      (head) =>
        head.includes('"chat_messages"') || (head.includes('"prompt_template"') && head.includes('"docs"')),
    ),
  async *convert(tree, folder) {
    for (const file of [...filesIn(tree, folder), ...filesIn(tree, under(folder, 'projects'))]) {
      const name = baseOf(file.place);
      const isProject =
        PROJECTS.test(name) || (file.place.startsWith(under(folder, 'projects/')) && /\.json$/.test(name));
      if (name === 'users.json') yield left(file.place, 'It describes the account.');
      if (!isProject && !CONVERSATIONS.test(name) && !MEMORIES.test(name)) continue;
      const parsed = await jsonIn(tree, file);
      const all = recordsOf(Array.isArray(parsed.value) ? parsed.value : [parsed.value]);
      let isFirst = true;
      for (const one of all)
        for (const made of isProject
          ? projectNotes(one, folder, file)
          : MEMORIES.test(name)
            ? memoryNotes(one, folder, file)
            : [chatNote(one, folder, file)]) {
          yield isFirst ? withWarnings(made, parsed) : made;
          isFirst = false;
        }
      if (isFirst && parsed.value === undefined)
        yield { kind: 'file', from: file.place, warnings: parsed.warnings };
    }
  },
};

function withWarnings(made: Made, { warnings }: Parsed): Made {
  return made.kind === 'note' && warnings.length > 0
    ? { ...made, warnings: [...warnings, ...(made.warnings ?? [])] }
    : made;
}

type Item = Readonly<Record<string, unknown>>;

function chatNote(chat: Item, folder: string, file: TreeFile): Made {
  const title = oneLine(textOf(chat.name));
  const said = chatMessages(chat, () => null);
  if (said === null || said.markdown === '')
    return left(file.place, 'The conversation has no message that can be read.', title || 'A conversation');
  const created = timeOf(chat.created_at);
  const id = textOf(chat.uuid);
  const project = recordOf(chat.project);
  const projectId = textOf(project.uuid);
  return {
    kind: 'note',
    ...(id !== '' && { id }),
    place: under(folder, nameBy(title, `Conversation ${created.slice(0, 10)}`.trim())),
    ...(title !== '' && { title }),
    properties: known({
      created,
      modified: timeOf(chat.updated_at),
      model: oneLine(textOf(chat.model)),
      source: /^[\w-]+$/.test(id) ? `https://claude.ai/chat/${id}` : '',
      starred: chat.is_starred === true,
    }),
    markdown: blocks(
      projectId === '' ? '' : `Project: ${noteLink(projectId, textOf(project.name) || 'Project')}`,
      quoted(textOf(chat.summary)),
      said.markdown,
    ),
    from: [file.place],
  };
}

function quoted(text: string): string {
  return closed(text.trim())
    .split('\n')
    .map((line) => (text.trim() === '' ? '' : `> ${line}`.trimEnd()))
    .join('\n');
}

/** Returns a project as a note that names its documents, and each document as a note. */
function projectNotes(project: Item, folder: string, file: TreeFile): Made[] {
  const title = oneLine(textOf(project.name));
  if (project.is_starter_project === true)
    return [left(file.place, 'It is the example that Claude gives to everyone.', title)];
  const docs = recordsOf(project.docs).map((doc, at) => ({
    name: oneLine(textOf(doc.filename)) || `Document ${at + 1}`,
    id: textOf(doc.uuid) || `${textOf(project.uuid)} ${at}`,
    text: textOf(doc.content),
    created: timeOf(doc.created_at),
  }));
  const description = plain(textOf(project.description));
  const template = closed(textOf(project.prompt_template).trim());
  if (title === '' && docs.length === 0 && template === '' && description === '')
    return [left(file.place, 'The project is empty.', 'A project')];
  const at = under(folder, 'Projects', nameBy(title, 'Project'));
  const id = textOf(project.uuid);
  return [
    {
      kind: 'note',
      ...(id !== '' && { id }),
      place: under(at, nameBy(title, 'Project')),
      ...(title !== '' && { title }),
      properties: known({
        created: timeOf(project.created_at),
        modified: timeOf(project.updated_at),
        archived: project.archived_at !== undefined && project.archived_at !== null,
      }),
      markdown: blocks(
        description,
        template === '' ? '' : `## Instructions\n\n${template}`,
        docs.length === 0
          ? ''
          : `## Documents\n\n${docs.map(({ id: of, name }) => `- ${noteLink(of, name)}`).join('\n')}`,
      ),
      from: [file.place],
    },
    ...docs.map(({ name, id: of, text, created }): Made => ({
      kind: 'note',
      id: of,
      place: under(at, nameBy(name.replace(/\.(?:md|markdown|txt)$/i, ''))),
      title: name,
      properties: known({ created }),
      markdown: documentText(name, text),
      from: [file.place],
    })),
  ];
}

/** Returns the text of a document: Markdown as it is, text as it reads, anything else as code. */
function documentText(name: string, text: string): string {
  const ending = /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? 'md';
  if (ending === 'md' || ending === 'markdown') return text.trim();
  if (/^(?:txt|text|pdf|docx?|rtf|odt|html?)$/.test(ending)) return plain(text);
  return fenced(text, ending).markdown.trimEnd();
}

/** Returns what Claude remembers: one note of all conversations, and one for each project. */
function memoryNotes(memory: Item, folder: string, file: TreeFile): Made[] {
  const note = (title: string, text: string): Made[] =>
    text.trim() === ''
      ? []
      : [
          {
            kind: 'note',
            place: under(folder, 'Memories', nameBy(title)),
            title,
            properties: known({}),
            markdown: text.trim(),
            from: [file.place],
          },
        ];
  const ofProjects = Object.entries(recordOf(memory.project_memories));
  return [
    ...note('Memory of conversations', textOf(memory.conversations_memory)),
    ...ofProjects.flatMap(([id, text]) =>
      note(`Memory of project ${id}`, blocks(`Project: ${noteLink(id, 'Project')}`, textOf(text))),
    ),
  ];
}
