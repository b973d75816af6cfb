import { sha256 } from '../../../src/core/base/hash';
import { updateNote } from '../../../src/core/notes/update';
import { gateReport } from '../../../src/core/review/gate-report';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { replaceNote } from '../../../src/core/review/replace';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const RAW = 'raw/2026-11-01-dns.md';
const BODY = [
  '# DNS',
  '',
  '![a](http://x.example/a.png) [[Nobody]] ![a](http://x.example/a.png)',
  '',
  'Pay\u200bpal [[raw/other|other]] <script>x</script>',
  '',
].join('\n');
const GATED = [
  '# DNS',
  '',
  '[a](http://x.example/a.png) [[Nobody]] [a](http://x.example/a.png)',
  '',
  'Paypal other &lt;script>x&lt;/script>',
  '',
].join('\n');
const PLACE = { wing: 'net', hall: 'facts' };

it('promotes alike, whoever promotes, and adopts alike', async () => {
  for (const caller of [person, agent, callerWith(['read', 'review'], 'owner')]) {
    const { run, files } = await openTestBrain({ [RAW]: BODY, 'Notes/DNS.md': BODY });
    const promoted = await run(promoteNote, { path: RAW, ...PLACE }, caller);
    expect(files.get(promoted.path)?.endsWith(`---\n${GATED}`)).toBe(true);
    const adopted = await run(adoptNote, { path: 'Notes/DNS.md', wing: 'lab', hall: 'facts' }, caller);
    expect(files.get(adopted.path)?.endsWith(`---\n${GATED}`)).toBe(true);
  }
});

it.each([RAW, 'Notes/DNS.md'])('tells before it what a promotion or adoption changes in %s', async (path) => {
  const { run, files } = await openTestBrain({ [path]: BODY });
  const { findings } = await run(gateReport, { path });
  expect(
    findings.map(({ index, reason, line, text, becomes }) => [index, reason, line, text, becomes]),
  ).toEqual([
    [0, 'remote_embed', 3, '![a](http://x.example/a.png)', '[a](http://x.example/a.png)'],
    [1, 'remote_embed', 3, '![a](http://x.example/a.png)', '[a](http://x.example/a.png)'],
    [2, 'invisible', 5, 'Pay\u200bpal', 'Paypal'],
    [3, 'unreviewed', 5, '[[raw/other|other]]', 'other'],
    [4, 'active_content', 5, '<script>x</script>', '&lt;script>x&lt;/script>'],
  ]);
  const decide = (more: object) =>
    path === RAW
      ? run(promoteNote, { path, ...PLACE, ...more }, person)
      : run(adoptNote, { path, ...PLACE, ...more }, person);
  const dry = await decide({ dry_run: true });
  expect(dry.body).toBe(GATED);
  const real = await decide({});
  expect(real.body).toBeUndefined();
  expect(files.get(real.path)?.endsWith(`---\n${GATED}`)).toBe(true);
  expect(real.content_hash).toBe(dry.content_hash);
});

it.each<[number[], string, string]>([
  [[1], '[[Nobody]] [a](http://x.example/a.png)', '[[Nobody]] ![a](http://x.example/a.png)'],
  [[0], '\n[a](http://x.example/a.png) [[', '\n![a](http://x.example/a.png) [['],
  [[2], 'Paypal', 'Pay\u200bpal'],
  [[3], 'Paypal other', 'Paypal [[raw/other|other]]'],
  [[4, 4], '&lt;script>x&lt;/script>', '<script>x</script>'],
])('keeps the findings %j as a person wants', async (keep, gated, kept) => {
  const { run, files } = await openTestBrain({ [RAW]: BODY });
  const expected = GATED.replace(gated, kept);
  const dry = await run(promoteNote, { path: RAW, ...PLACE, keep, dry_run: true }, person);
  expect(dry.body).toBe(expected);
  const { path } = await run(promoteNote, { path: RAW, ...PLACE, keep }, person);
  expect(files.get(path)?.endsWith(`---\n${expected}`)).toBe(true);
  // What stands is no new construct for the next write.
  await run(updateNote, { path, content: expected, reason: 'read and written back' });
  expect(files.get(path)?.endsWith(`---\n${expected}`)).toBe(true);
});

it('keeps findings by the same numbers whatever the place and the chosen links', async () => {
  const body = '[[unbound|![a](http://x/a)]] ![b](http://x/b) [[unbound]]\n';
  const { run } = await openTestBrain({
    [RAW]: body,
    'wiki/lab/facts/unbound.md': '# Unbound\n',
    'wiki/net/facts/unbound.md': '# Unbound\n',
  });
  const { findings } = await run(gateReport, { path: RAW });
  expect(findings.map(({ text }) => text)).toEqual(['![a](http://x/a)', '![b](http://x/b)']);
  const links = { unbound: 'wiki/lab/facts/unbound.md' };
  const ask = { path: RAW, wing: 'third', hall: 'facts', links, dry_run: true };
  const second = await run(promoteNote, { ...ask, keep: [1] }, person);
  expect(second.body).toBe(
    '[[wiki/lab/facts/unbound|!(a)(http://x/a)]] ![b](http://x/b) [[wiki/lab/facts/unbound|Unbound]]\n',
  );
  const first = await run(promoteNote, { ...ask, keep: [0] }, person);
  expect(first.body).toBe(
    '[[unbound|![a](http://x/a)]] [b](http://x/b) [[wiki/lab/facts/unbound|Unbound]]\n',
  );
  expect(first.warnings).toEqual(['The link to "unbound" was kept as written.']);
});

