import { isRecord, parsedJson } from '../../core/base/json';
import { closed, inProse, OwnLabels } from './closed';
import { jsonBlock } from './json';
import {
  CUT_WARNING,
  fenced,
  heading,
  joinWithin,
  linesToMarkdown,
  literal,
  MAX_TEXT,
  within,
} from './markup';
import type { ReadText } from './protocol';

/** A message of a conversation, as Markdown. */
interface Turn {
  readonly role: string;
  readonly at: string;
  readonly markdown: string;
}

interface Conversation {
  readonly title: string;
  readonly at: string;
  readonly turns: readonly Turn[];
  /** Messages that an edit or another answer has replaced. */
  readonly replaced: readonly Turn[];
}

/**
 * Converts the conversations that ChatGPT or Claude has exported (one, or a list of them) to Markdown, with a heading for each
 * conversation and each message. Messages are Markdown and stay as they are. Returns null for any other JSON.
 */
export function readChats(text: string): ReadText | null {
  // JSON that is no export is not parsed here.
  if (!text.includes('"mapping"') && !text.includes('"chat_messages"')) return null;
  const value = parsedJson(text);
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const known = all.find((one) => isChatGpt(one) || isClaude(one));
  if (known === undefined) return null;
  const isMany = all.length > 1;
  const maker = isClaude(known) ? 'Claude' : 'ChatGPT';
  const title = isMany ? `${all.length} conversations with ${maker}` : titleOf(conversationOf(known));
  // The title is the first heading: messages have headings of their own.
  const markdown = [heading(1, title)];
  const labels = new OwnLabels();
  let [size, taken, isCut] = [heading(1, title).length, 0, false];
  for (const one of all) {
    const pieces = joinWithin(conversationMarkdown(conversationOf(one), isMany, labels), MAX_TEXT - size);
    // A block of code that the cut has opened is closed within the limit.
    markdown.push(pieces.isCut ? closed(within(pieces.text, MAX_TEXT - size - 16)) : pieces.text);
    size += pieces.text.length;
    taken += 1;
    isCut = pieces.isCut;
    if (isCut) break;
  }
  const rest = `The file has ${all.length} conversations, of which the first ${taken} were taken, the last of them in part. Split the file and ingest the rest.`;
  const warnings = isCut ? [CUT_WARNING, ...(isMany ? [rest] : [])] : [];
  return { markdown: within(markdown.join('')), title, warnings };
}

/** Returns the Markdown that shows a file of the export by its id, or null for a file that is not there. */
type FileOf = (id: string) => string | null;

/**
 * Converts one conversation of ChatGPT or Claude to Markdown, with a heading for each message; null for anything else.
 * @param fileOf shows the pictures and recordings of the conversation
 */
export function chatMessages(
  value: unknown,
  fileOf: FileOf,
): { readonly markdown: string; readonly replaced: number } | null {
  if (!isChatGpt(value) && !isClaude(value)) return null;
  const { turns, replaced } = isClaude(value) ? claude(value) : chatGpt(value, fileOf);
  const whole = { title: '', at: '', turns, replaced };
  const markdown = [...conversationMarkdown(whole, false, new OwnLabels())].join('').trimEnd();
  return { markdown, replaced: replaced.length };
}

/** Reads a conversation; what is none, among others, is kept as JSON. */
function conversationOf(value: unknown): Conversation {
  if (isChatGpt(value)) return chatGpt(value, () => null);
  if (isClaude(value)) return claude(value);
  const turns = value === undefined ? [] : [{ role: 'Other', at: '', markdown: json(value) }];
  return { title: '', at: '', turns, replaced: [] };
}

function isChatGpt(value: unknown): boolean {
  return (
    isRecord(value) &&
    isRecord(value.mapping) &&
    Object.values(value.mapping).some((node) => isRecord(node) && 'message' in node && 'children' in node)
  );
}

function isClaude(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.chat_messages) && ('uuid' in value || 'name' in value);
}

