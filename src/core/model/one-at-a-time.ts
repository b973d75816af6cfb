import { BrainError } from '../errors';
import type { LanguageModel, ModelReply, StopSignal } from '../ports';
import { Stop } from '../vectors/stop';
import { vaultClosed } from '../write-queue';

/**
 * Questions that may wait for the model before the service says that it is busy: more than there are calls that may be ingested
 * at a time, each of which asks one at a time and was let in to wait.
 */
export const MODEL_QUEUE_LIMIT = 256;

/**
 * The same model, asked one question at a time in the order in which they come: most run on the owner's own machine, where
 * two at once are slower than one after the other and may not fit into memory. When `closing` is given, whoever waits is
 * told at once with `starting`, the question that runs is called off, and no other is asked.
 */
export function oneAtATime(model: LanguageModel, closing: StopSignal): LanguageModel {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    name: model.name,
    complete(request) {
      if (closing.stopped) return Promise.reject(vaultClosed());
      if (waiting >= MODEL_QUEUE_LIMIT) {
        const message = 'Too many questions wait for the language model. Try again in a minute.';
        return Promise.reject(new BrainError('busy', message, { retry_after: 60 }));
      }
      waiting += 1;
      const signal = new Stop();
      const turn = tail
        .then(() => {
          if (closing.stopped) throw vaultClosed();
          return model.complete({ ...request, signal });
        })
        .finally(() => (waiting -= 1));
      const reply = new Promise<ModelReply>((resolve, reject) => {
        const forget = [
          request.signal?.onStop(() => signal.stop()),
          closing.onStop(() => {
            // Told before the model says that it was called off, which would look like a failure of its own.
            reject(vaultClosed());
            signal.stop();
          }),
        ];
        const settle = () => forget.forEach((end) => end?.());
        turn.then(resolve, reject).finally(settle);
      });
      tail = reply.catch(() => undefined); // Told to whoever asked.
      return reply;
    },
  };
}
