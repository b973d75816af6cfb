import type { Caller } from '../../../src/core/access/tokens';
import { settleConfig } from '../../../src/core/config/config';
import type { IngestRequest, Original } from '../../../src/core/ingest/request';
import { ingestPages, ingestText } from '../../../src/core/ingest/operations';
import { ingestSource } from '../../../src/core/ingest/source';
import { sourceReference } from '../../../src/core/sources/source-references';
import { writeNote } from '../../../src/core/notes/write';
import { openBrain } from '../../../src/core/vault/open';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { StopController } from '../../../src/core/base/concurrency';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';
import { createMemoryVault } from '../../support/memory-vault';
import { refusalOf } from '../../support/refusal';
import { silentLog } from '../../support/silent-log';
import { agent, callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const WATCHER: Caller = { ...agent, origin: 'watcher', name: 'watcher' };
const TEXT = '# Report\n\nFirst page.\n\nSecond page.\n';
const INBOX = vaultPath('inbox/report.md');
const PROCESSED = 'inbox/processed/2026-11-20/report.md.txt';
const PAGE = 'raw/2026-11-20-report.md';

function request(text = TEXT, more: Partial<IngestRequest> = {}): IngestRequest {
  const name = 'report.md';
  return {
    hash: sha256(text),
    name,
    label: null,
    reference: (original) => sourceReference(original, name),
    original: { kind: 'move', from: INBOX },
    read: async () => ({ markdown: text, converted: false, warnings: [] }),
    destination: 'raw',
    force: false,
    dryRun: false,
    ...more,
  };
}

function sources({ files }: Pick<TestBrain, 'files'>, path = PAGE) {
  return parseNote(files.get(path) ?? '').frontmatter.sources;
}

it('moves a file of the inbox to the handled ones, its bytes unchanged, and links its pages to it', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  const answer = await ingestSource(world.brain, request(), WATCHER);
  expect(Object.fromEntries(world.files)).toEqual({ [PROCESSED]: TEXT, [PAGE]: expect.any(String) });
  expect(answer).toMatchObject({ original: PROCESSED, counts: { written: 1 } });
  expect(sources(world)).toEqual([`[[${PROCESSED}|report.md]]`]);
  expect(parseNote(world.files.get(PAGE) ?? '').frontmatter).toMatchObject({
    origin: 'watcher',
    written_by: 'watcher via passthrough',
    source_type: 'external',
  });
  expect(world.brain.catalog.has(PROCESSED)).toBe(PROCESSED);
  expect(world.brain.catalog.taken(INBOX)).toBeNull();
});

it('moves a known file too, under a free name, and reads nothing', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  await ingestSource(world.brain, request(), WATCHER);
  world.vault.outside(INBOX, TEXT);
  const before = world.files.get(PAGE);
  const read = () => Promise.reject(new Error('it is known'));
  const answer = await ingestSource(world.brain, request(TEXT, { read }), WATCHER);
  expect(answer).toMatchObject({
    extraction: 'unchanged',
    original: 'inbox/processed/2026-11-20/report-2.md.txt',
  });
  expect(world.files.get(PAGE)).toBe(before);
  expect([...world.files.keys()].filter((path) => path.startsWith('raw/'))).toEqual([PAGE]);
});

it.each<[string, Original, string | undefined, string[]]>([
  ['outside the vault', { kind: 'none' }, undefined, ['file:report.md']],
  ['that has its place', { kind: 'stands', path: INBOX }, INBOX, ['[[inbox/report|report.md]]']],
])('leaves a file %s where it is', async (_, original, path, expected) => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  const answer = await ingestSource(world.brain, request(TEXT, { original }), agent);
  expect(answer.original).toBe(path);
  expect([...world.files.keys()].sort()).toEqual([INBOX, PAGE]);
  expect(sources(world)).toEqual(expected);
});

it.each([
  ['', 'that were made where it lay'],
  ['title: Mine\nlocked: true\n', 'that a person has changed since'],
])('takes the links of pages along when their source is moved (%j, pages %s)', async (own) => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  await ingestSource(world.brain, request(TEXT, { original: { kind: 'stands', path: INBOX } }), agent);
  expect(sources(world)).toEqual(['[[inbox/report|report.md]]']);
  const page = world.files.get(PAGE) ?? '';
  world.files.set(PAGE, page.replace('---\n', `---\n${own}`));
  world.vault.touch(PAGE);

  const answer = await ingestSource(world.brain, request(), WATCHER);

  expect(answer).toMatchObject({ extraction: 'unchanged', original: PROCESSED });
  expect(sources(world)).toEqual([`[[${PROCESSED}|report.md]]`]);
  expect(world.files.get(PROCESSED)).toBe(TEXT);
  expect(world.files.has(INBOX)).toBe(false);
  const files = Object.fromEntries(world.files);
  expect(await ingestSource(world.brain, request(), WATCHER)).toMatchObject({ extraction: 'unchanged' });
  expect(Object.fromEntries(world.files)).toEqual(files);
});

