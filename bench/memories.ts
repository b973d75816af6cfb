import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import { estimateTokens } from '../src/core/base/text';
import { perform } from '../src/core/operation/operation';
import { queryNotes } from '../src/core/search/query';
import { agent, openTestBrain } from '../tests/support/test-brain';
import type { BenchDocument } from './corpus';
import { type Collection, isAnswerable, type JudgedQuery, readCollection } from './relevance-collections';
import { installed, wordsOf } from './search-engines';
import { peerFile, peerVersion, table } from './support';

const DEPTH = 5;
/** The questions asked of every engine: the memory server needs a call for each word. */
const QUESTIONS = 100;
/** Words that stand in most sentences, which nobody greps for. */
const COMMON = new Set(
  'a an and are as at be been by did do does for from had has have he her his how i in is it its of on or she that the their they this to was were what when where which who why will with would'.split(
    ' ',
  ),
);

/** A text to be found, and the session that it is from. */
interface Memory extends BenchDocument {
  readonly session: string;
}

/** What an engine shows for a question: texts with their sessions, best first. */
type Asked = (question: string) => Promise<readonly { readonly session: string; readonly text: string }[]>;

/** An engine with memories in it. */
interface Store {
  readonly name: string;
  readonly ask: Asked;
  close(): Promise<void>;
}

/**
 * What a search gives an agent that remembers talks: each sentence as a memory, and each session as a note, beside MiniSearch, grep and
 * the memory server of the Model Context Protocol in one run. All of them hold the same texts. `top five`: one of the first five is from
 * a session that holds the answer. `visible`: the text shown within the budget of tokens holds some of such a session.
 * @param files judged collections whose documents are talks, a line for each turn
 */
export async function benchMemories(files: readonly string[]): Promise<void> {
  if (files.length === 0) throw new Error('Name a collection: npm run bench -- memories <file>…');
  for (const file of files) {
    const collection = readCollection(file);
    const questions = spread(
      collection.queries.filter(({ judged }) => isAnswerable(judged)),
      QUESTIONS,
    );
    console.log(`## Memories: ${collection.name}, ${questions.length} questions\n`);
    for (const [what, memories, budget] of [
      ['sentence', sentencesOf(collection), 500],
      ['session', collection.documents.map((document) => ({ ...document, session: document.path })), 800],
    ] as const) {
      const rows: string[][] = [];
      for (const open of [ours, miniSearch, grep, memoryServer]) {
        const store = await open(memories, budget);
        if (store === null) continue;
        rows.push([store.name, ...(await judge(store.ask, questions, budget))]);
        await store.close();
      }
      console.log(`${memories.length} notes, a ${what} each; at most ${budget} tokens are shown.\n`);
      table(['engine', 'top five', 'visible', 'tokens shown'], rows);
    }
  }
}

/** Returns so many of the items, at even distances. */
function spread<T>(items: readonly T[], count: number): T[] {
  return items.filter(
    (_, at) => Math.floor((at * count) / items.length) !== Math.floor(((at - 1) * count) / items.length),
  );
}

/** Returns the sentences of talks, each with the name of who says it. */
function sentencesOf({ documents }: Collection): Memory[] {
  return documents.flatMap(({ path, text, wing }) =>
    text.split('\n').flatMap((line, turn) => {
      const [, speaker = '', said = line] = /^([^:]{1,40}): (.*)$/.exec(line) ?? [];
      return (said.match(/[^.!?]+[.!?]*/g) ?? []).flatMap((sentence, at) =>
        wordsOf(sentence).length < 2
          ? []
          : [
              {
                path: `${path}/${turn}-${at}`,
                title: '',
                headings: '',
                text: `${speaker}: ${sentence.trim()}`,
                session: path,
                ...(wing !== undefined && { wing }),
              },
            ],
      );
    }),
  );
}

/** Asks all questions, and counts in how many the right session is among the first five, and is shown within the budget. */
async function judge(ask: Asked, questions: readonly JudgedQuery[], budget: number): Promise<string[]> {
  let found = 0;
  let visible = 0;
  let tokens = 0;
  for (const { text, judged } of questions) {
    const isRight = ({ session }: { readonly session: string }) => (judged[session] ?? 0) > 0;
    const shown = await ask(text);
    const five = [...new Set(shown.slice(0, DEPTH))];
    if (five.some(isRight)) found += 1;
    let left = budget;
    let isVisible = false;
    for (const each of shown) {
      const size = estimateTokens(each.text);
      // The first characters of a text that is too long are shown.
      if (left > 0 && isRight(each)) isVisible = true;
      tokens += Math.min(size, left);
      left = Math.max(0, left - size);
    }
    if (isVisible) visible += 1;
  }
  return [`${found}`, `${visible}`, (tokens / questions.length).toFixed(0)];
}

