import { BrainError } from '../base/errors';
import { LONG_TEXT, type Steps } from '../base/steps';
import { lastWritten } from '../base/time';
import type { ParsedNote } from '../frontmatter/parse';

/** Matches a line in the marks of a placeholder: brackets, a comment or dots. A link is none. */
const MARKED = /^[ \t>*-]*(?:\[(?!\[)|\(|\{|<!--|\/\/|\/\*|\.{3}|…)(?![^\n]*\]\()([^\n]{1,100})$/gmu;

/** What placeholders say, in the languages in which agents write them. */
const REST = [
  /^(?:keep |the |der |das )*(?:rest|restliche[rns]?|übrige[rns]?|remainder|remaining|others?|previous|existing|original|everything else|all (?:else|other))\b.{0,60}\b(?:unchanged|omitted|as (?:before|is|it is|above)|same|stays?|remains?|kept|unverändert|bleibt|wie (?:bisher|oben))$/i,
  /^(?:the )?(?:rest|remainder) of (?:the |this |my )?(?:note|file|content|document|text|body|section|page)s?$/i,
  /^(?:existing|remaining|previous|unchanged|original) (?:content|text|code|sections?|paragraphs?|lines|body)(?: (?:here|goes here|above|below))?$/i,
  /^(?:unchanged|unverändert)$/i,
];

/**
 * Refuses a text with a line that stands for what was not sent, unless the note has that line already.
 * @throws BrainError `placeholder_content`
 */
export function refusePlaceholder(text: string, old: string): void {
  const isPlaceholder = ([, said = '']: RegExpExecArray): boolean => {
    const words = said.replace(/^[\s.…*_]+|[\s.…*_\])}>/-]+$/g, '').replace(/\s+/g, ' ');
    return REST.some((rest) => rest.test(words));
  };
  const known = new Set(old.split('\n').map((line) => line.trim()));
  const lines = [...text.matchAll(MARKED)].filter(isPlaceholder).map(([line]) => line.trim());
  const line = lines.find((each) => !known.has(each));
  if (line === undefined) return;
  throw new BrainError(
    'placeholder_content',
    `The line "${line.slice(0, 100)}" stands for text that was not sent, and would replace it. Send the whole text, or change a part of the note with an edit.`,
    { field: 'content' },
  );
}

/** The fewest words of a text that may lose most of them with a warning. */
const FEW_WORDS = 20;

/**
 * Returns warnings for a text that replaces another one: whose lines are gone when the caller did not say which version it had read,
 * and that most of the words are.
 * @param isBlind true for a caller that named no version of a note that another writer has written
 */
export function* lossSteps(
  { frontmatter, body: old }: ParsedNote,
  body: string,
  isBlind: boolean,
): Steps<string[]> {
  const warnings: string[] = [];
  const [lines, words] = [yield* partsOf(old, LINE), yield* partsOf(old, WORD)];
  const keptLines = new Set(yield* partsOf(body, LINE));
  const gone = lines.filter((line) => !keptLines.has(line)).length;
  if (isBlind && gone > 0) {
    const { written_by: who } = frontmatter;
    const by = typeof who === 'string' && who !== '' ? ` by ${who}` : '';
    const when = lastWritten(frontmatter);
    warnings.push(
      `This replaced a text${by}${when === undefined ? '' : ` of ${when}`} without "expected_hash": ${gone} of its ${lines.length} lines are gone. It stays readable by its hash, "supersedes".`,
    );
  }
  const keptWords = new Set(yield* partsOf(body, WORD));
  const left = words.filter((word) => keptWords.has(word)).length;
  if (words.length >= FEW_WORDS && left < words.length / 2)
    warnings.push(`Only ${left} of the ${words.length} words of the former text are left.`);
  return warnings;
}

const LINE = /\S[^\n]*/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** Returns the lines or words of a text without upper case. One that lies across the ends of a step counts as two. */
function* partsOf(text: string, part: RegExp): Steps<string[]> {
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += LONG_TEXT) {
    for (const [found] of text
      .slice(from, from + LONG_TEXT)
      .toLowerCase()
      .matchAll(part))
      parts.push(found.trimEnd());
    yield;
  }
  return parts;
}
