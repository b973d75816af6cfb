import { partitionPoint } from '../base/steps';
import { DENSE_SCRIPTS } from '../base/text';
import { isStopWord } from '../fulltext/stop-words';
import type { Range } from '../markdown/spans';

/** The length of the prefix that `indexOf` finds before the rest is compared (UTF-16 units). */
const LEAD = 8;

/** Yields the offsets of a text in another one, in order; they may overlap. Linear time (Knuth, Morris and Pratt). */
export function* occurrences(text: string, wanted: string): Iterable<number> {
  const borders = bordersOf(wanted);
  const lead = wanted.slice(0, LEAD);
  let held = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (held === 0) at = text.indexOf(lead, at);
    if (at < 0) return;
    const unit = text.charCodeAt(at);
    while (held > 0 && unit !== wanted.charCodeAt(held)) held = borders[held - 1] ?? 0;
    if (unit === wanted.charCodeAt(held)) held += 1;
    if (held < wanted.length) continue;
    yield at + 1 - held;
    held = borders[held - 1] ?? 0;
  }
}

/** Returns, for each prefix of a text, the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let held = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (held > 0 && text.charCodeAt(at) !== text.charCodeAt(held)) held = borders[held - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(held)) held += 1;
    borders[at] = held;
  }
  return borders;
}

/** The longest run of marks before the first word of a line, and after its last (UTF-16 units). */
const MAX_MARKS = 60;
/** A line that begins a block: a heading, a quote, an item, a row. */
const OPENING = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]|\|)/;
/** A heading. */
const HEADING = /^[ \t]*#{1,6}[ \t]/;
/** The marks before a line's words: all characters but letters and digits, the number of an item, the box of a task. */
const MARKS = /^[^\p{L}\p{N}\n]*(?:\d{1,9}[.)][ \t][^\p{L}\p{N}\n]*)?(?:\[[xX]\][ \t][^\p{L}\p{N}\n]*)?$/u;

/** Returns true when a range has all words of a paragraph, a heading, an item of a list or a row of a table. */
function isWholeBlock(text: string, { from, to }: Range): boolean {
  const lead = text.slice(Math.max(0, from - MAX_MARKS), from);
  const rest = text.slice(to, to + MAX_MARKS);
  const [begin, stop] = [lead.lastIndexOf('\n') + 1, rest.indexOf('\n')];
  if (begin === 0 && lead.length < from) return false;
  if (stop < 0 && to + rest.length < text.length) return false;
  if (!MARKS.test(lead.slice(begin)) || /[\p{L}\p{N}]/u.test(stop < 0 ? rest : rest.slice(0, stop)))
    return false;
  const start = from - lead.length + begin;
  const end = stop < 0 ? text.length : to + stop;
  return endsAbove(text, start, end) && endsBelow(text, start, end);
}

/** Returns true when the line above the lines from `start` to `end` is no part of their block. */
function endsAbove(text: string, start: number, end: number): boolean {
  if (start === 0 || OPENING.test(text.slice(start, end))) return true;
  const above = text.slice(start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1, start - 1);
  return above.trim() === '' || HEADING.test(above);
}

/** Returns true when the line below the lines from `start` to `end` is no part of their block. */
function endsBelow(text: string, start: number, end: number): boolean {
  if (end === text.length) return true;
  const lines = text.slice(start, end);
  if (HEADING.test(lines.slice(lines.lastIndexOf('\n') + 1))) return true;
  const next = text.indexOf('\n', end + 1);
  const below = text.slice(end + 1, next < 0 ? text.length : next);
  return below.trim() === '' || OPENING.test(below);
}

/** The longest quote in an answer (UTF-16 units): as much as a model gets of a note, so that every answer can be sent back. */
export const MAX_QUOTE = 6_000;
/**
 * The least content of a quote that supports a statement: a number, a version or a name with a digit, a few words that are more
 * than grammar, or one word that is a name or as long as several. The weight counts letters and digits; a character of a script
 * without spaces weighs `DENSE`, and `DENSE_WORD` of them are a word.
 */
const MIN_WITH_DIGIT = 2;
const MIN_WORDS = 2;
const MIN_WEIGHT = 8;
const MIN_LONG_WORD = 20;
const DENSE = 3;
const DENSE_WORD = 2;
/** The least weight of a quote that is a whole paragraph, heading, item or row: of one word, and of several together. */
const MIN_WHOLE_WORD = 12;
const MIN_WHOLE_WORDS = 6;
/** The longest such quote (UTF-16 units). */
const MAX_WHOLE = 200;
/** The longest mark of emphasis or code (UTF-16 units). */
const MAX_MARK = 3;

const LINK = /!?\[\[(?:[^[\]|\n]*\|)?([^[\]|\n]*)\]\]|!?\[([^[\]\n]*)\]\([^()\s]*\)/g;
const ALIKE: ReadonlyMap<string, string> = new Map([
  ...Array.from('\u2018\u2019\u201a\u201b\u2032\u02bc', (mark) => [mark, "'"] as const),
  ...Array.from('\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb', (mark) => [mark, '"'] as const),
  ...Array.from('\u2010\u2011\u2012\u2013\u2014\u2212', (mark) => [mark, '-'] as const),
  ['\u2026', '...'],
]);

