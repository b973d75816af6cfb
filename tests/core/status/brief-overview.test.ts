import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { HALLS } from '../../../src/core/vocabulary/address';
import { briefOverview, overview } from '../../../src/core/status/overview';
import { answerText } from '../../../src/doors/mcp/text';
import { callerWith, NOW, openTestBrain } from '../../support/test-brain';

const stamped = (time: string) => `---\ncreated_at: ${time}\n---\n# Note\n`;

const FILES = {
  'AGENTS.md': '# Guidance\n',
  'wiki/homelab/facts/mtu.md': stamped('2026-11-19T00:00:00Z'),
  'wiki/homelab/decisions/dns.md': stamped('2026-11-18T00:00:00Z'),
  'wiki/household/facts/bread.md': stamped('2026-11-20T00:00:00Z'),
  'knowledge/old.md': stamped('2020-01-01T00:00:00Z'),
  'Diary/today.md': stamped('2026-11-20T09:00:00Z'),
  'raw/2026-11-20-idea.md': stamped(NOW),
  'raw/rejected/no.md': stamped(NOW),
};

it('shows wings, latest notes, guidance and rights, in full and in brief', async () => {
  const { run } = await openTestBrain(FILES);
  const caller = callerWith(['read', 'propose']);
  const halls = { facts: 0, decisions: 0, failures: 0, hypotheses: 0, sources: 0 };
  expect(await run(overview, {}, caller)).toMatchObject({
    notes: 4,
    owner_notes: 1,
    wings: [
      { wing: 'homelab', notes: 2, stale: 0, halls: { ...halls, facts: 1, decisions: 1 } },
      { wing: 'household', notes: 1, halls: { ...halls, facts: 1 } },
    ],
    latest: [
      { path: 'Diary/today.md', title: 'Note', changed_at: '2026-11-20T10:32:00Z' },
      { path: 'wiki/household/facts/bread.md' },
      { path: 'wiki/homelab/facts/mtu.md' },
      { path: 'wiki/homelab/decisions/dns.md' },
      { path: 'knowledge/old.md' },
    ],
    guidance: 'AGENTS.md',
    may: ['read', 'propose'],
  });
  expect(await run(briefOverview, {}, caller)).toEqual({
    notes: 5,
    maps: 'wiki/<wing>/_index.md',
    awaiting_review: 1,
    guidance: 'AGENTS.md',
    may: ['read', 'propose'],
    halls: [...HALLS],
    wings: { homelab: [1, 1], household: [1] },
    latest: [
      'Diary/today',
      'wiki/household/facts/bread',
      'wiki/homelab/facts/mtu',
      'wiki/homelab/decisions/dns',
      'knowledge/old',
    ],
  });
});

it('tells a token with limits what it may read and where it may write, without a note of others', async () => {
  const { run } = await openTestBrain(FILES);
  const limits = { read: ['wiki/homelab', 'Diary'], writeWings: ['homelab'] };
  const caller = { ...callerWith(['read', 'write']), limits };
  const own = { may: ['read', 'write'], may_read: limits.read, may_write_wings: limits.writeWings };
  const full = await run(overview, {}, caller);
  expect(full).toMatchObject({ ...own, notes: 2, owner_notes: 1, wings: [{ wing: 'homelab' }] });
  expect(await run(briefOverview, {}, caller)).toMatchObject({
    ...own,
    notes: 3,
    wings: { homelab: [1, 1] },
  });
  for (const answer of [await run(overview), await run(briefOverview)]) {
    expect(answer).not.toHaveProperty('may_read');
    expect(answer).not.toHaveProperty('may_write_wings');
  }
});

it('stays brief for a token with a hundred limits, and says how many there are', async () => {
  const { run } = await openTestBrain(FILES);
  const names = Array.from({ length: 100 }, (_, at) => `a-wing-with-a-rather-long-name-${at}`);
  const limits = { read: names.map((name) => `wiki/${name}`), writeWings: names };
  const answer = await run(briefOverview, {}, { ...callerWith(['read', 'write']), limits });
  expect(answer.may_read?.at(-1)).toMatch(/^… 9\d more$/);
  for (const text of [JSON.stringify(answer), answerText(answer)])
    expect(encode(text).length).toBeLessThanOrEqual(500);
  const { may_read: all } = await run(overview, {}, { ...callerWith(['read', 'write']), limits });
  expect(all).toEqual(limits.read);
});

it('names no guidance where there is none', async () => {
  const { run } = await openTestBrain();
  expect(await run(overview)).not.toHaveProperty('guidance');
  expect(await run(briefOverview)).toEqual({
    notes: 0,
    awaiting_review: 0,
    may: ['read', 'write', 'review', 'admin'],
    halls: [...HALLS],
    wings: {},
    latest: [],
  });
});

/** Vaults with this number of wings, whose names and notes are as long as people make them, or longer. */
const NAMES: readonly [string, (at: number) => string, (at: number) => string][] = [
  ['plain', (at) => `topic-${at}`, (at) => `note-${at}`],
  ['usual', (at) => `home-automation-${at}`, (at) => `why-the-tunnel-needs-an-mtu-of-1420-${at}`],
  [
    'long',
    (at) => `${'long-name-of-a-wing-'.repeat(3)}${at}`,
    (at) => `${'words-of-a-title-'.repeat(6)}${at}`,
  ],
  ['of another script', (at) => `Книги-и-заметки-${at}`, (at) => `как-настроить-сервер-дома-${at}`],
  ['dense', (at) => `家庭网络设备记录${at}`, (at) => `隧道的最大传输单元是一千四百二十${at}`],
];

describe.each(NAMES)('names that are %s', (_, wing, note) => {
  it.each([1, 20, 200])('cost at most 500 tokens with %d wings', async (count) => {
    const files = Array.from({ length: count }, (_each, at): [string, string][] =>
      HALLS.flatMap((hall, step) =>
        Array.from({ length: 1 + ((at + step) % 3) }, (_one, n): [string, string] => [
          `wiki/${wing(at)}/${hall}/${note(n)}.md`,
          'x',
        ]),
      ),
    ).flat();
    const { run } = await openTestBrain({ ...Object.fromEntries(files), 'AGENTS.md': 'x' });
    const answer = await run(briefOverview);
    const cost = [JSON.stringify(answer), answerText(answer)].map((text) => encode(text).length);
    process.stdout.write(`${count} wings: ${cost.join(' and ')} tokens, ${answer.latest.length} latest\n`);
    for (const tokens of cost) expect(tokens).toBeLessThanOrEqual(500);
    expect(Object.keys(answer.wings).length + (answer.more_wings ?? 0)).toBe(count);
    expect(answer.latest.length).toBeGreaterThan(0);
  });
});

it('has all of twenty usual wings, and ten notes where they fit', async () => {
  const wings = [
    'homelab',
    'household',
    'garden',
    'books',
    'music',
    'cars',
    'health',
    'finance',
    'work',
    'travel',
  ];
  const all = [...wings, ...wings.map((name) => `${name}-archive`)];
  const { run } = await openTestBrain(
    Object.fromEntries(
      all.flatMap((wing) => [
        [`wiki/${wing}/facts/wireguard-mtu.md`, 'x'],
        [`wiki/${wing}/decisions/dns.md`, 'x'],
      ]),
    ),
  );
  const answer = await run(briefOverview);
  expect(Object.keys(answer.wings)).toHaveLength(20);
  expect(answer.latest).toHaveLength(10);
  expect(answer).not.toHaveProperty('more_wings');
});
