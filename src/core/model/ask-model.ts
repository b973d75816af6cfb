import * as z from 'zod';
import { BrainError } from '../errors';
import type { StopSignal } from '../host';
import { modelFailure } from './model-failure';
import type { QueuedModel } from './one-at-a-time';
import { type ReadReply, readReply } from './read-reply';

/** A question whose reply is an object of a known shape. */
export interface ModelQuestion<T> {
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
