import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import { modelFailure } from './failure';
import type { QueuedModel } from './queue';

/** What a model said, read; or what is wrong with it, in words that it can act on. */
type ReadReply<T> = { readonly value: T } | { readonly problem: string };

/** So many braces are tried as the beginning of the object, so that hostile text costs linear time. */
const MAX_STARTS = 50;

/**
 * Reads the JSON object in a reply: alone, in a code fence, between prose, or after the thoughts of a model that thinks
 * aloud. Of several objects the first that fits the schema counts. Never throws.
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
 * What of a reply may be the answer, in the order in which it is tried. Some models write their thoughts before it, and may
 * try out an object there; some services cut off the mark that begins the thoughts. But an answer may speak of such a mark.
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
    const object = end < 0 ? undefined : parsed(text.slice(from, end));
    if (object !== undefined) yield object;
    from = text.indexOf('{', object === undefined ? from + 1 : end);
  }
}

/** Where the object that begins at `from` ends, exclusive; -1 when it never does. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON; another brace may begin some.
  }
}

/** A question whose reply is an object of a known shape. */
interface ModelQuestion<T> {
  readonly system: string;
  readonly user: string;
  /** Objects in it may hold more than it names; bounds that not every service can enforce belong to the caller. */
  readonly schema: z.ZodType<T>;
  readonly maxTokens: number;
  /** What is wrong with a reply that can be read, in words that the model can act on; null when nothing is. */
  readonly review?: (reply: T) => string | null;
  /** True for a reply that says nothing: one that does is not given up for it only because it was cut off. */
  readonly isEmpty?: (reply: T) => boolean;
  readonly signal?: StopSignal | undefined;
  /** Most questions that it waits for; as many as may wait at all unless given. */
  readonly mostAhead?: number;
}

/**
 * Asks a model for an object. The schema goes along as such and in the prompt too, because not every service shows it to
 * the model. A reply that cannot be used, was cut off or fails its review is answered once with what is wrong with it; one that
 * can be used all the same still stands when what comes then is no better.
 * @throws BrainError `llm_error` when the model fails, gave no usable reply twice or was called off; `busy` when too many
 * questions are ahead
 */
export async function askModel<T>(model: QueuedModel, question: ModelQuestion<T>): Promise<T> {
  const { user, schema, maxTokens, signal, mostAhead } = question;
  const wanted = jsonSchemaOf(schema);
  const system = `${question.system}\n\n${JSON_ONLY}\n${JSON.stringify(wanted)}`;
  const ask = async (text: string): Promise<Answer<T>> => {
    const { text: said, truncated } = await model.complete({
      system,
      user: text,
      schema: wanted,
      maxTokens,
      ...(signal && { signal }),
      ...(mostAhead !== undefined && { mostAhead }),
    });
    const read = readReply(said, schema);
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

/** A reply that was read. `flaw` is what makes it worth asking again although it can be used. */
type Answer<T> = ReadReply<T> & { readonly flaw?: string };

/** The reply; or the second one, where the first was cut off or fails its review and that one is no worse. */
async function reviewed<T>(
  first: { readonly value: T; readonly flaw?: string },
  again: (problem: string) => Promise<Answer<T>>,
  { review = () => null, isEmpty = () => false }: Pick<ModelQuestion<T>, 'review' | 'isEmpty'>,
): Promise<T> {
  const fault = review(first.value);
  const problem = first.flaw ?? fault;
  if (problem === null) return first.value;
  const isNoWorse = (second: T): boolean => {
    // Of two that fail their review the first stands, unless it was cut off too.
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

/** Every object closed and every field required, which strict services demand. */
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

/** A mark for the fence around a text that a model reads as data; new every time, so no text can know it and end its fence. */
export function newMarker(): string {
  return bytesToHex(randomBytes(12));
}