/** Our own search, which shows passages within the budget. */
async function ours(memories: readonly Memory[], budget: number): Promise<Store> {
  const at = (place: number): string => `notes/${place}.md`;
  const world = await openTestBrain(
    Object.fromEntries(
      memories.map(({ title, text }, place) => [at(place), title === '' ? text : `# ${title}\n\n${text}`]),
    ),
  );
  const sessions = new Map(memories.map(({ session }, place) => [at(place), session]));
  return {
    name: 'Brain Server',
    async ask(query) {
      const { results } = await perform(world.brain, queryNotes, { query, max_tokens: budget }, agent);
      return results.map(({ path, passages = [] }) => ({
        session: sessions.get(path) ?? '',
        text: passages.join('\n'),
      }));
    },
    close: () => world.close(),
  };
}

/** MiniSearch as it comes, any word; it shows whole notes. */
function miniSearch(memories: readonly Memory[]): Promise<Store | null> {
  const kind = installed().engines.find(({ name }) => name === 'MiniSearch');
  const engine = kind?.build(memories);
  const known = new Map(memories.map((memory) => [memory.path, memory]));
  return Promise.resolve(
    engine === undefined
      ? null
      : {
          name: `MiniSearch ${peerVersion('minisearch') ?? ''}, whole notes`,
          ask: (query) => Promise.resolve(engine.search(query, 20).flatMap((path) => known.get(path) ?? [])),
          close: () => Promise.resolve(),
        },
  );
}

/** Returns the words that one would grep for. */
function telling(question: string): string[] {
  return [...new Set(wordsOf(question.toLowerCase()))].filter((word) => !COMMON.has(word));
}

/** grep for each word, the notes with the most of them first; it shows the lines that match. */
function grep(memories: readonly Memory[]): Promise<Store> {
  const lines = memories.map(({ session, title, text }) => ({
    session,
    lines: `${title}\n${text}`.split('\n').map((line) => ({ line, lower: line.toLowerCase() })),
  }));
  const ask: Asked = (question) => {
    const words = telling(question);
    const ranked = lines
      .map((memory) => ({
        ...memory,
        count: words.filter((word) => memory.lines.some(({ lower }) => lower.includes(word))).length,
      }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, 20);
    return Promise.resolve(
      ranked.map(({ session, lines: all }) => ({
        session,
        text: all
          .flatMap(({ line, lower }) => (words.some((word) => lower.includes(word)) ? [line] : []))
          .join('\n'),
      })),
    );
  };
  return Promise.resolve({ name: 'grep -i, most words first', ask, close: () => Promise.resolve() });
}

const graphShape = z.object({
  entities: z.array(z.object({ name: z.string(), observations: z.array(z.string()) })),
});

/**
 * The memory server of the Model Context Protocol, an entity for each memory. Its search takes one text that must stand as it is, so that
 * it is asked for each word, and what most words find comes first.
 */
async function memoryServer(memories: readonly Memory[]): Promise<Store | null> {
  const version = peerVersion('@modelcontextprotocol/server-memory');
  if (version === undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), 'brain-bench-memory-'));
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: execPath,
      args: [peerFile('@modelcontextprotocol/server-memory', 'dist/index.js')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      stderr: 'ignore',
    }),
  );
  const known = new Map(memories.map((memory) => [memory.path, memory]));
  await client.callTool({
    name: 'create_entities',
    arguments: {
      entities: memories.map(({ path, title, text }) => ({
        name: path,
        entityType: 'memory',
        observations: [`${title} ${text}`.trim()],
      })),
    },
  });
  return {
    name: `server-memory ${version}, a call for each word`,
    async ask(question) {
      const counts = new Map<string, number>();
      for (const query of telling(question)) {
        const { content } = await client.callTool({ name: 'search_nodes', arguments: { query } });
        const [{ text }] = z
          .tuple([z.object({ text: z.string() })])
          .rest(z.unknown())
          .parse(content);
        for (const { name } of graphShape.parse(JSON.parse(text)).entities)
          counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return [...counts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 20)
        .flatMap(([name]) => known.get(name) ?? []);
    },
    async close() {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
