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

/** Converts YAML to a block of code, with the value of a plain `title:` at its first level as the title. */
export function readYaml(text: string): ReadText {
  const { markdown, isCut } = fenced(text, 'yaml');
  const value = /^title:[ \t]+(\S[^\n]{0,300})$/m.exec(text)?.[1]?.trimEnd() ?? '';
  // Anchors, tags, blocks and lists are no text.
  const title = /^(?:"([^"\\]*)"|'([^']*)'|([^"'&*!|>{[#%@`][^#]*))(?:\s+#.*)?$/.exec(value);
  const shown = (title?.[1] ?? title?.[2] ?? title?.[3] ?? '').trim();
  return { markdown, ...(shown !== '' && { title: shown }), warnings: isCut ? [CUT_WARNING] : [] };
}
