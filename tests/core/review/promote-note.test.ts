import { getNote } from '../../../src/core/notes/get';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { unpromoteNote } from '../../../src/core/review/return';
import { sha256 } from '../../../src/core/base/hash';
import { queryNotes } from '../../../src/core/search/query';
import { callerWith, NOW, openTestBrain, person } from '../../support/test-brain';

const raw = 'raw/2026-11-01-dns.md';
const text = '---\n# mine\ntags:\n- a\n- b\ncreated: 2026-10-30\n---\n# DNS\n\nUnbound answers.\n';

it('moves a note into the wiki, stamps it and keeps every foreign byte', async () => {
  const { run, files } = await openTestBrain({ [raw]: text });
  const answer = await run(promoteNote, { path: raw, wing: 'Net', hall: 'facts' });
  expect(answer).toEqual({
    path: 'wiki/net/facts/dns.md',
    from: raw,
    wing: 'net',
    new_wing: true,
    hall: 'facts',
    slug: 'dns',
    content_hash: sha256(files.get('wiki/net/facts/dns.md') ?? ''),
    promoted_at: NOW,
    index: 'wiki/net/_index.md',
    tunnels: [],
    relinked: 0,
    refs: [],
    warnings: [],
  });
  expect(files.has(raw)).toBe(false);
  const promoted = files.get('wiki/net/facts/dns.md') ?? '';
  expect(promoted).toMatch(
    /\nwing: net\nhall: facts\ncreated_at: 2026-10-30T00:00:00Z\nsource_type: internal\norigin: http\nwritten_by: laptop\npromoted_at: 2026-11-20T10:32:00Z\npromoted_by: laptop\n/,
  );
  expect(promoted).toMatch('tags:\n- a\n- b\ncreated: 2026-10-30\n');
  expect(promoted).toMatch('# mine\n');
  expect(promoted.endsWith('---\n# DNS\n\nUnbound answers.\n')).toBe(true);
  expect(files.get('wiki/net/_index.md')).toMatch('- [[wiki/net/facts/dns|DNS]] — Unbound answers.');
  expect((await run(queryNotes, { query: 'unbound' })).results).toMatchObject([
    { path: answer.path, status: 'wiki' },
  ]);
  expect((await run(listPending)).total).toBe(0);
  expect((await run(getNote, { hash: sha256(text) })).body).toBe('# DNS\n\nUnbound answers.\n');
});

it('keeps stamps and created_at that the note has, and replaces its suggestion', async () => {
  const own =
    '---\nwing: other\nhall: sources\ncreated_at: 2026-05-05T00:00:00Z\norigin: mcp\nwritten_by: laptop (claude 1)\nsource: https://example.org\n---\nx';
  const { run, files } = await openTestBrain({ [raw]: own });
  const { path } = await run(
    promoteNote,
    { source: raw, wing: 'net', hall: 'facts', slug: 'Own Name' },
    callerWith(['review'], 'boss'),
  );
  expect(path).toBe('wiki/net/facts/Own Name.md');
  expect(files.get(path)).toBe(
    `---\nwing: net\nhall: facts\ncreated_at: 2026-05-05T00:00:00Z\norigin: mcp\nwritten_by: laptop (claude 1)\npromoted_at: ${NOW}\npromoted_by: boss\nsource: https://example.org\n---\nx`,
  );
});

it('gates a promotion, leaves unresolved links and reports both', async () => {
  const body = 'A [[Ghost]] ![x](https://evil.example/p.png)\n';
  for (const caller of [callerWith(), person]) {
    const { run, files } = await openTestBrain({ [raw]: body });
    const { path, refs } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' }, caller);
    expect(files.get(path)?.endsWith('A [[Ghost]] [x](https://evil.example/p.png)\n')).toBe(true);
    expect(refs).toMatchObject([
      { target: 'Ghost', unlinked: false, reason: 'missing' },
      { reason: 'remote_embed', unlinked: true },
    ]);
  }
});

it('leaves a forward link with a colon at a promotion by a token as one without', async () => {
  const body = '[[Docker volumes]] [[Docker: volumes]] [[javascript: alert(1)|x]]\n';
  const { run, files } = await openTestBrain({ [raw]: body });
  const { path, refs } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' });
  expect(files.get(path)?.endsWith('[[Docker volumes]] [[Docker: volumes]] x\n')).toBe(true);
  expect(refs.map(({ reason }) => reason)).toEqual(['missing', 'missing', 'unsafe_scheme']);
});

