import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import { parsedJson } from '../base/json';
import { modelFailure } from './failure';
import type { QueuedModel } from './queue';

/** A parsed reply, or its fault in words that the model can act on. */
type ReadReply<T> = { readonly value: T } | { readonly problem: string };

/** The braces that are tried as the beginning of an object, so that hostile text takes linear time. */
const MAX_STARTS = 50;

/**
 * Finds and parses the JSON object in a reply: alone, in a code fence, between prose, or after the thoughts of a reasoning
 * model. The first object that fits the schema counts. Never throws.
 */
export function readReply<T>(text: string, schema: z.ZodType<T>): ReadReply<T> {
  let problem: string | null = null;
  for (const reading of readings(text)) {
    for (const found of objectsIn(reading)) {
      const parsed = schema.safeParse(found);
      if (parsed.success) return { value: parsed.data };
      const [issue] = parsed.error.issues;
      problem ??= `"${issue?.path.join('.') ?? ''}" does not fit the schema: ${issue?.message ?? 'not usable'}`;
    }
  }
  return { problem: problem ?? 'it holds no complete JSON object' };
}

const THOUGHTS_END = '</think>';

/**
 * Returns the parts of a reply that may hold the answer, in the order of trial. Some models write their thoughts first, with draft
 * objects in them, and some services cut off the mark that opens the thoughts. The mark may also be a part of the answer.
 */
function readings(text: string): string[] {
  const end = text.indexOf(THOUGHTS_END);
  if (end < 0 || /^\s*(?:```\w*\s*)?\{/.test(text)) return [text];
  const answer = text.slice(end + THOUGHTS_END.length);
  return /^\s*<think>/.test(text) ? [answer] : [answer, text];
}

function* objectsIn(text: string): Generator<unknown> {
  let from = text.indexOf('{');
  for (let tries = 0; from >= 0 && tries < MAX_STARTS; tries += 1) {
    const end = objectEnd(text, from);
    const object = end < 0 ? undefined : parsedJson(text.slice(from, end));
    if (object !== undefined) yield object;
    from = text.indexOf('{', object === undefined ? from + 1 : end);
  }
}

/** Returns the offset after the object that begins at `from`; -1 when it is not closed. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** A question to a model whose reply is an object of a known shape. */
interface ModelQuestion<T> {
  readonly system: string;
  readonly user: string;
  /** Objects may have more fields than it names. Bounds that not every service can enforce are checked by the caller. */
  readonly schema: z.ZodType<T>;
  readonly maxTokens: number;
  /** Returns the fault of a parsed reply in words that the model can act on; null without a fault. */
  readonly review?: (reply: T) => string | null;
  /** Returns true for a reply without content. An empty second reply does not replace a first one that was only cut off. */
  readonly isEmpty?: (reply: T) => boolean;
  readonly signal?: StopSignal | undefined;
  /** As `QueuedRequest.mostAhead`. */
  readonly mostAhead?: number;
}

/**
 * Asks a model for an object. The schema is sent as a schema and in the prompt, because not every service shows it to the model.
 * A reply that is unusable, was cut off or fails its review is returned to the model once, with its fault. A usable first reply
 * counts when the second one is no better.
 * @throws BrainError `llm_error` when the model fails, gives no usable reply twice or is stopped; `busy` when too many requests
 * are ahead
 */
export async function askModel<T>(model: QueuedModel, question: ModelQuestion<T>): Promise<T> {
  const { user, schema, maxTokens, signal, mostAhead } = question;
  const wanted = jsonSchemaOf(schema);
  const system = `${question.system}\n\n${JSON_ONLY}\n${JSON.stringify(wanted)}`;
  const ask = async (text: string): Promise<Answer<T>> => {
    const { text: reply, truncated } = await model.complete({
      system,
      user: text,
      schema: wanted,
      maxTokens,
      ...(signal && { signal }),
      ...(mostAhead !== undefined && { mostAhead }),
    });
    const read = readReply(reply, schema);
    if (!truncated) return read;
    return 'value' in read ? { ...read, flaw: CUT_OFF } : { problem: CUT_OFF };
  };
  const again = (problem: string) => ask(`${user}\n\n${repair(problem)}`);
  const first = await ask(user);
  if ('value' in first) return reviewed(first, again, question);
  const second = await again(first.problem);
  if ('value' in second) return second.value;
  throw new BrainError(
    'llm_error',
    `The language model "${model.name}" gave no usable reply, also when it was asked again: ${second.problem}. Another model may do better.`,
  );
}

/** A parsed reply. `flaw` is the reason to ask again although it can be used. */
type Answer<T> = ReadReply<T> & { readonly flaw?: string };

/** Returns the first reply, or a second one when the first was cut off or fails its review and the second is no worse. */
async function reviewed<T>(
  first: { readonly value: T; readonly flaw?: string },
  again: (problem: string) => Promise<Answer<T>>,
  { review = () => null, isEmpty = () => false }: Pick<ModelQuestion<T>, 'review' | 'isEmpty'>,
): Promise<T> {
  const fault = review(first.value);
  const problem = first.flaw ?? fault;
  if (problem === null) return first.value;
  const isNoWorse = (second: T): boolean => {
    // When both fail their review, the first counts, unless it was cut off too.
    if (fault !== null && first.flaw !== undefined) return true;
    if (review(second) !== null) return false;
    return fault !== null || !isEmpty(second) || isEmpty(first.value);
  };
  try {
    const second = await again(problem);
    return 'value' in second && isNoWorse(second.value) ? second.value : first.value;
  } catch (error) {
    modelFailure(error);
    return first.value;
  }
}

const JSON_ONLY =
  'Reply with one JSON object and nothing else: no prose, no code fence. It must fit this JSON Schema:';
const CUT_OFF = 'it was cut off before its end, so it has to be shorter';

function repair(problem: string): string {
  return `Your last reply to this could not be used: ${problem}. Reply again, with the JSON object alone.`;
}

/** Converts a schema to JSON Schema with closed objects and required fields, as strict services demand. */
function jsonSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'output',
    override({ jsonSchema: node }) {
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
    },
  });
  return json;
}

/** Makes a random mark for the fence around a text that a model reads as data, so that no text can close its own fence. */
export function newMarker(): string {
  return bytesToHex(randomBytes(12));
}
