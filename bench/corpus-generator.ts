import { type BenchDocument, flat } from './corpus';
import { scriptOf, spelled } from './corpus-spelling';
import { randomFrom } from './support';

/** Share of words that hold sentences together, as in English prose. */
const FUNCTION_SHARE = 0.42;
/** Content words up to this rank follow Zipf's law with exponent 1, flattened at the top as Mandelbrot found it … */
const CORE = 3000;
const FLATTENED = 40;
/** … the others a steeper tail, out of which new words come for ever (Heaps' law, exponent about 0.6). */
const TAIL_SHARE = 0.2;
const TAIL_EXPONENT = 1 / 0.6;
/** Words of a document's topic, and how often a content word is one of them or repeats one that stood before. */
const TOPIC_WORDS = 12;
const TOPIC_SHARE = 0.25;
const REPEAT_SHARE = 0.15;
/** Lengths are log-normal: half of the notes are shorter than this many words. */
const MEDIAN_WORDS = 130;
const LENGTH_SIGMA = 0.85;
const SECTION_WORDS = 90;

/**
 * Notes made of nothing but a seed: word frequencies by Zipf's law with an endless tail, words that cluster in documents,
 * lengths with a long tail, headings, identifiers, one note in five in another script. Note `n` is the same whatever the
 * count.
 */
export function* generatedDocuments(seed: number, count: number): Iterable<BenchDocument> {
  for (let n = 0; n < count; n += 1) yield generatedDocument(seed, n);
}

/** The note with this number. */
export function generatedDocument(seed: number, n: number): BenchDocument {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
  const script = scriptOf(random());
  const topic = Array.from({ length: TOPIC_WORDS }, () => contentRank(random));
  const fromTopic = (): string => spelled(script, topic[Math.floor(random() * topic.length)] ?? 1);
  const phrase = (words: number): string => sentenceOf(Array.from({ length: words }, fromTopic), script.gap);
  const title = phrase(2 + Math.floor(random() * 3));
  const length = Math.max(
    20,
    Math.min(4000, Math.round(MEDIAN_WORDS * Math.exp(LENGTH_SIGMA * normal(random)))),
  );
  const headings: string[] = [];
  const parts: string[] = [];
  const used: number[] = [];
  for (let written = 0; written < length;) {
    if (written > 0 && random() < 14 / SECTION_WORDS) {
      const heading = phrase(2 + Math.floor(random() * 3));
      headings.push(heading);
      parts.push(`\n\n## ${heading}\n\n`);
    }
    const words = Array.from({ length: 6 + Math.floor(random() * 16) }, () => {
      if (random() < FUNCTION_SHARE) return script.functionWord(random());
      if (random() < 0.02) return identifier(random);
      const rank = nextRank(random, topic, used);
      used.push(rank);
      return spelled(script, rank);
    });
    written += words.length;
    parts.push(sentenceOf(words, script.gap), script.stop, random() < 0.2 ? '\n\n' : script.gap);
  }
  return {
    path: `generated/${n}.md`,
    title: flat(title),
    headings: flat(headings.join('\n')),
    text: flat(parts.join('')),
  };
}

function nextRank(random: () => number, topic: readonly number[], used: readonly number[]): number {
  const choice = random();
  const pool = choice < TOPIC_SHARE ? topic : choice < TOPIC_SHARE + REPEAT_SHARE ? used : [];
  return pool[Math.floor(random() * pool.length)] ?? contentRank(random);
}

/** A rank of a content word, from 1. */
function contentRank(random: () => number): number {
  const place = 1 - random();
  if (random() < TAIL_SHARE) return Math.min(2 ** 30, Math.floor(CORE * place ** -TAIL_EXPONENT));
  // The logarithm of the shifted rank is even: that is exponent 1.
  return Math.max(1, Math.floor(FLATTENED * ((CORE + FLATTENED) / FLATTENED) ** place) - FLATTENED);
}

function sentenceOf(words: readonly string[], gap: string): string {
  const text = words.join(gap);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What notes on machines are full of: versions, names of settings, names of functions. */
function identifier(random: () => number): string {
  const latin = scriptOf(0);
  const [a, b] = [spelled(latin, contentRank(random)), spelled(latin, contentRank(random))];
  const kind = Math.floor(random() * 4);
  if (kind === 0) return `v${Math.floor(random() * 9)}.${Math.floor(random() * 40)}`;
  if (kind === 1) return `${a}_${b}`.toUpperCase();
  return kind === 2 ? a + b.charAt(0).toUpperCase() + b.slice(1) : String(Math.floor(random() * 10_000));
}

/** A normally distributed number (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
