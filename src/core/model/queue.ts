import { StopController } from '../base/concurrency';
import { BrainError, vaultClosed } from '../base/errors';
import type { StopSignal, Unsubscribe } from '../base/host';
import type { LanguageModel, ModelReply, ModelRequest } from '../ports/ports';

/**
 * The requests that may be ahead of another one. It is more than the calls that may be ingested at a time, because each of
 * those was admitted to wait and sends one request at a time.
 */
export const MODEL_QUEUE_LIMIT = 256;

/** A request with a limit on the requests ahead of it. */
interface QueuedRequest extends ModelRequest {
  /** The requests that may be ahead of it, the running one included; MODEL_QUEUE_LIMIT unless given. */
  readonly mostAhead?: number;
}

/** A model that may queue requests. */
export interface QueuedModel extends LanguageModel {
  /** As `LanguageModel.complete`; also rejects with `busy`, at once, when too many requests are ahead. */
  complete(request: QueuedRequest): Promise<ModelReply>;
}

/**
 * Wraps a model in a FIFO queue that sends one request at a time. Most models run on the owner's own machine, where two
 * concurrent requests are slower than two sequential ones and may not fit into memory. A request whose signal stops while it
 * waits is never sent. When `closing` stops, all waiting requests reject with `starting` at once, and the running one is stopped.
 */
export function oneAtATime(model: LanguageModel, closing: StopSignal): QueuedModel {
  const waiting = new Set<() => void>();
  let isRunning = false;
  const startNext = (): void => {
    const [start] = waiting;
    isRunning = start !== undefined;
    start?.();
  };
  return {
    name: model.name,
    complete({ mostAhead = MODEL_QUEUE_LIMIT, signal: asker, ...request }) {
      if (closing.stopped) return Promise.reject(vaultClosed());
      if (asker?.stopped === true) return Promise.reject(calledOff());
      if (waiting.size + Number(isRunning) >= mostAhead) return Promise.reject(tooMany());
      const signal = new StopController();
      const subscriptions: (Unsubscribe | undefined)[] = [];
      const reply = new Promise<ModelReply>((resolve, reject) => {
        const ask = async (): Promise<ModelReply> => model.complete({ ...request, signal });
        const start = (): void => {
          waiting.delete(start);
          void ask().then(resolve, reject).finally(startNext);
        };
        const onStop = asker?.onStop(() => {
          if (waiting.delete(start)) reject(calledOff());
          signal.stop();
        });
        const onClose = closing.onStop(() => {
          waiting.delete(start);
          // It rejects before the model does, whose error would look like a failure of the model.
          reject(vaultClosed());
          signal.stop();
        });
        subscriptions.push(onStop, onClose);
        waiting.add(start);
        if (!isRunning) startNext();
      });
      const unsubscribe = (): void => subscriptions.forEach((end) => end?.());
      reply.then(unsubscribe, unsubscribe);
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
