import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { nodeSourceFiles } from '../src/adapters/vault/sources';
import { BrainError } from '../src/core/base/errors';
import { ingestPath } from '../src/core/ingest/operations';
import { foldLink } from '../src/core/links/resolve';
import { getNote } from '../src/core/notes/get';
import { perform } from '../src/core/operation/operation';
import { adoptNote } from '../src/core/review/promote';
import { unpromoteNote } from '../src/core/review/return';
import { queryNotes } from '../src/core/search/query';
import { vaultPath } from '../src/core/vocabulary/paths';
import { openTestBrain, person, type TestBrain } from '../tests/support/test-brain';
import { madeVault } from './vault-made';
import { cardsIn, FileNames, linksIn, wordsIn } from './vault-oracle';
import { randomFrom, table, withFolder } from './support';

/** The number of notes that are adopted and given back, at most, and of searches for a rare word. */
const MOST_MOVED = 400;
const MOST_SEARCHED = 3000;
/** The longest vault whose folder is ingested: each new page is compared with all others. */
const MOST_INGESTED = 1000;

/** One promise about a vault: how often it held, and what the first failures were. */
export interface Kept {
  readonly promise: string;
  /** The share that must hold. */
  readonly mark: number;
  held: number;
  of: number;
  readonly failures: string[];
}

const promise = (text: string, mark: number): Kept => ({ promise: text, mark, held: 0, of: 0, failures: [] });

function count(kept: Kept, holds: boolean, failure: () => string): void {
  kept.of += 1;
  if (holds) kept.held += 1;
  else if (kept.failures.length < 12) kept.failures.push(failure());
}

type Files = ReadonlyMap<string, string>;

/**
 * What an owner sees of his vault, for each folder that is named and for a made vault with equal names, properties, canvases and
 * links in every form: a rare word finds its note, links lead where they do in the app, adopting a note and giving it back
 * changes no byte, an ingest of the folder keeps its links, and a name finds its note. The process ends with 1 under a mark.
 */
export async function benchVaults(folders: readonly string[]): Promise<void> {
  let isUnder = false;
  const vaults: [string, Files][] = [['made', madeVault(1)]];
  for (const folder of folders) vaults.push([folder, await filesIn(folder)]);
  for (const [name, files] of vaults) {
    const kept = await measureVault(files);
    console.log(`## ${name}: ${notesOf(files).length} notes, ${files.size} files\n`);
    table(
      ['What holds', 'Of', 'Share', 'Mark'],
      kept.map((each) => [
        each.promise,
        `${each.held} of ${each.of}`,
        share(each).toFixed(4),
        each.mark.toFixed(3),
      ]),
    );
    for (const each of kept) {
      if (each.failures.length > 0) console.log(`Not: ${each.promise}\n- ${each.failures.join('\n- ')}\n`);
      if (share(each) < each.mark) isUnder = true;
    }
  }
  if (isUnder) process.exitCode = 1;
}

/** Measures one vault: its files by path, of which only Markdown, canvases and bases have text. */
export async function measureVault(files: Files): Promise<Kept[]> {
  return [
    ...(await found(files)),
    await linked(files),
    ...(await moved(files)),
    ...(notesOf(files).length > MOST_INGESTED ? [] : [await ingested(files)]),
  ];
}

/** The share of the cases in which a promise was kept. */
export const share = ({ held, of }: Kept): number => (of === 0 ? 1 : held / of);

const notesOf = (files: Files): string[] => [...files.keys()].filter((path) => /\.md$/i.test(path)).sort();

/** Reads the files below a folder that are text; of any other file only its name counts. */
async function filesIn(folder: string): Promise<Files> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(folder.length).replace(/^\/+/, '');
    if (!entry.isFile() || path.split('/').some((part) => part.startsWith('.'))) continue;
    files.set(path, /\.(?:md|canvas|base)$/i.test(path) ? await readFile(full, 'utf8') : '');
  }
  return files;
}

