import { CUT_WARNING, fenced, within, withoutTerminalCodes } from './markup';
import type { ReadText } from './protocol';

/** Returns Markdown and plain text as they are. */
export function readPlain(text: string): ReadText {
  const markdown = within(text);
  return { markdown, warnings: markdown.length < text.length ? [CUT_WARNING] : [] };
}

/** Converts a log to a block of code. */
export function readLog(text: string): ReadText {
  const { markdown, isCut } = fenced(withoutTerminalCodes(text), 'text');
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}
