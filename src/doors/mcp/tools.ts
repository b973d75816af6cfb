import * as z from 'zod';
import type { Caller } from '../../core/access/tokens';
import { answerNotes } from '../../core/answer/operation';
import { isRecord } from '../../core/base/json';
import { ingestTool } from '../../core/ingest/tool';
import { capture } from '../../core/notes/capture';
import { getNote } from '../../core/notes/get';
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
import { rejectNote } from '../../core/review/reject';
import { queryNotes } from '../../core/search/query';
import { logOneSession } from '../../core/sessions/log';
import { indexWings } from '../../core/wings/operations';
import { parseJson } from '../http/body';
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
    // These defaults are obvious.
    if (node.default === false || node.default === 0) delete node.default;
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    const description = words[field];
    if (typeof node === 'object' && description !== undefined && description !== '')
      node.description = description;
  }
  return schema;
}

/**
 * Returns the outline of a tool's answer: names and types, and inner objects without their fields. Clients check answers
 * against it and do not show it to the model; the API description has every detail.
 */
export function outputSchema(output: z.ZodType): ObjectSchema {
  const schema = convert(output, (node) => {
    delete node.propertyNames;
    // The model reads the value; the API description lists the alternatives.
    if (node.type === 'string') delete node.enum;
    // An empty schema says nothing.
    if (isRecord(node.additionalProperties) && Object.keys(node.additionalProperties).length === 0)
      delete node.additionalProperties;
    if (typeof node.items === 'object' && !Array.isArray(node.items) && node.items.type === 'object') {
      node.items = { type: 'object' };
    }
  });
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    if (typeof node !== 'object') continue;
    if (node.properties !== undefined) {
      schema.properties = { ...schema.properties, [field]: { type: 'object' } };
    }
    // Some readers of schemas do not support a list of types.
    const { type: types, ...rest } = node;
    if (Array.isArray(types)) {
      const anyOf = types.map((type) => ({ type }));
      schema.properties = { ...schema.properties, [field]: { ...rest, anyOf } };
    }
  }
  return schema;
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
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
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
  /** False when the answer has several shapes, which an output schema could only describe as a union. */
  readonly describeAnswer?: boolean;
}

