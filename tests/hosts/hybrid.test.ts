import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { byDay } from '../support/by-night';
import { type ScriptedEmbedder, scriptedEmbedder } from '../support/scripted-embedder';
import { type SocketDatabase, socketDatabase } from '../support/vector-databases';
import { buildSimulator, headless, plugins, present } from './host';

/** Search by meaning, the same from the server and from the built plugin, whose process is not quite one of Node. */
const HOSTS = present([headless, ...byDay(1, plugins)]);

let embedder: ScriptedEmbedder;
let database: SocketDatabase;
beforeAll(async () => {
  buildSimulator();
  [embedder, database] = await Promise.all([scriptedEmbedder(), socketDatabase()]);
}, 60_000);
afterAll(() => Promise.all([embedder.stop(), database.close()]));

it.each(HOSTS)(
  '$name finds by meaning, and goes on by words while the database is gone',
  async (host) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'brain-hybrid-'));
    const vault = path.join(folder, 'vault');
    mkdirSync(path.join(vault, 'wiki/a/facts'), { recursive: true });
    writeFileSync(path.join(vault, 'wiki/a/facts/wheels.md'), '# Wheels\n\nAn automobile.\n');
    writeFileSync(path.join(vault, 'wiki/a/facts/rain.md'), '# Wet\n\nSome rain on the car.\n');
    const running = await host.start(vault, folder, {
      BRAIN_PG_DSN: database.dsn,
      BRAIN_PG_SCHEMA: host.name,
      BRAIN_EMBED_URL: embedder.url,
    });
    const ask = async (route: string, body: object): Promise<unknown> => {
      const answer = await fetch(running.url + route, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    try {
      expect(await ask('/backfill-embeddings', {})).toMatchObject({ deleted: 0, errors: [] });
      expect(await ask('/query', { query: 'vehicle', explain: true })).toMatchObject({
        mode: 'hybrid',
        results: [{ path: 'wiki/a/facts/wheels.md', ranks: { vector: 1 } }, { path: 'wiki/a/facts/rain.md' }],
      });
      await database.stop();
      expect(await ask('/query', { query: 'car' })).toMatchObject({
        mode: 'bm25',
        degraded: true,
        results: [{ path: 'wiki/a/facts/rain.md' }],
      });
    } finally {
      await database.start();
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
