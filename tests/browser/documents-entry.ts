import { documentReader } from '../../src/adapters/documents/reader';
import { startWebThread } from '../../src/adapters/documents/web-thread';
import { BrainError } from '../../src/core/base/errors';

const reader = documentReader({
  startThread: startWebThread,
  used: () => performance.now(),
  http: { send: () => Promise.reject(new Error('nobody is asked')) },
  settings: () => ({}),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  breathe: () => new Promise((resolve) => setTimeout(resolve)),
});

/** Reads the file at an address of the test's server, and tells for how long the window stood still at most. */
async function read(name: string): Promise<unknown> {
  const bytes = new Uint8Array(await (await fetch(`/files/${name}`)).arrayBuffer());
  let block = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    block = Math.max(block, performance.now() - last);
    last = performance.now();
  }, 4);
  const start = performance.now();
  try {
    const text = await reader.read({ name, bytes });
    return { text, block, ms: performance.now() - start };
  } catch (error) {
    const code = error instanceof BrainError ? error.code : 'internal';
    return { error: { code, message: String(error) }, block, ms: performance.now() - start };
  } finally {
    clearInterval(ticks);
  }
}

Object.assign(window, { read });
