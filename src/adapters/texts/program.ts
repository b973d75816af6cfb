import { isRecord } from '../../core/base/json';
import { finish, type TextCall, type TextTask } from '../../core/base/steps';
import { CONTENT_KEY } from '../../core/catalog/content-key';
import { ACTIVE_FILE, CANVAS_CARDS } from '../../core/gate/active-file';
import { ACTING, GATE } from '../../core/gate/apart';
import { SECTIONS } from '../../core/markdown/blocks';
import { FACTS } from '../../core/markdown/facts';
import { FILE_LINKS } from '../../core/markdown/file-links';
import { JoinedParts, type Part, partsOf } from './parts';

/** A task on a text for the thread. The thread gets a copy of the input. */
export type TextJob = Pick<TextCall, 'task' | 'input'>;

/** The answer of a thread: the result of the task, or why it failed. */
export type TextAnswer = { readonly result: unknown } | { readonly failure: string };

/** A message to the thread: a part of a job, the word to do it, or the question for the next part of the answer. */
export type ToThread = Part | 'go' | 'next';

/** The reply to each message: a part of the answer, or null for a part that was taken and when there is none left. */
export type FromThread = Part | null;

/** The tasks of the core that grow with a text. */
const TASKS: ReadonlyMap<string, (input: unknown) => unknown> = new Map([
  runner(FACTS),
  runner(SECTIONS),
  runner(CONTENT_KEY),
  runner(FILE_LINKS),
  runner(GATE),
  runner(ACTING),
  runner(ACTIVE_FILE),
  runner(CANVAS_CARDS),
]);

function runner<In, Out>(task: TextTask<In, Out>): [string, (input: unknown) => unknown] {
  // The steps that name the task gave its input.
  return [task.name, (input) => finish(task.steps(input as In))];
}

/** Does a job, in the thread: it may take long, and a hostile text may make it fail in any way. */
function answerTo(job: unknown): TextAnswer {
  try {
    if (!isRecord(job)) throw new Error('There is no job.');
    const run = TASKS.get(String(job.task));
    if (run === undefined) throw new Error(`There is no task ${String(job.task)}.`);
    return { result: run(job.input) };
  } catch (error) {
    return { failure: String(error) };
  }
}

let job = new JoinedParts();
let answer: Iterator<Part, void> = partsOf(null);

/** Replies to a message. */
export function reply(message: ToThread): FromThread {
  if (message === 'go') {
    answer = partsOf(answerTo(job.value));
    job = new JoinedParts();
  } else if (message !== 'next') {
    job.add(message);
    return null;
  }
  const part = answer.next();
  return part.done === true ? null : part.value;
}
