import { BrainError } from '../errors';
import type { LanguageModel } from '../ports';

/** Questions that may wait for the model before the service says that it is busy. */
export const MODEL_QUEUE_LIMIT = 16;

/**
 * The same model, asked one question at a time in the order in which they come: most run on the owner's own machine, where
 * two at once are slower than one after the other and may not fit into memory.
 */
export function oneAtATime(model: LanguageModel): LanguageModel {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    name: model.name,
    complete(request) {
      if (waiting >= MODEL_QUEUE_LIMIT) {
        const message = 'Too many questions wait for the language model. Try again in a minute.';
        return Promise.reject(new BrainError('busy', message, { retry_after: 60 }));
      }
      waiting += 1;
      const reply = tail.then(() => model.complete(request)).finally(() => (waiting -= 1));
      tail = reply.catch(() => undefined); // Told to whoever asked.
      return reply;
    },
  };
}