it('says on which page of a document each of its pages begins', async () => {
  const world = await openTestBrain({ 'inbox/report.pdf': 'x' });
  const markdown = `${'a '.repeat(600_000)}\n\n${'b '.repeat(600_000)}`;
  const pages = [
    { page: 1, from: 0 },
    { page: 7, from: 900_000 },
  ];
  const original = { kind: 'stands', path: vaultPath('inbox/report.pdf') } as const;
  const name = 'report.pdf';
  const answer = await ingestSource(
    world.brain,
    request(markdown, {
      name,
      original,
      reference: (path) => sourceReference(path, name),
      read: async () => ({ markdown, pages, converted: false, warnings: ['Something was cut.'] }),
    }),
    agent,
  );
  expect(answer.warnings).toContain('Something was cut.');
  expect(answer.pages.map(({ path = '' }) => sources(world, path))).toEqual([
    ['[[inbox/report.pdf#page=1|report.pdf]]'],
    ['[[inbox/report.pdf#page=7|report.pdf]]'],
    ['[[inbox/report.pdf#page=7|report.pdf]]'],
  ]);
});

it('makes the pages of one source once, when it comes twice at the same time', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  const original = { kind: 'stands', path: INBOX } as const;
  const answers = await Promise.all(
    [1, 2, 3].map(() => ingestSource(world.brain, request(TEXT, { original }), agent)),
  );
  expect(answers.map(({ extraction }) => extraction).sort()).toEqual([
    'passthrough',
    'unchanged',
    'unchanged',
  ]);
  expect([...world.files.keys()].filter((path) => path.startsWith('raw/'))).toEqual([PAGE]);
});

it('writes nothing when it is called off', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  const signal = new StopController();
  const read = async () => {
    signal.stop();
    return { markdown: TEXT, converted: false, warnings: [] };
  };
  const refused = await refusalOf(ingestSource(world.brain, request(TEXT, { read, signal }), agent));
  expect(refused.code).toBe('busy');
  expect(Object.fromEntries(world.files)).toEqual({ [INBOX]: TEXT });
});

it('takes the original of a text away again when no page could be made', async () => {
  const world = await openTestBrain();
  world.vault.intercept = (call, path) => {
    if (call === 'create' && path.startsWith('raw/')) throw new Error('the disk is full');
  };
  const keep = { kind: 'keep', bytes: new TextEncoder().encode(TEXT) } as const;
  await expect(ingestSource(world.brain, request(TEXT, { original: keep }), agent)).rejects.toThrow(
    'the disk is full',
  );
  expect([...world.files.keys()]).toEqual([]);
  expect([...world.vault.folders]).toEqual([]);
  world.vault.intercept = () => undefined;
  await ingestSource(world.brain, request(TEXT, { original: keep }), agent);
  expect([...world.files.keys()].sort()).toEqual([PROCESSED, PAGE]);
});

it('goes to the place that its pages name, when it was cut before the move and the day is another', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  world.vault.intercept = (call) => {
    if (call === 'move') throw new Error('the file is open elsewhere');
  };
  await expect(ingestSource(world.brain, request(), WATCHER)).rejects.toThrow('the file is open elsewhere');
  expect(sources(world)).toEqual([`[[${PROCESSED}|report.md]]`]);
  world.vault.intercept = () => undefined;
  world.clock.advance(86_400_000);
  const answer = await ingestSource(world.brain, request(), WATCHER);
  expect(answer).toMatchObject({ extraction: 'unchanged', original: PROCESSED });
  expect([...world.files.keys()].sort()).toEqual([PROCESSED, PAGE]);
});

