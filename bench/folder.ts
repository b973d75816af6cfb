import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseNote } from '../src/core/frontmatter/parse';
import { markdownFacts } from '../src/core/markdown/facts';
import { randomFrom, serve, type Served, textOf } from './support';

const TOKEN = 'folder-bench-token-of-thirty-two-characters';
/** The links of a generated file. */
const LINKS = 5;
/** The failures that are listed. */
const MAX_LISTED = 40;

interface Ingested {
  readonly counts: Readonly<Record<string, number>>;
  readonly files: readonly { file: string; original?: string; pages: readonly { path?: string }[] }[];
}

/**
 * `folder <path>` sends a folder and counts the wikilinks between its Markdown files that still lead to the right page;
 * `folder <number>` does the same with so many generated files of three kinds, and cuts the command by Ctrl-C midway, then
 * runs it again. Prints the times, the memory of the server, and whether every file is kept byte for byte.
 */
export async function benchFolder([what = '1000']: readonly string[]): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'brain-bench-folder-')));
  const isGenerated = /^\d+$/.test(what);
  const folder = isGenerated ? path.join(base, 'files') : path.resolve(what);
  if (isGenerated) await generate(folder, Number(what));
  const vault = path.join(base, 'vault');
  const served = await serve(vault, path.join(base, 'config'), TOKEN);
  const peak = watchMemory(served);
  try {
    if (isGenerated) {
      const start = performance.now();
      const code = await ingest(served, folder, Math.max(2000, Number(what) * 6));
      console.log(`- cut by Ctrl-C after ${seconds(start)} s: exit code ${code.code}. ${code.stderr.trim()}`);
      const raw = await readdir(path.join(vault, 'raw')).catch(() => []);
      console.log(`- pages by then: ${raw.filter((name) => name.endsWith('.md')).length}`);
    }
    const start = performance.now();
    const { stdout, stderr, code } = await ingest(served, folder);
    const answer = JSON.parse(stdout) as Ingested; // The shape of the batch's answer.
    console.log(
      `- exit code ${code} after ${seconds(start)} s: ${JSON.stringify(answer.counts)} ${stderr.trim()}`,
    );
    console.log(`- resident memory of the server at most: ${Math.round(peak() / 2 ** 20)} MiB`);
    await checkBytes(folder, vault);
    await checkLinks(folder, vault, answer);
  } finally {
    await served.stop();
    await rm(base, { recursive: true, force: true });
  }
}

function seconds(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

/** Writes files of three kinds into folders; each links to others by path, name or title. */
async function generate(folder: string, count: number): Promise<void> {
  const random = randomFrom(7);
  const placeOf = (n: number): string =>
    `part ${Math.floor(n / 100)}/${n % 10 === 0 ? 'deep/' : ''}file ${n}.${['md', 'html', 'txt'][n % 3]}`;
  for (let n = 0; n < count; n += 1) {
    const place = placeOf(n);
    const links = Array.from({ length: LINKS }, () => Math.floor(random() * count));
    const relative = (other: number) =>
      encodeURI(path.posix.relative(path.posix.dirname(place), placeOf(other)));
    const text =
      n % 3 === 1
        ? `<title>Title of ${n}</title><h1>Title of ${n}</h1><p>${textOf(60, random)}</p>${links.map((other) => `<p><a href="${relative(other)}">see ${other}</a></p>`).join('')}\n`
        : `# Title of ${n}\n\n${textOf(60, random)}\n\n${links.map((other, at) => (at % 2 === 0 ? `[[file ${other}]]` : `[see ${other}](${relative(other)})`)).join('\n\n')}\n`;
    await mkdir(path.join(folder, path.dirname(place)), { recursive: true });
    await writeFile(path.join(folder, place), text);
  }
}

/** Runs `brain ingest --json`; with `cutAfter` (ms) it gets SIGINT. */
async function ingest(
  { url }: Served,
  folder: string,
  cutAfter?: number,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['dist/brain.mjs', 'ingest', folder, '--json'], {
    env: { ...process.env, BRAIN_URL: url, BRAIN_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const timer = cutAfter === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), cutAfter);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout, stderr };
}

/** Returns a function that gives the largest resident memory of the server so far (bytes). Linux only. */
function watchMemory({ process: { pid } }: Served): () => number {
  return () => {
    try {
      const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return Number(kib) * 1024;
    } catch {
      return Number.NaN;
    }
  };
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** Compares the hashes of all readable files with those of the kept originals. */
async function checkBytes(folder: string, vault: string): Promise<void> {
  const hashOf = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  const kept = new Set<string>();
  for (const file of await filesOf(path.join(vault, 'inbox/processed'))) kept.add(await hashOf(file));
  const sent = (await filesOf(folder)).filter((file) => /\.(?:md|html|txt)$/.test(file));
  let missing = 0;
  for (const file of sent) if (!kept.has(await hashOf(file))) missing += 1;
  console.log(
    `- files kept byte for byte: ${sent.length - missing} of ${sent.length} (${kept.size} originals)`,
  );
}

/** Counts the links between the files, as a reader of its own finds them, that lead to the page of their target. */
async function checkLinks(folder: string, vault: string, answer: Ingested): Promise<void> {
  const pageOf = new Map(answer.files.map(({ file, pages }) => [file, pages[0]?.path?.replace(/\.md$/, '')]));
  const byName = new Map<string, string[]>();
  for (const file of pageOf.keys()) {
    const name = path.posix
      .basename(file)
      .replace(/\.[^.]+$/, '')
      .toLowerCase();
    byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  const resolve = (target: string, from: string): string | undefined => {
    const plain = target.normalize('NFC').replace(/^\/+/, '');
    const paths = [path.posix.join(path.posix.dirname(from), plain), plain].flatMap((each) => [
      each,
      `${each}.md`,
    ]);
    const exact = paths.find((each) => pageOf.has(each));
    if (exact !== undefined) return exact;
    const stem = plain.replace(/\.md$/, '').toLowerCase();
    const named = byName.get(path.posix.basename(stem)) ?? [];
    return named.find((file) =>
      file
        .replace(/\.[^.]+$/, '')
        .toLowerCase()
        .endsWith(stem),
    );
  };
  let [total, kept] = [0, 0];
  const lost: string[] = [];
  for (const [file, page] of pageOf) {
    if (!file.endsWith('.md')) continue;
    const source = await readFile(path.join(folder, file), 'utf8');
    const wanted = markdownFacts(parseNote(source).body).links.filter(
      ({ kind }) => kind === 'wikilink' || kind === 'embed',
    );
    const text = page === undefined ? '' : await readFile(path.join(vault, `${page}.md`), 'utf8');
    const found = markdownFacts(parseNote(text).body).links.map(({ target }) => target);
    for (const { target } of wanted) {
      const leads = resolve(target, file);
      if (leads === undefined || target === '') continue;
      total += 1;
      const at = leads === file ? -2 : found.indexOf(pageOf.get(leads) ?? 'none');
      if (at >= 0) found.splice(at, 1);
      if (at === -1) lost.push(`${file}: [[${target}]]`);
      else kept += 1;
    }
  }
  const share = total === 0 ? 100 : (100 * kept) / total;
  console.log(
    `- wikilinks between the Markdown files: ${kept} of ${total} lead to the page (${share.toFixed(2)} %)`,
  );
  for (const line of lost.slice(0, MAX_LISTED)) console.log(`  - lost: ${line}`);
}