function titleOf({ title, at }: Conversation): string {
  return title || (at === '' ? 'Conversation' : `Conversation of ${at.slice(0, 10)}`);
}

function* conversationMarkdown(
  conversation: Conversation,
  isOneOfMany: boolean,
  labels: OwnLabels,
): Generator<string> {
  const { at, turns, replaced } = conversation;
  const level = isOneOfMany ? 3 : 2;
  if (isOneOfMany) yield heading(2, titleOf(conversation));
  if (at !== '') yield `Begun ${at}.\n\n`;
  for (const turn of turns) yield turnMarkdown(turn, level, labels);
  if (replaced.length > 0) yield heading(level, 'Replaced messages');
  for (const turn of replaced) yield turnMarkdown(turn, level, labels);
}

function turnMarkdown({ role, at, markdown }: Turn, level: number, labels: OwnLabels): string {
  return `${heading(level, at === '' ? role : `${role}, ${at}`)}${labels.in(markdown)}\n\n`;
}

/** Returns a time as people write it; seconds since 1970 or a text; empty for anything else. */
function timeOf(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'string') return '';
  const date = new Date(typeof value === 'number' ? value * 1000 : value);
  if (!Number.isNaN(date.getTime())) return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return typeof value === 'string' ? oneLine(value) : '';
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** What is HTML in Markdown. Both programs show it as text. */
const TAG = /(?<!\\)<(?=[a-z/!?])(?!(?:[a-z][a-z0-9+.-]{1,31}:|[\w.+-]{1,100}@)[^\s<>]*>)/gi;

/** Returns the Markdown of a message. */
function markdownOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return closed(value.replace(/^(?:[ \t]*\n)+/, ''), (line) => inProse(line, TAG, () => '\\<'));
}

function blocks(...all: readonly string[]): string {
  return all.filter((each) => each.trim() !== '').join('\n\n');
}

/** Returns what a model has thought before it answers. */
function thinking(...all: readonly string[]): string {
  const text = blocks(...all);
  return text === '' ? '' : blocks('Thinking:', text);
}

function code(text: string, language: string): string {
  return text.trim() === '' ? '' : fenced(text, language).markdown.trimEnd();
}

function json(value: unknown): string {
  try {
    return jsonBlock(JSON.stringify(value)).markdown.trimEnd();
  } catch (error) {
    // Data that is nested thousands of levels deep can be parsed, but not written.
    if (!(error instanceof RangeError)) throw error;
    return '*Data that is nested too deep to be shown.*';
  }
}

/** Returns a line that names things which are no text, such as attached files; empty for none. */
function named(what: string, names: readonly unknown[]): string {
  const known = names.filter((name) => typeof name === 'string' && name !== '') as string[];
  return known.length === 0 ? '' : `${what}: ${known.map((name) => literal(oneLine(name))).join(', ')}`;
}

/** Reads a conversation of ChatGPT: a tree of messages, of which one path is the conversation. */
function chatGpt(value: unknown, fileOf: FileOf): Conversation {
  const conversation = isRecord(value) ? value : {};
  const mapping = new Map(Object.entries(isRecord(conversation.mapping) ? conversation.mapping : {}));
  const path: unknown[] = [];
  const seen = new Set<unknown>();
  let id = mapping.has(String(conversation.current_node))
    ? String(conversation.current_node)
    : ([...mapping].findLast(([, node]) => isRecord(node) && isBare(node.children))?.[0] ?? '');
  for (let node = mapping.get(id); isRecord(node) && !seen.has(node); node = mapping.get(id)) {
    seen.add(node);
    path.push(node);
    id = String(node.parent);
  }
  const turns = (nodes: readonly unknown[]) =>
    nodes.flatMap((node) => gptTurn(isRecord(node) ? node.message : null, fileOf));
  return {
    title: oneLine(textOf(conversation.title)),
    at: timeOf(conversation.create_time),
    turns: turns(path.reverse()),
    replaced: turns([...mapping.values()].filter((node) => !seen.has(node))),
  };
}

