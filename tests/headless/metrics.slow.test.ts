import { Sandbox } from './brain-process';
import { parseExposition } from './server/exposition';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

it('counts what is written by the built server, and the notes that it holds', async () => {
  const server = await sandbox.serve([], { BRAIN_METRICS: 'on' });
  const env = { BRAIN_URL: server.url };
  const token = (await sandbox.run(['token', 'add', 'prometheus', '--scopes', 'admin'])).stdout.trim();
  const valueOf = async (metric: string, label?: string): Promise<number | undefined> => {
    const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const { samples = [] } = parseExposition(await answer.text()).get(metric) ?? {};
    return samples.find(({ labels }) => label === undefined || Object.values(labels).includes(label))?.value;
  };
  const before = (await valueOf('brain_writes_total')) ?? NaN;
  const written = await sandbox.run(['write', 'a', 'facts', 'fan'], { env, input: '# Fan\n\nIt rattles.' });
  expect(written.code).toBe(0);
  expect(await valueOf('brain_writes_total')).toBeGreaterThan(before);
  expect(await valueOf('brain_notes', 'wiki')).toBe(1);
  expect(await valueOf('brain_catalog_ready')).toBe(1);
  expect(await valueOf('brain_writer_queue')).toBe(0);
  expect((await server.stop()).code).toBe(0);
});

it('is an unknown path by default', async () => {
  const server = await sandbox.serve();
  const token = (await sandbox.run(['token', 'show'])).stdout.trim();
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(404);
  await server.stop();
});
