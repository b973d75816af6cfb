import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, randomFrom, serve, type Served } from '../../bench/support';

/**
 * Kills the server again and again while it drains its inbox, and looks at what is left. Every original must exist, in one
 * place once the next server has come to rest; no page may be there twice; and a run with nothing to do writes nothing.
 */
export interface InboxKillOptions {
  readonly rounds: number;
  /** Files that are dropped in each round. */
  readonly files: number;
  /** How often the server is killed in a round before it may finish. */
  readonly kills: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface InboxKillResult {
  /** Files that were still to be taken at a kill, of all kills together. */
  readonly interrupted: number;
  readonly processed: number;
  readonly quarantined: number;
  readonly problems: readonly string[];
}

const TOKEN = 'inbox-kill-token-inbox-kill-token';
/** No file takes so long. */
const GIVE_UP_MS = 120_000;

/** A file that was dropped. */
interface Drop {
  readonly path: string;
  readonly hash: string;
  /** A word that stands in no other file. */
  readonly word: string;
  readonly isReadable: boolean;
}

/** Every file of the vault without its state, by path. */
type Image = ReadonlyMap<string, { readonly hash: string; readonly text: string }>;

export async function runInboxKill(options: InboxKillOptions): Promise<InboxKillResult> {
  const { rounds, files, kills, seed, report = () => undefined } = options;
  const root = await mkdtemp(join(tmpdir(), 'brain-inbox-kill-'));
  const vault = join(root, 'vault');
  const servers: Served[] = [];
  const start = async (): Promise<Served> => {
    const server = await serve(vault, join(root, 'config'), TOKEN, { BRAIN_WATCH: 'on' });
    servers.push(server);
    return server;
  };
  const random = randomFrom(seed);
  const drops: Drop[] = [];
  const problems: string[] = [];
  let interrupted = 0;
  try {
    await mkdir(vault);
    // The watch is switched on while the inbox is empty, so that nothing waits for a person.
    await settled(vault, await start());
    for (let round = 0; round < rounds; round += 1) {
      const label = `round ${round + 1}`;
      drops.push(...(await dropFiles(vault, round, files, random)));
      for (let kill = 0; kill < kills; kill += 1) {
        const server = await start();
        await taken(vault, Math.ceil((files / (kills + 1)) * (0.5 + random())), server);
        server.process.kill('SIGKILL');
        await server.exited;
        const image = await imageOf(vault);
        const found = faults(image, drops, false);
        problems.push(...found.map((fault) => `${label}, kill ${kill + 1}: ${fault}`));
        const left = standing(image).length;
        interrupted += left;
        report(`${label}: killed with ${left} of ${files} files to go, ${found.length} problems`);
      }
      await settled(vault, await start());
      const after = await imageOf(vault);
      const found = faults(after, drops, true);
      // Whoever starts it again finds everything done.
      await settled(vault, await start());
      const again = await imageOf(vault);
      if (namesAndHashes(again) !== namesAndHashes(after))
        found.push('a run with nothing to do changed files');
      problems.push(...found.map((fault) => `${label}: ${fault}`));
      report(`${label}: at rest, ${found.length} problems`);
    }
    const image = await imageOf(vault);
    const count = (folder: string) =>
      [...image.keys()].filter((path) => path.startsWith(folder) && !path.endsWith('.error.json')).length;
    const [processed, quarantined] = [count('inbox/processed/'), count('inbox/quarantine/')];
    return { interrupted, processed, quarantined, problems };
  } finally {
    for (const server of servers) server.process.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  }
}

/** Puts files of several kinds into the inbox, one of ten of which nobody can read. */
async function dropFiles(vault: string, round: number, files: number, random: () => number): Promise<Drop[]> {
  const drops: Drop[] = [];
  for (let n = 0; n < files; n += 1) {
    const word = `w${round}x${n}x${Math.floor(random() * 1e9).toString(36)}`;
    const kind = n % 10 === 9 ? 'pdf' : (['md', 'txt', 'csv', 'html'][n % 4] ?? 'md');
    // Some have the name that others had before.
    const path = `inbox/${n % 5 === 0 ? `twin-${n}` : `round-${round}-${n}`}.${kind}`;
    const words = Array.from({ length: 20 + Math.floor(random() * 300) }, () => random().toString(36));
    const text =
      kind === 'csv' ? `word,text\n${word},"${words.join(' ')}"\n` : `${word} ${words.join(' ')}\n`;
    await writeFile(join(vault, path), text);
    drops.push({ path, word, isReadable: kind !== 'pdf', hash: sha(text) });
  }
  return drops;
}

/** Waits until so many files have left the inbox. */
async function taken(vault: string, count: number, server: Served): Promise<void> {
  const goal = Math.max(0, standing(await imageOf(vault)).length - count);
  const end = Date.now() + GIVE_UP_MS;
  while (standing(await imageOf(vault)).length > goal && server.process.exitCode === null) {
    if (Date.now() > end) throw new Error('The inbox is not drained.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lets the server finish what stands in the inbox, and ends it. */
async function settled(vault: string, server: Served): Promise<void> {
  const end = Date.now() + GIVE_UP_MS;
  for (let quiet = 0; quiet < 2;) {
    if (Date.now() > end) throw new Error('The inbox does not come to rest.');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { body } = await call(server, TOKEN, 'GET', '/status');
    const isQuiet = isOn(body.watcher);
    quiet = isQuiet && standing(await imageOf(vault)).length === 0 ? quiet + 1 : 0;
  }
  await server.stop();
}

/** True for the status of an inbox that is watched, and of which nothing is being taken. */
function isOn(watcher: unknown): boolean {
  if (typeof watcher !== 'object' || watcher === null || !('state' in watcher)) return false;
  return watcher.state === 'on' && !('running' in watcher);
}

/** What stands in the inbox and is neither handled nor failed. */
function standing(image: Image): string[] {
  return [...image.keys()].filter((path) => /^inbox\/(?!processed\/|quarantine\/)/.test(path));
}

/** Everything that is wrong with the vault; at rest a file has one place, after a kill it may have two. */
function faults(image: Image, drops: readonly Drop[], atRest: boolean): string[] {
  const found: string[] = [];
  const originals = new Map<string, string[]>();
  const pages: string[] = [];
  for (const [path, { hash, text }] of image) {
    if (path.startsWith('raw/')) pages.push(text);
    else if (path.startsWith('inbox/') && !path.endsWith('.error.json'))
      originals.set(hash, [...(originals.get(hash) ?? []), path]);
  }
  for (const { path, hash, word, isReadable } of drops) {
    const places = originals.get(hash) ?? [];
    originals.delete(hash);
    if (places.length === 0) found.push(`${path} is lost`);
    const made = pages.filter((text) => text.includes(word)).length;
    if (made > 1) found.push(`${path} has ${made} pages`);
    if (!atRest) continue;
    if (places.length > 1) found.push(`${path} is at ${places.join(' and ')}`);
    const [place = ''] = places;
    const wanted = isReadable ? 'inbox/processed/' : 'inbox/quarantine/';
    if (!place.startsWith(wanted)) found.push(`${path} ended at ${place}`);
    if (made !== (isReadable ? 1 : 0)) found.push(`${path} has ${made} pages at rest`);
    if (isReadable === image.has(`${place}.error.json`)) found.push(`${place} and its note do not agree`);
  }
  for (const paths of originals.values()) found.push(`${paths.join(', ')} was never dropped`);
  return found;
}

function namesAndHashes(image: Image): string {
  return [...image]
    .map(([path, { hash }]) => `${hash} ${path}`)
    .sort()
    .join('\n');
}

async function imageOf(vault: string): Promise<Image> {
  const image = new Map<string, { hash: string; text: string }>();
  for (const entry of await readdir(vault, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(vault.length + 1);
    if (!entry.isFile() || path.startsWith('.brain')) continue;
    // One may move while it is looked at.
    const text = await readFile(join(vault, path), 'utf8').catch(() => null);
    if (text !== null) image.set(path, { hash: sha(text), text });
  }
  return image;
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