it('refuses a number that no finding has', async () => {
  const { refusal } = await openTestBrain({ [RAW]: BODY, 'raw/plain.md': 'Plain.\n' });
  for (const [path, keep] of [
    [RAW, [5]],
    [RAW, [0, 99]],
    ['raw/plain.md', [0]],
  ] as const)
    expect(await refusal(promoteNote, { path, ...PLACE, keep }, person)).toMatchObject({
      code: 'invalid_field',
      details: { field: 'keep' },
    });
  for (const keep of [[-1], [0.5], 'all'])
    expect((await refusal(promoteNote, { path: RAW, ...PLACE, keep }, person)).code).toBe('invalid_field');
});

it('ignores what a token wants to keep, and says so', async () => {
  const { run } = await openTestBrain({ [RAW]: BODY });
  const { body, warnings } = await run(promoteNote, { path: RAW, ...PLACE, keep: [0, 99], dry_run: true });
  expect(body).toBe(GATED);
  expect(warnings[0]).toBe('"keep" was ignored: only a person keeps what the gate would change.');
});

it('counts template code in front matter as no finding to keep', async () => {
  const text = '---\ntitle: <% x %>\n---\nText.\n';
  const { run, refusal } = await openTestBrain({ [RAW]: text });
  const report = await run(gateReport, { path: RAW });
  expect(report.refs).toMatchObject([{ kind: 'template', reason: 'active_content' }]);
  expect(report.findings).toEqual([]);
  expect((await refusal(promoteNote, { path: RAW, ...PLACE, keep: [0] })).code).toBe('invalid_frontmatter');
  expect((await refusal(promoteNote, { path: RAW, ...PLACE, keep: [0] }, person)).code).toBe('invalid_field');
  expect((await run(promoteNote, { path: RAW, ...PLACE }, person)).warnings.join()).toMatch(/template/);
});

it('gives the text that will be to nobody without the scope to read', async () => {
  const { run } = await openTestBrain({ [RAW]: BODY });
  const dry = await run(promoteNote, { path: RAW, ...PLACE, dry_run: true }, callerWith(['review']));
  expect(dry.body).toBeUndefined();
});

const B = 'raw/2026-11-01-b.md';
const SHIFTING = '[[raw/2026-11-01-b]]\n\n<script>x</script>\n\n![a](https://x.example/a.png)\n';

async function shiftingWorld() {
  const test = await openTestBrain({ [RAW]: SHIFTING, [B]: 'Page b.\n', 'Notes/DNS.md': SHIFTING });
  const line = { v: 1, ts: '2026-11-01T00:00:00Z', source_hash: sha256('talk'), extraction: 'llm' };
  test.state.files.set(
    'ledger.otherone.jsonl',
    `${JSON.stringify({ ...line, source: 'https://e.org/talk', pages: [RAW, B] })}\n`,
  );
  return test;
}

it('refuses kept findings that another note has shifted', async () => {
  const { run, refusal, files } = await shiftingWorld();
  const before = await run(gateReport, { path: RAW });
  expect(before.findings.map(({ reason }) => reason)).toEqual(['active_content', 'remote_embed']);
  const ask = {
    path: RAW,
    ...PLACE,
    keep: [1],
    expected_hash: before.content_hash,
    findings_hash: before.findings_hash,
  };
  const kept = await run(promoteNote, { ...ask, dry_run: true }, person);
  expect(kept.body).toMatch(/&lt;script[^]*!\[a\]/);
  await run(rejectNote, { path: B });
  const after = await run(gateReport, { path: RAW });
  expect(after.content_hash).toBe(before.content_hash);
  expect(after.findings.map(({ reason }) => reason).slice(1)).toEqual(['active_content', 'remote_embed']);
  const was = new Map(files);
  for (const dry of [true, false])
    expect(await refusal(promoteNote, { ...ask, dry_run: dry }, person)).toMatchObject({
      code: 'hash_mismatch',
      details: { path: RAW, findings_hash: after.findings_hash },
    });
  expect(files).toEqual(was);
  const again = { ...ask, keep: [2], findings_hash: after.findings_hash, dry_run: true };
  expect((await run(promoteNote, again, person)).body).toMatch(/&lt;script[^]*!\[a\]/);
});

it('takes findings_hash in an adoption and a replacement too', async () => {
  const { run, refusal, vault } = await shiftingWorld();
  vault.outside('wiki/net/facts/dns.md', '# DNS\r\n\r\nOld.\r\n');
  const kept = /&lt;script[^]*!\[a\]/;
  const adoption = { path: 'Notes/DNS.md', ...PLACE, slug: 'adopted', keep: [2], dry_run: true };
  const own = await run(gateReport, { path: adoption.path });
  expect((await run(adoptNote, { ...adoption, findings_hash: own.findings_hash }, person)).body).toMatch(
    kept,
  );
  const other = sha256('other findings');
  expect((await refusal(adoptNote, { ...adoption, findings_hash: other }, person)).code).toBe(
    'hash_mismatch',
  );
  const replacement = {
    path: RAW,
    replaces: 'wiki/net/facts/dns.md',
    reason: 'newer',
    keep: [1],
    dry_run: true,
  };
  const queued = await run(gateReport, { path: RAW });
  // The replaced note has other line ends.
  expect(
    (await run(replaceNote, { ...replacement, findings_hash: queued.findings_hash }, person)).body,
  ).toMatch(kept);
  expect((await refusal(replaceNote, { ...replacement, findings_hash: other }, person)).code).toBe(
    'hash_mismatch',
  );
});
