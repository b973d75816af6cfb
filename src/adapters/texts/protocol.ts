import type { TextCall } from '../../core/base/steps';
import type { Part } from './parts';

/** A task on a text for the thread. The thread gets a copy of the input. */
export type TextJob = Pick<TextCall, 'task' | 'input'>;

/** The answer of a thread: the result of the task, or why it failed. */
export type TextAnswer = { readonly result: unknown } | { readonly failure: string };

/** A message to the thread: a part of a job, the word to do it, or the question for the next part of the answer. */
export type ToThread = Part | 'go' | 'next';

/** The reply to each message: a part of the answer, or null for a part that was taken and when there is none left. */
export type FromThread = Part | null;
