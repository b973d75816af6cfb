import * as z from 'zod';
import type { Caller } from '../../core/access/tokens';
import { answerNotes } from '../../core/answer/operation';
import { isRecord } from '../../core/base/json';
import { context } from '../../core/context/context';
import { contextText } from '../../core/context/text';
import { askToForget } from '../../core/forget/ask';
import { ingestTool } from '../../core/ingest/tool';
import { capture } from '../../core/notes/capture';
import { editNote } from '../../core/notes/edit';
import { getNotes } from '../../core/notes/get';
import { history } from '../../core/notes/history';
import { editRoot } from '../../core/notes/root';
import { updateNote } from '../../core/notes/update';
import { writeNote } from '../../core/notes/write';
import { envelopeFields, limitField } from '../../core/operation/fields';
import { readInput } from '../../core/operation/input';
import { missingScope, type Operation } from '../../core/operation/operation';
import { needsWhole } from '../../core/operation/limits';
import { listPending } from '../../core/review/pending';
import { promoteNote } from '../../core/review/promote';
import { rejectNote, withdrawNote } from '../../core/review/reject';
import { queryTool } from '../../core/search/tool';
import { logOneSession } from '../../core/sessions/log';
import { briefOverview } from '../../core/status/overview';
import { indexWings } from '../../core/wings/operations';
import { parseJson } from '../http/body';
import type { LeftOut } from './text';
import type { JsonSchema } from '../http/openapi';

type Schema = z.core.JSONSchema.JSONSchema;

/** The JSON Schema of an object, as it is sent. */
export type ObjectSchema = Schema & { type: 'object' };

/** A field with at least this maximum counts characters. */
const LONG = 1000;

/**
 * Returns the schema of a tool's arguments, with the tool's own descriptions of its fields. Rules that only the service
 * checks, such as patterns and lengths, are left out: every word costs tokens in every conversation, and some clients fail
 * on regular expressions.
 */
export function inputSchema(
  input: z.ZodObject,
  words: Readonly<Record<string, string | undefined>>,
): ObjectSchema {
  const schema = convert(input, (node) => {
    delete node.pattern;
    delete node.maxLength;
    delete node.minLength;
    delete node.maxItems;
    // These minimums are obvious.
    if (node.minimum === 0 || node.minimum === 1) delete node.minimum;
    // The length of a page of text is up to the reader; only the maximum number of results is worth a word.
    if (typeof node.maximum === 'number' && node.maximum >= LONG) {
      delete node.minimum;
      delete node.maximum;
    }
    delete node.default;
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    const description = words[field];
    if (typeof node === 'object' && description !== undefined && description !== '')
      node.description = description;
  }
  return schema;
}

/**
 * Returns an outline of a tool's answer with these members: their types, and inner objects without their fields. Answers have
 * more members; the API description has every detail.
 */
export function outputSchema(output: z.ZodType, members: readonly string[]): ObjectSchema {
  const { properties = {}, required = [] } = convert(output, () => undefined);
  const outlines = members.map((member): [string, Schema] => {
    const node = properties[member];
    if (typeof node !== 'object' || typeof node.type !== 'string')
      throw new Error(`The answer has no plain member "${member}".`);
    return [member, { type: node.type }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(outlines),
    required: required.filter((member) => members.includes(member)),
  };
}

/**
 * Converts a zod schema to JSON Schema, without `$schema`, the operation's descriptions and the bounds of safe integers,
 * which tell a model nothing.
 */
function convert(schema: z.ZodType, trim: (node: Schema) => void): ObjectSchema {
  const { $schema: _, ...json }: Schema = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema: node }) {
      delete node.description;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      trim(node);
    },
  });
  if (json.type !== 'object') throw new Error('The arguments and the answer of a tool must be objects.');
  return { ...json, type: 'object' };
}

/**
 * Removes the null members that mean the same as absent ones: those of messages, of their `params`, and all in `_meta` and
 * in the params of `initialize`, which many clients write out whole. The `id` stays, whose null has a meaning, and so do
 * the arguments of a call, which the tool reads.
 */
