import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BenchDocument } from './corpus';
import { markdownDocument, markdownPaths } from './corpus-markdown';
import type { Collection, JudgedQuery } from './relevance-collections';
import { randomFrom } from './support';

const SEED = 20;
/** Words of a snippet. */
const SNIPPET = 5;
const SNIPPETS_A_NOTE = 2;

/**
 * Known-item search over a folder of notes, for people who look for a note that they know: the one right answer is the note
 * that the query was taken from. Three kinds, a collection each and one of all, none of them the title:
 * - an alias that says something else than the title; no engine indexes aliases here, so the note must be found by its other words
 * - a heading below the title that no other note has
 * - five words in a row from the text, at a seeded place, that occur nowhere else
 */
export function knownItemCollections(folder: string): Collection[] {
  const notes = markdownPaths(folder).map((path) => {
    const source = readFileSync(join(folder, path), 'utf8');
    return { document: markdownDocument(path, source), aliases: aliasesOf(source) };
  });
  const documents = notes.map(({ document }) => document);
  const name = basename(folder);
  const collection = (kind: string, queries: JudgedQuery[]): Collection => ({
    name: `${name}, ${kind}`,
    says: `known-item search: the query is ${kind} of one note, the one right answer is that note`,
    documents,
    queries,
  });
  const ask = (document: BenchDocument, text: string) => ({ text, judged: { [document.path]: 1 } });
  const byAlias = notes.flatMap(({ document, aliases }) =>
    aliases.filter((alias) => fold(alias) !== fold(document.title)).map((alias) => ask(document, alias)),
  );
  const kinds = [
    collection('an alias', byAlias),
    collection('a heading', headingQueries(documents, ask)),
    collection('five words of the text', snippetQueries(documents, ask)),
  ];
  const all = kinds.flatMap(({ queries }) => queries);
  return [...kinds, collection('any of these', all)];
}

function headingQueries(
  documents: readonly BenchDocument[],
  ask: (document: BenchDocument, text: string) => JudgedQuery,
): JudgedQuery[] {
  const homes = new Map<string, number>();
  for (const { headings, title } of documents)
    for (const heading of new Set([title, ...headings.split('\n')].map(fold)))
      homes.set(heading, (homes.get(heading) ?? 0) + 1);
  return documents.flatMap((document) => {
    const own = document.headings.split('\n').filter((heading) => {
      return segments(heading).length >= 2 && homes.get(fold(heading)) === 1;
    });
    const [first] = own;
    return first === undefined ? [] : [ask(document, first)];
  });
}

function snippetQueries(
  documents: readonly BenchDocument[],
  ask: (document: BenchDocument, text: string) => JudgedQuery,
): JudgedQuery[] {
  const random = randomFrom(SEED);
  return documents.flatMap((document) => {
    const lines = document.text.split('\n').filter((line) => /^\p{L}/u.test(line));
    const snippets = Array.from({ length: SNIPPETS_A_NOTE }, () => {
      const line = lines[Math.floor(random() * lines.length)] ?? '';
      const words = segments(line);
      const from = words[Math.floor(random() * Math.max(1, words.length - SNIPPET + 1))];
      const to = from === undefined ? undefined : words[words.indexOf(from) + SNIPPET - 1];
      return from === undefined || to === undefined
        ? ''
        : line.slice(from.index, to.index + to.segment.length);
    });
    return snippets
      .filter(
        (snippet) => snippet !== '' && documents.filter(({ text }) => text.includes(snippet)).length === 1,
      )
      .map((snippet) => ask(document, snippet));
  });
}

/** The words of a text in any script, with their places. */
function segments(text: string): Intl.SegmentData[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(
    ({ isWordLike }) => isWordLike === true,
  );
}

/** The list `aliases` of a front matter, of which a path keeps its last part. */
function aliasesOf(source: string): string[] {
  const list = /^---\r?\n(?:[\s\S]*?\r?\n)?aliases:[ \t]*\r?\n((?:[ \t]*-[ \t].*\r?\n)+)/.exec(source)?.[1];
  const lines = list?.trim().split('\n') ?? [];
  const aliases = lines.map((line) =>
    line
      .replace(/^\s*-\s+/, '')
      .replace(/^(['"])(.*)\1\s*$/, '$2')
      .trim(),
  );
  return [...new Set(aliases.map((alias) => alias.split('/').at(-1) ?? ''))].filter(Boolean);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}
