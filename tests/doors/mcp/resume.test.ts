import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { isRecord } from '../../../src/core/base/json';
import { FIRST_GUIDANCE } from '../../../src/core/notes/guidance';
import { type LiveServer, startLiveServer } from '../../support/live-server';

/** An agent works on a task over some days; another session of it begins with one call and has every fact. */
const TASK = { task: 'migrate the NAS to ZFS', wing: 'homelab' };

/** Notes of the owner that have nothing or little to do with the task. */
const OTHERS = Object.fromEntries(
  Array.from({ length: 40 }, (_, at): [string, string] => {
    const hall = ['facts', 'decisions', 'failures', 'sources'][at % 4];
    const stale = at % 5 === 0 ? 'half_life: volatile\nclaim_provenance: asserted\n' : '';
    const topic = ['printer', 'heat pump', 'mail server', 'doorbell', 'router', 'car charger'][at % 6];
    return [
      `wiki/${at % 3 === 0 ? 'household' : 'homelab'}/${hall}/${topic?.replace(' ', '-')}-${at}.md`,
      `---\ncreated_at: 2026-0${1 + (at % 9)}-11T08:00:00Z\n${stale}---\n# The ${topic} ${at}\n\nThe ${topic} needs to be looked at on the ${at + 1}th, because the part ${at * 7} wears out. The maker says otherwise.\n`,
    ];
  }),
);
const FILES = {
  'AGENTS.md': FIRST_GUIDANCE,
  ...OTHERS,
  'wiki/homelab/facts/nas-ext4.md':
    '---\ncreated_at: 2024-01-01T08:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\n---\n# NAS\n\nThe NAS runs ext4 on mdadm.\n',
  'wiki/homelab/facts/ram.md':
    '---\ncreated_at: 2026-02-01T08:00:00Z\nverified_at: 2026-11-01T08:00:00Z\nverified_by: human:me\n---\n# Memory of the NAS\n\nThe NAS has 32 GB of ECC memory.\n',
};

let server: LiveServer;
let agent: Client;
beforeAll(async () => {
  server = await startLiveServer(FILES);
  agent = await server.mcp('laptop');
});
afterAll(() => server.stop());

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; path: string }> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = Array.isArray(result.content) ? result.content : [];
  const text = isRecord(first) && typeof first.text === 'string' ? first.text : '';
  expect([text, result.isError ?? false]).toEqual([text, false]);
  const { path }: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {};
  return { text, path: typeof path === 'string' ? path : '' };
}

it('resumes a task in one call of at most 2,000 tokens with every fact of it', async () => {
  const write = (hall: string, content: string) =>
    call(agent, 'brain_write', { wing: 'homelab', hall, content });
  const { path: layout } = await write(
    'decisions',
    '# Pool layout\n\nThe new pool is raidz2 of six disks, because two may fail.',
  );
  await write(
    'decisions',
    '# Encryption\n\nDatasets are encrypted natively by ZFS, not by LUKS below it, so that snapshots can be sent raw.',
  );
  await write(
    'failures',
    '# Send over WLAN\n\nzfs send over the WLAN broke off after 300 GB; the cable at port 4 works.',
  );
  await write('facts', '# Names\n\nThe pool is called tank, its ashift is 12.');
  await write(
    'facts',
    '# Owner prefers the weekend\n\nThe owner wants downtime of the NAS on weekends only.',
  );
  await write(
    'hypotheses',
    '# Slow scrub\n\nThe scrub of the NAS may be slow because of the SMR disk in bay 3.',
  );
  await write(
    'facts',
    '# Steps of the migration\n\nThe move of the NAS goes in steps.\n\n- [x] Buy six disks\n- [x] Create the pool\n- [ ] Copy the media dataset\n- [ ] Switch the NFS exports\n- [ ] Wipe the old array',
  );
  const { path: wish } = await write(
    'facts',
    '# Compression\n\nThe owner wants gzip on all datasets of the NAS.',
  );
  await call(agent, 'brain_edit', {
    path: wish,
    replace: { old: 'gzip', new: 'lz4' },
    reason: 'the owner corrected himself: gzip is too slow',
  });
  await call(agent, 'brain_log_session', {
    skill: 'nas-migration',
    status: 'pass',
    summary: 'Created the pool tank and copied the photos dataset; media comes next.',
  });
  const other = await server.mcp('curator');
  for (const fact of ['The NAS has nine disks.', 'The pool of the NAS is called silo.'])
    await call(other, 'brain_write', {
      wing: 'homelab',
      hall: 'facts',
      content: `# ${fact}\n\n${fact} ZFS told so.`,
    });

  const fresh = await server.mcp('laptop');
  const { text } = await call(fresh, 'brain_context', TASK);
  expect(encode(text).length).toBeLessThanOrEqual(2_000);
  for (const fact of [
    ...[
      'raidz2 of six disks',
      'encrypted natively by ZFS',
      'port 4',
      'tank, its ashift is 12',
      'weekends only',
    ],
    ...['SMR disk in bay 3', 'Copy the media dataset', 'Switch the NFS exports', 'Wipe the old array'],
    ...['lz4 on all datasets', 'gzip is too slow', '32 GB of ECC', 'copied the photos dataset', layout, wish],
    ...['# How to use this vault', 'verified by human:me', 'stale'],
  ])
    expect(text).toContain(fact);
  expect(text).not.toMatch(/nine disks|silo/);
  expect(text).toContain('notes of others that nobody has reviewed 2');
});
