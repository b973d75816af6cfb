import { answerNotes } from '../src/core/answer/operation';
import { perform } from '../src/core/operation/operation';
import { estimateTokens } from '../src/core/base/text';
import { queryNotes } from '../src/core/search/query';
import { agent, openTestBrain } from '../tests/support/test-brain';
import type { BenchDocument } from './corpus';
import { type Collection, isAnswerable, type Judgements, readCollection } from './relevance-collections';
import { table } from './support';

/** Documents in a row that may be about one subject: a question whose answer is away is asked of notes without all of them. */
const NEIGHBOURS = 5;
/** The documents that make a long note. */
const JOINED = 10;
/** The tokens within which a search shows the evidence in a long note. */
const MAX_TOKENS = 800;
/** The shares that must be reached: at least, and at most. */
const LEAST_RIGHT = 0.6;
const MOST_WRONG = 0.2;
const MOST_ANSWERED = 0.2;
const LEAST_VISIBLE = 0.8;

/** A question with the notes that answer it. */
interface Question {
  readonly text: string;
  readonly judged: Judgements;
}

/** Notes with the questions that they answer, and with some that they do not. */
interface Case {
  readonly documents: readonly BenchDocument[];
  readonly answerable: readonly Question[];
  readonly unanswerable: readonly Question[];
}

/** What became of questions: how many there were, and of how many each was true. */
interface Told {
  asked: number;
  right: number;
  wrong: number;
  unanswerable: number;
  answered: number;
}

/**
 * Answers without a language model, for each judged collection: questions with an answer in the notes, and as many without one. Those of
 * a wing are asked of the notes of the next wing; of a collection without wings they are asked of the half of the documents without the
 * right ones and their neighbours. Then whether a search shows the right part of long notes. The process ends with 1 under a mark.
 */
