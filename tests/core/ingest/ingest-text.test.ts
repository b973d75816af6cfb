import { ingestText } from '../../../src/core/ingest/operations';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { sha256 } from '../../../src/core/base/hash';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { fakeModel } from '../../support/fake-model';
import { callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

const TEXT = '# WireGuard MTU\n\nThe tunnel wants 1420 bytes. See [[Nowhere]].\n';
const HASH = sha256(TEXT);
const KEPT = `inbox/processed/2026-11-20/wireguard-mtu-${HASH.slice(0, 8)}.txt`;
const RAW = 'raw/2026-11-20-wireguard-mtu.md';

/** Answers of this operation that are no job. */
async function ingest(world: TestBrain, raw: object, caller = callerWith()) {
  const answer = await world.run(ingestText, raw, caller);
  if ('job' in answer) throw new Error('a job was not asked for');
  return answer;
}

function frontmatter(world: TestBrain, path: string) {
  return parseNote(world.files.get(path) ?? '').frontmatter;
}

function everything({ files, state }: TestBrain) {
  return { files: Object.fromEntries(files), state: Object.fromEntries(state.files) };
}

it('leaves the links of a page that awaits review to notes and files that stand', async () => {
  const world = await openTestBrain({
    'wiki/homelab/facts/mtu.md': '# MTU\n',
    'raw/other.md': '# Other\n',
    'attachments/a.png': 'x',
  });
  const text =
    '# T\n\nSee [the note](wiki/homelab/facts/mtu.md), [MTU](mtu.md), [Nope](nowhere.md), [o](raw/other.md), ![x](attachments/a.png)\n';
  const { pages } = await ingest(world, { text });
  expect(world.files.get('raw/2026-11-20-t.md')).toMatch(
    'See [[wiki/homelab/facts/mtu|the note]], [[wiki/homelab/facts/mtu|MTU]], Nope, o, ![[attachments/a.png|x]]\n',
  );
  expect(pages).toMatchObject([{ unlinked: ['nowhere.md', 'raw/other.md'] }]);
});

it('puts a text into the queue, keeps it word for word, and links the one to the other', async () => {
  const world = await openTestBrain();
  const answer = await ingest(world, { text: TEXT, source: 'https://example.org/mtu' });
  expect(world.files.get(KEPT)).toBe(TEXT);
  expect(world.files.get(RAW)).toBe(`---
hall: sources
created_at: 2026-11-20T10:32:00Z
source_type: external
origin: http
written_by: laptop via passthrough
aliases: ["WireGuard MTU"]
sources: ["[[${KEPT}|${KEPT.split('/').at(-1)}]]", "https://example.org/mtu"]
source_hash: ${HASH}
extracted_by: passthrough
---
# WireGuard MTU

The tunnel wants 1420 bytes. See Nowhere.
`);
  expect(answer).toEqual({
    source: 'https://example.org/mtu',
    source_hash: HASH,
    original: KEPT,
    extraction: 'passthrough',
    destination: 'raw',
    counts: { written: 1, duplicate: 0, rejected_before: 0, skipped: 0 },
    pages: [
      expect.objectContaining({
        title: 'WireGuard MTU',
        status: 'written',
        path: RAW,
        content_hash: sha256(world.files.get(RAW) ?? ''),
        unlinked: ['Nowhere'],
      }),
    ],
    warnings: [],
  });
});

it('writes nothing the second time and says where the pages are now', async () => {
  const world = await openTestBrain();
  await ingest(world, { text: TEXT });
  await world.run(promoteNote, { path: RAW, wing: 'net', hall: 'facts' });
  const before = everything(world);
  const answer = await ingest(world, { text: TEXT });
  expect(everything(world)).toEqual(before);
  expect(answer).toMatchObject({
    original: KEPT,
    extraction: 'unchanged',
    counts: { written: 0, duplicate: 1, rejected_before: 0, skipped: 0 },
    pages: [{ status: 'duplicate', path: 'wiki/net/facts/wireguard-mtu.md' }],
  });
});

it('makes the pages again when forced, and finds that they are there', async () => {
  const world = await openTestBrain();
  await ingest(world, { text: TEXT });
  const before = everything(world);
  const answer = await ingest(world, { text: TEXT, force: true });
  expect(answer).toMatchObject({
    extraction: 'passthrough',
    pages: [{ status: 'duplicate', duplicate_of: RAW }],
  });
  expect(everything(world)).toEqual(before);
});

it('does not propose again what was rejected, not even as another text that says the same', async () => {
  const world = await openTestBrain();
  await ingest(world, { text: TEXT });
  await world.run(rejectNote, { path: RAW, reason: 'known' });
  expect(await ingest(world, { text: TEXT })).toMatchObject({
    extraction: 'unchanged',
    counts: { written: 0, rejected_before: 1 },
    pages: [{ status: 'rejected_before', path: 'raw/rejected/2026-11-20-wireguard-mtu.md' }],
  });
  const same = '# wireguard *MTU*\n\nThe tunnel wants **1420** bytes; see Nowhere.';
  expect(await ingest(world, { text: same })).toMatchObject({
    extraction: 'passthrough',
    counts: { written: 0, rejected_before: 1 },
  });
  expect([...world.files.keys()].filter((path) => /^raw\/[^/]*\.md$/.test(path))).toEqual([]);
});

it('forgets a source whose page a person has restored and then deleted', async () => {
  const world = await openTestBrain();
  await ingest(world, { text: TEXT });
  await world.run(rejectNote, { path: RAW });
  await world.run(restoreNote, { path: 'raw/rejected/2026-11-20-wireguard-mtu.md' });
  expect(await ingest(world, { text: TEXT })).toMatchObject({ extraction: 'unchanged' });
  await world.run(rejectNote, { path: RAW });
  await world.run(restoreNote, { path: 'raw/rejected/2026-11-20-wireguard-mtu.md' });
  world.vault.outside(RAW, null);
  expect(await ingest(world, { text: TEXT })).toMatchObject({
    extraction: 'passthrough',
    counts: { written: 1 },
    original: KEPT,
  });
});

it('adds a second source to the note that says the same already', async () => {
  const world = await openTestBrain({
    'wiki/net/facts/mtu.md':
      '---\nwing: net\nhall: facts\nx: 1\norigin: mcp\nwritten_by: claude\n---\n# MTU\n\nThe tunnel wants 1420 bytes.\n',
  });
  const answer = await ingest(world, {
    text: 'The tunnel wants 1420 bytes',
    title: 'MTU',
    source: 'https://e.org',
  });
  expect(answer.pages).toEqual([
    expect.objectContaining({ status: 'duplicate', duplicate_of: 'wiki/net/facts/mtu.md' }),
  ]);
  expect(frontmatter(world, 'wiki/net/facts/mtu.md')).toMatchObject({
    x: '1',
    sources: [`[[${answer.original}|${answer.original?.split('/').at(-1)}]]`, 'https://e.org'],
  });
  const before = everything(world);
  expect(await ingest(world, { text: 'The tunnel wants 1420 bytes', title: 'MTU' })).toMatchObject({
    extraction: 'unchanged',
    pages: [{ path: 'wiki/net/facts/mtu.md' }],
  });
  expect(everything(world)).toEqual(before);
});

it.each([
  ['locked', '---\nlocked: true\n---\n# T\n\nSame words.\n', callerWith()],
  ['of a token that may only propose', '# T\n\nSame words.\n', callerWith(['read', 'propose'])],
  [
    'that cannot be edited safely',
    '---\nsources: &s [x]\nother: *s\n---\n# T\n\nSame words.\n',
    callerWith(),
  ],
])('leaves a note %s as it is, and says so', async (_, text, caller) => {
  const world = await openTestBrain({ 'wiki/net/facts/t.md': text });
  const answer = await ingest(world, { text: 'Same words', title: 'T' }, caller);
  expect(answer.pages[0]).toMatchObject({
    status: 'duplicate',
    warnings: [expect.stringMatching(/not added/)],
  });
  expect(world.files.get('wiki/net/facts/t.md')).toBe(text);
  expect(world.files.get(answer.original ?? '')).toBe('Same words');
});

describe('a known text', () => {
  const [ONE, TWO] = ['https://one.org/', 'https://two.org/'];
  const sourcesOf = (world: TestBrain, path: string) => frontmatter(world, path).sources;

  it('that is sent again from elsewhere adds that to its notes, once', async () => {
    const world = await openTestBrain();
    await ingest(world, { text: TEXT, source: ONE });
    const link = `[[${KEPT}|${KEPT.split('/').at(-1)}]]`;
    expect(sourcesOf(world, RAW)).toEqual([link, ONE]);
    const dry = await ingest(world, { text: TEXT, source: TWO, dry_run: true });
    expect(dry.pages[0]?.text).toContain(TWO);
    expect(sourcesOf(world, RAW)).toEqual([link, ONE]);
    const answer = await ingest(world, { text: TEXT, source: TWO });
    expect(answer).toMatchObject({
      extraction: 'unchanged',
      pages: [
        { status: 'duplicate', path: RAW, content_hash: sha256(world.files.get(RAW) ?? ''), warnings: [] },
      ],
    });
    expect(sourcesOf(world, RAW)).toEqual([link, ONE, TWO]);
    const before = everything(world);
    for (const source of [ONE, `${TWO}?utm_source=x#y`, 'my notebook'])
      await ingest(world, { text: TEXT, source });
    expect(everything(world)).toEqual(before);
  });

  it('adds no source to a note that is locked or rejected, or for a token that may only propose', async () => {
    const world = await openTestBrain();
    await ingest(world, { text: TEXT });
    const text = world.files.get(RAW) ?? '';
    const refused = [expect.stringMatching(/not added/)];
    const proposed = await ingest(world, { text: TEXT, source: TWO }, callerWith(['read', 'propose']));
    expect(proposed.pages[0]?.warnings).toEqual(refused);
    world.vault.outside(RAW, text.replace('---\n', '---\nlocked: true\n'));
    const locked = world.files.get(RAW);
    expect((await ingest(world, { text: TEXT, source: TWO })).pages[0]?.warnings).toEqual(refused);
    expect(world.files.get(RAW)).toBe(locked);
    world.vault.outside(RAW, text);
    await world.run(rejectNote, { path: RAW });
    const rejected = everything(world);
    expect((await ingest(world, { text: TEXT, source: TWO })).pages).toMatchObject([
      { status: 'rejected_before', warnings: [] },
    ]);
    expect(everything(world)).toEqual(rejected);
  });

  it('says so when none of its notes stands any more, and makes them anew when forced', async () => {
    const world = await openTestBrain();
    const first = await ingest(world, { text: TEXT });
    expect((await ingest(world, { text: TEXT })).warnings).toEqual([]);
    world.vault.outside(RAW, null);
    const again = await ingest(world, { text: TEXT });
    expect(again).toMatchObject({
      extraction: 'unchanged',
      pages: [],
      warnings: [expect.stringMatching(/^It was ingested before, .* "force"/)],
    });
    expect(world.files.has(RAW)).toBe(false);
    expect(await ingest(world, { text: TEXT, force: true })).toMatchObject({
      counts: { written: 1 },
      original: first.original,
      warnings: [],
    });
  });

  it('adds no source to another note that has taken the place of its own', async () => {
    const world = await openTestBrain();
    await ingest(world, { text: TEXT });
    const other = '# Another\n\nNot made of that text.\n';
    world.vault.outside(RAW, other);
    await ingest(world, { text: TEXT, source: TWO });
    expect(world.files.get(RAW)).toBe(other);
  });
});

it.each(['\r\n\u200b \r\n', '\u00ad', '\u2060\ufeff\ufe0f', '\0'])('takes %j for no text', async (text) => {
  const world = await openTestBrain();
  expect(await world.refusal(ingestText, { text })).toMatchObject({ code: 'empty_content' });
  expect(world.files.size).toBe(0);
});

it('gives no note a name that cannot be seen, and no NUL', async () => {
  const world = await openTestBrain();
  const { pages } = await ingest(world, { text: '# \u200b\n\nWords\0here.\n', title: '\u200b' });
  const [page] = pages;
  expect(page).toMatchObject({ title: expect.stringMatching(/[a-z]/) });
  expect(frontmatter(world, page?.path ?? '').aliases).toEqual([page?.title]);
  expect(world.files.get(page?.path ?? '')).toContain('Words\ufffdhere.');
});

describe('where a page goes', () => {
  const wiki = { destination: 'wiki', wing: 'Net Work', hall: 'facts' };

  it('is the wiki when it is asked for with an address', async () => {
    const world = await openTestBrain();
    const answer = await ingest(world, { text: TEXT, ...wiki });
    expect(answer).toMatchObject({
      destination: 'wiki',
      pages: [{ path: 'wiki/net-work/facts/wireguard-mtu.md', warnings: [] }],
    });
    expect(world.files.get('wiki/net-work/_index.md')).toContain('[[wiki/net-work/facts/wireguard-mtu|');
    expect(frontmatter(world, 'wiki/net-work/facts/wireguard-mtu.md')).toMatchObject({
      wing: 'net-work',
      hall: 'facts',
      source_type: 'internal',
    });
  });

  it('is the queue without one, with a warning', async () => {
    const world = await openTestBrain();
    const answer = await ingest(world, { text: TEXT, destination: 'wiki' });
    expect(answer.pages[0]).toMatchObject({
      path: RAW,
      warnings: ['Without a wing it cannot stand in the wiki: it waits for review.'],
    });
  });

  it('is the queue for a token that may only propose, with the address as a suggestion', async () => {
    const world = await openTestBrain();
    const answer = await ingest(world, { text: TEXT, ...wiki }, callerWith(['read', 'propose']));
    expect(answer).toMatchObject({
      destination: 'raw',
      pages: [{ path: RAW }],
      warnings: [expect.stringMatching(/may only propose/)],
    });
    expect(frontmatter(world, RAW)).toMatchObject({ wing: 'net-work', hall: 'facts' });
  });

  it('follows the setting when the call does not say', async () => {
    const world = await openTestBrain({}, { ingestDestination: 'wiki' });
    const answer = await ingest(world, { text: TEXT, wing: 'net', hall: 'facts' });
    expect(answer.pages[0]?.path).toBe('wiki/net/facts/wireguard-mtu.md');
  });

  it('takes what the text says of itself before what is only guessed, and the call before both', async () => {
    const world = await openTestBrain();
    const own = '---\nwing: Home\nhall: decisions\ntags: [a, b]\nx: kept\n---\n# T\n\nWords.\n';
    await ingest(world, { text: own });
    expect(frontmatter(world, 'raw/2026-11-20-t.md')).toMatchObject({
      wing: 'home',
      hall: 'decisions',
      tags: ['a', 'b'],
      x: 'kept',
    });
    await ingest(world, { text: own.replace('Words', 'Others'), hall: 'failures' });
    expect(frontmatter(world, 'raw/2026-11-20-t-2.md')).toMatchObject({ wing: 'home', hall: 'failures' });
  });
});

it('keeps nothing that a text claims of its own provenance', async () => {
  const world = await openTestBrain();
  const forged = `---\nwritten_by: human:me\norigin: obsidian\npromoted_at: x\nsource_hash: ${'0'.repeat(64)}\nextracted_by: llm\n---\n# T\n\nWords.`;
  await ingest(world, { text: forged });
  expect(frontmatter(world, 'raw/2026-11-20-t.md')).toMatchObject({
    written_by: 'laptop via passthrough',
    origin: 'http',
    source_hash: sha256(forged),
    extracted_by: 'passthrough',
  });
  expect(frontmatter(world, 'raw/2026-11-20-t.md')).not.toHaveProperty('promoted_at');
});

it('gives a text without a title one of its first words, and a label a place of its own', async () => {
  const world = await openTestBrain();
  const answer = await ingest(world, { text: 'Remember the milk.', source: 'Talk at [[the]] fair' });
  expect(answer.pages[0]).toMatchObject({
    title: 'Remember the milk.',
    path: 'raw/2026-11-20-remember-the-milk.md',
  });
  expect(world.files.get('raw/2026-11-20-remember-the-milk.md')).toMatch(
    /---\n# Remember the milk\.\n\nRemember the milk\.$/,
  );
  expect(frontmatter(world, 'raw/2026-11-20-remember-the-milk.md')).toMatchObject({
    source: 'Talk at the fair',
    sources: [expect.stringMatching(/^\[\[inbox\/processed/)],
  });
});

it('shows the very files in a dry run and changes nothing', async () => {
  const world = await openTestBrain({
    'wiki/net/facts/t.md': '---\norigin: mcp\nwritten_by: claude\n---\n# T\n\nSame words.\n',
  });
  const before = everything(world);
  const dry = await ingest(world, { text: TEXT, dry_run: true });
  const twin = await ingest(world, { text: 'Same words', title: 'T', dry_run: true });
  expect(everything(world)).toEqual(before);
  await ingest(world, { text: TEXT });
  await ingest(world, { text: 'Same words', title: 'T' });
  expect(dry.pages[0]?.text).toBe(world.files.get(RAW));
  expect(dry.pages[0]?.content_hash).toBe(sha256(world.files.get(RAW) ?? ''));
  expect(dry.original).toBe(KEPT);
  expect(twin.pages[0]?.text).toBe(world.files.get('wiki/net/facts/t.md'));
});

it('names the model that made the pages, and flags those that nothing bears out', async () => {
  const page = {
    wing: 'net',
    hall: 'facts',
    summary: 'In short',
    tags: ['home lab'],
    links: ['The other'],
    half_life: 'seasonal',
    applies: '',
  };
  const model = fakeModel({
    say: {
      pages: [
        { ...page, title: 'Borne out', body: 'Body one.', evidence: ['The tunnel wants 1420 bytes.'] },
        { ...page, title: 'The other', body: 'Body two.', evidence: ['Nobody said so.'], links: [] },
      ],
    },
  });
  const world = await openTestBrain({}, {}, undefined, { model });
  const answer = await ingest(world, { text: TEXT });
  expect(answer).toMatchObject({ extraction: 'llm', counts: { written: 2 } });
  expect(answer.pages[1]?.warnings).toEqual([expect.stringMatching(/^Unverified evidence/)]);
  expect(frontmatter(world, 'raw/2026-11-20-borne-out.md')).toMatchObject({
    wing: 'net',
    hall: 'facts',
    half_life: 'seasonal',
    claim_provenance: 'asserted',
    written_by: 'laptop via fake-7b',
    extracted_by: 'llm',
    description: 'In short',
    tags: ['home-lab'],
    source_hash: HASH,
  });
  expect(world.files.get('raw/2026-11-20-borne-out.md')).toContain('[[raw/2026-11-20-the-other|The other]]');
  expect(frontmatter(world, 'raw/2026-11-20-the-other.md')).toMatchObject({
    evidence: 'unverified',
    claim_provenance: 'inferred',
  });
  await world.run(promoteNote, { path: 'raw/2026-11-20-the-other.md', wing: 'net', hall: 'facts' });
  expect(world.files.get('raw/2026-11-20-borne-out.md')).toContain('[[wiki/net/facts/the-other|The other]]');
});

it('is not `internal` when it is promoted into facts: it has a source', async () => {
  const world = await openTestBrain();
  await ingest(world, { text: TEXT, hall: 'decisions' });
  await world.run(promoteNote, { path: RAW, wing: 'net', hall: 'facts' });
  expect(frontmatter(world, 'wiki/net/facts/wireguard-mtu.md')).not.toHaveProperty('source_type');
});

it.each([
  ['nothing', { text: ' \n' }, 'empty_content'],
  ['a wing that is a path', { text: 'x', wing: '../etc' }, 'invalid_wing'],
  ['a hall that is none', { text: 'x', hall: 'misc' }, 'invalid_hall'],
  ['a field that is none', { text: 'x', domain: 'net' }, 'unknown_field'],
])('refuses %s and keeps nothing', async (_, raw, code) => {
  const { refusal, state } = await openTestBrain();
  const before = [...state.files];
  expect((await refusal(ingestText, raw)).code).toBe(code);
  expect([...state.files]).toEqual(before);
});

const TWINS = {
  wiki: 'wiki/net/facts/pump.md',
  knowledge: 'knowledge/pump.md',
  raw: 'raw/2026-11-01-pump.md',
  rejected: 'raw/rejected/2026-11-01-pump.md',
};
type Twin = keyof typeof TWINS;

it.each<[Twin, Twin]>([
  ['wiki', 'rejected'],
  ['knowledge', 'rejected'],
  ['raw', 'rejected'],
  ['wiki', 'raw'],
  ['wiki', 'knowledge'],
  ['knowledge', 'raw'],
])('takes the twin in %s before the one in %s, whichever was there first', async (first, second) => {
  const text = '# Pump\n\nIt wants 230 V.\n';
  for (const order of [
    [first, second],
    [second, first],
  ]) {
    const { run } = await openTestBrain(Object.fromEntries(order.map((twin) => [TWINS[twin], text])));
    expect(await run(ingestText, { text })).toMatchObject({
      pages: [{ status: 'duplicate', duplicate_of: TWINS[first] }],
      counts: { written: 0, duplicate: 1, rejected_before: 0 },
    });
  }
});
