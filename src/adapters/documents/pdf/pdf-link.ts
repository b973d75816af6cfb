import { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.mjs';

/** The version whose messages are spoken here; pdf.js refuses any other. */
const VERSION = '5.6.205';
const US = 'brain';

/** What a message that is no call means (pdf.js, `shared/message_handler.js`). */
const CALLBACK = { data: 1, error: 2 };
const STREAM = { close: 3, enqueue: 4, error: 5, startComplete: 8 };

/** A message of pdf.js: a call, the answer to one, or a part of a stream. */
interface Message {
  readonly action?: string;
  readonly callback?: number;
  readonly callbackId?: number;
  readonly stream?: number;
  readonly streamId?: number;
  readonly chunk?: unknown;
  readonly success?: boolean;
  readonly data?: unknown;
  readonly reason?: unknown;
}

/** How pdf.js refused: its name for the kind of failure, such as `PasswordException`. */
export class PdfFailure extends Error {
  override readonly name = 'PdfFailure';

  constructor(readonly kind: string) {
    super(`pdf.js: ${kind}`);
  }
}

/** What pdf.js calls on its reader: files that it needs (`FetchBinaryData`), the password (`PasswordRequest`), news. */
export type OnCall = (action: string, data: unknown) => Promise<unknown>;

/** One document open in pdf.js. */
export interface PdfLink {
  call(action: string, data: unknown): Promise<unknown>;
  /** Gives each part of a stream to `take` until that answers false; resolves at its end, rejects with PdfFailure. */
  stream(action: string, data: unknown, take: (chunk: unknown) => boolean): Promise<void>;
}

/**
 * Speaks with the half of pdf.js that reads files as its other half would, which draws them and is as large as half of this
 * program: only text is wanted. Both sides are in this thread, so a message is a call of a function.
 */
export function linkPdf(document: object, onCall: OnCall): PdfLink {
  const waiting = new Map<number, { resolve: (data: unknown) => void; reject: (error: Error) => void }>();
  const streams = new Map<number, { take: (chunk: unknown) => boolean; end: (failure?: Error) => void }>();
  let listener: (event: { data: unknown }) => void = () => undefined;
  let last = 0;

  function post(message: object): void {
    listener({ data: { sourceName: US, targetName: worker, ...message } });
  }
  function receive(message: Message): void {
    const { callback, callbackId = 0, streamId = 0 } = message;
    if (message.stream !== undefined) receivePart(message, streamId);
    else if (callback !== undefined) {
      const waiter = waiting.get(callbackId);
      waiting.delete(callbackId);
      if (callback === CALLBACK.data) waiter?.resolve(message.data);
      else waiter?.reject(failureOf(message.reason));
    } else {
      const answered = onCall(message.action ?? '', message.data);
      answered.then(
        (data) => callbackId > 0 && post({ callback: CALLBACK.data, callbackId, data }),
        (reason: unknown) => callbackId > 0 && post({ callback: CALLBACK.error, callbackId, reason }),
      );
    }
  }
  function receivePart({ stream, chunk, success, reason }: Message, streamId: number): void {
    const open = streams.get(streamId);
    if (stream === STREAM.enqueue && open?.take(chunk) === false) open.end();
    else if (stream === STREAM.close) open?.end();
    else if (stream === STREAM.error || (stream === STREAM.startComplete && success !== true))
      open?.end(failureOf(reason));
  }

  const worker = WorkerMessageHandler.createDocumentHandler(
    { docId: US, apiVersion: VERSION, ...document },
    {
      addEventListener: (_, added) => (listener = added),
      // pdf.js writes these messages itself.
      postMessage: (message) => receive(message as Message),
    },
  );
  queueMicrotask(() => post({ action: 'Ready', data: null }));

  return {
    call(action, data) {
      const callbackId = (last += 1);
      return new Promise((resolve, reject) => {
        waiting.set(callbackId, { resolve, reject });
        post({ action, callbackId, data });
      });
    },
    stream(action, data, take) {
      const streamId = (last += 1);
      return new Promise((resolve, reject) => {
        const end = (failure?: Error) => {
          streams.delete(streamId);
          if (failure === undefined) resolve();
          else reject(failure);
        };
        streams.set(streamId, { take, end });
        post({ action, streamId, data, desiredSize: Infinity });
      });
    },
  };
}

export function failureOf(reason: unknown): PdfFailure {
  return new PdfFailure(reason instanceof Error ? reason.name : 'unknown');
}
