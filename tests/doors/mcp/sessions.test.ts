import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { FIRST_GUIDANCE } from '../../../src/core/notes/guidance';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { shownText, shownValue } from '../../support/mcp-answer';
import { connectStateless } from './stateless-support';

type Members = Record<string, unknown>;

const LOG = 'wiki/homelab/facts/log.md';
const day = (daysAgo: number): string =>
  `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 19)}Z`;
const by = (daysAgo: number, more = ''): string =>
  `---\ncreated_at: ${day(daysAgo)}\norigin: mcp\nwritten_by: laptop\n${more}---\n`;
const FILES = {
  'AGENTS.md': FIRST_GUIDANCE,
  [LOG]: `${by(30)}# Log of the server\n\n${Array.from({ length: 1000 }, (_, at) => `- ${at}: the switch was restarted, all ports came back, nobody noticed it\n`).join('')}`,
  'wiki/homelab/facts/uplink.md': `${by(9)}# Uplink\n\nThe uplink of the lab is a fibre of 1 Gbit/s from Telenet.\n`,
  'wiki/homelab/failures/dhcp.md': `${by(20)}# Two DHCP servers\n\nClients got no address, because the old router answered DHCP too. Its DHCP server is off now.\n`,
  'wiki/household/facts/salary.md': `${by(5)}# Salary\n\nThe salary of the owner is paid on the 25th.\n`,
};

/** What a client of either SDK has. */
interface AnyClient {
  callTool(call: { readonly name: string; readonly arguments: Members }): Promise<Members>;
  close(): Promise<void>;
}

/** What the sessions of an era cost. */
const costs: string[] = [];
afterAll(() => process.stdout.write(`${costs.join('\n')}\n`));

