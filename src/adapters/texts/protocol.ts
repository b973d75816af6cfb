import type { TextCall } from '../../core/base/steps';

/** A task on a text for the thread. The thread gets a copy of the input. */
export type TextJob = Pick<TextCall, 'task' | 'input'>;

/** The answer of a thread: the result of the task, or why it failed. */
export type TextAnswer = { readonly result: unknown } | { readonly failure: string };
