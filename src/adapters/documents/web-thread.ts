import type { Answer } from '../document-program/protocol';
import type { ExpandAnswer } from '../exports/channel';
import { documentProgram } from './bundled-program';
import { OutOfMemory, WITHOUT_NETWORK } from '../threads/pool';
import type { StartThread } from './threads';

/** The last lines of the script: they connect the program to its host and start it. There are no character maps here. */
const START = `;brainDocuments.serve({
  onJob: (listener) => self.addEventListener('message', (event) => event.data.brain && listener(event.data.brain)),
  answer: (answer) => self.postMessage({ brain: answer }),
  characterMaps: async () => null,
});`;

/** Starts a web worker for documents, in the app or a browser. */
export const startWebThread: StartThread = () => {
  const url = URL.createObjectURL(
    new Blob([WITHOUT_NETWORK, documentProgram(), START], { type: 'text/javascript' }),
  );
  const worker = new Worker(url);
  return {
    read(job) {
      const answer = new Promise<Answer | ExpandAnswer>((resolve, reject) => {
        // pdf.js posts a message of its own at its start, which has another shape.
        worker.onmessage = ({ data }: MessageEvent<{ brain?: Answer | ExpandAnswer }>) => {
          if (data.brain !== undefined) resolve(data.brain);
        };
        worker.onerror = (event) => {
          event.preventDefault();
          const { message } = event;
          reject(
            /memory/i.test(message) ? new OutOfMemory(message) : new Error(`The reader failed: ${message}`),
          );
        };
      });
      worker.postMessage({ brain: job });
      return answer;
    },
    end() {
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
};