function isBare(children: unknown): boolean {
  return !Array.isArray(children) || children.length === 0;
}

/** Returns the turn of a message; none for a message without text. */
function gptTurn(message: unknown, fileOf: FileOf): Turn[] {
  if (!isRecord(message)) return [];
  const { author, content, metadata, create_time: time } = message;
  const files: readonly unknown[] =
    isRecord(metadata) && Array.isArray(metadata.attachments) ? metadata.attachments : [];
  const said = isRecord(content) ? withSources(gptContent(content, fileOf), metadata) : '';
  // A picture that the message shows is attached to it as well.
  const shown = files.map((file) => (isRecord(file) ? fileOf(textOf(file.id)) : null));
  const markdown = blocks(
    said,
    ...shown.map((each) => (each === null || said.includes(each) ? '' : each)),
    named(
      'Attached',
      files.filter((_, at) => shown[at] === null).map((file) => isRecord(file) && file.name),
    ),
  );
  if (markdown === '') return [];
  const role = isRecord(author) ? textOf(author.role) : '';
  const name = isRecord(author) ? textOf(author.name) : '';
  return [{ role: roleOf(role, name), at: timeOf(time), markdown }];
}

/** Replaces the marks of sources, which ChatGPT writes for itself, by the links that it shows for them. */
function withSources(markdown: string, metadata: unknown): string {
  const all: readonly unknown[] =
    isRecord(metadata) && Array.isArray(metadata.content_references) ? metadata.content_references : [];
  const links = new Map(
    all.flatMap((one) => (isRecord(one) ? [[textOf(one.matched_text), textOf(one.alt)] as const] : [])),
  );
  return markdown.replace(/\ue200[^\ue200\ue201]*\ue201/g, (mark) => links.get(mark) ?? '');
}

