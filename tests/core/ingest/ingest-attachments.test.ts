import { sha256 } from '../../../src/core/base/hash';
import type { DocumentText } from '../../../src/core/documents/ports';
import { parseNote } from '../../../src/core/frontmatter/parse';
import type { IngestRequest } from '../../../src/core/ingest/request';
import { reExtract } from '../../../src/core/ingest/re-extract';
import { ingestSource } from '../../../src/core/ingest/source';
import { sourceReference } from '../../../src/core/sources/source-references';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { type FakeModel, fakeModel } from '../../support/fake-model';
import { modelPage } from '../../support/model-page';
import { agent, openTestBrain } from '../../support/test-brain';

const FROM = vaultPath('inbox/plan.eml');
const text = (markdown: string, more: Partial<DocumentText> = {}): DocumentText => ({
  markdown,
  converted: false,
  warnings: [],
  ...more,
});
const MAIL = text('See both.\n', {
  title: 'Plan [x] | A',
  attachments: [
    { name: 'costs.csv', text: text('| a |\n| --- |\n| 1 |\n', { pages: [{ page: 1, from: 0 }] }) },
    {
      name: 'fwd.eml',
      text: text('Attached mail.\n', {
        title: 'Costs',
        attachments: [{ name: 'n.txt', text: text('Note.\n') }],
      }),
    },
  ],
});

function request(more: Partial<IngestRequest> = {}): IngestRequest {
  return {
    hash: sha256('mail'),
    name: 'plan.eml',
    label: null,
    reference: (original) => sourceReference(original, 'plan.eml'),
    original: { kind: 'move', from: FROM },
    read: async () => MAIL,
    destination: 'raw',
    force: false,
    dryRun: false,
    ...more,
  };
}

async function open(others: Readonly<Record<string, string>> = {}, model?: FakeModel) {
  const world = await openTestBrain({ [FROM]: 'mail', ...others }, {}, undefined, {
    ...(model && { model }),
  });
  const bodyOf = (name: string) => parseNote(world.files.get(`raw/2026-11-20-${name}.md`) ?? '').body.trim();
  return { ...world, bodyOf };
}

it('makes a page of each attachment, linked with the mail both ways', async () => {
  const { brain, files, bodyOf } = await open();
  const answer = await ingestSource(brain, request(), agent);
  expect(answer.counts.written).toBe(4);
  expect(answer.pages.map(({ title }) => title)).toEqual(['Plan [x] | A', 'costs', 'Costs (2)', 'n']);
  expect(bodyOf('plan-x-a')).toBe(
    '# Plan [x] | A\n\nSee both.\n\n## Attachments\n\n- [[raw/2026-11-20-costs|costs]]\n- [[raw/2026-11-20-costs-2|Costs (2)]]',
  );
  expect(bodyOf('costs')).toBe(
    '# costs\n\n| a |\n| --- |\n| 1 |\n\nAttached to [[raw/2026-11-20-plan-x-a|Plan x A]].',
  );
  expect(bodyOf('costs-2')).toBe(
    '# Costs (2)\n\nAttached mail.\n\nAttached to [[raw/2026-11-20-plan-x-a|Plan x A]].\n\n## Attachments\n\n- [[raw/2026-11-20-n|n]]',
  );
  expect(bodyOf('n')).toMatch(/Attached to \[\[raw\/2026-11-20-costs-2\|Costs \(2\)\]\]\.$/);
  for (const [path, content] of files) {
    if (!path.startsWith('raw/')) continue;
    expect(parseNote(content).frontmatter).toMatchObject({
      source_hash: sha256('mail'),
      extracted_by: 'passthrough',
      sources: ['[[inbox/processed/2026-11-20/plan.eml|plan.eml]]'],
      extracted_part: expect.any(String),
    });
  }
});

it('takes a mail and attachments whose names hold template code', async () => {
  const { brain, files } = await open();
  const read = async () => text('Mail.\n', { attachments: [{ name: '<% x %>.txt', text: text('Note.\n') }] });
  const answer = await ingestSource(brain, request({ name: '<% y %>.eml', read }), agent);
  expect(answer.counts.written).toBe(2);
  const parts = answer.pages.map(({ path }) => parseNote(files.get(path ?? '') ?? '').frontmatter);
  expect(parts.map(({ extracted_part: part }) => part)).toEqual(['< % y %>.eml', '< % x %>.txt']);
});

it('shows all pages in a dry run, and changes nothing', async () => {
  const { brain, files } = await open();
  const before = new Map(files);
  const answer = await ingestSource(brain, request({ dryRun: true }), agent);
  expect(answer.pages).toHaveLength(4);
  expect(answer.pages[0]?.text).toContain('[[raw/2026-11-20-costs|costs]]');
  expect(files).toEqual(before);
});

it('makes nothing twice', async () => {
  const { brain, files } = await open();
  await ingestSource(brain, request(), agent);
  const before = [...files.keys()];
  const again = await ingestSource(brain, request({ original: { kind: 'none' } }), agent);
  expect(again).toMatchObject({ extraction: 'unchanged', counts: { written: 0, duplicate: 4 } });
  expect([...files.keys()]).toEqual(before);
});

it('does not mistake other notes of that name, and keeps front matter and open code of an attachment', async () => {
  const own = text('---\ntags: [a]\n---\n```\nopen\n');
  const { brain, files } = await open({ 'costs.md': '# Costs', 'wiki/w/sources/costs.md': '# costs' });
  const read = async () => text('See.\n', { title: 'M', attachments: [{ name: 'costs.md', text: own }] });
  await ingestSource(brain, request({ read }), agent);
  expect(files.get('raw/2026-11-20-m.md')).toContain('- [[raw/2026-11-20-costs|costs]]');
  const page = files.get('raw/2026-11-20-costs.md') ?? '';
  expect(parseNote(page).frontmatter.tags).toEqual(['a']);
  expect(page).toContain('```\nopen\n```\n\nAttached to [[raw/2026-11-20-m|M]].\n');
});

it('leaves a link of a document that looks like one between its pages a text', async () => {
  const { brain, files } = await open();
  const read = async () => text('See [[pages-of-this-document/7|that]].\n', { title: 'M' });
  await ingestSource(brain, request({ read }), agent);
  expect(files.get('raw/2026-11-20-m.md')).toContain('See that.');
});

it('lets the model read the text of the mail alone, and each attachment when a person asks for it', async () => {
  const page = (title: string) => ({
    say: { pages: [modelPage({ title, body: `About ${title}.`, evidence: [] })] },
  });
  const model = fakeModel(page('Both'));
  const { brain, run, bodyOf, files } = await open({}, model);
  const answer = await ingestSource(brain, request(), agent);
  expect(answer).toMatchObject({ extraction: 'llm', counts: { written: 4 } });
  expect(model.asked).toHaveLength(1);
  expect(bodyOf('both')).toMatch(/About Both\.\n\n## Attachments\n\n- \[\[raw\/2026-11-20-costs\|costs\]\]/);
  expect(bodyOf('costs')).toMatch(/Attached to \[\[raw\/2026-11-20-both\|Both\]\]\.$/);
  model.script(page('Cost table'));
  const again = await run(reExtract, { path: 'raw/2026-11-20-costs.md' });
  expect(again).toMatchObject({ extraction: 'llm', counts: { written: 1 } });
  expect(model.asked[0]?.user).toContain('| 1 |');
  expect(model.asked[0]?.user).not.toContain('See both.');
  expect([...files.keys()]).toContain('raw/2026-11-20-cost-table.md');
});
