import { Worker as Thread } from 'node:worker_threads';

/** What a worker's script finds of the window's world before it begins. */
const SELF = `const { parentPort } = require('node:worker_threads');
globalThis.self = globalThis;
self.postMessage = (data) => parentPort.postMessage(data);
self.addEventListener = (type, listener, { once = false } = {}) => {
  if (type === 'message') parentPort[once ? 'once' : 'on']('message', (data) => listener({ data }));
};
`;

/** Workers as a window has them, from object URLs, for a window that has none: each is a thread of Node. */
export function windowWorkers(readText: (blob: Blob) => Promise<string>): {
  readonly Worker: unknown;
  createObjectURL(blob: Blob): string;
  revokeObjectURL(url: string): void;
} {
  const blobs = new Map<string, Blob>();
  let made = 0;

  class Worker {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    onerror: ((event: { message: string; preventDefault(): void }) => void) | null = null;
    readonly #thread: Promise<Thread | null>;
    #isOver = false;

    constructor(url: string) {
      const blob = blobs.get(url);
      if (blob === undefined) throw new Error(`There is nothing at ${url}.`);
      this.#thread = readText(blob).then((text) => (this.#isOver ? null : this.#start(text)));
    }

    #start(text: string): Thread {
      const thread = new Thread(SELF + text, { eval: true, env: {}, stdout: true, stderr: true });
      thread.unref();
      thread.on('message', (data) => this.onmessage?.({ data }));
      thread.on('error', ({ message }) => this.onerror?.({ message, preventDefault: () => undefined }));
      return thread;
    }

    postMessage(data: unknown): void {
      void this.#thread.then((thread) => thread?.postMessage(data));
    }

    terminate(): void {
      this.#isOver = true;
      void this.#thread.then((thread) => thread?.terminate());
    }
  }

  return {
    Worker,
    createObjectURL(blob) {
      const url = `blob:app://${(made += 1)}`;
      blobs.set(url, blob);
      return url;
    },
    revokeObjectURL: (url) => void blobs.delete(url),
  };
}
