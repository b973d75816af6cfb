import { ALL_SCOPES, type Caller } from '../../core/access/tokens';
import { BrainError } from '../../core/base/errors';
import type { Watch } from '../../core/base/steps';
import { ingestDropped } from '../../core/ingest/operations';
import type { Brain } from '../../core/operation/context';
import { type Operation, perform } from '../../core/operation/operation';
import { type Answer, type Ask, type BrainClient, CallError } from '../../core/registry/client';
import { OPERATIONS } from '../../core/registry/table';
import { INTERNAL, traceOf } from '../../doors/http/errors';
import type { FileIngest } from '../../ui/client/host';
import { answerInSettings, inSettings } from './setting-words';
import { setTimer as nodeLater, type SetTimer } from './timers';

/** The delay between a change and its event to the screens (ms). Changes come in bursts. */
const NOTIFY_AFTER_MS = 200;

/** The operations whose answers tell of the service, not of notes: their texts name settings. */
const SERVICE_ANSWERS: ReadonlySet<string> = new Set(['status', 'backfill']);

/** The client of the person's own screens. */
export interface LocalClient extends BrainClient {
  /** Reports a change. The vault reports only changes of files that the app shows. */
  changed(): void;
  /** Starts to ingest a file in the background. @throws CallError as `call` does. */
  ingestFile(name: string, bytes: Uint8Array): Promise<FileIngest>;
  /** Sends bytes of a file of an import. @throws CallError as `call` does. */
  sendPart(ask: Ask<'sendBatchFile'>, bytes: Uint8Array): Promise<Answer<'sendBatchFile'>>;
  /** Closes the client: it refuses calls and sends no events. */
  close(): void;
}

/**
 * Creates a client that performs operations in this process as the person at the app, with all scopes and the person's name
 * on every write. Internal errors are logged and their details are not shown.
 */
export function createLocalClient(brain: Brain, later: SetTimer = nodeLater): LocalClient {
  const listeners = new Set<() => void>();
  let cancel: (() => void) | null = null;
  let isClosed = false;

  const notify = (): void => {
    cancel = null;
    for (const listener of [...listeners]) listener();
  };
  const changed = (): void => {
    if (!isClosed) cancel ??= later(NOTIFY_AFTER_MS, notify);
  };
  const stopListening = brain.vault.changes(changed);

  const ask = async (operation: Operation, input: unknown, watch?: Watch): Promise<unknown> => {
    if (isClosed)
      throw new CallError('unreachable', 'The vault was closed. Open it again, then repeat this.');
    try {
      return await perform(brain, operation, input, person(brain), watch);
    } catch (thrown) {
      throw asCallError(thrown, operation.name, brain);
    }
  };
  return {
    async call(name, input) {
      const answer = await ask(OPERATIONS[name], input);
      const shown = SERVICE_ANSWERS.has(name) ? answerInSettings(answer) : answer;
      return shown as Answer<typeof name>; // The table has the operation of this name.
    },
    async ingestFile(name, bytes) {
      const answer = await ask(ingestDropped, { name, bytes, background: true });
      return answer as FileIngest; // This operation answers in this shape.
    },
    async sendPart(input, bytes) {
      const body = (async function* () {
        yield bytes;
      })();
      const answer = await ask(OPERATIONS.sendBatchFile, input, { body });
      return answer as Answer<'sendBatchFile'>; // The table has the operation of this name.
    },
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
    close() {
      isClosed = true;
      stopListening();
      cancel?.();
      listeners.clear();
    },
  };
}

function person({ config }: Brain): Caller {
  return { origin: 'obsidian', name: config.humanName, human: true, scopes: ALL_SCOPES };
}

function asCallError(thrown: unknown, operation: string, { log }: Brain): CallError {
  if (thrown instanceof BrainError)
    return new CallError(thrown.code, inSettings(thrown.message), thrown.details);
  const requestId = crypto.randomUUID();
  log.error('local.internal', { request_id: requestId, operation, ...traceOf(thrown) });
  return new CallError(INTERNAL.code, INTERNAL.message, {}, requestId);
}
