import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const VAULTS = 'tests/fixtures/vaults';
const BUILDS = readdirSync(VAULTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('has vaults of two builds', () => expect(BUILDS).toEqual(['001d027c', '9b03a5f']));

describe.each(BUILDS)('a vault of the build %s', (build) => {
  const sandbox = new Sandbox();
  const folder = path.join(VAULTS, build);
  const answers: Record<string, object> = JSON.parse(readFileSync(path.join(folder, 'answers.json'), 'utf8'));
  let server: ServerProcess;
  let token: string;
  beforeAll(async () => {
    cpSync(path.join(folder, 'vault'), sandbox.vault, { recursive: true });
    server = await sandbox.serve([], { BRAIN_DEVICE: 'old1', BRAIN_WATCH: 'off' });
    token = (await sandbox.run(['token', 'show'])).stdout.trim();
  });
  afterAll(() => sandbox.remove());

  async function ask(at: string, body?: object): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(server.url + at, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
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

  it('goes on with what was done: the last undo is taken back, and the rejected note returns', async () => {
    const { answer } = await ask('/undo');
    const { undos }: { undos: { undo: string }[] } = JSON.parse(JSON.stringify(answer));
    expect(await ask('/undo/back', { undo: undos[0]?.undo })).toMatchObject({ status: 200 });
    expect(await ask('/note?path=wiki/net/facts/bad-one.md')).toMatchObject({ status: 200 });
    const [rejected] = readdirSync(path.join(folder, 'vault/raw/rejected'));
    expect(await ask('/restore', { path: `raw/rejected/${rejected ?? ''}` })).toMatchObject({ status: 200 });
  });
});
