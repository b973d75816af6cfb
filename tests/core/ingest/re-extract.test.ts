import type { IngestResult } from '../../../src/core/operation/shapes';
import { ingestText } from '../../../src/core/ingest/operations';
import { ingestSource } from '../../../src/core/ingest/source';
import { reExtract } from '../../../src/core/ingest/re-extract';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { type FakeModel, fakeModel, type FakeTurn } from '../../support/fake-model';
import { modelPage } from '../../support/model-page';
import { agent, callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

const TEXT = '# Router notes\n\nThe tunnel needs an MTU of 1380 bytes, because PPPoE takes twenty.\n';
const NOTE = 'raw/2026-11-20-router-notes.md';

const page = (title: string, more: object = {}) =>
  modelPage({ title, summary: '', body: `About ${title}.`, ...more });
const says = (...pages: object[]): FakeTurn => ({ say: { pages } });

let test: TestBrain;
let model: FakeModel;
const documents = fakeDocuments();
beforeEach(async () => {
  model = fakeModel({ fail: 503 });
  test = await openTestBrain({}, {}, undefined, { model, documents });
});
afterEach(() => test.close());

async function ingested(text: string, more: object = {}, on = test): Promise<IngestResult> {
  const answer = await on.run(ingestText, { text, ...more });
  if (!('pages' in answer)) throw new Error('it went into the background');
  return answer;
}

/** A text that came in while the model was out of order. */
async function passedText(text = TEXT, more: object = {}): Promise<string> {
  const { pages } = await ingested(text, { source: 'the shelf', wing: 'network', ...more });
  return pages[0]?.path ?? '';
}

async function again(path: string, more: object = {}): Promise<IngestResult> {
  const answer = await test.run(reExtract, { path, ...more });
  if (!('pages' in answer)) throw new Error('it went into the background');
  return answer;
}

/** A file that came in then. */
async function passedFile(
  name: string,
  says: string,
  pages?: { page: number; from: number }[],
): Promise<string> {
  const from = vaultPath(`inbox/${name}`);
  const bytes = new TextEncoder().encode(says);
  test.vault.outsideBytes(from, bytes);
  documents.script(name, { markdown: says, ...(pages && { pages }) });
  const answer = await ingestSource(
    test.brain,
    {
      hash: sha256(bytes),
      name,
      label: null,
      reference: (original) => original && `[[${original}|${name}]]`,
      original: { kind: 'move', from },
      read: () => documents.read({ name, bytes }),
      destination: 'raw',
      force: false,
      dryRun: false,
    },
    { ...agent, origin: 'watcher', name: 'watcher' },
  );
  return answer.pages[0]?.path ?? '';
}

const frontmatter = (path: string) => parseNote(test.files.get(path) ?? '').frontmatter;

it('puts the pages of the model in the place of the note that was passed through', async () => {
  const path = await passedText();
  expect(path).toBe(NOTE);
  expect(frontmatter(path)).toMatchObject({ extracted_by: 'passthrough' });
  const old = test.files.get(path) ?? '';
  model.script(
    says(page('Tunnel MTU', { links: ['PPPoE'], half_life: 'durable' }), page('PPPoE', { evidence: [] })),
  );
  const answer = await test.run(reExtract, { path });
  expect(answer).toMatchObject({
    source: 'the shelf',
    source_hash: sha256(TEXT),
    extraction: 'llm',
    destination: 'raw',
    counts: { written: 2, duplicate: 0 },
    warnings: [],
  });
  expect(test.files.has(path)).toBe(false);
  expect(await test.state.read(`history/${sha256(old).slice(0, 2)}/${sha256(old)}.md`)).toBe(old);
  expect(test.files.get('raw/2026-11-20-tunnel-mtu.md')).toMatchInlineSnapshot(`
   "---
   wing: network
   hall: facts
   created_at: 2026-11-20T10:32:00Z
   source_type: internal
   half_life: durable
   claim_provenance: asserted
   origin: http
   written_by: laptop via fake-7b
   aliases: ["Tunnel MTU"]
   source: the shelf
   sources: ["[[inbox/processed/2026-11-20/router-notes-f1cf94fb.txt|router-notes-f1cf94fb.txt]]"]
   source_hash: f1cf94fbe8acff05a7f1e511822e4e51ed12554aad50606df3141a8f338dd716
   extracted_by: llm
   ---
   # Tunnel MTU

   About Tunnel MTU.

   Related: [[raw/2026-11-20-pppoe|PPPoE]]
   "
  `);
  expect(frontmatter('raw/2026-11-20-pppoe.md')).toMatchObject({
    evidence: 'unverified',
    extracted_by: 'llm',
  });
});

it('reads the kept original anew, so that quotes and pages are those of the document', async () => {
  const says1 = `${TEXT}\nOn the second page stands the resolver of the house.\n`;
  const path = await passedFile('scan.pdf', says1, [
    { page: 1, from: 0 },
    { page: 2, from: TEXT.length },
  ]);
  test.vault.outside(path, (test.files.get(path) ?? '').replace('1380', '9000'));
  model.script(
    says(
      page('Tunnel MTU', { evidence: ['an MTU of 1380 bytes'] }),
      page('Resolver', { evidence: ['the second page stands the resolver'] }),
      page('Edited', { evidence: ['an MTU of 9000 bytes'] }),
    ),
  );
  await test.run(reExtract, { path });
  const kept = 'inbox/processed/2026-11-20/scan.pdf';
  const sources = (slug: string) => frontmatter(`raw/2026-11-20-${slug}.md`).sources;
  expect(sources('tunnel-mtu')).toEqual([`[[${kept}#page=1|scan.pdf]]`]);
  expect(sources('resolver')).toEqual([`[[${kept}#page=2|scan.pdf]]`]);
  expect(sources('edited')).toEqual([`[[${kept}|scan.pdf]]`]);
  expect(frontmatter('raw/2026-11-20-edited.md')).toMatchObject({
    evidence: 'unverified',
    source_type: 'external',
  });
});

it('reads kept Markdown by the name that it had', async () => {
  const path = await passedFile('router.md', TEXT);
  documents.asked.length = 0;
  model.script(says(page('Tunnel MTU')));
  await test.run(reExtract, { path });
  expect(documents.asked).toEqual(['router.md']);
  expect(test.files.has('inbox/processed/2026-11-20/router.md.txt')).toBe(true);
});

it('keeps every source that the note has', async () => {
  const path = await passedText();
  const more = 'https://example.org/router';
  test.vault.outside(path, (test.files.get(path) ?? '').replace(/^sources: \[/m, `sources: ["${more}", `));
  model.script(says(page('Tunnel MTU')));
  await test.run(reExtract, { path });
  expect(frontmatter('raw/2026-11-20-tunnel-mtu.md').sources).toEqual([
    more,
    expect.stringMatching(/^\[\[inbox\/processed/),
  ]);
});

it('takes the text of a part from the note, and leaves the other pages alone', async () => {
  const parts = ['alpha', 'beta', 'gamma'].map((word) =>
    `## ${word}\n\n${`Here is ${word}. `.repeat(700)}`.slice(0, 11_000),
  );
  const first: FakeTurn = says(page('Alpha', { evidence: ['Here is alpha'] }));
  model.script(first, 'no', 'no', says(page('Gamma', { evidence: [] })));
  const { pages } = await ingested(parts.join('\n\n'), { title: 'Greek' });
  const part = pages.find(({ title }) => title.includes('part 2 of 3'))?.path ?? '';
  expect(frontmatter(part)).toMatchObject({ extracted_by: 'passthrough', extracted_part: '2 of 3' });
  model.script(says(page('Beta', { evidence: ['Here is beta. Here is beta'] })));
  const { pages: made } = await again(part);
  expect(model.asked).toHaveLength(1);
  expect(model.asked[0]?.user).not.toContain('gamma');
  expect(made.map(({ title, status }) => [title, status])).toEqual([['Beta', 'written']]);
  expect([...test.files.keys()].filter((path) => path.startsWith('raw/')).sort()).toEqual(
    ['alpha', 'beta', 'gamma'].map((slug) => `raw/2026-11-20-${slug}.md`),
  );
  expect(frontmatter('raw/2026-11-20-beta.md').source_hash).toBe(
    frontmatter('raw/2026-11-20-alpha.md').source_hash,
  );
});

it('takes the text from the note when the document stayed outside the vault', async () => {
  const bytes = new TextEncoder().encode(TEXT);
  const { pages } = await ingestSource(
    test.brain,
    {
      hash: sha256(bytes),
      name: 'router.md',
      label: null,
      reference: () => 'file:router.md',
      original: { kind: 'none' },
      read: () => documents.read({ name: 'router.md', bytes }),
      destination: 'raw',
      force: false,
      dryRun: false,
    },
    agent,
  );
  model.script(says(page('Tunnel MTU')));
  await again(pages[0]?.path ?? '');
  expect(frontmatter('raw/2026-11-20-tunnel-mtu.md')).toMatchObject({
    sources: ['file:router.md'],
    source_hash: sha256(bytes),
    source_type: 'external',
  });
});

it('shows in a dry run what it would write, and changes nothing', async () => {
  const path = await passedText();
  const before = [...test.files];
  model.script(says(page('Tunnel MTU')));
  const { pages } = await again(path, { dry_run: true });
  expect(pages[0]?.text).toContain('# Tunnel MTU');
  expect([...test.files]).toEqual(before);
});

it('leaves the note where no new page comes of it', async () => {
  await passedText('# Tunnel MTU\n\nAbout Tunnel MTU.');
  const path = await passedText();
  model.script(says(page('Tunnel MTU')));
  const { counts, warnings } = await again(path);
  expect(counts).toMatchObject({ written: 0, duplicate: 1 });
  expect(test.files.has(path)).toBe(true);
  expect(warnings).toEqual([expect.stringContaining('stays in the queue')]);
});

it('says that a link to the note leads nowhere now', async () => {
  const path = await passedText();
  test.vault.outside('wiki/homelab/facts/a.md', `See [[${path.slice(0, -3)}|notes]].`);
  model.script(says(page('Tunnel MTU')));
  const { warnings } = await again(path);
  expect(warnings).toEqual([expect.stringMatching(/^One note links to raw\/2026-11-20-router-notes\.md/)]);
});

it('is a job when it is asked for in the background', async () => {
  const path = await passedText();
  model.script(says(page('Tunnel MTU')));
  const answer = await test.run(reExtract, { path, background: true });
  expect(answer).toMatchObject({ status: 'running' });
  expect(await test.brain.jobs.wait('job' in answer ? answer.job : '', agent, 1_000)).toMatchObject({
    extraction: 'llm',
  });
});

it.each([false, true])('tells a token without "read" no text (in the background: %s)', async (background) => {
  await passedText('# Tunnel MTU\n\nAbout Tunnel MTU.');
  const path = await passedText();
  const writer = callerWith(['write'], 'scribe');
  model.script(says(page('Tunnel MTU'), page('Another')));
  const answer = await test.run(reExtract, { path, dry_run: true, background }, writer);
  const told = 'job' in answer ? await test.brain.jobs.wait(answer.job, writer, 1_000) : answer;
  if (!('pages' in told)) throw new Error('The job did not end.');
  expect(told.pages.map(({ status }) => status)).toEqual(['duplicate', 'written']);
  expect(JSON.stringify(told)).not.toMatch(/About|Another|Tunnel MTU|the shelf/);
  expect(JSON.stringify(told)).not.toContain(sha256(TEXT));
  expect(told.pages[0]).not.toHaveProperty('content_hash');
});

describe('is refused, with nothing changed,', () => {
  it.each([
    ['when the model fails', [{ fail: 500 }], 'llm_error'],
    ['when it gives no usable reply', ['prose'], 'llm_error'],
    ['when it finds nothing', [says()], 'llm_error'],
  ])('%s', async (_, turns: FakeTurn[], code) => {
    const path = await passedText();
    model.script(...turns);
    expect((await test.refusal(reExtract, { path })).code).toBe(code);
  });

  it('without a model', async () => {
    const bare = await openTestBrain();
    const { pages } = await ingested(TEXT, {}, bare);
    expect((await bare.refusal(reExtract, { path: pages[0]?.path })).code).toBe('llm_error');
    await bare.close();
  });

  it('for a note that somebody wrote', async () => {
    const claims = `---\nextracted_by: passthrough\nsource_hash: ${sha256(TEXT)}\nwritten_by: low\n---\n`;
    for (const begin of ['', claims]) {
      test.vault.outside('raw/mine.md', `${begin}# Mine`);
      const error = await test.refusal(reExtract, { path: 'raw/mine.md' });
      expect(error).toMatchObject({ code: 'invalid_field', details: { field: 'path' } });
    }
  });

  it.each([
    ['wiki/homelab/facts/a.md', 'not_in_queue'],
    ['raw/nothing.md', 'source_missing'],
    ['../a', 'path_not_allowed'],
  ])('for %s: %s', async (path, code) => {
    expect((await test.refusal(reExtract, { path })).code).toBe(code);
  });

  it.each(['gone', 'changed'])('when its original is %s', async (how) => {
    const path = await passedText();
    const original = [...test.files.keys()].find((each) => each.startsWith('inbox/processed/')) ?? '';
    test.vault.outside(original, how === 'gone' ? null : 'other');
    model.script(says(page('Tunnel MTU')));
    expect((await test.refusal(reExtract, { path })).code).toBe('invalid_field');
    expect(model.asked).toEqual([]);
  });

  it('when the note is decided or edited while the model works', async () => {
    const path = await passedText();
    model.script(() => {
      test.vault.outside(path, 'Edited meanwhile.');
      return says(page('Tunnel MTU'));
    });
    await expect(test.run(reExtract, { path })).rejects.toMatchObject({ code: 'hash_mismatch' });
    expect(test.files.get(path)).toBe('Edited meanwhile.');
    expect(test.files.has('raw/2026-11-20-tunnel-mtu.md')).toBe(false);
  });

  it('when it is another version than was looked at, or the token may not write', async () => {
    const path = await passedText();
    expect((await test.refusal(reExtract, { path, expected_hash: sha256('old') })).code).toBe(
      'hash_mismatch',
    );
    const proposer = callerWith(['read', 'propose']);
    expect((await test.refusal(reExtract, { path }, proposer)).code).toBe('forbidden_scope');
  });
});
