import { gateReport } from '../../../src/core/review/gate-report';
import { sha256 } from '../../../src/core/base/hash';
import { updateNote } from '../../../src/core/notes/update';
import { openTestBrain } from '../../support/test-brain';
import { writeNote } from '../../../src/core/notes/write';

const RAW = 'raw/2026-11-01-dns.md';
const BODY = [
  '# DNS',
  '',
  'See [[MTU]] and [[Unbound]], [[nothing]].',
  '',
  '![pixel](https://evil.example/p.png) <script>alert(1)</script>',
  '',
  '```dataviewjs',
  'app.vault.delete()',
  '```',
  '',
  '[run](javascript:alert(1)) [[raw/other]]',
  '',
].join('\n');
const FILES = {
  [RAW]: `---\ncreated_at: 2026-11-01T00:00:00Z\n---\n${BODY}`,
  'wiki/net/facts/mtu.md': '# MTU\n',
  'wiki/net/facts/unbound.md': '# Unbound\n',
  'wiki/lab/facts/unbound.md': '# Unbound\n',
};

it('counts Markdown links of a queued note from the root and by name, not from the queue alone', async () => {
  const body = '[a](wiki/net/facts/mtu.md) [b](mtu.md) [c](nowhere.md) [d](other.md) [e](../raw/other.md)\n';
  const { run } = await openTestBrain({ ...FILES, [RAW]: body, 'raw/other.md': '# Other\n' });
  const { refs } = await run(gateReport, { path: RAW });
  expect(refs.map(({ resolved, reason }) => resolved ?? reason)).toEqual([
    'wiki/net/facts/mtu.md',
    'wiki/net/facts/mtu.md',
    'missing',
    'missing',
    'unreviewed',
  ]);
});

it('says what stands in a note and changes nothing', async () => {
  const { run, files } = await openTestBrain(FILES);
  const before = new Map(files);
  const report = await run(gateReport, { path: RAW });
  expect(report.path).toBe(RAW);
  expect(report.content_hash).toBe(sha256(FILES[RAW]));
  expect(report.refs.map(({ target, line, reason, unlinked }) => [target, line, reason, unlinked])).toEqual([
    ['MTU', 3, undefined, false],
    ['Unbound', 3, 'ambiguous', true],
    ['nothing', 3, 'missing', true],
    ['https://evil.example/p.png', 5, 'remote_embed', true],
    ['script', 5, 'active_content', true],
    ['script', 5, 'active_content', true],
    ['dataviewjs', 7, 'active_content', true],
    ['javascript:alert(1)', 11, 'unsafe_scheme', true],
    ['raw/other', 11, 'unreviewed', true],
  ]);
  expect(report.refs[1]?.candidates).toEqual(['wiki/lab/facts/unbound.md', 'wiki/net/facts/unbound.md']);
  expect(files).toEqual(before);
});

it('finds what the gate finds when the same note is written', async () => {
  const { run } = await openTestBrain({ ...FILES, 'wiki/home/facts/x.md': '# X\n' });
  const report = await run(gateReport, { path: RAW });
  const written = await run(writeNote, { filename: 'copy', content: BODY });
  expect(report.refs).toEqual(written.refs);
  expect(report.unlinked).toEqual(written.unlinked);
  const updated = await run(updateNote, { path: 'wiki/home/facts/x.md', content: BODY, reason: 'x' });
  expect(updated.refs).toEqual(report.refs);
});

it('judges links with the wing that the note suggests, however it spells it', async () => {
  const { run, vault } = await openTestBrain(FILES);
  vault.outside(RAW, `---\nwing: " LAB"\nhall: facts\n---\n${BODY}`);
  const { refs } = await run(gateReport, { path: RAW });
  expect(refs[1]).toMatchObject({ target: 'Unbound', resolved: 'wiki/lab/facts/unbound.md' });
});

it('says why the front matter cannot be read', async () => {
  const { run } = await openTestBrain({ [RAW]: '---\na: [\n---\nText.\n' });
  expect((await run(gateReport, { path: RAW })).warnings).toEqual([
    expect.stringMatching(/^The front matter has a mistake in line 2 of the note: /),
  ]);
});

it.each([
  ['wiki/net/facts/mtu.md', 'not_in_queue'],
  ['raw/rejected/x.md', 'not_in_queue'],
  ['raw/gone.md', 'source_missing'],
  ['../x.md', 'path_not_allowed'],
])('refuses %s with %s', async (path, code) => {
  const { refusal } = await openTestBrain(FILES);
  expect((await refusal(gateReport, { path })).code).toBe(code);
});
