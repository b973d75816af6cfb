import type { Caller } from '../access/tokens';
import { apart, inSlices } from '../base/steps';
import { sentenceEnds } from '../base/text';
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
/** The shortest sentence that is a title (code points), and the fewest words that tell the hall of a text. */
const SENTENCE = 12;
const WORDS = 3;

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
  const head = points.slice(0, TITLE).join('');
  const isCut = points.length > TITLE;
  const end = isCut ? sentenceEnds(shown).find((each) => each >= SENTENCE && each <= head.length) : undefined;
  const space = isCut && points[TITLE] !== ' ' ? head.lastIndexOf(' ') : -1;
  const title = head.slice(0, end ?? (space > 0 ? space : head.length)).replace(/[\s.,;:|…。、]+$/u, '');
  return LETTER.test(title) ? title : '';
}

/** Returns a warning when a title that was the first words of a note stays and its new body begins otherwise; none else. */
export async function titleWarning(
  brain: Pick<Brain, 'pace'>,
  old: { readonly body: string; readonly frontmatter: Readonly<Record<string, unknown>> },
  body: string,
): Promise<string[]> {
  const { title } = old.frontmatter;
  if (typeof title !== 'string' || title !== firstWords(await shownStart(brain, old.body))) return [];
  const { own, words } = await openingTitle(brain, body, {});
  if (title === (own ?? words)) return [];
  return [
    `The note is still called "${title}". To rename it, begin the content with a front matter block with "title".`,
  ];
}

/** What a text says of itself: a guess, what did not work, or a decision. A guess about any of them is a guess. */
const TELLING: readonly (readonly [Hall, RegExp])[] = [
  [
    'hypotheses',
    /(?<!\p{L})(?:maybe|perhaps|probably|possibly|presumably|might|hypothes[ie]s|(?:I|we) (?:think|guess|suspect|believe|assume|wonder)|(?:could|may) be|not sure|vielleicht|wahrscheinlich|vermutlich|eventuell|könnten?|ich (?:glaube|vermute|denke)|Vermutung)(?!\p{L})|^(?:it |this |that |es )?(?:seems|scheint)(?!\p{L})/iu,
  ],
  [
    'failures',
    /(?<!\p{L})(?:failed(?! over)|crashed|broke|(?:did|does|do) ?(?:n['’]t|not) work|fehlgeschlagen|gescheitert|abgestürzt|funktionierte? nicht|ging nicht)(?!\p{L})/iu,
  ],
  [
    'decisions',
    /(?<!\p{L})(?:decided|decision|(?:we|I) (?:chose|agreed|will use|settled on)|entschieden|entscheidung|beschlossen)(?!\p{L})/iu,
  ],
];

/** Returns the hall of a text by what its first sentence below the heading says; what is told as it is is a fact. */
export async function hallOf(brain: Pick<Brain, 'pace'>, body: string): Promise<Hall> {
  const { plain, searchText } = await inSlices(apart(FACTS, body.slice(0, UNITS)), brain.pace);
  const text = plain === '' ? searchText : plain;
  const end = [...sentenceEnds(text), text.length].find(
    (each) => (text.slice(0, each).match(/\p{L}+/gu)?.length ?? 0) >= WORDS,
  );
  const said = text.slice(0, end);
  return TELLING.find(([, telling]) => telling.test(said))?.[0] ?? 'facts';
}

/** A paragraph break that is followed by what begins a block or a sentence. */
const PARAGRAPHS = /\\n\\n(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |\p{Lu})/u;
/** What shows that the two characters are meant: in code or quotes, beside programs, paths and commands, before a small letter. */
const MEANT =
  /`|["“][^"“”]*\\n[^"“”]*["”]|(?<![\p{L}\p{N}])['‘][^'‘’]*\\n[^'‘’]*['’](?!\p{L})|\b(?:[Pp]rintf|[Ee]cho|[Ss]plit|[Jj]oin|[Rr]egex)\b|\\n\p{Ll}|\\[^n]/u;

/**
 * Returns a text of an agent whose line breaks are all written as the two characters "\\n", with real ones and a warning where it is
 * clear that they are meant; every other text as it is.
 */
export function withLineBreaks(
  text: string,
  { human }: Pick<Caller, 'human'>,
): { text: string; warnings: string[] } {
  const isClear = !human && !/[\n\r]/.test(text) && PARAGRAPHS.test(text) && !MEANT.test(text);
  if (!isClear) return { text, warnings: [] };
  return {
    text: text.replaceAll('\\n', '\n'),
    warnings: [
      'The text had no line break, but the two characters "\\n", which became line breaks. Send real ones.',
    ],
  };
}
