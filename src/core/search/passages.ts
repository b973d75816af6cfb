import { inSlices, type Steps, Tally } from '../base/steps';
import { estimateTokens, sentenceEnds } from '../base/text';
import { within } from '../markdown/parse';
import type { Range } from '../markdown/spans';
import type { Brain } from '../operation/context';
import { excerptReaches } from './excerpt';
import { type NoteText, readBeginning } from './note-text';
import { queryWords } from './question-words';
import type { RetrievedHit } from './retrieve';

/** The most passages of a note. */
const MAX_PASSAGES = 3;
/** The tokens in which most of the evidence is looked for, and those to which such a window grows over its neighbours. */
const WINDOW = 70;
const GROWN = 115;
/** The notes, best first, that passages are taken from: the others have their excerpts. */
const MAX_NOTES = 6;
/** The least worth of a passage beside that of the best of all, and beside that of the best of its note. */
const MIN_OF_ALL = 0.2;
const MIN_OF_NOTE = 0.3;
/** What a word is worth that an earlier passage of the note shows. */
const SHOWN_BEFORE = 0.4;
/** The units of text that are looked through in one step, as many as an excerpt's step has. */
const UNITS_PER_STEP = 1 << 11;
/** The sentences that are weighed in one step. */
const SENTENCES_PER_STEP = 1 << 12;

/** A sentence, an item, a row, a heading or a block of code of a note. */
interface Sentence extends Range {
  readonly kind: 'text' | 'heading' | 'row';
  readonly tokens: number;
  readonly terms: ReadonlySet<string>;
}

/** A part of a note that may be shown. */
interface Candidate {
  readonly place: number;
  readonly text: string;
  /** How much of the query it holds, by weight, and how good its note is. */
  readonly worth: number;
}

/**
 * Returns for each hit, best first, the passages to show of it, best first: whole sentences, items or rows around the words of the query,
 * within `maxTokens` for all hits together. Nothing is shown twice, and hits that are worth little have none.
 */
export async function passagesOf(
  brain: Brain,
  hits: readonly RetrievedHit[],
  query: string,
  maxTokens: number,
): Promise<string[][]> {
  if (maxTokens === 0) return hits.map(() => []);
  const words = queryWords(query, brain.catalog.words.analyser);
  const grammar = new Set(words.flatMap(({ terms, isGrammar }) => (isGrammar ? terms : [])));
  const best = Math.max(0, ...hits.map(({ score }) => score));
  const reaches = excerptReaches(hits);
  const candidates: Candidate[] = [];
  for (const [place, { record, score, terms }] of hits.slice(0, MAX_NOTES).entries()) {
    const wanted = new Map([...terms].filter(([term]) => !grammar.has(term)));
    const shown = wanted.size > 0 ? wanted : terms;
    const good = best === 0 ? 0 : score / best;
    if (shown.size === 0 || good < MIN_OF_ALL) continue;
    const note = await readBeginning(brain, record.path, reaches[place] ?? 0).catch((error: unknown) => {
      // One unreadable note must not cost the passages of the others.
      brain.log.warn('passages.read', { path: record.path, message: String(error) });
      return null;
    });
    if (note === null) continue;
    for (const { text, worth } of await inSlices(passageSteps(brain, note, shown), brain.pace))
      candidates.push({ place, text, worth: worth * good });
  }
  return chosen(candidates, hits.length, maxTokens);
}

/** Chooses by worth while there is room. */
function chosen(candidates: readonly Candidate[], hits: number, maxTokens: number): string[][] {
  const passages: string[][] = Array.from({ length: hits }, () => []);
  const most = Math.max(0, ...candidates.map(({ worth }) => worth));
  const seen = new Set<string>();
  let room = maxTokens;
  for (const { place, text, worth } of [...candidates].sort((a, b) => b.worth - a.worth)) {
    const key = text.replace(/\s+/g, ' ').toLowerCase();
    const tokens = estimateTokens(text);
    if (worth < MIN_OF_ALL * most || tokens > room || seen.has(key)) continue;
    seen.add(key);
    room -= tokens;
    passages[place]?.push(text);
  }
  return passages;
}

/** Returns the best passages of a note, with what they are worth. */
export function* passageSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  note: NoteText,
  wanted: ReadonlyMap<string, number>,
): Steps<{ text: string; worth: number }[]> {
  const sentences: Sentence[] = [];
  let units = 0;
  for (const range of sentencesOf(note)) {
    const terms = new Set<string>();
    const text = note.body.slice(range.from, range.to);
    catalog.words.analyser.eachTerm(text, (term) => {
      if (wanted.has(term)) terms.add(term);
    });
    sentences.push({ ...range, tokens: estimateTokens(text), terms });
    if ((units += range.to - range.from) < UNITS_PER_STEP) continue;
    units = 0;
    yield;
  }
  const worths = new Map(wanted);
  const taken = new Set<number>();
  const found: { text: string; worth: number }[] = [];
  while (found.length < MAX_PASSAGES) {
    yield;
    const window = yield* bestWindow(sentences, worths, taken);
    if (window === null || window.worth < MIN_OF_NOTE * (found[0]?.worth ?? 0)) break;
    const { first, last } = grown(sentences, window, taken);
    for (let at = first; at <= last; at += 1) {
      taken.add(at);
      for (const term of sentences[at]?.terms ?? []) worths.set(term, SHOWN_BEFORE * (wanted.get(term) ?? 0));
    }
    found.push({ text: textOf(note, sentences, first, last), worth: window.worth });
  }
  return found;
}

