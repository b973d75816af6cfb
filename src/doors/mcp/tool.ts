import * as z from 'zod';
import type { Caller } from '../../core/caller';
import { missingScope, type Operation } from '../../core/operation';
import { readInput } from '../../core/read-input';
import { lenientArguments } from './lenient';
import { inputSchema, outputSchema, type ObjectSchema } from './tool-schema';

/** A tool as `tools/list` shows it; plain data, so that every revision of the protocol can send it. */
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
  /** True when the answer carries a note's text, which the text result then announces as data. */
  readonly readsNotes: boolean;
  /** True when it asks the language model, where one is configured. */
  readonly asksModel: boolean;
  /** True when it may send a file to the converter, where one is configured. */
  readonly converts: boolean;
  readonly listing: ToolListing;
  /** The arguments as the operation wants them. @throws BrainError when they do not fit the tool's own schema. */
  read(args: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** How a tool is written down in the table. */
export interface ToolDefinition<In extends z.ZodObject, Out extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** What it does, when to call it, what comes back: one to three sentences. */
  readonly description: string;
  readonly operation: Operation<In, Out>;
  /**
   * The fields of the operation that are offered, in order, each with its words for the model; none where the name says it.
   * Unions and untyped maps are never among them: several clients cannot send them.
   */
  readonly fields: Readonly<Partial<Record<keyof In['shape'] & string, string>>>;
  /** Fields that a tool demands although other doors may leave them out. */
  readonly required?: readonly (keyof In['shape'] & string)[];
  /** Fields whose default differs from the operation's, because a model pays for every line of an answer. */
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
      // Clients that load tools on demand then keep this one in sight; a deferred search tool is rarely called.
      ...(alwaysLoad && { _meta: { 'anthropic/alwaysLoad': true } }),
    },
    read: (args) => readInput(input, lenientArguments(fields, args), operation.codes),
  };
}

/** Services of the owner's choice to which something may be sent, and which of them there are. */
export interface Services {
  readonly model: boolean;
  readonly converter: boolean;
}

/** The tool as it is offered beside these services: what goes to one of them may leave this machine. */
export function withServices(tool: Tool, { model, converter }: Services): Tool {
  if (!(model && tool.asksModel) && !(converter && tool.converts)) return tool;
  const { annotations, ...listing } = tool.listing;
  return { ...tool, listing: { ...listing, annotations: { ...annotations, openWorldHint: true } } };
}

/** The tools that a caller may use, in the table's order; the list may depend on the credential. */
export function toolsFor(tools: readonly Tool[], caller: Caller): Tool[] {
  return tools.filter((tool) => missingScope(tool.operation, caller) === null);
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