export async function benchAnswers(files: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  const visible: string[][] = [];
  let isUnder = false;
  for (const file of files) {
    const collection = readCollection(file);
    const told = await answersOf(casesOf(collection));
    const share = (count: number, of: number): number => count / Math.max(1, of);
    const right = share(told.right, told.asked);
    const wrong = share(told.wrong, told.asked);
    const answered = share(told.answered, told.unanswerable);
    if (right < LEAST_RIGHT || wrong > MOST_WRONG || answered > MOST_ANSWERED) isUnder = true;
    rows.push([
      collection.name,
      `${told.asked}`,
      percent(right),
      percent(wrong),
      percent(1 - right - wrong),
      percent(answered),
    ]);
    const { shown, found, asked, tokens } = await visibleIn(collection);
    if (share(shown, asked) < LEAST_VISIBLE) isUnder = true;
    visible.push([
      collection.name,
      `${asked}`,
      percent(share(found, asked)),
      percent(share(shown, asked)),
      (tokens / Math.max(1, asked)).toFixed(0),
    ]);
  }
  console.log(
    `## Answers\n\nWithout a language model, of a hundred questions. Right: the first passage is from a note that answers it. Marks: right ≥ ${percent(LEAST_RIGHT)}, wrong ≤ ${percent(MOST_WRONG)}, answered without an answer in the notes ≤ ${percent(MOST_ANSWERED)}.\n`,
  );
  table(['collection', 'questions', 'right', 'wrong', 'abstained', 'unanswerable answered'], rows);
  console.log(
    `${JOINED} documents make a long note. Visible: what a search shows in at most ${MAX_TOKENS} tokens holds some of the right document. Mark: ≥ ${percent(LEAST_VISIBLE)}.\n`,
  );
  table(['collection', 'questions', 'long note found', 'evidence visible', 'tokens'], visible);
  if (isUnder) process.exitCode = 1;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** Makes the vaults of a collection, with the questions for each. */
function casesOf({ documents, queries }: Collection): Case[] {
  const asked = queries.filter(({ judged }) => isAnswerable(judged));
  const wings = [...new Set(documents.map(({ wing }) => wing ?? ''))];
  if (wings.length > 1) {
    const home = new Map(documents.map(({ path, wing }) => [path, wing ?? '']));
    const at = ({ judged }: Question) => wings.indexOf(home.get(rightOf(judged)[0] ?? '') ?? '');
    return wings.map((wing, place) => ({
      documents: documents.filter((document) => (document.wing ?? '') === wing),
      answerable: asked.filter((question) => at(question) === place),
      unanswerable: asked.filter((question) => (at(question) + 1) % wings.length === place),
    }));
  }
  const half = new Map(documents.map(({ path }, place) => [path, Math.floor(place / NEIGHBOURS) % 2]));
  const without = (place: number): Case => ({
    documents: documents.filter(({ path }) => half.get(path) !== place),
    answerable: [],
    unanswerable: asked.filter(({ judged }) => rightOf(judged).every((path) => half.get(path) === place)),
  });
  return [{ documents, answerable: asked, unanswerable: [] }, without(0), without(1)];
}

function rightOf(judged: Judgements): string[] {
  return Object.keys(judged).filter((path) => (judged[path] ?? 0) > 0);
}

/** Asks the questions of each case. */
async function answersOf(cases: readonly Case[]): Promise<Told> {
  const told: Told = {
    asked: 0,
    right: 0,
    wrong: 0,
    unanswerable: 0,
    answered: 0,
  };
  for (const { documents, answerable, unanswerable } of cases) {
    const { brain, close } = await openTestBrain(filesOf(documents));
    const ids = new Map(documents.map(({ path }, place) => [notePath(place), path]));
    for (const { text, judged } of answerable) {
      const answer = await perform(brain, answerNotes, { query: text }, agent);
      told.asked += 1;
      const [first] = answer.citations;
      if (first === undefined) continue;
      const isRight = (judged[ids.get(first.path) ?? ''] ?? 0) > 0;
      const others = answer.citations.some(({ path }) => (judged[ids.get(path) ?? ''] ?? 0) > 0);
      if (isRight) told.right += 1;
      else if (!others) told.wrong += 1;
    }
    for (const { text } of unanswerable) {
      const answer = await perform(brain, answerNotes, { query: text }, agent);
      told.unanswerable += 1;
      if (!answer.abstained) told.answered += 1;
    }
    await close();
  }
  return told;
}

/** Joins neighbouring documents to long notes, and counts in how many questions a search shows the right one. */
async function visibleIn({ documents, queries }: Collection) {
  const files: Record<string, string> = {};
  const home = new Map<string, string>();
  for (let place = 0; place < documents.length; place += JOINED) {
    const parts = documents.slice(place, place + JOINED);
    files[notePath(place)] = parts.map(({ text }) => text.trim()).join('\n\n');
    for (const { path } of parts) home.set(path, notePath(place));
  }
  const texts = new Map(documents.map(({ path, text }) => [path, spaced(text)]));
  const { brain, close } = await openTestBrain(files);
  const seen = { asked: 0, found: 0, shown: 0, tokens: 0 };
  for (const { text, judged } of queries) {
    const right = rightOf(judged);
    if (right.length === 0) continue;
    const { results } = await perform(brain, queryNotes, { query: text, max_tokens: MAX_TOKENS }, agent);
    seen.asked += 1;
    const shown = results.flatMap(({ path, passages = [] }) =>
      passages.map((passage) => ({ path: `${path}`, text: spaced(passage) })),
    );
    if (results.slice(0, 5).some(({ path }) => right.some((id) => home.get(id) === path))) seen.found += 1;
    const isShown = shown.some((passage) =>
      right.some((id) => home.get(id) === passage.path && holds(texts.get(id) ?? '', passage.text)),
    );
    if (isShown) seen.shown += 1;
    seen.tokens += shown.reduce((sum, passage) => sum + estimateTokens(passage.text), 0);
  }
  await close();
  return seen;
}

/** Returns true when the middle of a passage is part of the text. */
function holds(text: string, passage: string): boolean {
  const middle = passage.slice(Math.floor(passage.length / 3), Math.ceil((2 * passage.length) / 3)).trim();
  return middle !== '' && text.includes(middle);
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function filesOf(documents: readonly BenchDocument[]): Record<string, string> {
  return Object.fromEntries(
    documents.map(({ title, text }, place) => [
      notePath(place),
      title === '' ? text : `# ${title}\n\n${text}`,
    ]),
  );
}

function notePath(place: number): string {
  return `notes/${place}.md`;
}