interface Window {
  readonly first: number;
  readonly last: number;
  readonly worth: number;
}

/** Returns the sentences in a row that hold most, the fewest of equals; null when none holds anything. */
function* bestWindow(
  sentences: readonly Sentence[],
  worths: ReadonlyMap<string, number>,
  taken: ReadonlySet<number>,
): Steps<Window | null> {
  let best: Window | null = null;
  const weighed = new Tally(SENTENCES_PER_STEP);
  for (const [first, { terms }] of sentences.entries()) {
    if (weighed.isFull()) yield;
    if (terms.size === 0 || taken.has(first)) continue;
    const held = new Set<string>();
    let [tokens, worth] = [0, 0];
    for (let last = first; last < sentences.length && !taken.has(last); last += 1) {
      const sentence = sentences[last];
      if (sentence === undefined || (last > first && tokens + sentence.tokens > WINDOW)) break;
      tokens += sentence.tokens;
      for (const term of sentence.terms) if (!held.has(term)) worth += worths.get(term) ?? 0;
      for (const term of sentence.terms) held.add(term);
      if (worth > (best?.worth ?? 0)) best = { first, last, worth };
      if (weighed.isFull()) yield;
    }
  }
  return best;
}

/** Grows a window over what follows and precedes it. A heading is shown with what follows it. */
function grown(sentences: readonly Sentence[], window: Window, taken: ReadonlySet<number>): Window {
  let { first, last } = window;
  const tokensAt = (at: number): number => sentences[at]?.tokens ?? Infinity;
  let tokens = 0;
  for (let at = first; at <= last; at += 1) tokens += tokensAt(at);
  const isHeading = (at: number): boolean => sentences[at]?.kind === 'heading';
  for (;;) {
    const canFollow =
      !taken.has(last + 1) && last + 1 < sentences.length && (isHeading(last) || !isHeading(last + 1));
    const canPrecede = !taken.has(first - 1) && first > 0 && !isHeading(first);
    const fits = (at: number): boolean => tokens + tokensAt(at) <= GROWN;
    if (canFollow && (isHeading(last) || fits(last + 1))) tokens += tokensAt((last += 1));
    else if (canPrecede && fits(first - 1)) tokens += tokensAt((first -= 1));
    else return { ...window, first, last };
  }
}

/** Returns the text of sentences in a row; rows of a table come with its head. */
function textOf(
  { body, tables }: NoteText,
  sentences: readonly Sentence[],
  first: number,
  last: number,
): string {
  const [from, to] = [sentences[first]?.from ?? 0, sentences[last]?.to ?? 0];
  const text = body.slice(from, to);
  const table = tables.find((each) => each.from < from && from < each.to);
  if (table === undefined) return text;
  const head = /^[^\n]*\n[^\n]*\n/.exec(body.slice(table.from, table.to))?.[0] ?? '';
  return from < table.from + head.length ? body.slice(table.from, to) : head + text;
}

/** Matches the beginning of a line that begins something of its own: an item, a quote, or what a speaker says. */
const BEGINS = /^\s*(?:[-*+]\s|\d{1,4}[.)]\s|>|\p{Lu}[\p{L} .'’-]{0,30}:\s)/u;

/** Yields the sentences of a note in order. Code stays whole as far as a piece of it reaches. */
export function* sentencesOf({
  body,
  pieces,
  blocks,
  tables,
}: NoteText): Iterable<Range & Pick<Sentence, 'kind'>> {
  const [isCode, isTable] = [within(blocks), within(tables)];
  for (const piece of pieces) {
    if (isCode(piece.from)) {
      yield { ...piece, kind: 'text' };
      continue;
    }
    let begin = piece.from;
    for (let from = piece.from; from < piece.to;) {
      const end = body.indexOf('\n', from);
      const to = end === -1 || end > piece.to ? piece.to : end;
      const line = body.slice(from, to);
      const isRow = isTable(from);
      const kind = isRow ? 'row' : /^#{1,6}\s/.test(line) ? 'heading' : 'text';
      if (kind !== 'text' || BEGINS.test(line)) {
        yield* cut(body, begin, from);
        begin = from;
      }
      if (kind !== 'text') {
        if (line.trim() !== '') yield { from, to, kind };
        begin = to;
      }
      from = to + 1;
    }
    yield* cut(body, begin, piece.to);
  }
}

/** Yields the sentences of a text without those of white space. */
function* cut(body: string, start: number, end: number): Iterable<Range & Pick<Sentence, 'kind'>> {
  const text = body.slice(start, end);
  let from = 0;
  for (const to of [...sentenceEnds(text), text.length]) {
    const sentence = text.slice(from, to);
    const lead = sentence.length - sentence.trimStart().length;
    if (sentence.trim() !== '')
      yield { from: start + from + lead, to: start + from + sentence.trimEnd().length, kind: 'text' };
    from = to;
  }
}
