import { brainCommand } from '../../support/command-line';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { type ScriptedModelServer, startScriptedModelServer } from '../../support/scripted-model-server';

const MTU = 'wiki/homelab/facts/wireguard-mtu.md';
const FILES = {
  [MTU]:
    '---\ncreated_at: 2026-10-01T00:00:00Z\norigin: mcp\nwritten_by: laptop\n---\n# WireGuard\u001b[31m MTU\n\nThe tunnel needs an MTU\nof 1380 bytes.\n',
  // The older of the two: a model is shown the newer note first.
  'wiki/homelab/facts/dns.md':
    '---\ncreated_at: 2026-09-01T00:00:00Z\norigin: mcp\nwritten_by: laptop\n---\n# DNS over the tunnel\n\nNames are asked at 10.0.0.1.\n',
};

let models: ScriptedModelServer;
let server: LiveServer;
beforeAll(async () => {
  models = await startScriptedModelServer();
  server = await startLiveServer(FILES, { llmUrl: models.ollamaUrl, llmModel: 'qwen3' });
});
afterAll(async () => {
  await server.stop();
  await models.close();
});

const brain = (...args: string[]) =>
  brainCommand(args, { env: { BRAIN_URL: server.url, BRAIN_TOKEN: 'owner' } });

const says = (answer: string, quote: string, sufficient = true) =>
  models.script(({ user }) => {
    const n = Number(/^BEGIN (\d+) \w+\nnote: WireGuard/m.exec(user)?.[1]);
    return { say: { sufficient, answer: answer.replace('N', String(n)), citations: [{ n, quote }] } };
  });

it('prints the answer, its sources with their quotes, and what else may help', async () => {
  says('It needs 1380 bytes [N].', 'The tunnel needs an MTU of 1380 bytes.');
  expect(await brain('answer', 'which', 'MTU', 'does the tunnel need?')).toEqual({
    code: 0,
    err: '',
    out: `It needs 1380 bytes [1].

[1] WireGuard[31m MTU
    ${MTU}
    "The tunnel needs an MTU of 1380 bytes."
    2026-10-01 · by laptop via mcp

See also:
  wiki/homelab/facts/dns.md  DNS over the tunnel
`,
  });
});

it('says that the notes do not cover it, never that it is not so', async () => {
  says('', '', false);
  expect((await brain('answer', 'tunnel')).out).toBe(
    `The notes do not cover this: the notes that come nearest say too little of it.

Nearest notes:
  wiki/homelab/facts/dns.md  DNS over the tunnel
  ${MTU}  WireGuard[31m MTU
`,
  );
  expect((await brain('answer', 'zeppelin')).out).toBe(
    'The notes do not cover this: no note holds any of these words.\nNo note holds "zeppelin".\n',
  );
});

it('files the answer for review', async () => {
  says('It needs 1380 bytes [N].', 'The tunnel needs an MTU of 1380 bytes.');
  const { code, out } = await brain('answer', 'which MTU?', '--file');
  expect(code).toBe(0);
  expect(out).toMatch(/\n\nFiled raw\/\d{4}-\d\d-\d\d-which-mtu\.md\n$/);
});

it('files nothing when there is no answer, and says so', async () => {
  const { code, err } = await brain('answer', 'zeppelin', '--file');
  expect([code, err]).toEqual([1, 'brain: The notes do not cover this, so nothing was filed.\n']);
});

it("prints the service's JSON", async () => {
  models.script({ status: 500 });
  const { out } = await brain('answer', 'mtu of the tunnel', '--limit', '3', '--wing', 'homelab', '--json');
  expect(JSON.parse(out)).toMatchObject({ mode: 'extractive', citations: [{ path: MTU }] });
  const { out: told } = await brain('answer', 'mtu of the tunnel');
  expect(told).toMatch(/^\[1\] The tunnel needs an MTU\nof 1380 bytes\.\n/);
  expect(told).toMatch(/\nwarning: The language model at 127\.0\.0\.1:\d+ answered HTTP 500; /);
});