/** Makes a tool of its definition; both schemas are converted here, once. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodType>(
  definition: ToolDefinition<In, Out>,
): Tool {
  const { name, title, description, operation, alwaysLoad = false, describeAnswer = true } = definition;
  const input = offeredInput(definition);
  const fields = inputSchema(input, definition.fields);
  return {
    name,
    operation,
    core: definition.core ?? false,
    readsNotes: definition.readsNotes ?? false,
    asksModel: definition.asksModel ?? false,
    converts: definition.converts ?? false,
    listing: {
      name,
      title,
      description,
      inputSchema: fields,
      ...(describeAnswer && { outputSchema: outputSchema(operation.output) }),
      annotations: {
        title,
        readOnlyHint: !operation.mutates,
        destructiveHint: definition.destructive ?? false,
        idempotentHint: definition.idempotent ?? !operation.mutates,
        openWorldHint: false,
      },
      // Clients that load tools on demand keep this one loaded; a deferred search tool is rarely called.
      ...(alwaysLoad && { _meta: { 'anthropic/alwaysLoad': true } }),
    },
    read: (args) => readInput(input, lenientArguments(fields, args), operation.codes),
  };
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
  const { name, operation, fields, required = [], replaced = {} } = definition;
  const known: Readonly<Record<string, z.core.$ZodType>> = { ...operation.input.shape, ...replaced };
  const shape: Record<string, z.core.$ZodType> = {};
  for (const field of Object.keys(fields)) {
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
      'Saves a new note under a wing and a hall. Call it when you have learnt something that will matter again and brain_query finds no note of it; to change an existing note use brain_update. Returns path, content_hash and the links that led nowhere (unlinked).',
    operation: writeNote,
    fields: {
      wing: 'Topic, a free name such as homelab',
      hall: '',
      slug: 'File name without .md; else from the title',
      content: 'Markdown, starting with a # title',
      source_type: '',
      half_life: 'Ageing; needs claim_provenance',
      applies: 'Reach; needs claim_provenance',
      claim_provenance: '',
      overwrite: 'Replace this note; its old version is kept',
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
      'Searches the notes. Call it before you answer a question about the user, their projects or past decisions, and before you write. Returns ranked notes with path, excerpt and who wrote them; brain_get reads one in full.',
    operation: queryNotes,
    fields: {
      query: 'Words or a question; "quoted" words must occur together',
      wing: '',
      hall: '',
      limit: '',
      include_raw: 'Also unreviewed',
      source_type: '',
      written_by: '',
      origin: '',
      status: '',
      not_stale: '',
    },
    core: true,
    alwaysLoad: true,
  }),
  defineTool({
    name: 'brain_answer',
    title: 'Answer from notes',
    description:
      'Answers a question from the notes alone, with checked quotes. Call it for one fact that several notes may share. Returns the answer with [n] and citations, or null when no note covers it.',
    operation: answerNotes,
    fields: { query: '', wing: '', hall: '', limit: '' },
    core: true,
    readsNotes: true,
    asksModel: true,
  }),
  defineTool({
    name: 'brain_index',
    title: 'Rebuild wing indexes',
    description:
      'Rebuilds the _index.md of one wing, or of all. Call it only when an index looks out of date; writing keeps it right. Returns each wing and its number of notes.',
    operation: indexWings,
    fields: { wing: '' },
    core: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_get',
    title: 'Read a note',
    description:
      'Reads one note, named by path, by wing, hall and slug, or by the hash of a version. Call it when an excerpt is not enough, and before you update a note. Returns front matter, body, content_hash, who wrote it and its links; a long body goes on at next_offset.',
    operation: getNote,
    fields: {
      path: 'Such as wiki/homelab/facts/mtu.md',
      wing: '',
      hall: '',
      slug: '',
      hash: '',
      max_chars: '',
      offset: '',
    },
    core: true,
    readsNotes: true,
  }),
  defineTool({
    name: 'brain_reject',
    title: 'Reject a queued note',
    description:
      'Declines a note of the review queue, which then moves to raw/rejected/. Call it only when the user decided so. Returns its new path.',
    operation: rejectNote,
    fields: { path: 'From brain_pending', reason: '' },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_edit_root',
    title: 'Edit the root note',
    description:
      'Replaces the root note (AGENTS.md), which guides every agent here. Call it only when the user asks: read it with brain_get first and send its content_hash as expected_hash. Returns the new hash.',
    operation: editRoot,
    fields: {
      content: 'The whole new text',
      reason: '',
      expected_hash: '',
    },
    core: true,
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'capture',
    title: 'Capture a thought',
    description:
      'Saves a text at once; wing, hall and name are chosen for you unless given; nothing is overwritten. Call it when a text is worth keeping and you do not know where it belongs. Returns what brain_write returns.',
    operation: capture,
    fields: { text: 'Markdown', wing: '', hall: '', title: '', tags: '', source: 'URL or label' },
    core: true,
  }),
  defineTool({
    name: 'brain_update',
    title: 'Update a note',
    description:
      'Replaces the body of an existing note, named by path or by wing, hall and slug; its front matter and history are kept. Call it when a note is wrong or incomplete: read it with brain_get first and send its content_hash as expected_hash. Never creates a note.',
    operation: updateNote,
    fields: {
      path: '',
      wing: '',
      hall: '',
      slug: '',
      content: 'The whole new body',
      reason: 'Why, in a few words',
      expected_hash: '',
      half_life: '',
      applies: '',
      claim_provenance: '',
    },
    destructive: true,
    idempotent: true,
  }),
  defineTool({
    name: 'brain_promote',
    title: 'Promote a queued note',
    description:
      'Moves a note of the review queue into the wiki. Call it only when the user approved the note and its address. Returns the new path and what it was linked with.',
    operation: promoteNote,
    fields: { path: 'From brain_pending', wing: '', hall: '', slug: '' },
    required: ['path'],
  }),
  defineTool({
    name: 'brain_pending',
    title: 'List the review queue',
    description:
      'Lists the notes that await review, oldest first. Call it when the user wants to review. Returns each with excerpt, provenance, suggested address and similar notes.',
    operation: listPending,
    fields: { limit: '', offset: '' },
    replaced: { limit: limitField(200, PENDING_PAGE) },
  }),
  defineTool({
    name: 'brain_ingest',
    title: 'Ingest a text or file',
    description:
      'Turns a long text, or a file or folder in inbox/, into notes that await review. Call it for documents; for one thought use brain_write. Returns the pages, or a job to ask for again.',
    operation: ingestTool,
    fields: {
      text: '',
      path: 'Such as inbox/report.pdf',
      job: '',
      title: '',
      source: '',
      wing: '',
      hall: '',
      destination: '',
    },
    idempotent: true,
    asksModel: true,
    converts: true,
    describeAnswer: false,
  }),
  defineTool({
    name: 'brain_history',
    title: 'Read note history',
    description:
      'Lists the versions of a note (path), or reads one version whole (hash). Call it to learn what a note said before, or who changed it and why.',
    operation: history,
    fields: { path: '', hash: '' },
    readsNotes: true,
    describeAnswer: false,
  }),
  defineTool({
    name: 'brain_log_session',
    title: 'Log a session',
    description:
      'Records how a skill ended, for the pass rates. Call it once after a task with a named skill. Returns file and line of the record.',
    operation: logOneSession,
    fields: {
      skill: '',
      status: 'pass, fail or skip',
      summary: '',
      error: '',
      session_id: '',
      agent: '',
      model: '',
      duration_ms: '',
      timestamp: 'RFC 3339; now if absent',
      notes: 'Paths of notes used',
    },
  }),
];
