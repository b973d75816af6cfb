import { StopController } from '../base/concurrency';
import { BrainError, vaultClosed } from '../base/errors';
import type { StopSignal, Unsubscribe } from '../base/host';
import type { LanguageModel, ModelReply, ModelRequest } from '../ports/ports';

/**
 * Questions that may be ahead of another one before the service says that it is busy: more than there are calls that may be
 * ingested at a time, each of which asks one at a time and was let in to wait.
 */
export const MODEL_QUEUE_LIMIT = 256;

/** A question of somebody who may not want to wait for so many others. */
interface QueuedRequest extends ModelRequest {
  /** Most questions that may be ahead of it, the one that is being answered included; MODEL_QUEUE_LIMIT unless given. */
  readonly mostAhead?: number;
}

/** A model that may have a question wait for others. One that never does is one too. */
export interface QueuedModel extends LanguageModel {
  /** Rejects with `busy` too, at once, when too many others are ahead. */
  complete(request: QueuedRequest): Promise<ModelReply>;
}

/**
 * The same model, asked one question at a time in the order in which they come: most run on the owner's own machine, where
 * two at once are slower than one after the other and may not fit into memory. A question that is called off while it waits
 * is never asked and keeps nobody waiting. When `closing` is given, whoever waits is told at once with `starting`, the
 * question that runs is called off, and no other is asked.
 */
export function oneAtATime(model: LanguageModel, closing: StopSignal): QueuedModel {
  const waiting = new Set<() => void>();
  let isAsked = false;
  const goOn = (): void => {
    const [begin] = waiting;
    isAsked = begin !== undefined;
    begin?.();
  };
  return {
    name: model.name,
    complete({ mostAhead = MODEL_QUEUE_LIMIT, signal: asker, ...request }) {
      if (closing.stopped) return Promise.reject(vaultClosed());
      if (asker?.stopped === true) return Promise.reject(calledOff());
      if (waiting.size + Number(isAsked) >= mostAhead) return Promise.reject(tooMany());
      const signal = new StopController();
      const forget: (Unsubscribe | undefined)[] = [];
      const reply = new Promise<ModelReply>((resolve, reject) => {
        const ask = async (): Promise<ModelReply> => model.complete({ ...request, signal });
        const begin = (): void => {
          waiting.delete(begin);
          void ask().then(resolve, reject).finally(goOn);
        };
        const leave = asker?.onStop(() => {
          if (waiting.delete(begin)) reject(calledOff());
          signal.stop();
        });
        const close = closing.onStop(() => {
          waiting.delete(begin);
          // Told before the model says that it was called off, which would look like a failure of its own.
          reject(vaultClosed());
          signal.stop();
        });
        forget.push(leave, close);
        waiting.add(begin);
        if (!isAsked) goOn();
      });
      const settle = (): void => forget.forEach((end) => end?.());
      reply.then(settle, settle);
      return reply;
    },
  };
}

function tooMany(): BrainError {
  const message = 'Too many questions wait for the language model. Try again in a minute.';
  return new BrainError('busy', message, { retry_after: 60 });
}

function calledOff(): BrainError {
  return new BrainError('llm_error', 'The question was called off before the language model was asked.');
}