/** A character that joins the one before it: a combining mark, or a jamo that does not begin a syllable. */
const JOINED = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u;
/** An invisible character that belongs to the one before it: a variation selector, a joiner. */
const JOINED_UNSEEN = /^[\p{M}\u200c\u200d]/u;
/** The code points that are composed to one letter at most. No script needs more, and hostile text has endless marks. */
const MAX_JOINED = 32;

/** A text in the form in which quotes are compared, and the range of each of its units in the source text. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly links: readonly Range[];
}

/** A text in which quotes are found. It is folded once for all of them. */
export class Quotable {
  readonly #text: string;
  readonly #folded: Folded;

  constructor(text: string) {
    this.#text = text;
    this.#folded = folded(text);
  }

  /**
   * Returns the range of a quote in the text; null when the text does not have it, or when it has too little content to support
   * anything. A single word or mere grammar supports something only as a whole paragraph, heading, item or row. White space,
   * case, composed and decomposed letters, forms of quotes and dashes, emphasis and the marks of links may differ; words and
   * their order may not.
   */
  find(quote: string): Range | null {
    const wanted = folded(quote).text.trim();
    // Marks around a quote, and dots at its cuts, usually come from the quoter, but they may also be the note's.
    const bare = wanted.replace(/^[\s."']+|[\s."']+$/g, '');
    const worth = worthOf(bare);
    if (worth === 'nothing' || (worth === 'whole' && wanted.length > MAX_WHOLE)) return null;
    const accept = (place: Range) => worth === 'anywhere' || isWholeBlock(this.#text, place);
    return this.#place(wanted, accept) ?? this.#place(bare, accept);
  }

  #place(wanted: string, accept: (place: Range) => boolean): Range | null {
    const { text, starts, ends } = this.#folded;
    for (const at of occurrences(text, wanted)) {
      const end = at + wanted.length;
      // A quote that begins or ends inside a word has another meaning: "able to" is no quote from "unable to".
      if (isInWord(text, at) || isInWord(text, end)) continue;
      const place = this.#whole({ from: starts[at] ?? 0, to: ends[end - 1] ?? this.#text.length });
      if (accept(place)) return place;
    }
    return null;
  }

  /** Extends a range to the ends of the links that it cuts, and to the other mark of an emphasis that it cuts. */
  #whole(found: Range): Range {
    const cut = (at: number) => linkAround(this.#folded.links, at);
    const [from, to] = [cut(found.from)?.from ?? found.from, cut(found.to)?.to ?? found.to];
    const marks = this.#text.slice(from, to).match(/[*_`]+/g)?.length ?? 0;
    if (marks % 2 === 0) return { from, to };
    const [after = ''] = /^[*_`]+/.exec(this.#text.slice(to, to + MAX_MARK)) ?? [];
    const [before = ''] = /[*_`]+$/.exec(this.#text.slice(Math.max(0, from - MAX_MARK), from)) ?? [];
    return after !== '' ? { from, to: to + after.length } : { from: from - before.length, to };
  }
}

/** Returns the places where a quote supports something: anywhere in a text, only as a whole block, or nowhere. */
function worthOf(folded: string): 'anywhere' | 'whole' | 'nothing' {
  const letters = Array.from(folded.matchAll(/[\p{L}\p{N}]/gu), ([letter]) => letter);
  const dense = letters.filter(isDense).length;
  const weight = letters.length + dense * (DENSE - 1);
  const spaced = folded.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
  const words = Math.max(spaced.length, Math.floor(dense / DENSE_WORD));
  if (/\p{N}/u.test(folded) && letters.length >= MIN_WITH_DIGIT) return 'anywhere';
  const saysMuch = words >= MIN_WORDS || NAME.test(folded) || weight >= MIN_LONG_WORD;
  if (weight >= MIN_WEIGHT && saysMuch && !isGrammar(folded)) return 'anywhere';
  const isOneWord = spaced.length === 1 && dense === 0;
  return weight >= (isOneWord ? MIN_WHOLE_WORD : MIN_WHOLE_WORDS) ? 'whole' : 'nothing';
}

/** A compound name of a program, file or host: `wg-quick`, `max_connections`, `example.org`. */
const NAME = /\p{L}[-_./]\p{L}/u;

/** Returns true when all words are stop words, such as "it is in the". */
function isGrammar(folded: string): boolean {
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => isStopWord(word) || /^[a-z]$/.test(word));
}

const DENSE_LETTER = new RegExp(`[${DENSE_SCRIPTS}]`, 'u');

function isDense(letter: string): boolean {
  return DENSE_LETTER.test(letter);
}

/**
 * Returns true when an offset lies inside a character, a word or a number. Words of scripts without spaces may be cut anywhere.
 */
function isInWord(text: string, at: number): boolean {
  if (at > 0 && JOINED.test(text.slice(at, at + 2))) return true;
  // "420" is no quote from "1,420", nor "1.2" from "1.2.3".
  if (isPoint(text[at - 1])) return isDigit(text[at - 2]) && isDigit(text[at]);
  if (isPoint(text[at])) return isDigit(text[at - 1]) && isDigit(text[at + 1]);
  const [before, after] = [wordBefore(text, at), wordAfter(text, at)];
  return before !== undefined && after !== undefined && !(isDense(before) || isDense(after));
}

/** Returns the letter, mark or digit that ends at an offset. */
function wordBefore(text: string, at: number): string | undefined {
  return /[\p{L}\p{M}\p{N}]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0];
}

function wordAfter(text: string, at: number): string | undefined {
  return /^[\p{L}\p{M}\p{N}]/u.exec(text.slice(at, at + 2))?.[0];
}

function isPoint(unit = ''): boolean {
  return unit === '.' || unit === ',' || unit === ':';
}

function isDigit(unit = ''): boolean {
  return /\p{N}/u.test(unit);
}

function folded(text: string): Folded {
  const links = linksOf(text);
  const hidden = hiddenUnits(text, links);
  const starts: number[] = [];
  const ends: number[] = [];
  const parts: string[] = [];
  // A text has few distinct characters, and their classification takes most of the time.
  const kinds = new Map<string, Kind>();
  const seen = new Map<string, string>();
  const push = (shown: string, from: number, to: number) => {
    parts.push(shown);
    for (let unit = 0; unit < shown.length; unit += 1) {
      starts.push(from);
      ends.push(to);
    }
  };
  // The open letter with its marks, composed or not.
  let open = { text: '', points: 0, from: 0, to: 0 };
  const close = () => {
    if (open.text === '') return;
    let shown = seen.get(open.text);
    if (shown === undefined) seen.set(open.text, (shown = comparable(open.text)));
    push(shown, open.from, open.to);
    open = { text: '', points: 0, from: 0, to: 0 };
  };
  let isAfterSpace = true;
  let at = 0;
  for (const character of text) {
    const from = at;
    at += character.length;
    if (hidden[from] === 1) continue;
    let kind = kinds.get(character);
    if (kind === undefined) kinds.set(character, (kind = kindOf(character)));
    if (kind === 'unseen') continue;
    if (kind === 'space') {
      close();
      if (!isAfterSpace) push(' ', from, at);
      isAfterSpace = true;
    } else if (kind === 'joined unseen') {
      open.to = at;
    } else {
      if (kind !== 'joined' || open.points === MAX_JOINED) close();
      if (open.text === '') open.from = from;
      open.text += character;
      open.points += 1;
      open.to = at;
      isAfterSpace = false;
    }
  }
  close();
  return { text: parts.join(''), starts, ends, links };
}

/** The kind of a character: white space folds to one space, invisible ones are dropped, a joined one is part of its letter. */
type Kind = 'space' | 'unseen' | 'joined unseen' | 'joined' | 'seen';

function kindOf(character: string): Kind {
  if (/\s/.test(character)) return 'space';
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) {
    return JOINED_UNSEEN.test(character) ? 'joined unseen' : 'unseen';
  }
  return JOINED.test(character) ? 'joined' : 'seen';
}

