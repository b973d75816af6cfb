import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SearchIndex } from '../src/core/fulltext/search-index';
import { documentsOf, sayCorpus } from './corpus';
import { ms, openOnDisk, table, withFolder } from './support';

/** The runs of each kind, of which the median counts. */
const RUNS = 3;
const KINDS = ['build', 'wiki', 'vault'] as const;
type Kind = (typeof KINDS)[number];

/**
 * What the first start of a vault costs, beside the build of the search engine over the same texts in memory: with notes of the service in
 * `wiki/`, and with notes of the owner. Each run is a process of its own; the times are those of its processors, for a machine that
 * others use as well.
 * @param args the number of notes, then a folder of Markdown in place of made documents
 */
export async function benchStart([count = '10000', folder]: readonly string[]): Promise<void> {
  const choice = { seed: 1, ...(folder !== undefined && { folder }) };
  console.log(`## First start of ${count} notes\n\nDocuments: ${sayCorpus(choice)}.\n`);
  const medians = new Map<Kind, number>();
  await withFolder(async (place) => {
    await makeVaults(place, choice, Number(count));
    for (const kind of KINDS) {
      const runs = Array.from({ length: RUNS }, () =>
        partOf([kind, place, count, ...(folder === undefined ? [] : [folder])]),
      );
      medians.set(kind, runs.sort((a, b) => a - b)[1] ?? NaN);
    }
  });
  const build = medians.get('build') ?? NaN;
  const row = (kind: Kind, name: string): string[] => {
    const took = medians.get(kind) ?? NaN;
    return [name, ms(took), (took / build).toFixed(1)];
  };
  table(
    ['', 'processor time', 'times the build'],
    [
      row('build', 'build of the engine'),
      row('wiki', 'start, notes in wiki/'),
      row('vault', "start, owner's notes"),
    ],
  );
}

/** Runs one kind in a process of its own, and returns its processor time in milliseconds. */
function partOf(args: readonly string[]): number {
  const [, script = ''] = process.argv;
  const { stdout, stderr } = spawnSync(process.execPath, [script, 'start-part', ...args], {
    encoding: 'utf8',
  });
  const took = Number(stdout.trim().split('\n').at(-1));
  if (Number.isNaN(took)) throw new Error(`A part ended without a time: ${stderr}`);
  return took;
}

/** Does what `partOf` asks for, and prints the time. */
export async function startPart([kind, place = '', count = '0', folder]: readonly string[]): Promise<void> {
  if (kind === 'build') {
    const documents = [...documentsOf({ seed: 1, ...(folder !== undefined && { folder }) }, Number(count))];
    const before = process.cpuUsage();
    const index = new SearchIndex<{ readonly path: string }>();
    for (const { path, title, headings, text } of documents)
      index.put(
        { path },
        index.prepare([
          { kind: 'name', text: title },
          { kind: 'heading', text: headings },
          { kind: 'text', text },
        ]),
      );
    say(before);
    return;
  }
  const vault = join(place, kind ?? '');
  await rm(join(vault, '.brain'), { recursive: true, force: true });
  const before = process.cpuUsage();
  const { opened, close } = await openOnDisk(vault);
  await opened.loaded;
  say(before);
  await close();
}

function say(before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);
}

async function makeVaults(
  place: string,
  choice: Parameters<typeof documentsOf>[0],
  count: number,
): Promise<void> {
  let n = 0;
  for (const { title, text } of documentsOf(choice, count)) {
    const note = `${JSON.stringify(title)}\nwing: w${n % 20}\nhall: facts`;
    await write(join(place, `wiki/wiki/w${n % 20}/facts/n${n}.md`), `---\ntitle: ${note}\n---\n${text}\n`);
    await write(join(place, `vault/Notes/f${n % 200}/n${n}.md`), `# ${title}\n\n${text}\n`);
    n += 1;
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