export function withoutNullMembers(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNullMembers);
  if (!isRecord(body)) return body;
  const message = withoutNulls(body, (name) => name === 'id');
  if (!isRecord(message.params)) return message;
  if (message.method === 'initialize') return { ...message, params: deeplyWithoutNulls(message.params) };
  const params = withoutNulls(message.params);
  return {
    ...message,
    params: '_meta' in params ? { ...params, _meta: deeplyWithoutNulls(params._meta) } : params,
  };
}

function withoutNulls(
  record: Readonly<Record<string, unknown>>,
  keeps: (name: string) => boolean = () => false,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null || keeps(name)));
}

function deeplyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deeplyWithoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(withoutNulls(value)).map(([name, each]) => [name, deeplyWithoutNulls(each)]),
  );
}

/**
 * Converts the arguments of a tool to the types of its schema. Many clients send every value as a string, and an empty
 * string for every empty field. A string becomes the number, boolean, array or object of the schema; an empty string of an
 * optional field is removed. A string that cannot be converted stays, and is refused later; a string field stays as it is.
 * The claim envelope is not converted: there an empty string is a value, and an invalid one.
 */
export function lenientArguments(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = schema.properties ?? {};
  const given = Object.entries(args).flatMap(([name, value]): [string, unknown][] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof field !== 'object') return [[name, value]];
    const isOptional = schema.required?.includes(name) !== true;
    if (value === '' && isOptional && !Object.hasOwn(envelopeFields, name)) return [];
    return [[name, lenientValue(field, value)]];
  });
  return Object.fromEntries(given);
}

function lenientValue(schema: JsonSchema, value: unknown): unknown {
  const read = typeof value === 'string' ? readText(schema, value.trim(), value) : value;
  const { items } = schema;
  if (Array.isArray(read) && typeof items === 'object' && !Array.isArray(items))
    return read.map((each: unknown) => lenientValue(items, each));
  return schema.type === 'object' && isRecord(read) ? lenientArguments(schema, read) : read;
}

const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

function readText({ type }: JsonSchema, text: string, given: string): unknown {
  if (type === 'number' || type === 'integer') {
    const read = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(read) && (type === 'number' || Number.isInteger(read)) ? read : given;
  }
  if (type === 'boolean') {
    if (/^true$/i.test(text)) return true;
    return /^false$/i.test(text) ? false : given;
  }
  if (type === 'array') {
    const read = readJsonText(text, '[');
    return Array.isArray(read) ? read : given;
  }
  if (type === 'object') {
    const read = readJsonText(text, '{');
    return isRecord(read) ? read : given;
  }
  return given;
}

/** Parses a text as JSON; null when it is invalid, or holds what no body may hold. */
function readJsonText(text: string, opening: string): unknown {
  if (!text.startsWith(opening)) return null;
  try {
    return parseJson(new TextEncoder().encode(text));
  } catch {
    return null;
  }
}