it('goes to no place that a document names by itself', async () => {
  for (const claimed of [
    'inbox/processed/../../wiki/report.md.txt',
    'inbox/processed/2000-01-01/report.md.txt',
  ]) {
    const text = `---\nsources: ["[[${claimed}]]"]\n---\n${TEXT}`;
    const world = await openTestBrain({ [INBOX]: text });
    world.vault.intercept = (call) => {
      if (call === 'move') throw new Error('the file is open elsewhere');
    };
    await expect(ingestSource(world.brain, request(text), WATCHER)).rejects.toThrow('open elsewhere');
    world.vault.intercept = () => undefined;
    await ingestSource(world.brain, request(text), WATCHER);
    expect([...world.files.keys()].sort()).toEqual([PROCESSED, PAGE]);
  }
});

it('is not put away, and no page is made, when the file was changed or taken away while it was read', async () => {
  for (const change of [`${TEXT}More.\n`, null]) {
    const world = await openTestBrain({ [INBOX]: TEXT });
    const read = async () => {
      world.vault.outside(INBOX, change);
      return { markdown: TEXT, converted: false, warnings: [] };
    };
    expect(await refusalOf(ingestSource(world.brain, request(TEXT, { read }), WATCHER))).toMatchObject({
      code: 'busy',
    });
    expect(Object.fromEntries(world.files)).toEqual(change === null ? {} : { [INBOX]: change });
    expect(await world.brain.ledger.find(sha256(TEXT))).toBeNull();
  }
});

it('is not put away, and no page is made, when the file is saved while the pages are composed', async () => {
  const world = await openTestBrain({ [INBOX]: TEXT });
  const { vault } = world;
  const stat = vault.stat;
  // The free name of the page is looked for last.
  vault.stat = async (path) => {
    if (path === PAGE) vault.outside(INBOX, `${TEXT}More.\n`);
    return stat(path);
  };
  expect(await refusalOf(ingestSource(world.brain, request(TEXT), WATCHER))).toMatchObject({ code: 'busy' });
  expect(Object.fromEntries(world.files)).toEqual({ [INBOX]: `${TEXT}More.\n` });
});

it('is not put away as a known one when the file was changed after it was hashed', async () => {
  for (const linksTo of ['inbox/elsewhere.md', INBOX]) {
    const world = await openTestBrain({ [INBOX]: TEXT });
    await ingestSource(world.brain, request(), WATCHER);
    // A page that names the file where it lay is edited when it is moved.
    world.vault.outside(PAGE, (world.files.get(PAGE) ?? '').replace(PROCESSED, linksTo));
    world.vault.outside(INBOX, `${TEXT}More.\n`);
    const before = Object.fromEntries(world.files);
    expect(await refusalOf(ingestSource(world.brain, request(), WATCHER))).toMatchObject({ code: 'busy' });
    expect(Object.fromEntries(world.files)).toEqual(before);
  }
});

it('is unchanged, and leads nowhere else, when a known file was taken away after it was hashed', async () => {
  for (const original of [
    { kind: 'move', from: INBOX },
    { kind: 'stands', path: INBOX },
  ] as const) {
    const world = await openTestBrain({ [INBOX]: TEXT });
    await ingestSource(world.brain, request(TEXT, { original }), WATCHER);
    world.vault.outside(INBOX, null);
    const [before, entry] = [Object.fromEntries(world.files), await world.brain.ledger.find(sha256(TEXT))];
    const answer = await ingestSource(world.brain, request(), WATCHER);
    expect(answer).toMatchObject({ extraction: 'unchanged' });
    expect(answer.original).toBe(original.kind === 'move' ? PROCESSED : undefined);
    expect(Object.fromEntries(world.files)).toEqual(before);
    expect(await world.brain.ledger.find(sha256(TEXT))).toEqual(entry);
  }
});

it('is not kept out by a note that only claims to be made of it', async () => {
  const low = callerWith(['propose'], 'low');
  const mark = { source_hash: sha256(TEXT), extracted_by: 'passthrough' };
  const claims: Record<string, (world: TestBrain) => Promise<unknown>> = {
    pages: ({ run }) => run(ingestPages, { pages: [{ title: 'X', content: 'x', frontmatter: mark }] }, low),
    note: ({ run }) => run(writeNote, { content: 'x', filename: 'x', frontmatter: mark }, low),
    text: ({ run }) =>
      run(ingestText, { text: `---\nsource_hash: ${mark.source_hash}\nwritten_by: x via y\n---\nx` }, low),
  };
  for (const claim of Object.values(claims)) {
    const world = await openTestBrain();
    await claim(world);
    const answer = await world.run(ingestText, { text: TEXT });
    expect(answer).toMatchObject({ extraction: 'passthrough', counts: { written: 1 } });
    expect(world.files.get(`inbox/processed/2026-11-20/report-${sha256(TEXT).slice(0, 8)}.txt`)).toBe(TEXT);
  }
});