it('rewrites links that count from the folder of their own note, and names them when it is rejected', async () => {
  const { run, files } = await openTestBrain({
    [raw]: text,
    'raw/2026-11-02-b.md': 'See [the DNS note](2026-11-01-dns.md).\n',
    'wiki/net/facts/old.md': 'See [it](../../../raw/2026-11-01-dns.md#how).\n',
  });
  expect((await run(rejectNote, { path: raw, dry_run: true })).linked_from).toEqual([
    'raw/2026-11-02-b.md',
    'wiki/net/facts/old.md',
  ]);
  expect((await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' })).relinked).toBe(2);
  expect(files.get('raw/2026-11-02-b.md')).toBe('See [the DNS note](../wiki/net/facts/dns.md).\n');
  expect(files.get('wiki/net/facts/old.md')).toBe('See [it](dns.md#how).\n');
});

it('rewrites links to the raw note in the queue and in the wiki', async () => {
  const { run, files, state } = await openTestBrain({
    [raw]: text,
    'raw/2026-11-02-b.md': '---\nx: 1\n---\nSee [[raw/2026-11-01-dns|the DNS note]].\n',
    'wiki/net/facts/old.md': 'See [[raw/2026-11-01-dns]].\n',
  });
  const before = files.get('wiki/net/facts/old.md') ?? '';
  expect((await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' })).relinked).toBe(2);
  expect(files.get('raw/2026-11-02-b.md')).toBe('---\nx: 1\n---\nSee [[wiki/net/facts/dns|the DNS note]].\n');
  expect(files.get('wiki/net/facts/old.md')).toMatch('[[wiki/net/facts/dns');
  expect([...state.files.keys()]).toContain(`history/${sha256(before).slice(0, 2)}/${sha256(before)}.md`);
});

it('digs tunnels to the same room and to mentions in other wings, at most five, on the promoted note alone', async () => {
  const { run, files } = await openTestBrain({
    [raw]: '# DNS\n\nWith split horizon views and Firewall rules.\n',
    'wiki/home/facts/dns.md': '# Names at home\n',
    'wiki/office/facts/names.md': '---\naliases: [dns]\n---\n# Office names\n',
    'wiki/home/facts/views.md': '# Split horizon\n',
    'wiki/home/facts/fw.md': '# Firewall\n',
    'wiki/home/facts/short.md': '# Views\n',
    'wiki/home/facts/no.md': '---\nauto_tunnel: false\n---\n# Firewall rules\n',
    'wiki/net/facts/fw.md': '# Firewall\n',
  });
  const { tunnels, path } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' });
  expect(tunnels).toEqual([
    { path: 'wiki/home/facts/dns.md', reason: 'room' },
    { path: 'wiki/office/facts/names.md', reason: 'room' },
    { path: 'wiki/home/facts/fw.md', reason: 'mention' },
    { path: 'wiki/home/facts/views.md', reason: 'mention' },
  ]);
  expect(files.get(path)).toMatch(
    'tunnels: ["[[wiki/home/facts/dns|Names at home]]", "[[wiki/home/facts/fw|Firewall]]", "[[wiki/home/facts/views|Split horizon]]", "[[wiki/office/facts/names|Office names]]"]\n',
  );
  expect(files.get('wiki/home/facts/dns.md')).toBe('# Names at home\n');
  expect(files.get('wiki/net/_index.md')).toMatch(
    '## Tunnels\n- [[wiki/home/_index|home]] (3)\n- [[wiki/office/_index|office]] (1)\n',
  );
  expect(files.get('wiki/home/_index.md')).toMatch('## Tunnels\n- [[wiki/net/_index|net]] (3)\n');
});

it('dry run shows what would be, and changes nothing', async () => {
  const { run, files } = await openTestBrain({ [raw]: text });
  const dry = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts', dry_run: true });
  expect([...files]).toEqual([[raw, text]]);
  expect(dry.body).toBe('# DNS\n\nUnbound answers.\n');
  expect({ ...(await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' })), body: dry.body }).toEqual(
    dry,
  );
});

it.each<[string, Record<string, unknown>, string]>([
  ['a hall outside the set', { hall: 'fact' }, 'invalid_hall'],
  ['a wing that is a path', { wing: 'a/b' }, 'invalid_wing'],
  ['a slug with dots', { slug: '..' }, 'invalid_slug'],
  ['a taken destination', { slug: 'taken' }, 'destination_exists'],
  ['a destination that differs in case only', { slug: 'TAKEN' }, 'destination_exists'],
  ['a missing source', { path: 'raw/none.md' }, 'source_missing'],
  ['a rejected note', { path: 'raw/rejected/no.md' }, 'not_in_queue'],
  ['a wiki note', { path: 'wiki/net/facts/taken.md' }, 'not_in_queue'],
  ['no path', { path: undefined }, 'missing_field'],
  ['no wing', { wing: undefined }, 'missing_field'],
  ['an unknown field', { name: 'x' }, 'unknown_field'],
  ['a way out', { path: 'raw/../../x.md' }, 'path_not_allowed'],
])('refuses %s', async (_, input, code) => {
  const { refusal } = await openTestBrain({
    [raw]: text,
    'wiki/net/facts/taken.md': 'x',
    'raw/rejected/no.md': 'x',
  });
  expect(await refusal(promoteNote, { path: raw, wing: 'net', hall: 'facts', ...input })).toMatchObject({
    code,
  });
});

it('promotes an old note with a bad envelope, with a warning', async () => {
  const { run } = await openTestBrain({ [raw]: '---\nhalf_life: eternal\n---\nx' });
  expect((await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' })).warnings.join()).toMatch(
    /half_life/,
  );
});

it('a model without the scope cannot promote', async () => {
  const { refusal } = await openTestBrain({ [raw]: text });
  expect(
    await refusal(promoteNote, { path: raw, wing: 'net', hall: 'facts' }, callerWith(['read', 'write'])),
  ).toMatchObject({ code: 'forbidden_scope' });
});

describe('unpromote', () => {
  it('takes a promotion back to the former name', async () => {
    const { run, files } = await openTestBrain({
      [raw]: text,
      'wiki/net/facts/x.md': 'See [[raw/2026-11-01-dns|d]].',
    });
    const { path } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts', slug: 'another' });
    expect(await run(unpromoteNote, { path })).toEqual({ path: raw, from: path });
    expect(files.has(path)).toBe(false);
    expect(files.get(raw)).not.toMatch(/promoted_|tunnels/);
    expect(files.get(raw)).toMatch('tags:\n- a\n- b\ncreated: 2026-10-30\n');
    expect(files.get('wiki/net/facts/x.md')).toBe('See [[raw/2026-11-01-dns|d]].');
    expect(files.get('wiki/net/_index.md')).not.toMatch('another');
  });

  it('takes along links that count from the folder of their own note', async () => {
    const near = 'See [d](dns.md) and [e](../facts/dns.md).\n';
    const { run, files } = await openTestBrain({ [raw]: text, 'wiki/net/facts/x.md': near });
    const { path } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' });
    await run(unpromoteNote, { path });
    expect(files.get('wiki/net/facts/x.md')).toBe(
      'See [d](../../../raw/2026-11-01-dns.md) and [e](../../../raw/2026-11-01-dns.md).\n',
    );
    await run(promoteNote, { path: raw, wing: 'home', hall: 'facts' });
    expect(files.get('wiki/net/facts/x.md')).toBe(
      'See [d](../../home/facts/dns.md) and [e](../../home/facts/dns.md).\n',
    );
  });

  it.each([
    ['a note that was never promoted', 'wiki/net/facts/x.md', 'not_in_queue'],
    ['a missing note', 'wiki/net/facts/y.md', 'source_missing'],
    ['a raw note', raw, 'not_in_queue'],
  ])('refuses %s', async (_, path, code) => {
    const { refusal } = await openTestBrain({ [raw]: text, 'wiki/net/facts/x.md': 'x' });
    expect(await refusal(unpromoteNote, { path })).toMatchObject({ code });
  });
});

it.each(['---js\n{}\n---\n', '\uFEFF---js\nx\n', '\n--- toml\na=1\n---\n'])(
  'refuses front matter in another language (%j) where the vault has it',
  async (start) => {
    const { refusal } = await openTestBrain({ [raw]: `${start}# DNS\n` });
    expect(await refusal(promoteNote, { path: raw, wing: 'net', hall: 'facts' })).toMatchObject({
      code: 'invalid_frontmatter',
    });
  },
);
