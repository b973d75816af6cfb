import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { isRecord } from '../../../src/core/base/json';
import { FIRST_GUIDANCE } from '../../../src/core/notes/guidance';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { pageOf, pdfWithPages } from '../../support/made-pdf';
import { shownText, shownValue } from '../../support/mcp-answer';

/** Front matter with a time, so that the latest notes are the same in every run. */
const on = (day: number, more = '') => `---\ncreated_at: 2026-11-0${day}T08:00:00Z\n${more}---\n`;

/**
 * A scripted agent does ten jobs with nothing but the list of tools, the instructions, and what answers and errors say: every
 * path, hash and wing that it sends stood in an answer before, or in the task of its user.
 */
const FILES = {
  'AGENTS.md': FIRST_GUIDANCE,
  'wiki/homelab/facts/wireguard-mtu.md':
    on(1) +
    '# The MTU of the tunnel\n\nWireGuard wants an MTU of 1420, because the uplink adds 80 bytes of headers.\n',
  'wiki/homelab/facts/dns.md':
    on(2, 'origin: mcp\nwritten_by: laptop\n') + '# DNS\n\nUnbound answers at 10.0.0.1.\n',
  'wiki/household/facts/dns.md': on(3) + '# Names at home\n\nPi-hole blocks advertisements.\n',
  'wiki/household/decisions/oven.md':
    on(4) + '# The oven\n\nWe bought the small one, because the kitchen is narrow.\n',
};

type Members = Record<string, unknown>;

interface Turn {
  readonly text: string;
  readonly value: Members;
  readonly error: Members | null;
}

let server: LiveServer;
let client: Client;
const transcript: string[] = [];
const costs = new Map<string, number>();
let job = '';

beforeAll(async () => {
  server = await startLiveServer(FILES, {}, async (root) => {
    await mkdir(join(root, 'inbox'), { recursive: true });
    const lines = ['Report on the heat pump', 'The pump draws 1.2 kW at minus five degrees.'];
    await writeFile(join(root, 'inbox', 'report.pdf'), pdfWithPages([pageOf(lines)]));
  });
  client = await server.mcp('laptop');
});
afterAll(() => server.stop());

/** Replaces what differs from run to run. */
function settled(text: string): string {
  return (
    text
      .replace(/\b[0-9a-f]{64}\b/g, '<hash>')
      .replace(/history\/[0-9a-f]{2}\//g, 'history/<aa>/')
      .replace(/\d{4}-\d{2}-\d{2}T[\d:]+Z/g, '<time>')
      .replace(/\b\d{4}-\d{2}-\d{2}\b/g, '<date>')
      .replace(/-[0-9a-f]{8}\b/g, '-<hash8>')
      .replace(/"request_id":"[^"]*"/g, '"request_id":"<id>"')
      .replace(/"score":[\d.]+/g, '"score":<score>')
      .replace(/"bytes":\d+/g, '"bytes":<bytes>')
      // In a table: a hash that looks like a number is longer by its quotation marks.
      .replace(/,\d{3}(?=\]|,"<hash>")/g, ',<bytes>')
  );
}

async function call(name: string, args: Members = {}): Promise<Turn> {
  const result = await client.callTool({ name, arguments: args });
  const text = shownText(result);
  const sent = JSON.stringify({ name, arguments: args });
  transcript.push(`> ${settled(sent)}\n${settled(text)}`);
  costs.set(job, (costs.get(job) ?? 0) + encode(sent).length + encode(text).length);
  const parsed: unknown = result.isError === true ? JSON.parse(text) : null;
  const error = isRecord(parsed) && isRecord(parsed.error) ? parsed.error : null;
  return { text, value: shownValue(result), error };
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`no text: ${JSON.stringify(value)}`);
  return value;
}