/** A tool in `tools/list`; plain data, which every revision of the protocol can send. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
  readonly _meta?: { readonly [key: string]: unknown };
}

/** An operation as models see it. */
export interface Tool {
  readonly name: string;
  readonly operation: Operation;
  /** False for the tools that the setting `tools: core` hides. */
  readonly core: boolean;
  /** True when the answer holds a note's text, which the text result announces as data. */
  readonly readsNotes: boolean;
  /** True when it uses the language model, if one is configured. */
  readonly asksModel: boolean;
  /** True when it may send a file to the converter, if one is configured. */
  readonly converts: boolean;
  readonly leftOut: LeftOut;
  /** Says an answer as text, which is then all that is sent. */
  readonly say?: (answer: Readonly<Record<string, unknown>>) => string;
  readonly listing: ToolListing;
  /** Converts the arguments to the operation's input. @throws BrainError when they do not match the tool's schema. */
  read(args: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** The entry of a tool in the table. */
export interface ToolDefinition<In extends z.ZodObject, Out extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** Says what it does, when to call it and what it returns, in one to three sentences. */
  readonly description: string;
  readonly operation: Operation<In, Out>;
  /**
   * The fields of the operation that the tool has, in order, each with its description for the model; empty when the name
   * says it. Unions and untyped maps are never among them: several clients cannot send them.
   */
  readonly fields: Readonly<Partial<Record<keyof In['shape'] & string, string>>>;
  /**
   * The fields that the tool takes but does not list, because models rarely need them and every listed field costs tokens in
   * every conversation.
   */
  readonly unlisted?: readonly (keyof In['shape'] & string)[];
  /** The fields that are required here and optional at other doors. */
  readonly required?: readonly (keyof In['shape'] & string)[];
  /** The fields whose default differs from the operation's, because every line of an answer costs tokens. */
  readonly replaced?: Readonly<Record<string, z.ZodType>>;
  readonly core?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly alwaysLoad?: boolean;
  readonly readsNotes?: boolean;
  readonly asksModel?: boolean;
  readonly converts?: boolean;
  /**
   * The members of the answer that the output schema of a tool that reads names: they cost tokens, so only those that programs
   * read. A tool that changes something answers in text, without a schema.
   */
  readonly describeAnswer?: readonly (keyof z.output<Out> & string)[];
  /** The members of lists that the text leaves out, by list; `''` is the answer itself. Others of its members say the same. */
  readonly leftOut?: LeftOut;
  /** Says the answer as text, which is then all that is sent: the structured content would cost as much again. */
  readonly say?: (answer: z.output<Out>) => string;
}

/** Makes a tool of its definition; both schemas are converted here, once. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodType>(
  definition: ToolDefinition<In, Out>,
): Tool {
  const { name, title, description, operation, say, alwaysLoad = false } = definition;
  const input = offeredInput(definition);
  const taken = inputSchema(input, definition.fields);
  const listed = listedFields(taken, Object.keys(definition.fields));
  return {
    name,
    operation,
    core: definition.core ?? false,
    readsNotes: definition.readsNotes ?? false,
    asksModel: definition.asksModel ?? false,
    converts: definition.converts ?? false,
    leftOut: definition.leftOut ?? {},
    // The answer of an operation has the shape that it promises.
    ...(say && { say: (answer) => say(answer as z.output<Out>) }),
    listing: {
      name,
      title,
      description,
      inputSchema: listed,
      ...outlineOf(definition),
      annotations: operation.mutates
        ? {
            readOnlyHint: false,
            destructiveHint: definition.destructive ?? false,
            ...(definition.idempotent === true && { idempotentHint: true }),
            openWorldHint: false,
          }
        : // The other two hints have a meaning only for tools that change something.
          { readOnlyHint: true, openWorldHint: false },
      // Clients that load tools on demand keep this one loaded; a deferred search tool is rarely called.
      ...(alwaysLoad && { _meta: { 'anthropic/alwaysLoad': true } }),
    },
    read: (args) => readInput(input, lenientArguments(taken, args), operation.codes),
  };
}

/** Returns the output schema of a tool that reads, which its structured content must have. */
function outlineOf<In extends z.ZodObject, Out extends z.ZodType>({
  operation,
  say,
  describeAnswer = [],
}: ToolDefinition<In, Out>): { outputSchema?: ObjectSchema } {
  if (operation.mutates || say !== undefined) return {};
  if (describeAnswer.length === 0) return { outputSchema: { type: 'object' } };
  return { outputSchema: outputSchema(operation.output, describeAnswer) };
}

/** Returns the schema with these fields only. */
function listedFields(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const { properties = {}, ...rest } = schema;
  const kept = Object.entries(properties).filter(([name]) => names.includes(name));
  return { ...rest, properties: Object.fromEntries(kept) };
}

/** Which of the owner's outside services are configured. */
export interface Services {
  readonly model: boolean;
  readonly converter: boolean;
}

/** Marks a tool that may send data to one of these services as open-world. */
export function withServices(tool: Tool, { model, converter }: Services): Tool {
  if (!(model && tool.asksModel) && !(converter && tool.converts)) return tool;
  const { annotations, ...listing } = tool.listing;
  return { ...tool, listing: { ...listing, annotations: { ...annotations, openWorldHint: true } } };
}

/** Returns the tools that a caller may use, in the table's order; the list depends on the credential. */
export function toolsFor(tools: readonly Tool[], caller: Caller): Tool[] {
  return tools.filter(
    ({ operation }) => missingScope(operation, caller) === null && !needsWhole(operation, caller.limits),
  );
}

function offeredInput<In extends z.ZodObject, Out extends z.ZodType>(
  definition: ToolDefinition<In, Out>,
): z.ZodObject {
  const { name, operation, fields, unlisted = [], required = [], replaced = {} } = definition;
  const known: Readonly<Record<string, z.core.$ZodType>> = { ...operation.input.shape, ...replaced };
  const shape: Record<string, z.core.$ZodType> = {};
  for (const field of [...Object.keys(fields), ...unlisted]) {
    const type = known[field];
    if (type === undefined) throw new Error(`Tool ${name} offers "${field}", which its operation lacks.`);
    shape[field] = required.includes(field) && type instanceof z.ZodOptional ? type.unwrap() : type;
  }
  return z.strictObject(shape);
}

/** The page size of the queue for a model: a whole queue would fill its context. */
const PENDING_PAGE = 20;

/**
 * The tools of the specification (part 4), and those that make its promote and update reachable. The order is fixed,
 * because clients cache by it. Only people delete and move notes.
 */
export const TOOLS: readonly Tool[] = [
  defineTool({
    name: 'brain_write',
    title: 'Write a note',
    description:
      'Saves a new note. Call it when you have learnt something that will matter again and brain_query finds no note of it. Returns path, content_hash, similar notes and links that led nowhere (unlinked).',
    operation: writeNote,
    fields: {
      wing: 'Topic; use an existing one if it fits',
      hall: '',
      slug: 'Else from the title',
      content: 'Markdown, starting with a # title',
      source_type: '',
      half_life: 'Needs claim_provenance, as applies',
      applies: '',
      claim_provenance: '',
      overwrite: '',
    },
    required: ['wing', 'hall'],
    core: true,
    destructive: true,
    alwaysLoad: true,
  }),
  defineTool({
    name: 'brain_query',
    title: 'Search notes',
    description:
      'Searches the notes; any word may match, synonyms help; without query lists them, newest first. Call it before you answer a question about the user, their projects or past decisions, and before you write. Returns passages.',
    operation: queryTool,
    fields: {
      query: 'Words; "quoted" ones together',
      wing: '',
      hall: '',
      under: 'A folder',
      since: 'Changed since a date, or 24h, 7d',
      order: '',
      limit: '',
      include_raw: 'Also unreviewed',
      status: '',
    },
    unlisted: ['max_tokens', 'source_type', 'written_by', 'origin', 'not_stale'],
    core: true,
    alwaysLoad: true,
    describeAnswer: ['results', 'warnings'],
    leftOut: { results: ['wing', 'hall', 'score'] },
  }),
  defineTool({
    name: 'brain_answer',
    title: 'Answer from notes',
    description:
      'Answers a question from the notes alone. Call it for one fact that several notes may share. Returns the answer with [n] and checked quotes, or null when no note covers it.',
    operation: answerNotes,
    fields: { query: '', wing: '' },
    unlisted: ['hall', 'under', 'limit'],
    core: true,
    readsNotes: true,
    asksModel: true,
    leftOut: { '': ['query'], nearest: ['wing', 'hall', 'score'], citations: ['wing', 'hall'] },
  }),
  defineTool({
    name: 'brain_index',
    title: 'Rebuild indexes',
    description: 'Rebuilds the index of one wing, or of all. Call it when one looks out of date.',
    operation: indexWings,
    fields: { wing: '' },
    core: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_get',
    title: 'Read a note',
    description:
      'Reads one note or several, or a version by its hash. Call it when an excerpt is not enough, and before you update. Returns front matter, body, content_hash and links; a long body goes on at next_offset.',
    operation: getNotes,
    fields: {
      path: 'Path, [[link]], title or alias',
      paths: 'Up to 20',
      hash: '',
      offset: '',
    },
    unlisted: ['wing', 'hall', 'slug', 'max_chars'],
    core: true,
    readsNotes: true,
    leftOut: { '': ['wing', 'hall', 'origin', 'written_by'], notes: ['wing', 'hall'] },
    describeAnswer: ['path', 'content_hash', 'body', 'notes'],
  }),
  defineTool({
    name: 'brain_reject',
    title: 'Reject a note',
    description: 'Declines a note of the review queue. Call it only when the user decided so.',
    operation: rejectNote,
    fields: { path: '', reason: '' },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_edit_root',
    title: 'Edit the root note',
    description:
      'Replaces the whole root note, which guides every agent. Call it only when the user asks: brain_get it first and send its content_hash as expected_hash.',
    operation: editRoot,
    fields: {
      content: '',
      reason: '',
      expected_hash: '',
    },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_forget',
    title: 'Forget a note',
    description: 'Asks the owner to delete a note. Call it only when told to.',
    operation: askToForget,
    fields: { path: '', reason: '' },
  }),
  defineTool({
    name: 'capture',
    title: 'Capture a thought',
    description:
      'Saves a text; wing, hall and name are chosen for you. Call it when a text is worth keeping and you do not know where it belongs.',
    operation: capture,
    fields: { text: 'Markdown', title: '', tags: '' },
    unlisted: ['wing', 'hall', 'source'],
    core: true,
  }),
  defineTool({
    name: 'brain_update',
    title: 'Update a note',
    description:
      'Replaces the body of a note, or of your own in raw/; front matter and history are kept. Call it when a note is wrong or incomplete: brain_get it first and send its content_hash as expected_hash. Never creates one.',
    operation: updateNote,
    fields: {
      path: '',
      content: 'The whole new body',
      reason: '',
      expected_hash: '',
    },
    unlisted: ['wing', 'hall', 'slug', 'half_life', 'applies', 'claim_provenance'],
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_edit',
    title: 'Edit a note',
    description:
      'Changes a part of a note: adds at its end, replaces a text that stands once, or what stands below a heading. Call it for a correction or a line more.',
    operation: editNote,
    fields: {
      path: '',
      append: '',
      replace: '',
      section: '',
      reason: '',
      expected_hash: '',
    },
    destructive: true,
  }),
  defineTool({
    name: 'brain_promote',
    title: 'Promote a note',
    description:
      'Moves a note of the review queue into the wiki. Call it only when the user approved the note and its address. Returns its new path.',
    operation: promoteNote,
    fields: { path: '', wing: '', hall: '', slug: '' },
    required: ['path'],
  }),
  defineTool({
    name: 'brain_pending',
    title: 'List the queue',
    description:
      'Lists the notes that await review, oldest first; with mine, what you proposed, with decision and reason. Call it when the user wants to review, or to learn what became of your notes.',
    operation: listPending,
    fields: { mine: '', offset: '' },
    unlisted: ['limit'],
    replaced: { limit: limitField(200, PENDING_PAGE) },
  }),
  defineTool({
    name: 'brain_withdraw',
    title: 'Withdraw a proposal',
    description: 'Takes back your own note from the review queue. Call it when it is wrong or needless.',
    operation: withdrawNote,
    fields: { path: '', reason: '' },
    idempotent: true,
  }),
  defineTool({
    name: 'brain_ingest',
    title: 'Ingest a document',
    description:
      'Turns a document (text, or a file or folder in inbox/) into notes that await review. Call it for documents. Returns the pages, or a job to ask for again.',
    operation: ingestTool,
    fields: {
      text: '',
      path: 'Such as inbox/report.pdf',
      job: '',
      title: '',
      source: '',
      wing: '',
    },
    unlisted: ['hall', 'destination'],
    idempotent: true,
    asksModel: true,
    converts: true,
  }),
  defineTool({
    name: 'brain_history',
    title: 'Note history',
    description:
      'Lists the versions of a note. Call it to learn who changed it, when and why; brain_get reads one by its hash.',
    operation: history,
    fields: { path: '', diff: '<hash>..<hash>' },
    unlisted: ['hash'],
    readsNotes: true,
  }),
  defineTool({
    name: 'brain_log_session',
    title: 'Log a session',
    description: 'Records how a skill ended. Call it once after a task with a named skill.',
    operation: logOneSession,
    fields: {
      skill: '',
      status: '',
      summary: '',
    },
    unlisted: ['notes', 'error', 'session_id', 'agent', 'model', 'duration_ms', 'timestamp'],
  }),
  defineTool({
    name: 'brain_context',
    title: 'Begin or resume',
    description:
      'Tells in one answer what a task needs: guidance, progress, open items, decisions, failures, facts. Call it first when you begin or go on.',
    operation: context,
    fields: { task: 'In a sentence', wing: '', max_tokens: '' },
    core: true,
    say: contextText,
  }),
  defineTool({
    name: 'brain_overview',
    title: 'Overview',
    description:
      'Shows wings with their notes per hall, the latest notes, where guidance is and what you may do. Call it to learn what there is.',
    operation: briefOverview,
    fields: {},
    core: true,
  }),
];
