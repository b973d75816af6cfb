import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { isRecord } from '../../../src/core/base/json';
import { TOOLS } from '../../../src/doors/mcp/tools';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { shownText, shownValue } from '../../support/mcp-answer';

type Members = Record<string, unknown>;

const note = (at: number) =>
  `---\ncreated_at: 2026-11-01T08:00:00Z\norigin: mcp\nwritten_by: laptop\nwing: homelab\nhall: facts\n---\n# The MTU of tunnel ${at}\n\nWireGuard wants an MTU of 1420 on link ${at}, because the uplink adds 80 bytes of headers.\n`;
const LOG = 'wiki/homelab/facts/log.md';
const OWN = 'raw/2026-11-03-own.md';
const FILES = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`wiki/homelab/facts/tunnel-mtu-${at}.md`, note(at)]),
  ),
  [LOG]: `# Log of the server\n\n${Array.from({ length: 1000 }, (_, at) => `- ${at}: the switch was restarted, all ports came back, nobody noticed it\n`).join('')}`,
  'raw/2026-11-01-fan.md': '# Fan\n\nThe fan is loud at 40 %.\n',
  [OWN]: '---\nwritten_by: owner\n---\n# Own\n\nThe valve leaks.\n',
  'raw/2026-11-02-pump.md': '# Pump\n\nThe pump draws 1.2 kW.\n',
};

let server: LiveServer;
let client: Client;
beforeEach(async () => {
  server = await startLiveServer(FILES);
  client = await server.mcp('owner');
});
afterEach(() => server.stop());

const tokens = (value: unknown): number =>
  encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

/** Calls a tool; the cost of its answer counts every part, since some clients show all of them. */
async function call(name: string, args: Members) {
  const result = await client.callTool({ name, arguments: args });
  const text = shownText(result);
  const parts = isRecord(result.structuredContent) ? tokens(result.structuredContent) : 0;
  const [asked, answered] = [tokens(args), tokens(text) + parts];
  process.stdout.write(`${name}: ${asked} tokens asked, ${answered} answered\n`);
  expect({ name, failed: result.isError === true }).toEqual({ name, failed: false });
  return { text, asked, answered, value: shownValue(result), structured: result.structuredContent };
}

const FACT = {
  wing: 'homelab',
  hall: 'facts',
  content: '# Subnet of the lab\n\nThe lab uses 10.3.0.0/16, routed over the uplink.',
};

describe('scripted sessions cost few tokens, question and answer', () => {
  it('stores a fact: one call', async () => {
    const { asked, answered, value } = await call('brain_write', FACT);
    expect(asked + answered).toBeLessThanOrEqual(120);
    expect(Object.keys(value)).toEqual(['path', 'content_hash']);
  });

  it('corrects a word: one call', async () => {
    const path = 'wiki/homelab/facts/tunnel-mtu-3.md';
    const { asked, answered } = await call('brain_edit', { path, replace: { old: '1420', new: '1412' } });
    expect(asked + answered).toBeLessThanOrEqual(120);
  });

  it('appends to a log of 80 kB: one call', async () => {
    const append = '- 1000: the switch was replaced by one with sixteen ports';
    const { asked, answered } = await call('brain_edit', { path: LOG, append });
    expect(asked + answered).toBeLessThanOrEqual(150);
  });
});

/** A call of each tool that changes something. */
const CHANGES: readonly [string, Members][] = [
  [
    'brain_write',
    { ...FACT, content: '# Tunnel\n\nWireGuard wants an MTU of 1412 on the link to the uplink.' },
  ],
  ['brain_update', { path: 'wiki/homelab/facts/tunnel-mtu-1.md', content: note(1), reason: 'measured' }],
  ['brain_edit', { path: 'wiki/homelab/facts/tunnel-mtu-2.md', append: 'Measured again.' }],
  ['capture', { text: 'The user wakes up early.' }],
  ['brain_promote', { path: 'raw/2026-11-01-fan.md', wing: 'homelab', hall: 'facts' }],
  ['brain_withdraw', { path: OWN, reason: 'wrong' }],
  ['brain_reject', { path: 'raw/2026-11-02-pump.md', reason: 'wrong' }],
  ['brain_forget', { path: 'wiki/homelab/facts/tunnel-mtu-4.md', reason: 'asked' }],
  ['brain_log_session', { skill: 'tests', status: 'pass', summary: 'All passed.' }],
  ['brain_index', {}],
  ['brain_edit_root', { content: '# Root\n\nWrite in English.', reason: 'asked' }],
  ['brain_ingest', { text: '# Oven\n\nThe oven is small.', title: 'Oven' }],
];

