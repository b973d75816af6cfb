import { readDocument, toRefusal } from '../document-program/program';
import type { Answer, Job, ReadCharacterMap } from '../document-program/protocol';
import type { ExpandAnswer, ExpandJob, Host, Reply } from './channel';
import { Expander } from './expand';

/** The thread's connection to its host, which writes these functions in a few lines (`node-thread.ts`, `web-thread.ts`). */
export interface ThreadPort {
  /** Calls `listener` with every job of this thread; the next one comes after the answer. */
  onJob(listener: (job: Job | ExpandJob) => void): void;
  answer(answer: Answer | ExpandAnswer): void;
  readonly characterMaps: ReadCharacterMap;
}

/** Reads the document of each job of the port, or expands its export, and answers what came of it or why it cannot be done. */
export function serve(port: ThreadPort): void {
  let replied: (reply: Reply) => void = () => undefined;
  let last: Promise<unknown> = Promise.resolve();
  // The host answers one question at a time, and an entry is read on while what came of it is written.
  const host = hostOf((ask) => {
    const reply = last.then(
      () =>
        new Promise<Reply>((resolve) => {
          replied = resolve;
          port.answer({ ask });
        }),
    );
    last = reply;
    return reply;
  });
  port.onJob((job) => {
    if ('reply' in job) return replied(job.reply);
    const fail = (error: unknown): void =>
      port.answer({ error: toRefusal(error, 'name' in job ? job.name : 'The export') });
    if ('expand' in job) {
      new Expander(host)
        .expand(job.expand)
        .then(({ files, left, told }) => port.answer({ expanded: files, left, told }), fail);
    } else readDocument(job, port.characterMaps).then((text) => port.answer({ text }), fail);
  });
}

function hostOf(ask: (asking: Extract<ExpandAnswer, { ask: unknown }>['ask']) => Promise<Reply>): Host {
  return {
    async read(id, from, to) {
      const reply = await ask({ op: 'read', id, from, to });
      return reply instanceof Uint8Array ? reply : new Uint8Array();
    },
    async create(place, modified) {
      return Number(await ask({ op: 'create', place, ...(modified !== undefined && { modified }) }));
    },
    async append(id, bytes) {
      await ask({ op: 'append', id, bytes });
    },
    async progress(done, total) {
      await ask({ op: 'progress', done, total });
    },
  };
}