/** A power cut after so many changes of vault and state: the ports do nothing any more. */
class Cut extends Error {}

const OLD = '# Same\n\nWords that are known.\n';
const POSTED = '# Posted\n\nA text.\n';

/** What one server does in its life; a cut ends it. */
async function life(
  vault: ReturnType<typeof createMemoryVault>,
  state: ReturnType<typeof createMemoryState>,
) {
  const ports = {
    vault,
    state,
    clock: fixedClock(),
    log: silentLog(),
    documents: fakeDocuments(),
    servers: alone,
  };
  const opened = await openBrain(ports, settleConfig({}), {
    device: 'testtest',
    version: '0',
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  await opened.loaded;
  const { brain } = opened;
  if (vault.files.has(INBOX)) await ingestSource(brain, request(), WATCHER);
  const twin = vaultPath('inbox/twin.md');
  if (vault.files.has(twin)) {
    const text = '# same\n\nWords that are known';
    const name = 'twin.md';
    const original = { kind: 'move', from: twin } as const;
    await ingestSource(
      brain,
      request(text, { name, original, reference: (to) => sourceReference(to, name) }),
      WATCHER,
    );
  }
  const bytes = new TextEncoder().encode(POSTED);
  await ingestSource(
    brain,
    request(POSTED, {
      name: 'posted-12345678.txt',
      original: { kind: 'keep', bytes },
      wing: 'net',
      hall: 'facts',
      destination: 'wiki',
    }),
    agent,
  );
  const pages = ['One', 'Two', 'Three'].map((title) => ({
    title,
    content: `Text of ${title}, see [[Two]].`,
  }));
  await ingestSource(
    brain,
    request('', { hash: sha256('batch'), pages, original: { kind: 'none' }, reference: () => null }),
    agent,
  );
}

function outcome(vault: { files: Map<string, string> }, state: { files: Map<string, string> }) {
  const ledger = (state.files.get('ledger.testtest.jsonl') ?? '').split('\n').filter(Boolean).sort();
  return { files: Object.fromEntries([...vault.files].sort()), ledger };
}

it('ends the same wherever it is cut and begun again, with no page twice', async () => {
  const files = {
    [INBOX]: TEXT,
    'inbox/twin.md': '# same\n\nWords that are known',
    'wiki/home/facts/same.md': OLD,
  };
  const cutAfter = async (changes: number) => {
    const vault = createMemoryVault(files, fixedClock());
    const state = createMemoryState();
    const whole = { append: state.append, write: state.write, create: state.create };
    let left = changes;
    const step = () => {
      if (left <= 0) throw new Cut();
      left -= 1;
    };
    vault.intercept = step;
    state.append = async (path, text, sync) => {
      if (left === 1 && path.startsWith('ledger')) {
        left = 0;
        await whole.append(path, text.slice(0, text.length / 2), sync);
        throw new Cut();
      }
      step();
      return whole.append(path, text, sync);
    };
    state.write = async (path, text) => {
      step();
      return whole.write(path, text);
    };
    state.create = async (path, text) => {
      step();
      return whole.create(path, text);
    };
    let cut = false;
    await life(vault, state).catch(() => {
      cut = true;
    });
    vault.intercept = () => undefined;
    Object.assign(state, whole);
    await life(vault, state);
    const after = outcome(vault, state);
    await life(vault, state);
    expect(outcome(vault, state)).toEqual(after);
    return { after, cut: cut || left <= 0 };
  };
  const uncut = await cutAfter(Infinity);
  expect(Object.keys(uncut.after.files)).toEqual([
    'inbox/processed/2026-11-20/posted-12345678.txt',
    PROCESSED,
    'inbox/processed/2026-11-20/twin.md.txt',
    'raw/2026-11-20-one.md',
    PAGE,
    'raw/2026-11-20-three.md',
    'raw/2026-11-20-two.md',
    'wiki/home/facts/same.md',
    'wiki/net/_index.md',
    'wiki/net/facts/posted.md',
  ]);
  let cuts = 0;
  for (let changes = 0; ; changes += 1) {
    const { after, cut } = await cutAfter(changes);
    if (!cut) break;
    cuts += 1;
    expect(after.files).toEqual(uncut.after.files);
  }
  expect(cuts).toBeGreaterThan(20);
}, 60_000);
