import type { Caller } from '../access/tokens';
import { apart, inSlices } from '../base/steps';
import { noteTitle } from '../links/title';
import { FACTS } from '../markdown/facts';
import type { Brain } from '../operation/context';
import type { Hall } from '../vocabulary/address';

/** The lines and UTF-16 units of a text that its name and its hall are taken from. */
const LINES = 20;
const UNITS = 2000;
/** The longest title made from the first words of a text (code points). */
const TITLE = 60;

const LETTER = /\p{L}/u;
/** A sentence with another one behind it. */
const SENTENCE = /^.{12,}?(?:[.!?](?=\s+[\p{Lu}\p{N}"'(\p{Ps}])|[。！？])/u;

/**
 * Returns the title of a text that has no name: its own, else its first sentence or the first words of its first line with a letter;
 * '' when there is none.
 */
export async function openingTitle(
  brain: Pick<Brain, 'pace'>,
  body: string,
  said: Readonly<Record<string, unknown>>,
): Promise<{ readonly own: string | null; readonly words: string }> {
  const { h1 } = await inSlices(apart(FACTS, body), brain.pace);
  const own = noteTitle(said, h1);
  return { own, words: own === null ? firstWords(await shownStart(brain, body)) : '' };
}

/** Returns what the first lines of a body show, up to the first with a letter. */
async function shownStart(brain: Pick<Brain, 'pace'>, body: string): Promise<string> {
  const lines = body.slice(0, UNITS).trimStart().split(/\r?\n/, LINES);
  for (let count = 1; count <= lines.length; count += 1) {
    const { searchText } = await inSlices(apart(FACTS, lines.slice(0, count).join('\n')), brain.pace);
    if (LETTER.test(searchText)) return searchText;
  }
  return '';
}

function firstWords(line: string): string {
  const shown = line.replace(/\s+/g, ' ').replace(/^[\s|]+/, '');
  const points = Array.from(shown);
  const sentence = SENTENCE.exec(shown)?.[0] ?? '';
  const head = points.slice(0, TITLE).join('');
  const isCut = points.length > TITLE && points[TITLE] !== ' ' && head.includes(' ');
  const cut = isCut ? head.slice(0, head.lastIndexOf(' ')) : head;
  const isWhole = points.length <= TITLE || sentence === '' || Array.from(sentence).length > TITLE;
  const title = (isWhole ? cut : sentence).replace(/[\s.,;:|…。、]+$/u, '');
  return LETTER.test(title) ? title : '';
}

/**
 * Returns the title that a note gets with a new body when its title was the first words of the old one: null for a body that has
 * its own, undefined when the title stays.
 */
export async function followingTitle(
  brain: Pick<Brain, 'pace'>,
  old: { readonly body: string; readonly frontmatter: Readonly<Record<string, unknown>> },
  body: string,
): Promise<string | null | undefined> {
  const { title } = old.frontmatter;
  if (typeof title !== 'string' || title !== firstWords(await shownStart(brain, old.body))) return undefined;
  const { words } = await openingTitle(brain, body, {});
  return words === title ? undefined : words || null;
}

/** What a text says of itself: a guess, a decision, or what did not work. A guess about any of them is a guess. */
const TELLING: readonly (readonly [Hall, RegExp])[] = [
  [
    'hypotheses',
    /\?\s*$|\b(?:maybe|perhaps|probably|possibly|presumably|might|hypothes[ie]s|(?:I|we) (?:think|guess|suspect|believe|assume|wonder)|(?:could|may) be|seems?|not sure|vielleicht|wahrscheinlich|vermutlich|eventuell|könnten?|scheint|ich (?:glaube|vermute|denke)|Vermutung)\b/iu,
  ],
  [
    'failures',
    /\b(?:fail(?:ed|s|ure)|crash(?:ed|es)|broke|(?:did|does|do) ?(?:n['’]t|not) work|fehlgeschlagen|gescheitert|abgestürzt|funktionierte? nicht|ging nicht)\b/iu,
  ],
  [
    'decisions',
    /\b(?:deci(?:ded|sion)|(?:we|I) (?:chose|agreed|will use|settled on)|entschieden|entscheidung|beschlossen)\b/iu,
  ],
];

/** Returns the hall of a text by what it says of itself at its beginning; what is told as it is is a fact. */
export async function hallOf(brain: Pick<Brain, 'pace'>, body: string): Promise<Hall> {
  const start = await shownStart(brain, body);
  return TELLING.find(([, telling]) => telling.test(start))?.[0] ?? 'facts';
}

const BREAK = /\\n/g;
const CODE = /`[^`]*`/g;
/** A break that is followed by another one, or by what begins a block. */
const BLOCK_BREAK = /\\n(?:\\n|#{1,6} |[-*+] |\d{1,3}[.)] |> )/;

/**
 * Returns a text of an agent whose line breaks are all written as the two characters "\\n", with real ones where it is clear that they
 * are meant; otherwise the text as it is, with a warning when it has several.
 */
export function withLineBreaks(
  text: string,
  { human }: Pick<Caller, 'human'>,
): { text: string; warnings: string[] } {
  if (human || /[\n\r]/.test(text) || !text.includes('\\n')) return { text, warnings: [] };
  const count = text.replace(CODE, '').match(BREAK)?.length ?? 0;
  if (count < 2) return { text, warnings: [] };
  const said = `The text had no line break, but ${count} times the two characters "\\n"`;
  const isClear = BLOCK_BREAK.test(text) && !text.includes('`');
  if (!isClear)
    return {
      text,
      warnings: [`${said}, which stay as they are. If line breaks were meant, send real ones.`],
    };
  return {
    text: text.replace(BREAK, '\n'),
    warnings: [`${said}: they became line breaks. Send real ones.`],
  };
}
