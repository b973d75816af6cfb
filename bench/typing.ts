import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { markdownDocument, markdownPaths } from './corpus';
import { ours, wordsOf } from './search-engines';
import { ms, randomFrom, table, Timings } from './support';

const TITLES = 100;
const WORDS = 300;
const SHOWN = 5;
const SEED = 45;
/** The minimum length of a title: a shorter one is typed before anybody looks at results. */
const MIN_TITLE = 10;

/** What typing one title showed. */
interface Typed {
  /** The number of keys until the note is shown for the first time, and from which on it stays. */
  readonly shown: number;
  readonly stays: number;
  /** How often it was shown and is gone after the next key. */
  readonly vanished: number;
}

/**
 * Types the titles of notes letter by letter, as somebody does who looks for a note while results follow each key: after how
 * many keys the note is among the first five. Then types words of the notes: no beginning of a word that stands somewhere may
 * find nothing.
 * @param folders folders of Markdown
 */
export function benchTyping(folders: readonly string[]): void {
  console.log(
    `## Typing: ${TITLES} titles of each folder of at least ${MIN_TITLE} letters, letter by letter\n\nKeys until the note is among the first ${SHOWN}; until it stays there; how often it vanishes on the way. Then the beginnings of ${WORDS} words of the notes that found nothing.\n`,
  );
  const rows = folders.map(typeFolder);
  table(['folder', 'notes', 'shown', 'stays', 'vanishes', 'a key, p50', 'p99', 'empty'], rows);
}

function typeFolder(folder: string): string[] {
  const documents = markdownPaths(folder).map((path) =>
    markdownDocument(path, readFileSync(join(folder, path), 'utf8')),
  );
  const engine = ours.build(documents);
  const times = new Timings();
  const type = (text: string): readonly string[] => {
    const start = performance.now();
    const found = engine.search(text, SHOWN);
    times.add(performance.now() - start);
    return found;
  };
  const random = randomFrom(SEED);
  const named = new Map<string, number>();
  for (const { title } of documents) named.set(title, (named.get(title) ?? 0) + 1);
  const titles = documents.filter(({ title }) => title.length >= MIN_TITLE && named.get(title) === 1);
  const typed = sample(titles, TITLES, random).map(({ path, title }) =>
    typedTitle(title, (text) => type(text).includes(path)),
  );
  const words = documents.flatMap(({ text }) => sample(wordsOf(text), 2, random));
  const beginnings = sample(words, WORDS, random).flatMap((word) => beginningsOf(word));
  const empty = beginnings.filter((text) => type(text).length === 0);
  const mean = (of: (each: Typed) => number): string =>
    (typed.reduce((sum, each) => sum + of(each), 0) / typed.length).toFixed(1);
  return [
    basename(folder),
    String(documents.length),
    mean(({ shown }) => shown),
    mean(({ stays }) => stays),
    mean(({ vanished }) => vanished),
    ms(times.quantile(0.5)),
    ms(times.quantile(0.99)),
    `${empty.length} of ${beginnings.length}${empty.length === 0 ? '' : ` (${empty.slice(0, 8).join(', ')})`}`,
  ];
}

function typedTitle(title: string, isShown: (text: string) => boolean): Typed {
  const steps = beginningsOf(title).map((text) => ({ keys: text.length, isIn: isShown(text) }));
  const most = title.length + 1;
  const shown = steps.find(({ isIn }) => isIn)?.keys ?? most;
  let stays = most;
  for (const { keys, isIn } of [...steps].reverse()) {
    if (!isIn) break;
    stays = keys;
  }
  const vanished = steps.filter(({ isIn }, at) => !isIn && steps[at - 1]?.isIn === true).length;
  return { shown, stays, vanished };
}

/** Returns the beginnings of a text, by whole characters, the text itself last. */
function beginningsOf(text: string): string[] {
  let typed = '';
  return Array.from(text, (character) => (typed += character));
}

/** Returns up to `count` of the items, drawn without putting back. */
function sample<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items];
  const drawn: T[] = [];
  while (left.length > 0 && drawn.length < count)
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}
