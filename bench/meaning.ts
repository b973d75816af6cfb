import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type InstantOllama, instantOllama } from './instant-ollama';
import { makeNotes, tellInApp } from './slices';
import { holdToGoals } from './slices-goals';
import { type InApp, watchInApp } from './slices-in-app';
import { call, ms, serve, Timings, withFolder } from './support';

const TOKEN = 'bench-token-that-is-long-enough-0123456789';
/** How often the state is asked for while the notes get their vectors (ms). */
const LOOK_EVERY_MS = 250;
/** Longer than a vault of this size may ever take (ms). */
const GIVE_UP_AFTER_MS = 600_000;
/** The searches by meaning at the end. */
const SEARCHES = 200;
/** The longest time in which 10,000 notes are to get their vectors from an instant embedder (s). */
const MOST_SECONDS = 20;

/**
 * What a person sees who starts the built plugin for the first time on a vault with search by meaning on this device: how long it
 * takes from the agreement to the first answer by meaning and to a vector for every note, left to itself, and how from the first text on that, the
 * doctor's comparison and two hundred searches hold the thread. The embedder answers at once. The process ends with 1 when a goal is missed.
 *
 * @param made the number of notes to make, or a folder: a vault, or notes that are put into a wing of one
 */
export async function benchMeaning(made: number | string): Promise<void> {
  const ollama = await instantOllama();
  try {
    await withFolder(async (folder) => {
      const vault = join(folder, 'vault');
      if (typeof made === 'number') await makeNotes(vault, made);
      else {
        const place = existsSync(join(made, 'wiki')) ? vault : join(vault, 'wiki', 'bench', 'facts');
        await cp(made, place, { recursive: true, filter: (path) => !/\/\.brain(?:\/|$)/.test(path) });
      }
      const settings = join(vault, '.obsidian/plugins/brain-server');
      await mkdir(settings, { recursive: true });
      const saved = { vectorStore: 'local', embedUrl: ollama.url };
      await writeFile(join(settings, 'data.json'), JSON.stringify(saved));
      const { result, seen } = await watchInApp(vault, join(folder, 'home'), (app) => seenBy(app, ollama));
      const { embedded, hybrid, first, whole, compared, searches } = result;
      console.log(
        `## Search by meaning in the plugin: ${embedded} notes, an embedder that answers at once\n`,
      );
      console.log(
        [
          `- first text to the embedder ${seconds(first)} s after the agreement, when the vault has been quiet for half a minute`,
          `- first answer by meaning ${seconds(hybrid - first)} s after that`,
          `- vectors for all notes ${seconds(whole - first)} s after that (${ollama.asked.texts} texts in ${ollama.asked.calls} calls)`,
          `- the doctor's comparison done ${seconds(compared - whole)} s later`,
          `- a search by meaning: p50 ${ms(searches.quantile(0.5))}, p99 ${ms(searches.quantile(0.99))}\n`,
        ].join('\n'),
      );
      holdToGoals(tellInApp('in the plugin, by meaning', seen));
    });
  } finally {
    await ollama.stop();
  }
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}

interface Hybrid {
  readonly vectors?: number;
  readonly pending?: number;
  readonly progress?: object;
}

interface SeenByMeaning {
  readonly embedded: number;
  /** Milliseconds from the agreement on. */
  readonly first: number;
  readonly hybrid: number;
  readonly whole: number;
  readonly compared: number;
  readonly searches: Timings;
}

/** Searches until the answers are by meaning, every note has its vector, and the doctor has compared. */
async function seenBy({ url, token, forget }: InApp, { asked }: InstantOllama): Promise<SeenByMeaning> {
  const start = performance.now();
  const at = { first: NaN, hybrid: NaN, whole: NaN, compared: NaN };
  const reach = (what: keyof typeof at): void => {
    if (Number.isNaN(at[what])) at[what] = performance.now() - start;
  };
  let embedded = 0;
  while (Number.isNaN(at.compared)) {
    if (performance.now() - start > GIVE_UP_AFTER_MS) throw new Error('The notes never got their vectors.');
    await new Promise((rested) => setTimeout(rested, LOOK_EVERY_MS));
    if (asked.calls === 0) continue;
    if (Number.isNaN(at.first)) forget();
    reach('first');
    const { mode } = (await call({ url }, token, 'POST', '/query', { query: 'note 7' })).body;
    if (mode !== 'hybrid') continue;
    reach('hybrid');
    const { body } = await call({ url }, token, 'GET', '/status');
    const { vectors = 0, pending, progress } = body.hybrid as Hybrid; // The shape of the status.
    if (pending !== 0 || progress !== undefined) continue;
    reach('whole');
    embedded = vectors;
    const said = JSON.stringify(body.checks);
    if (/"search by meaning"/.test(said) && !/is being compared/.test(said)) reach('compared');
  }
  const searches = new Timings();
  for (let n = 0; n < SEARCHES; n += 1)
    await searches.time(() => call({ url }, token, 'POST', '/query', { query: `note ${n} kalomi` }));
  return { embedded, searches, ...at };
}

/**
 * How long the built server takes from a request to make all vectors of a vault to the end, on this device, with an embedder in another process that
 * answers at once. The process ends with 1 when 10,000 notes take longer than 20 seconds.
 */
export async function benchBackfill(notes: number): Promise<void> {
  const ollama = await instantOllama();
  try {
    await withFolder(async (folder) => {
      const vault = join(folder, 'vault');
      await makeNotes(vault, notes);
      const served = await serve(vault, join(folder, 'config'), TOKEN, {
        BRAIN_PG_DSN: 'local:',
        BRAIN_EMBED_URL: ollama.url,
      });
      try {
        while ('reading' in (await call(served, TOKEN, 'POST', '/query', { query: 'note' })).body)
          await new Promise((rested) => setTimeout(rested, 100));
        const start = performance.now();
        const { body } = await call(served, TOKEN, 'POST', '/backfill-embeddings', {});
        const took = (performance.now() - start) / 1000;
        console.log(
          `## Vectors for ${notes} notes of about 2 KiB by the server, an embedder that answers at once\n`,
        );
        console.log(
          `${took.toFixed(1)} s: ${JSON.stringify(body)}, ${ollama.asked.texts} texts in ${ollama.asked.calls} calls\n`,
        );
        if (body.added !== notes || took > (MOST_SECONDS * notes) / 10_000) {
          console.error(`It has to embed all and take ${MOST_SECONDS} s for 10,000 notes at most.`);
          process.exitCode = 1;
        }
      } finally {
        await served.stop();
      }
    });
  } finally {
    await ollama.stop();
  }
}
