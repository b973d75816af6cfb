import { finish, type TextTask } from '../../core/base/steps';
import { CONTENT_KEY } from '../../core/catalog/content-key';
import { GATE } from '../../core/gate/apart';
import { FACTS } from '../../core/markdown/facts';
import { FILE_LINKS } from '../../core/markdown/file-links';
import { SKETCH } from '../../core/review/alike';
import type { TextAnswer, TextJob } from './protocol';

/** The tasks of the core that grow with a text. */
const TASKS: ReadonlyMap<string, (input: unknown) => unknown> = new Map([
  runner(FACTS),
  runner(CONTENT_KEY),
  runner(FILE_LINKS),
  runner(SKETCH),
  runner(GATE),
]);

function runner<In, Out>(task: TextTask<In, Out>): [string, (input: unknown) => unknown] {
  // The steps that name the task gave its input.
  return [task.name, (input) => finish(task.steps(input as In))];
}

/** Does a job, in the thread: it may take long, and a hostile text may make it fail in any way. */
export function answerTo({ task, input }: TextJob): TextAnswer {
  try {
    const run = TASKS.get(task);
    if (run === undefined) throw new Error(`There is no task ${task}.`);
    return { result: run(input) };
  } catch (error) {
    return { failure: String(error) };
  }
}
