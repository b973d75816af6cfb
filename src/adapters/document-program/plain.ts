import { CUT_WARNING, fenced, joinWithin, linesToMarkdown, within, withoutTerminalCodes } from './markup';
import type { ReadText } from './protocol';

/** Converts plain text to Markdown that shows its letters. */
export function readText(text: string): ReadText {
  const { text: markdown, isCut } = joinWithin(linesToMarkdown(withoutTerminalCodes(text).split('\n')));
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}

/** Returns Markdown as it is. */
export function readPlain(text: string): ReadText {
  const markdown = within(text);
  return { markdown, warnings: markdown.length < text.length ? [CUT_WARNING] : [] };
}

/** Converts a log to a block of code. */
export function readLog(text: string): ReadText {
  const { markdown, isCut } = fenced(withoutTerminalCodes(text), 'text');
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}