const ROLES = new Map([
  ['human', 'User'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['system', 'System'],
  ['tool', 'Tool'],
]);

function roleOf(role: string, name: string): string {
  const shown = ROLES.get(role) ?? (oneLine(role) || 'Message');
  return name === '' ? shown : `${shown} (${oneLine(name)})`;
}

function gptContent(content: Record<string, unknown>, fileOf: FileOf): string {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
      return blocks(...list(content.parts).map((part) => gptPart(part, fileOf)));
    case 'code':
      return code(
        textOf(content.text),
        /^[\w+#-]+$/.exec(textOf(content.language))?.[0]?.replace('unknown', '') ?? '',
      );
    case 'execution_output':
      return code(textOf(content.text), 'text');
    case 'thoughts':
      return thinking(
        ...list(content.thoughts).flatMap((one) =>
          isRecord(one) ? [markdownOf(one.summary), markdownOf(one.content)] : [],
        ),
      );
    case 'reasoning_recap':
      return markdownOf(content.content);
    case 'user_editable_context':
      return blocks(markdownOf(content.user_profile), markdownOf(content.user_instructions));
    case 'tether_quote':
      return blocks(markdownOf(content.title), literal(textOf(content.url)), markdownOf(content.text));
    default:
      return json(content);
  }
}

function gptPart(part: unknown, fileOf: FileOf): string {
  if (!isRecord(part)) return markdownOf(part);
  const { metadata, asset_pointer: pointer } = part;
  const shown = fileOf(textOf(pointer).replace(/^[\w-]+:\/\//, ''));
  const dalle = isRecord(metadata) && isRecord(metadata.dalle) ? textOf(metadata.dalle.prompt) : '';
  if (part.content_type === 'image_asset_pointer')
    return blocks(shown ?? named('Picture', [pointer]), literal(dalle));
  if (part.content_type === 'audio_asset_pointer') return shown ?? named('Recording', [pointer]);
  if (part.content_type === 'real_time_user_audio_video_asset_pointer')
    return gptPart(part.audio_asset_pointer, fileOf);
  if (typeof part.text === 'string') return markdownOf(part.text);
  return json(part);
}

/** Reads a conversation of Claude: a list of messages in order. */
function claude(value: unknown): Conversation {
  const conversation = isRecord(value) ? value : {};
  const messages: readonly unknown[] = Array.isArray(conversation.chat_messages)
    ? conversation.chat_messages
    : [];
  return {
    title: oneLine(textOf(conversation.name)),
    at: timeOf(conversation.created_at),
    turns: messages.flatMap(claudeTurn),
    replaced: [],
  };
}

function claudeTurn(message: unknown): Turn[] {
  if (!isRecord(message)) return [];
  const { sender, created_at: time, text, content, attachments, files } = message;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const said = parts.some((part) => isRecord(part) && part.type === 'text' && textOf(part.text) !== '');
  const attached: readonly unknown[] = Array.isArray(attachments) ? attachments : [];
  const other: readonly unknown[] = Array.isArray(files) ? files : [];
  const markdown = blocks(
    // The text is that of the parts once more, if they have any.
    said ? '' : markdownOf(text),
    ...parts.map(claudePart),
    ...attached.map(attachment),
    named(
      'Attached',
      other.map((file) => isRecord(file) && file.file_name),
    ),
  );
  return markdown === '' ? [] : [{ role: roleOf(textOf(sender), ''), at: timeOf(time), markdown }];
}

function claudePart(part: unknown): string {
  if (!isRecord(part)) return markdownOf(part);
  const { type, text, name, input, content, citations } = part;
  switch (type) {
    case 'text':
      return blocks(markdownOf(text), named('Sources', addressesOf(citations)));
    case 'thinking':
      return thinking(markdownOf(part.thinking));
    case 'tool_use':
      return blocks(named('Tool', [name]), isRecord(input) ? inputOf(input) : '');
    case 'tool_result':
      return blocks(
        named('Result', [name]),
        ...(Array.isArray(content) ? content.map(claudePart) : [markdownOf(content)]),
      );
    default:
      return typeof text === 'string' ? markdownOf(text) : json(part);
  }
}

/** Returns what a tool was given: short values as a list, texts of several lines as code. */
function inputOf(input: Record<string, unknown>): string {
  const entries = Object.entries(input);
  const isShort = (value: unknown) =>
    typeof value === 'string' ? !value.includes('\n') : typeof value !== 'object';
  const short = entries.filter(([, value]) => value !== null && isShort(value));
  const long = entries.filter(([, value]) => !isShort(value) && value !== null);
  return blocks(
    short
      .map(
        ([key, value]) =>
          `- ${literal(oneLine(key))}: ${literal(oneLine(typeof value === 'string' ? value : JSON.stringify(value)))}`,
      )
      .join('\n'),
    ...long.map(([key, value]) =>
      blocks(`${literal(oneLine(key))}:`, typeof value === 'string' ? code(value, '') : json(value)),
    ),
  );
}

/** Returns the web addresses of citations, each once. */
function addressesOf(citations: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(citations) ? citations : [];
  return [
    ...new Set(
      all.flatMap((one) => {
        const details = isRecord(one) && isRecord(one.details) ? one.details : one;
        return isRecord(details) && typeof details.url === 'string' ? [details.url] : [];
      }),
    ),
  ];
}

function attachment(file: unknown): string {
  if (!isRecord(file)) return '';
  const text = typeof file.extracted_content === 'string' ? file.extracted_content : '';
  const isMarkdown = /\.(?:md|markdown)$/i.test(textOf(file.file_name));
  return blocks(
    named('Attached', [textOf(file.file_name) || 'a text without a name']),
    isMarkdown
      ? markdownOf(text)
      : [...linesToMarkdown(text.replace(/\r\n?/g, '\n').split('\n'))].join('').trimEnd(),
  );
}
