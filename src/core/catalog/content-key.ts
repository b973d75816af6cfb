import { type Sha, sha256Steps } from '../base/hash';
import { finish, type Steps, Tally, type TextTask } from '../base/steps';
import { DENSE_SCRIPTS } from '../base/text';
import { dashed } from '../vocabulary/address';
import { fileName, fold, linkPath } from '../vocabulary/paths';

/** The amount of text that one step reads (UTF-16 units). */
const UNITS_PER_STEP = 1 << 13;
/** The longest piece that is normalised at once (UTF-16 units), since a run of accents takes quadratic time. */
const PIECE = 200;
/** Numbers and letters above or below the line, which compatibility forms would bring down: `x²` is not `x2`. */
const RAISED =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209c\u2c7c\u2c7d]/;
/** A dash between the parts of a sentence. */
const SENTENCE_DASH = /[\u2014\u2015]|(?<![\p{L}\p{N}])[\u2012\u2013]|[\u2012\u2013](?![\p{L}\p{N}])/gu;
const DASH = /[\u2010-\u2013\u2212]/g;
const QUOTES = `"'\`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u00ab\u00bb`;
/** The punctuation that opens and closes words and sentences. */
const OPENING: ReadonlySet<string> = new Set(`${QUOTES}([\u00bf\u00a1\u300c\u300e\u3010\u300a`);
const CLOSING: ReadonlySet<string> = new Set(`${QUOTES})].,;:!?\u2026\u3001\u3002\u300d\u300f\u3011\u300b`);
const EMPHASIS: ReadonlySet<string> = new Set('*_~=');
const STARTS_WORD = /^[\p{L}\p{N}]/u;
const PLAIN_WORD = /^([a-z0-9]+)[.,;:!?]?$/i;
/** A text between two white spaces, cut where it is very long; in the second expression also a wikilink. */
const WORD = /\S{1,4096}/g;
const WORD_OR_LINK = /\[\[[^[\]\n]{1,1000}\]\]|(?:(?!\[\[)\S){1,4096}|\S/g;
const LINK = /^\[\[([^|]*)\|?(.*)\]\]$/s;
/** The distance between marks of emphasis that is looked through (UTF-16 units), and the marks that are open at once. */
const MAX_EMPHASIS = 500;
const MAX_NESTED = 8;
/** Punctuation between characters of a script without spaces, where it takes the place of a space. */
const BETWEEN_DENSE = new RegExp(
  String.raw`(?<=[${DENSE_SCRIPTS}])[^\p{L}\p{M}\p{N}\p{S}]{1,8}(?=[${DENSE_SCRIPTS}])`,
  'gu',
);
/** A token that marks a line when the line begins with it: a bullet, a heading, a quote, a rule. */
const LINE_MARK = /^(?:[-+*]|#{1,6}|>+|[-*_=]{2,}|[~`]{3,})$/;
/** A dash with a space on either side, which parts a sentence unless it is a minus between two numbers. */
const LONE_DASH = /^-{1,3}$/;
/** A Markdown escape; what it escapes is text. */
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

/**
 * Returns a key that two notes share if they say the same: the SHA-256 of the title and the body without white space, letter
 * case, emphasis and the punctuation of sentences. Signs with a meaning count: those of numbers (`-5`), names (`C#`, `.env`),
 * paths and link targets, numbers above and below the line (`x²`).
 * @param title the title in the front matter, which counts where the body does not begin with it
 */
export function contentKey(body: string, title: unknown = null): Sha {
  return finish(contentKeySteps(body, title));
}

/** The content key of a body and a title, as a task for a thread. */
export const CONTENT_KEY: TextTask<{ readonly body: string; readonly title: unknown }, Sha> = {
  name: 'content_key',
  steps: ({ body, title }) => contentKeySteps(body, title),
  textOf: ({ body }) => body,
};

/** Does the same as `contentKey`, a part of the body a step. */
export function* contentKeySteps(body: string, title: unknown = null): Steps<Sha> {
  const words = yield* wordsOf(body);
  const name = typeof title === 'string' ? yield* wordsOf(title) : '';
  return yield* sha256Steps(name === '' || `${words} `.startsWith(`${name} `) ? words : `${name} ${words}`);
}

/** Returns true for a dash between two numbers. */
function isMinus(text: string, from: number, to: number): boolean {
  return /\d\s*$/.test(text.slice(Math.max(0, from - 9), from)) && /^\s*\d/.test(text.slice(to, to + 9));
}

/** Returns the words of a text as they are compared, with single spaces between them. */
function* wordsOf(text: string): Steps<string> {
  const joined: string[] = [];
  let words: string[] = [];
  const emphasis = new OpenEmphasis(text);
  const tally = new Tally(UNITS_PER_STEP);
  let end = 0;
  let beginsLine = true;
  const tokens = text.matchAll(text.includes('[[') ? WORD_OR_LINK : WORD);
  for (const { 0: token, index } of tokens) {
    if (tally.isFull(token.length)) {
      // Parts are joined as they come: joining a long text at the end would take as long as all steps together.
      joined.push(words.join(' '));
      words = [];
      yield;
    }
    // Most words are plain letters, and at most a full stop or a comma follows them.
    const plain = PLAIN_WORD.exec(token)?.[1];
    if (plain !== undefined) {
      words.push(plain.toLowerCase());
      end = index + token.length;
      beginsLine = false;
      continue;
    }
    beginsLine ||= text.slice(end, index).includes('\n');
    const isMark: boolean = beginsLine && LINE_MARK.test(token);
    end = index + token.length;
    beginsLine = isMark;
    if (isMark || (LONE_DASH.test(token) && !isMinus(text, index, end))) continue;
    emphasis.reach(index, end);
    const link = LINK.exec(token);
    const word = link === null ? wordOf(token, emphasis) : linkWords(link[1] ?? '', link[2] ?? '');
    if (word !== '') words.push(word);
  }
  joined.push(words.join(' '));
  return joined.filter((part) => part !== '').join(' ');
}

/**
 * Returns the text of a wikilink, with its target where that is a path alone or has another name than the text: the gate
 * completes a name to a path with the name as its text. The date of a queued note and the number of a name are left out: the
 * service gives them, and a batch that comes again would get others.
 */
function linkWords(target: string, alias: string): string {
  const [path = '', ...fragment] = target.split('#');
  const place = withoutNumber(fold(linkPath(path.trim())).replace(/^(raw\/)\d{4}-\d{2}-\d{2}-/, '$1'));
  const name = fileName(place);
  const text = alias.trim() === '' ? name : alias;
  const isNamed = alias.trim() === '' ? name === place : withoutNumber(dashed(alias)) === dashed(name);
  const parts = [finish(wordsOf(text)), isNamed ? '' : place, ...fragment.map(dashed)];
  return parts.filter((part) => part !== '').join(' ');
}

/** Removes the numbers, from 2 on, that a taken name gets; a date at the end stays. */
function withoutNumber(name: string): string {
  return /\d{4}-\d{2}-\d{2}$/.test(name) ? name : name.replace(/(?:-(?:[2-9]|[1-9]\d))+$/, '');
}

function isAscii(token: string): boolean {
  return !/[^ -~]/.test(token);
}

/** Returns a text between two white spaces as it is compared; '' when it is punctuation alone. */
function wordOf(token: string, emphasis: OpenEmphasis): string {
  // The rules for dashes and for scripts without spaces are about other characters.
  if (isAscii(token)) return withoutEnds(token.replace(ESCAPE, '$1'), emphasis).toLowerCase();
  const written = composed(token)
    .replace(ESCAPE, '$1')
    .replace(SENTENCE_DASH, ' ')
    .replace(DASH, '-')
    .replace(BETWEEN_DENSE, '');
  return written
    .split(' ')
    .map((part) => withoutEnds(part, emphasis))
    .filter((part) => part !== '')
    .join(' ')
    .toLowerCase();
}

/** The marks of emphasis that are open at a place of a text. A mark counts only in pairs: `_private` and `*args` are names. */
class OpenEmphasis {
  #from = 0;
  #to = 0;
  readonly #open: string[] = [];

  constructor(private readonly text: string) {}

  /** Goes on to the token between two offsets. */
  reach(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
  }

  /** Returns true when these marks are closed later in their paragraph. */
  opens(marks: string): boolean {
    // The token may have them in another form of the same characters, which is no emphasis.
    const place = this.text.slice(this.#from, this.#to).indexOf(marks);
    if (place < 0) return false;
    const begin = this.#from + place + marks.length;
    const [paragraph = ''] = this.text.slice(begin, begin + MAX_EMPHASIS).split(/\n\s*\n/, 1);
    for (let at = paragraph.indexOf(marks, 1); at >= 0; at = paragraph.indexOf(marks, at + marks.length)) {
      const next = paragraph.slice(at + marks.length, at + marks.length + 2);
      if (/\s|\\/.test(paragraph[at - 1] ?? '') || STARTS_WORD.test(next) || next.startsWith(marks[0] ?? ''))
        continue;
      if (this.#open.length < MAX_NESTED) this.#open.push(marks);
      return true;
    }
    return false;
  }

  /** Returns true when these marks close open ones. */
  closes(marks: string): boolean {
    const at = this.#open.lastIndexOf(marks);
    if (at >= 0) this.#open.splice(at, 1);
    return at >= 0;
  }
}

/** Removes opening punctuation and emphasis before a word, and closing ones behind it. */
function withoutEnds(word: string, emphasis: OpenEmphasis): string {
  const isMark = (at: number): boolean => EMPHASIS.has(word.charAt(at));
  let [from, to] = [0, word.length];
  while (from < to) {
    let next = from;
    while (next < to && isMark(next) && word[next] === word[from]) next += 1;
    // A sign before anything but a word is no emphasis: `*.txt`.
    const leads =
      STARTS_WORD.test(word.slice(next, next + 2)) || isMark(next) || OPENING.has(word.charAt(next));
    if (next > from && leads && emphasis.opens(word.slice(from, next))) from = next;
    else if (OPENING.has(word.charAt(from))) from += 1;
    else break;
  }
  while (to > from) {
    let last = to;
    while (last > from && isMark(last - 1) && word[last - 1] === word[to - 1]) last -= 1;
    if (last < to && emphasis.closes(word.slice(last, to))) to = last;
    else if (CLOSING.has(word.charAt(to - 1))) to -= 1;
    else break;
  }
  return word.slice(from, to);
}

/** Returns a token in NFKC, but for numbers and letters above and below the line. */
function composed(token: string): string {
  let text = '';
  for (let from = 0; from < token.length;) {
    // A piece ends before a character that has a form of its own, or in front of an accent as rarely as possible.
    const piece = token.slice(from, from + PIECE);
    const raised = piece.search(RAISED);
    const end = raised < 0 ? piece.length : Math.max(raised, 1);
    text += raised === 0 ? piece.slice(0, 1) : piece.slice(0, end).normalize('NFKC');
    from += raised === 0 ? 1 : end;
  }
  return text;
}