function rows(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function detailsOf({ error }: Turn): Members {
  return isRecord(error?.details) ? error.details : {};
}

/** One job of the agent; its turns are recorded under its name. */
function does(name: string, work: () => Promise<void>): void {
  it(name, async () => {
    job = name;
    transcript.push(`## ${name}`);
    await work();
  });
}

does('learns what it can do, and how this vault is used', async () => {
  const { tools } = await client.listTools();
  const listed = encode(JSON.stringify({ tools })).length;
  costs.set('tools/list', listed);
  expect(listed).toBeLessThanOrEqual(2600);
  const instructions = client.getInstructions() ?? '';
  costs.set('instructions', encode(instructions).length);
  const [first = ''] = /brain_\w+/.exec(instructions) ?? [];
  expect(tools.map((tool) => tool.name)).toContain(first);
  expect((await call(first)).text).toContain('# How to use this vault');
});

does('finds a note', async () => {
  const { value } = await call('brain_query', { query: 'mtu of the wireguard tunnel' });
  const [hit] = rows(value.results);
  expect(hit?.path).toBe('wiki/homelab/facts/wireguard-mtu.md');
});

does('reads a note by its title', async () => {
  const { value } = await call('brain_get', { path: 'the MTU of the tunnel' });
  expect(value.path).toBe('wiki/homelab/facts/wireguard-mtu.md');
});

does('writes into the right wing, after a wrong one', async () => {
  const tried = await call('brain_query', { query: 'switch', wing: 'homelabs' });
  const warning = textOf((tried.value.warnings as unknown[])[0]);
  const [, nearest = ''] = /Wings: ([\w-]+)/.exec(warning) ?? [];
  const { value } = await call('brain_write', {
    wing: nearest,
    hall: 'facts',
    content: '# Switch\n\nThe switch has eight ports. See [[wiki/homelab/facts/wireguard-mtu]].',
  });
  expect(value.path).toBe('wiki/homelab/facts/switch.md');
  expect(value).not.toHaveProperty('unlinked');
  expect(value).not.toHaveProperty('warnings');
});

does('corrects its own note in the queue', async () => {
  const { value } = await call('brain_ingest', { text: '# Fan\n\nThe fan is loud at 40 %.', title: 'Fan' });
  const [page] = rows(value.pages);
  const read = await call('brain_get', { path: page?.path });
  const revised = await call('brain_update', {
    path: read.value.path,
    content: '# Fan\n\nThe fan is loud at 60 %.',
    reason: 'misread the gauge',
    expected_hash: read.value.content_hash,
  });
  expect(revised.error).toBeNull();
  const { value: queue } = await call('brain_pending');
  expect(rows(queue.pending)).toMatchObject([{ previous_hash: read.value.content_hash }]);
});

does('supersedes a note, after somebody else was faster', async () => {
  const { value: read } = await call('brain_get', { path: '[[wireguard-mtu]]' });
  const faster = await server.http('POST', '/update', {
    path: read.path,
    content: '# The MTU of the tunnel\n\n1400.',
    reason: 'r',
  });
  expect(faster.status).toBe(200);
  const change = {
    path: read.path,
    content: '# The MTU of the tunnel\n\n1412, measured.',
    reason: 'measured again',
  };
  const late = await call('brain_update', { ...change, expected_hash: read.content_hash });
  expect(late.error).toMatchObject({ code: 'hash_mismatch', message: expect.stringContaining('brain_get') });
  const { value: now } = await call('brain_get', { path: read.path });
  const done = await call('brain_update', { ...change, expected_hash: now.content_hash });
  expect(done.error).toBeNull();
  const { value: past } = await call('brain_history', { path: read.path });
  expect(rows(past.versions)).toMatchObject([{}, { hash: now.content_hash }, {}]);
});

does('ingests a PDF', async () => {
  const { value } = await call('brain_ingest', { path: 'inbox/report.pdf' });
  const [page] = rows(value.pages);
  const { text } = await call('brain_get', { path: page?.path });
  expect(text).toContain('draws 1.2 kW');
});

does('answers a question', async () => {
  const { value } = await call('brain_answer', { query: 'Why the small oven in the kitchen?' });
  expect(value).toMatchObject({ abstained: false });
  expect(rows(value.citations)[0]?.path).toBe('wiki/household/decisions/oven.md');
});

does('recovers from a name of two notes, of none, and from a taken one', async () => {
  const two = await call('brain_get', { path: 'dns' });
  expect(two.error?.code).toBe('ambiguous');
  const [candidate] = rows(detailsOf(two).candidates);
  expect((await call('brain_get', { path: candidate?.path })).value.title).toBe('DNS');

  const none = await call('brain_get', { path: 'wiki/household/decisions/ovens.md' });
  expect(none.error?.code).toBe('note_not_found');
  const [nearest] = rows(detailsOf(none).nearest);
  expect((await call('brain_get', { path: nearest?.path })).value.title).toBe('The oven');

  const note = {
    wing: 'homelab',
    hall: 'facts',
    slug: 'dns',
    content: '# DNS\n\nUnbound answers at 10.0.0.2.',
  };
  const taken = await call('brain_write', note);
  expect(taken.error).toMatchObject({
    code: 'note_exists',
    message: expect.stringContaining('brain_update'),
  });
  const { path, content_hash } = detailsOf(taken);
  const update = { path, content: note.content, reason: 'moved', expected_hash: content_hash };
  expect((await call('brain_update', update)).error).toBeNull();
});

does('recovers from wrong fields, and from what it may not do', async () => {
  const hall = await call('brain_write', {
    wing: 'homelab',
    hall: 'fact',
    content: '# Rack\n\nTwelve units.',
  });
  expect(hall.error?.code).toBe('invalid_hall');
  const [allowed] = (detailsOf(hall).allowed as string[]).filter((each) => each.startsWith('fact'));
  const field = await call('brain_write', {
    wing: 'homelab',
    hall: allowed,
    body: '# Rack\n\nTwelve units.',
  });
  expect(field.error?.code).toBe('unknown_field');
  expect(detailsOf(field).allowed).toContain('content');
  const written = await call('brain_write', {
    wing: 'homelab',
    hall: allowed,
    content: '# Rack\n\nTwelve units.',
  });
  expect(written.value.path).toBe('wiki/homelab/facts/rack.md');
  const review = await call('brain_promote', { path: 'raw/x.md', wing: 'homelab', hall: 'facts' });
  expect(review.error).toMatchObject({
    code: 'forbidden_scope',
    message: expect.stringContaining('brain_promote'),
  });
});

it('leaves this transcript, at this cost', () => {
  const lines = [...costs].map(([name, tokens]) => `${name}: ${tokens} tokens`);
  const total = [...costs.values()].reduce((sum, tokens) => sum + tokens, 0);
  process.stdout.write(`${lines.join('\n')}\nin all: ${total} tokens\n`);
  expect(total).toBeLessThan(12_000);
  expect(transcript.join('\n\n')).toMatchSnapshot();
});
