import * as z from 'zod';
import { BrainError } from '../errors';
import type { LanguageModel, StopSignal } from '../ports';
import { modelFailure } from './model-failure';
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
  readonly signal?: StopSignal;
}

/**
 * Asks a model for an object. The schema goes along as such and in the prompt too, because not every service shows it to
 * the model. A reply that cannot be used, or fails its review, is answered once with what is wrong with it; one that only
 * fails its review still stands when what comes then is no better.
 * @throws BrainError `llm_error` when the model fails, or gave no usable reply twice
 */
export async function askModel<T>(model: LanguageModel, question: ModelQuestion<T>): Promise<T> {
  const { user, schema, maxTokens, signal } = question;
  const wanted = jsonSchemaOf(schema);
  const system = `${question.system}\n\n${JSON_ONLY}\n${JSON.stringify(wanted)}`;
  const ask = async (text: string): Promise<ReadReply<T>> => {
    const reply = await model.complete({
      system,
      user: text,
      schema: wanted,
      maxTokens,
      ...(signal && { signal }),
    });
    const read = readReply(reply.text, schema);
    return reply.truncated && 'problem' in read ? { problem: CUT_OFF } : read;
  };
  const again = (problem: string) => ask(`${user}\n\n${repair(problem)}`);
  const first = await ask(user);
  if ('value' in first) return reviewed(first.value, again, question.review);
  const second = await again(first.problem);
  if ('value' in second) return second.value;
  throw new BrainError(
    'llm_error',
    `The language model "${model.name}" gave no usable reply, also when it was asked again: ${second.problem}. Another model may do better.`,
  );
}

/** The reply; or the second one, where the first fails its review and that one passes it. */
async function reviewed<T>(
  first: T,
  again: (problem: string) => Promise<ReadReply<T>>,
  review: (reply: T) => string | null = () => null,
): Promise<T> {
  const problem = review(first);
  if (problem === null) return first;
  try {
    const second = await again(problem);
    return 'value' in second && review(second.value) === null ? second.value : first;
  } catch (error) {
    modelFailure(error);
    return first;
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
