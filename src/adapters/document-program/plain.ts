import { withReadableJson } from './json';
import { CUT_WARNING, fenced, joinWithin, linesToMarkdown, within, withoutTerminalCodes } from './markup';
import type { ReadText } from './protocol';

/** Converts plain text to Markdown that shows its letters, and those that escapes in JSON objects mean. */
export function readText(text: string): ReadText {
  const { text: markdown, isCut } = joinWithin(
    linesToMarkdown(withReadableJson(withoutTerminalCodes(text)).split('\n')),
  );
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}

/** Returns Markdown as it is. */
export function readPlain(text: string): ReadText {
  const markdown = within(text);
  return { markdown, warnings: markdown.length < text.length ? [CUT_WARNING] : [] };
}

/** Converts a log to a block of code. Escapes in its JSON objects become the characters that they mean. */
export function readLog(text: string): ReadText {
  const { markdown, isCut } = fenced(withReadableJson(withoutTerminalCodes(text)), 'text');
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}