it('every change over MCP answers in at most 120 tokens', async () => {
  for (const [name, args] of CHANGES) {
    const { answered, structured } = await call(name, args);
    expect({ name, isShort: answered <= 120, structured }).toEqual({ name, isShort: true });
  }
  const tried = CHANGES.map(([name]) => name);
  const changing = TOOLS.filter(({ operation }) => operation.mutates).map(({ name }) => name);
  expect(changing.filter((name) => !tried.includes(name))).toEqual([]);
});

it('what needs telling is told: similar notes, links to nothing, a lost text', async () => {
  const written = await call('brain_write', {
    ...FACT,
    content: '# Tunnel\n\nWireGuard wants an MTU of 1412 on link 3: see [[tunnel-mtu-3]] and [[nothing]].',
  });
  expect(written.value.unlinked).toEqual(['nothing']);
  const path = 'wiki/homelab/facts/tunnel-mtu-5.md';
  const lost = await call('brain_update', { path, content: 'Gone.', reason: 'r' });
  expect(lost.value).toMatchObject({
    warnings: expect.arrayContaining([expect.stringContaining('supersedes')]),
    supersedes: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const again = await call('brain_write', FACT).then(() => call('brain_write', FACT));
  expect(again.value).toMatchObject({ unchanged: true });
});

/** The members that words say in another form. */
const IN_WORDS = new Set([
  ...['date', 'updated_at', 'reviewed', 'edited_since', 'changed_since_review', 'verified', 'stale'],
]);

/** Yields the values of an answer that a reader has to find, without those that a tool leaves out. */
function* values(
  answer: unknown,
  leftOut: readonly string[],
  all: Readonly<Record<string, readonly string[]>>,
): Generator<string> {
  if (typeof answer === 'string' || typeof answer === 'number') yield String(answer);
  if (Array.isArray(answer)) for (const each of answer) yield* values(each, leftOut, all);
  if (!isRecord(answer)) return;
  for (const [name, value] of Object.entries(answer))
    if (!leftOut.includes(name) && !IN_WORDS.has(name)) yield* values(value, all[name] ?? [], all);
}

/** A call of each tool that reads. */
const READS: readonly [string, Members][] = [
  ['brain_query', { query: 'mtu tunnel' }],
  ['brain_query', { query: 'nothing of this stands anywhere' }],
  ['brain_answer', { query: 'Which MTU does WireGuard want?' }],
  ['brain_answer', { query: 'Who painted the ceiling?' }],
  ['brain_get', { path: 'wiki/homelab/facts/tunnel-mtu-3.md' }],
  ['brain_get', { path: 'raw/2026-11-01-fan.md' }],
  ['brain_history', { path: 'wiki/homelab/facts/tunnel-mtu-3.md' }],
  ['brain_pending', {}],
  ['brain_pending', { mine: true }],
  ['brain_overview', {}],
];

it.each(READS)('the text of %s %j says what its JSON says, in fewer tokens', async (name, args) => {
  const tool = TOOLS.find((each) => each.name === name);
  const path = 'wiki/homelab/facts/tunnel-mtu-3.md';
  await call('brain_edit', { path, append: 'Measured again.' });
  const { text, structured } = await call(name, args);
  const leftOut = tool?.leftOut ?? {};
  const said = text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
  const unsaid = [...values(structured, leftOut[''] ?? [], leftOut)].filter((value) => !said.includes(value));
  expect(unsaid).toEqual([]);
  // The line that marks note content as data is no part of the answer.
  const marks = text.startsWith('Note content below') ? tokens(text.split('\n')[0] ?? '') : 0;
  expect(tokens(text) - marks).toBeLessThanOrEqual(tokens(structured));
});

it('a text that is an old version says so in its first line, with the note as it is now', async () => {
  const path = 'wiki/homelab/facts/tunnel-mtu-3.md';
  const { value } = await call('brain_get', { path });
  await call('brain_edit', { path, append: 'Measured again.' });
  const old = await call('brain_get', { hash: value.content_hash });
  expect(old.text.split('\n')[0]).toMatch(new RegExp(`old version, superseded by ${path}$`));
  const now = await call('brain_get', { path });
  expect(now.text.split('\n')[0]).not.toContain('old version');
});

it('a vault without a root note lists none', async () => {
  const uris = async () => (await client.listResources()).resources.map(({ uri }) => uri);
  expect(await uris()).not.toContain('brain://root');
  await call('brain_edit_root', { content: '# Root\n\nWrite in English.', reason: 'asked' });
  expect(await uris()).toContain('brain://root');
});

it('a tool whose answer has structured content declares it', () => {
  for (const { operation, listing, say } of TOOLS)
    expect({ name: listing.name, outline: listing.outputSchema !== undefined }).toEqual({
      name: listing.name,
      outline: !operation.mutates && say === undefined,
    });
});
