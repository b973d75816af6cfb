import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { byDay } from '../support/by-night';
import { describeWithPostgres } from '../support/postgres-server';
import { buildSimulator, headless, type Host, onStore, plugins, present, type RunningHost } from './host';

/** Vaults that earlier builds have written, opened by every program that serves a vault. */
const VAULTS = 'tests/fixtures/vaults';
const BUILDS = readdirSync(VAULTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const SETTINGS = { BRAIN_DEVICE: 'old1', BRAIN_WATCH: 'off' };

buildSimulator();

it('has vaults of two builds', () => expect(BUILDS).toEqual(['001d027c', '9b03a5f']));

describe.each(BUILDS)('a vault of the build %s', (build) => {
  describe.each(present([headless, ...byDay(1, plugins)]))('in $name', (host) =>
    asBefore(build, () => host, true),
  );

  describeWithPostgres('in the headless server on a store', (postgres) => {
    const database = `old_${build}`;
    let host: Host;
    beforeAll(() => {
      postgres().sql('postgres', `CREATE DATABASE ${database}`);
      host = onStore(postgres().dsn(database));
    });
    asBefore(build, () => host, false);
  });
});

/** @param takesFiles whether the vault is in a folder, where files are kept */
function asBefore(build: string, hosted: () => Host, takesFiles: boolean): void {
  const folder = path.join(VAULTS, build);
  const answers: Record<string, object> = JSON.parse(readFileSync(path.join(folder, 'answers.json'), 'utf8'));
  let home: string;
  let running: RunningHost;
  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'brain-old-'));
    cpSync(path.join(folder, 'vault'), path.join(home, 'vault'), { recursive: true });
    running = await hosted().start(path.join(home, 'vault'), home, SETTINGS);
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function ask(at: string, body?: object): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(running.url + at, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, answer: await response.json() };
  }

  it.each(Object.keys(answers))('has the same answer to %s', async (at) => {
    const { status, answer } = await ask(at);
    expect([status, answer]).toMatchObject([200, answers[at] ?? {}]);
  });

  it('has every version by its hash', async () => {
    const histories = Object.entries(answers).filter(([at]) => at.startsWith('/history'));
    const kept = histories.flatMap(([, answer]) =>
      'versions' in answer && Array.isArray(answer.versions) ? answer.versions : [],
    );
    expect(kept.length).toBeGreaterThan(4);
    for (const { hash } of kept)
      expect(await ask(`/note?hash=${hash}`)).toMatchObject({ status: 200, answer: { content_hash: hash } });
  });

  if (takesFiles) {
    it('knows what was ingested: the same file makes no second note', async () => {
      const at = path.join(folder, 'vault/inbox/processed');
      const file = readFileSync(path.join(at, readdirSync(at)[0] ?? '', 'table.csv'));
      const response = await fetch(`${running.url}/ingest-file?name=table.csv`, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/octet-stream' },
        body: file,
      });
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ extraction: 'unchanged' }),
      ]);
    });
  }

  it('goes on with what was done: the last undo is taken back, a rejected and a promoted note return', async () => {
    const { answer } = await ask('/undo');
    const { undos }: { undos: { undo: string }[] } = JSON.parse(JSON.stringify(answer));
    expect(await ask('/undo/back', { undo: undos[0]?.undo })).toMatchObject({ status: 200 });
    expect(await ask('/note?path=wiki/net/facts/bad-one.md')).toMatchObject({ status: 200 });
    const [rejected] = readdirSync(path.join(folder, 'vault/raw/rejected'));
    expect(await ask('/restore', { path: `raw/rejected/${rejected ?? ''}` })).toMatchObject({ status: 200 });
    const fan = decodeURIComponent(Object.keys(answers).find((at) => at.endsWith('fan.md')) ?? '');
    expect(await ask('/unpromote', { path: fan.replace('/history?path=', '') })).toMatchObject({
      status: 200,
      answer: { path: 'raw/2026-11-29-fan.md' },
    });
  });
}
