import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { type Posted, post, request } from './stateless-support';

const FILES = {
  'AGENTS.md': '# How we work\n\nSearch first.\n',
  'wiki/homelab/decisions/raid.md': '# RAID\n\nWe take raidz2 for the NAS.\n',
  'wiki/kitchen/facts/oven.md': '# Oven\n\nThe oven is small.\n',
};

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer(FILES);
});
afterAll(() => server.stop());

const ERAS = ['2025-11-25', '2026-07-28'] as const;

async function ask(
  era: (typeof ERAS)[number],
  method: string,
  params: Record<string, unknown>,
  token = 'laptop',
) {
  const sent =
    era === '2026-07-28' ? request(method, params) : { body: { jsonrpc: '2.0', id: 1, method, params } };
  const { messages }: Posted = await post(server.url, sent, { Authorization: `Bearer ${token}` });
  const { result, error } = Object(messages[0]);
  return { result: Object(result), error: Object(error) };
}

async function text(
  era: (typeof ERAS)[number],
  params: Record<string, unknown>,
  token?: string,
): Promise<string> {
  const { result, error } = await ask(era, 'prompts/get', params, token);
  expect(error).toEqual({});
  const { messages } = result;
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.any(String) } }]);
  return messages[0].content.text;
}

describe.each(ERAS)('prompts in %s', (era) => {
  it.each([
    ['laptop', ['resume', 'remember']],
    ['reader', ['resume']],
    ['proposer', ['resume', 'remember']],
    ['dropbox', ['remember']],
  ])('are listed for %s as far as it can use them', async (token, names) => {
    const { prompts } = (await ask(era, 'prompts/list', {}, token)).result;
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(names);
    for (const each of prompts)
      expect(each).toEqual({
        name: each.name,
        title: expect.any(String),
        description: expect.any(String),
        arguments: expect.arrayContaining([
          { name: expect.any(String), description: expect.any(String), required: false },
        ]),
      });
  });

  it('resume a task with what is known of it', async () => {
    const said = await text(era, { name: 'resume', arguments: { task: 'the NAS', wing: 'homelab' } });
    expect(said).toContain('- wiki/homelab/decisions/raid.md');
    expect(said).toContain('> Search first.');
    expect(said).toMatch(/Go on from here: .*$/);
    expect(said).not.toContain('oven');
    expect(await text(era, { name: 'resume', arguments: { task: '', wing: ' ' } })).toContain('oven');
    expect(await text(era, { name: 'resume' })).toContain('oven');
  });

  it('remember in the words of the tools that the token may call', async () => {
    const [laptop, dropbox] = [
      await text(era, { name: 'remember', arguments: { topic: 'the NAS' } }),
      await text(era, { name: 'remember' }, 'dropbox'),
    ];
    expect(laptop).toContain('about "the NAS"');
    for (const tool of ['brain_query', 'brain_edit', 'brain_write', 'capture'])
      expect(laptop).toContain(tool);
    expect(dropbox).not.toMatch(/brain_query|brain_edit/);
  });

  it.each([
    [{ name: 'forget' }, /^Unknown prompt/],
    [{ name: 'toString' }, /^Unknown prompt/],
    [{ name: 'resume', arguments: { topic: 'x' } }, /takes task and wing/],
    [{ name: 'resume', arguments: { toString: 'x' } }, /takes task and wing/],
    [{ name: 'resume', arguments: { task: 7 } }, /must be strings/],
    [{ name: 'resume', arguments: { wing: '..' } }, /wing/],
    [{}, /^Invalid params/],
  ])('refuse %j', async (params, message) => {
    const { error } = await ask(era, 'prompts/get', params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  it.each(['task', 'wing', 'none'])('complete %s with nothing', async (name) => {
    const params = { ref: { type: 'ref/prompt', name: 'resume' }, argument: { name, value: 'h' } };
    const { result, error } = await ask(era, 'completion/complete', params);
    expect(error).toEqual({});
    expect(result).toMatchObject({ completion: { values: [], total: 0, hasMore: false } });
  });

  it('refuse a prompt that the token cannot use as one that there is not', async () => {
    const { error } = await ask(era, 'prompts/get', { name: 'resume' }, 'dropbox');
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown prompt/) });
  });
});

it('leave a line for each that was asked for, with the notes that were read', async () => {
  const folder = join(server.root, '.brain', 'audit-resources');
  const read = async () => {
    const names = await readdir(folder);
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.join('').split('\n').filter(Boolean);
  };
  const before = (await read()).length;
  await text('2025-11-25', { name: 'resume', arguments: { wing: 'homelab' } });
  await ask('2025-11-25', 'prompts/get', { name: 'nothing' });
  await ask('2025-11-25', 'prompts/get', { name: 'resume', arguments: { name: 'remember' } });
  const lines = (await read()).slice(before).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      tool: 'prompts/get',
      actor: 'laptop',
      ok: true,
      args: { name: 'resume', wing: 'homelab' },
      paths: ['AGENTS.md', 'wiki/homelab/decisions/raid.md'],
    },
    { tool: 'prompts/get', ok: false, args: { name: 'nothing' } },
    { tool: 'prompts/get', ok: false, args: { name: 'resume' } },
  ]);
});