describe.each([
  ['2025-11-25', (server: LiveServer, token: string): Promise<AnyClient> => server.mcp(token)],
  [
    '2026-07-28',
    (server: LiveServer, token: string): Promise<AnyClient> => connectStateless(server.url, token),
  ],
])('an agent that has nothing but the tools, in revision %s', (era, connect) => {
  let server: LiveServer;
  const clients = new Map<string, AnyClient>();
  let calls = 0;
  let tokens = 0;

  beforeAll(async () => {
    server = await startLiveServer(FILES);
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await server.stop();
  });
  beforeEach(() => {
    calls = 0;
    tokens = 0;
  });
  afterEach(() => {
    const session = expect.getState().currentTestName?.split(`${era} `)[1]?.split(':')[0] ?? '';
    costs.push(`${era}  ${session}: ${calls} calls, ${tokens} tokens`);
  });

  /** Calls a tool, and counts what it is asked and all that it answers. */
  async function ask(token: string, name: string, args: Members, failed = false) {
    const client = clients.get(token) ?? (await connect(server, token));
    clients.set(token, client);
    const result = await client.callTool({ name, arguments: args });
    const text = shownText(result);
    const parts =
      result.structuredContent === undefined ? 0 : encode(JSON.stringify(result.structuredContent)).length;
    const answered = encode(text).length + parts;
    calls += 1;
    tokens += encode(JSON.stringify(args)).length + answered;
    expect({ name, text, failed: result.isError === true }).toEqual({ name, text, failed });
    return { text, answered, value: shownValue(result) };
  }

  it('coding: stores what was decided and what failed, and finds both', async () => {
    await ask('laptop', 'brain_write', {
      wing: 'shop',
      hall: 'decisions',
      content:
        '# Queue of the shop\n\nOrders go through Postgres SKIP LOCKED, not Redis, so that one backup holds all.',
    });
    await ask('laptop', 'brain_write', {
      wing: 'shop',
      hall: 'failures',
      content:
        '# Vacuum of the orders\n\nThe table of orders bloated to 40 GB until autovacuum ran every minute.',
    });
    const { text } = await ask('laptop', 'brain_query', { query: 'orders queue vacuum', wing: 'shop' });
    expect(text).toContain('SKIP LOCKED');
    expect(text).toContain('autovacuum ran every minute');
  });

  it('preferences: keeps one, and corrects it by a word', async () => {
    const { value } = await ask('laptop', 'brain_write', {
      wing: 'owner',
      hall: 'facts',
      content: '# Indentation\n\nThe owner indents Go code with two blanks.',
    });
    const { answered } = await ask('laptop', 'brain_edit', {
      path: value.path,
      replace: { old: 'two blanks', new: 'tabs' },
      reason: 'the owner said so',
    });
    expect(answered).toBeLessThanOrEqual(120);
    const { text } = await ask('laptop', 'brain_query', { query: 'indent Go code' });
    expect(text).toContain('Go code with tabs');
    expect(text).not.toContain('two blanks');
  });

  it('research: takes in a text, which waits, and is told that it waits', async () => {
    await ask('laptop', 'brain_ingest', {
      text: '# Heat pumps\n\nA monobloc pump with propane reaches a coefficient of 4.6 at seven degrees.',
      title: 'Heat pumps',
      source: 'https://example.org/pumps',
    });
    const { text } = await ask('laptop', 'brain_query', { query: 'monobloc propane coefficient' });
    expect(text).toContain('"waiting":1');
  });

  it('meeting: adds a line to a log of 80 kB', async () => {
    const { answered } = await ask('laptop', 'brain_edit', {
      path: LOG,
      append: '- 1000: the team met, and moves the switch on Friday',
    });
    expect(answered).toBeLessThanOrEqual(150);
    const { text } = await ask('laptop', 'brain_query', { query: 'when does the team move the switch' });
    expect(text).toContain('moves the switch on Friday');
  });

  it('incident: finds how it was mended before, with the quote', async () => {
    const { text } = await ask('reader', 'brain_answer', {
      query: 'Why do clients get no address from DHCP?',
    });
    expect(text).toContain('the old router answered DHCP too');
    expect(text).toContain('wiki/homelab/failures/dhcp.md');
  });

  it('handover: leaves a summary, which another agent reads first', async () => {
    await ask('laptop', 'brain_log_session', {
      skill: 'shop-migration',
      status: 'pass',
      summary: 'Moved the orders of the shop to the new queue; the invoices come next.',
    });
    const { text } = await ask('curator', 'brain_context', { task: 'migrate the shop' });
    expect(text).toContain('the invoices come next');
  });

  it('quarantine: learns why its proposal was rejected, cannot send it again, and takes another back', async () => {
    const wrong = { wing: 'homelab', hall: 'facts', content: '# NAS\n\nThe NAS has nine disks.' };
    const { value } = await ask('proposer', 'brain_write', wrong);
    const { status } = await server.http(
      'POST',
      '/reject',
      { path: value.path, reason: 'It has six.' },
      'ada',
    );
    expect(status).toBe(200);
    const { text: again } = await ask('proposer', 'brain_write', wrong, true);
    expect(again).toContain('rejected_before');
    expect(again).toContain('It has six.');
    const { value: second } = await ask('proposer', 'brain_write', {
      ...wrong,
      content: '# Rack\n\nThe rack is 19 inches wide.',
    });
    await ask('proposer', 'brain_withdraw', { path: second.path });
    const { text } = await ask('proposer', 'brain_pending', { mine: true });
    expect(text).toContain('It has six.');
    expect(text).toMatch(/withdrawn/);
  });

  it('read paths: sees its wing, and nothing of another', async () => {
    const { text } = await ask('intern', 'brain_query', { query: 'salary uplink' });
    expect(text).toContain('Telenet');
    const { text: context } = await ask('intern', 'brain_context', {});
    for (const each of [text, context]) expect(each).not.toMatch(/25th|household/);
  });

  it('contradiction: sees which of two claims a person has confirmed', async () => {
    const { value } = await ask('laptop', 'brain_write', {
      wing: 'homelab',
      hall: 'facts',
      content: '# Port of the printer\n\nThe printer listens on port 9100.',
    });
    await server.http('POST', '/confirm', { path: value.path }, 'ada');
    await ask('curator', 'brain_write', {
      wing: 'homelab',
      hall: 'facts',
      slug: 'printer-port',
      content: '# Printer\n\nThe printer listens on port 631, and not on port 9100.',
    });
    const { text } = await ask('reader', 'brain_query', { query: 'port of the printer' });
    const [confirmed = '', other = ''] = [/^.*port-of-the-printer.*$/m, /^.*printer-port.*$/m].map(
      (line) => line.exec(text)?.[0],
    );
    expect(confirmed).toMatch(/verified|confirmed/);
    expect(other).not.toMatch(/verified|confirmed/);
  });

  it('asks what changed since yesterday, in one call', async () => {
    const { text } = await ask('laptop', 'brain_query', { since: day(1) });
    for (const title of ['Port of the printer', 'Indentation', 'Queue of the shop', 'Log of the server'])
      expect(text).toContain(title);
    expect(text).not.toContain('Uplink');
  });

  it('resumes a task in one call of at most 2,000 tokens', async () => {
    const { text, answered } = await ask('laptop', 'brain_context', {
      task: 'queue of the orders',
      wing: 'shop',
    });
    expect(answered).toBeLessThanOrEqual(2_000);
    for (const fact of ['SKIP LOCKED', 'autovacuum ran every minute', 'the invoices come next'])
      expect(text).toContain(fact);
  });

  it('forgets when it is told to: the owner is asked', async () => {
    const path = 'wiki/homelab/facts/uplink.md';
    await ask('laptop', 'brain_forget', { path, reason: 'The user asked.' });
    const { body } = await server.http('GET', '/pending', undefined, 'ada');
    expect(JSON.stringify(body)).toContain('"kind":"forget"');
  });
});
