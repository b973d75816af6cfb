// Stands for some of Node's own modules in the page of these tests: what the plugin calls to open a vault that lies in memory
// and to draw its screens. A name that is missing here fails the build of the page.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Timers of Node are objects. */
class Timer {
  constructor(readonly id: number) {}

  unref(): this {
    return this;
  }
}

export function setTimeout(run: () => void, milliseconds?: number): Timer {
  return new Timer(window.setTimeout(run, milliseconds));
}

export function clearTimeout(timer?: Timer): void {
  window.clearTimeout(timer?.id);
}

export function setInterval(run: () => void, milliseconds?: number): Timer {
  return new Timer(window.setInterval(run, milliseconds));
}

export function clearInterval(timer?: Timer): void {
  window.clearInterval(timer?.id);
}

/** A turn of the event loop that is not held up, as timers of a page are, after a few in a row. */
export function setImmediate(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}

export function createHash(_: 'sha256') {
  const hash = sha256.create();
  const chained = {
    update(data: string | Uint8Array) {
      hash.update(typeof data === 'string' ? utf8ToBytes(data) : data);
      return chained;
    },
    digest: (_: 'hex') => bytesToHex(hash.digest()),
  };
  return chained;
}

export const hostname = (): string => 'browser';
export const userInfo = (): { username: string } => ({ username: 'tester' });
export const promisify = <T>(work: T): T => work;
export const randomUUID = (): string => crypto.randomUUID();

/** Nobody listens to any channel. */
export function channel(): { hasSubscribers: boolean; publish(message: unknown): void } {
  return { hasSubscribers: false, publish: () => undefined };
}