/** Folds a letter with its marks for comparison. Canonically equivalent letters fold to equal text. */
function comparable(letter: string): string {
  const alike = Array.from(letter.normalize('NFC'), (point) => ALIKE.get(point) ?? point.toLowerCase());
  return alike.join('').normalize('NFC');
}

/** A link and the range of its shown words. */
interface Link extends Range {
  readonly words: Range;
}

/** Returns the link around an offset. The links are sorted and disjoint; a binary search, as a text may have very many. */
function linkAround(links: readonly Range[], at: number): Range | undefined {
  const link = links[partitionPoint(links, ({ to }) => to <= at)];
  return link !== undefined && link.from < at ? link : undefined;
}

function linksOf(text: string): Link[] {
  return Array.from(text.matchAll(LINK), ({ 0: all, 1: wiki, 2: label = '', index }) => {
    const to = index + all.length;
    // The words of a wikilink are at its end, those of a Markdown link at its beginning.
    const at = wiki === undefined ? index + all.indexOf('[') + 1 : to - ']]'.length - wiki.length;
    return { from: index, to, words: { from: at, to: at + (wiki ?? label).length } };
  });
}

/** Marks the units that are not shown: emphasis, the marks of inline code, and all of a link but its words. */
function hiddenUnits(text: string, links: readonly Link[]): Uint8Array {
  const hidden = new Uint8Array(text.length);
  for (const { from, to, words } of links) hidden.fill(1, from, words.from).fill(1, words.to, to);
  for (const { 0: mark, index } of text.matchAll(/[*_`]+/g)) {
    const end = index + mark.length;
    // Between two letters or digits they are part of a name or a formula.
    const isWithin = wordBefore(text, index) !== undefined && wordAfter(text, end) !== undefined;
    if (!isWithin) hidden.fill(1, index, end);
  }
  return hidden;
}
