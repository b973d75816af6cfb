import path from 'node:path';
import { WITHOUT_NETWORK } from '../threads/pool';
import { startWorker } from '../threads/worker';
import { documentProgram } from './bundled-program';
import type { StartThread } from './threads';

/** The largest heap of one thread (MiB). */
const HEAP_MIB = 512;

/**
 * The last lines of the script: they connect the program to its host and start it. Character maps are read from one folder,
 * by plain names only.
 */
const START = `
const { parentPort, workerData } = require('node:worker_threads');
const read = require('node:fs/promises').readFile;
brainDocuments.serve({
  onJob: (listener) => parentPort.on('message', listener),
  answer: (answer) => parentPort.postMessage(answer),
  characterMaps: async (name) => {
    if (workerData.folder === null || !/^[\\w-]+\\.bcmap$/.test(name)) return null;
    return read(workerData.folder + '/' + name).then((bytes) => new Uint8Array(bytes), () => null);
  },
});`;

/**
 * Returns a function that starts a thread of Node for documents.
 *
 * @param folder the folder of pdf.js' character maps, or null
 */
export function nodeThreads(folder: string | null): StartThread {
  return () =>
    startWorker({
      script: `${WITHOUT_NETWORK}${documentProgram()}${START}`,
      heapMib: HEAP_MIB,
      workerData: { folder },
    });
}

/** A file in the folder of the character maps: beside the built program, else in the package of pdf.js. */
const IN_MAPS = ['./cmaps/LICENSE', 'pdfjs-dist/cmaps/LICENSE'];

/** Returns the folder of pdf.js' character maps, or null when it is not installed. */
export function characterMapFolder(): string | null {
  for (const file of IN_MAPS) {
    try {
      return path.dirname(require.resolve(file));
    } catch {
      // The next place may have it.
    }
  }
  return null;
}