/** Searches for a rare word of each note, and for the names of the notes. */
async function found(files: Files): Promise<Kept[]> {
  const byWord = promise('a rare word of the text or the properties finds the note (top ten)', 0.99);
  const byName = promise('a name puts its note first (of equal names the shortest path)', 0.995);
  const world = await openTestBrain(Object.fromEntries(files), { rateLimit: 0 });
  const hits = async (query: string): Promise<string[]> =>
    (await perform(world.brain, queryNotes, { query, limit: 10 }, person)).results.map(({ path }) => path);
  const words = new Map(notesOf(files).map((path) => [path, wordsIn(files.get(path) ?? '')]));
  const holders = new Map<string, number>();
  for (const { text, properties } of words.values()) {
    for (const word of new Set([...text, ...properties])) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  const random = randomFrom(7);
  const drawn = draw(notesOf(files), MOST_SEARCHED, random);
  for (const path of drawn) {
    for (const kind of ['text', 'properties'] as const) {
      const rare = [...(words.get(path)?.[kind] ?? [])].filter((word) => holders.get(word) === 1);
      const word = rare[Math.floor(random() * rare.length)];
      if (word === undefined) continue;
      const paths = await hits(word);
      count(byWord, paths.includes(path), () => `"${word}" in ${path}`);
    }
  }
  const named = new Map<string, string>();
  for (const path of notesOf(files)) {
    const name = posix.basename(path).replace(/\.md$/i, '');
    const other = named.get(name.toLowerCase());
    if (other === undefined || path.length < other.length) named.set(name.toLowerCase(), path);
  }
  for (const path of draw([...named.values()], MOST_SEARCHED, random)) {
    const name = posix.basename(path).replace(/\.md$/i, '');
    const [first = 'nothing'] = await hits(name);
    // Another note may have the name as title or alias, or in another spelling.
    const isNamed = (['folded', 'title', 'alias'] as const).some((tier) =>
      world.brain.catalog.candidates(tier, foldLink(name)).some((each) => each === first),
    );
    count(byName, isNamed && first.length <= path.length, () => `"${name}" gives ${first}, not ${path}`);
  }
  await world.close();
  return [byWord, byName];
}

/** Compares the outgoing links of each note with the rule of the app. */
async function linked(files: Files): Promise<Kept> {
  const kept = promise('a link that the app opens is in the outgoing links', 1);
  const world = await openTestBrain(Object.fromEntries(files), { rateLimit: 0 });
  const names = new FileNames(files.keys());
  for (const path of draw(notesOf(files), MOST_SEARCHED, randomFrom(3))) {
    const { outgoing } = await perform(world.brain, getNote, { path, max_chars: 1 }, person);
    for (const link of linksIn(files.get(path) ?? '')) {
      const opened = names.opens(link, path);
      if (opened === null || opened === path) continue;
      const isThere = outgoing.some((each) => each === opened);
      count(kept, isThere, () => `${path}: "${link.target}" opens ${opened}`);
    }
  }
  await world.close();
  return kept;
}

/** Adopts notes and gives them back. */
async function moved(files: Files): Promise<Kept[]> {
  const bytes = promise('adopting a note and giving it back leaves the vault as it was', 1);
  const others = promise('no link or card leads to another file when a note is adopted', 1);
  const own = promise('links of an adopted note, also to itself, open what they opened', 1);
  const world = await openTestBrain(Object.fromEntries(files), { rateLimit: 0 });
  const before = new FileNames(files.keys());
  const linksOf = cachedLinks();
  const canvases = [...files].filter(([path, text]) => path.endsWith('.canvas') && text !== '');
  for (const [number, path] of draw(notesOf(files), MOST_MOVED, randomFrom(5)).entries()) {
    const text = files.get(path) ?? '';
    let to: string;
    try {
      const place = { wing: 'bench', hall: 'facts' as const, slug: `note-${number}` };
      ({ path: to } = await perform(world.brain, adoptNote, { path, ...place }, person));
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
      count(bytes, false, () => `${path}: ${error.code}: ${error.message}`);
      continue;
    }
    const after = new FileNames(world.files.keys());
    const follow = (opened: string | null): string | null => (opened === path ? to : opened);
    for (const source of notesOf(files)) {
      const [was, is] = [linksOf(files.get(source) ?? ''), linksOf(world.files.get(source) ?? '')];
      if (source === path || (was === is && !mayChange(was, path, to))) continue;
      const expected = was.map((link) => follow(before.opens(link, source)));
      const opened = is.map((link) => after.opens(link, source));
      for (const [each, target] of expected.entries())
        count(
          others,
          opened[each] === target,
          () => `${source}: to ${opened[each]}, not ${target}, when ${path} is adopted`,
        );
    }
    for (const [board, text] of canvases) {
      const shown = cardsIn(world.files.get(board) ?? '{}');
      for (const [at, card] of cardsIn(text).entries())
        count(
          others,
          shown[at] === follow(card),
          () => `${board}: shows ${shown[at]} when ${path} is adopted`,
        );
    }
    // The gate may take brackets from a link of the note that opens nothing.
    const led = new Set(linksOf(world.files.get(to) ?? '').map((link) => after.opens(link, to)));
    for (const link of linksOf(text)) {
      const goal = follow(before.opens(link, path));
      if (goal !== null) count(own, led.has(goal), () => `${path}: "${link.target}" does not open ${goal}`);
    }
    await perform(world.brain, unpromoteNote, { path: to }, person);
    const changed = [...files].filter(([each, said]) => world.files.get(each) !== said).map(([each]) => each);
    count(bytes, changed.length === 0, () => `${path}: ${changed.slice(0, 3).join(', ')}`);
    putBack(world, files, changed);
  }
  await world.close();
  return [bytes, others, own];
}

/** Returns true when the coming or going of a file may change where one of the links leads. */
function mayChange(links: ReturnType<typeof linksIn>, from: string, to: string): boolean {
  const names = [from, to].map((path) => posix.basename(path).replace(/\.md$/i, '').toLowerCase());
  return links.some(({ target }) => names.some((name) => target.toLowerCase().includes(name)));
}

/** Returns the links of texts, read once for each. */
function cachedLinks(): (text: string) => ReturnType<typeof linksIn> {
  const known = new Map<string, ReturnType<typeof linksIn>>();
  return (text) => {
    const links = known.get(text) ?? linksIn(text);
    known.set(text, links);
    return links;
  };
}

/** So that a failure is counted once. */
function putBack(world: TestBrain, files: Files, changed: readonly string[]): void {
  for (const path of changed) {
    const text = files.get(path) ?? '';
    world.vault.outside(path, text);
    world.brain.whole.catalog.markDirty({ path: vaultPath(path), kind: 'changed' });
  }
}

/** Ingests the whole folder into a new vault. */
async function ingested(files: Files): Promise<Kept> {
  const kept = promise('a link between notes of an ingested folder leads from page to page', 1);
  await withFolder(async (top) => {
    const folder = join(top, 'files', 'Old vault');
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await mkdir(join(top, 'vault', 'inbox'), { recursive: true });
    const sources = nodeSourceFiles({
      root: join(top, 'vault'),
      watchDir: 'inbox',
      allowed: [join(top, 'files')],
      secret: [],
    });
    const world = await openTestBrain({}, {}, undefined, { sources });
    const ask = { path: folder, wing: 'old', hall: 'facts' as const, destination: 'wiki' as const };
    const answer = await perform(world.brain, ingestPath, ask, person);
    if (!('errors' in answer)) throw new Error('This is not the answer of a folder.');
    const pages = new Map<string, string>();
    for (const { file, pages: made } of answer.files)
      for (const { path } of made) if (path !== undefined) pages.set(file.slice(folder.length + 1), path);
    const names = new FileNames(files.keys());
    for (const path of notesOf(files)) {
      const page = pages.get(path);
      if (page === undefined) continue;
      const { outgoing } = await perform(world.brain, getNote, { path: page, max_chars: 1 }, person);
      for (const link of linksIn(files.get(path) ?? '')) {
        const opened = names.opens(link, path);
        const target = opened === null ? undefined : pages.get(opened);
        if (target === undefined || target === page) continue;
        count(
          kept,
          outgoing.some((each) => each === target),
          () => `${path}: "${link.target}" opens ${opened}`,
        );
      }
    }
    await world.close();
  });
  return kept;
}

/** Returns at most so many of the items, drawn without order. */
function draw<T>(items: readonly T[], most: number, random: () => number): T[] {
  if (items.length <= most) return [...items];
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, most)
    .map(({ item }) => item);
}
