import { backfillRefs } from '../../../src/core/ingest/backfill-refs';
import { ingestText } from '../../../src/core/ingest/operations';
import { promoteNote } from '../../../src/core/review/promote';
import { setKeys } from '../../../src/core/frontmatter/compose';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { sha256 } from '../../../src/core/base/hash';
import { StopController } from '../../../src/core/base/concurrency';
import { agent, callerWith, openTestBrain } from '../../support/test-brain';
import { cpuMs } from '../../support/cpu';

const KEPT = 'inbox/processed/2026-11-01/talk.txt';
const HASH = sha256('talk');
const PAPER = '[[wiki/net/sources/paper|The paper]]';
const ledger = `${JSON.stringify({
  v: 1,
  ts: '2026-11-01T00:00:00Z',
  source_hash: HASH,
  source: 'https://e.org/talk',
  original: KEPT,
  extraction: 'llm',
  pages: ['wiki/net/facts/listed.md', 'raw/2026-11-01-promoted.md'],
})}\n`;

/** Half of the notes lack what they could have. */
const FILES: Readonly<Record<string, string>> = {
  [KEPT]: 'talk',
  'wiki/net/sources/paper.md':
    '---\nurl: https://e.org/paper\nsources: ["https://e.org/paper#p2"]\n---\n# The paper\n',
  'wiki/net/facts/listed.md':
    '---\nx: 1 # kept\nsources:\n  - "https://e.org/talk?utm_source=a"\n---\nBody.\n',
  'wiki/net/facts/promoted.md': '# Promoted\n',
  'wiki/net/facts/hashed.md': `---\nsource_hash: ${HASH}\n---\nBody.\n`,
  'wiki/net/facts/clipped.md':
    '---\nsource: https://e.org/clip\nsource_url: "[[inbox/processed/2026-11-01/talk.txt]]"\nurl: [A book, https://e.org/clip#x]\n---\n',
  'wiki/net/facts/linking.md': 'As [[paper]] says, and [the paper](../sources/paper.md).\n',
  'wiki/net/facts/lines.md':
    'Source: https://e.org/1\n\n- **Source:** [two](https://e.org/2).\n- source: <https://e.org/3>\n\n> Sources: [[The paper]]\n\n```\nSource: https://e.org/no\n```\n\nSource: my uncle\nThe source: https://e.org/no\n',
  'wiki/net/facts/has.md': '---\nsources: ["a book"]\n---\nBody.\n',
  'wiki/net/facts/bare.md': 'Nothing is known of this one, though it sounds like the talk.\n',
  'wiki/net/facts/locked.md': '---\nlocked: true\nurl: https://e.org/locked\n---\n',
  'wiki/net/facts/odd.md': '---\n? a\n: b\n---\nSource: https://e.org/odd\n',
  'wiki/home/facts/other.md': '---\nurl: https://e.org/other\n---\n',
  'knowledge/loose.md': '---\nurl: https://e.org/loose\n---\n',
  'raw/2026-11-20-waiting.md': '---\nurl: https://e.org/waiting\n---\n',
};

async function world(files = FILES) {
  const opened = await openTestBrain(files);
  opened.state.files.set('ledger.otherone.jsonl', ledger);
  opened.state.files.set(
    'origins/otherone.jsonl',
    `${JSON.stringify({ path: 'wiki/net/facts/promoted.md', from: 'raw/2026-11-01-promoted.md' })}\n`,
  );
  return opened;
}

it('adds what is proved, says by what, and guesses nothing', async () => {
  const { run, files } = await world();
  const before = new Map(files);
  const answer = await run(backfillRefs, {});
  const talk = `[[${KEPT}|talk.txt]]`;
  const change = (path: string, ...added: [string, string][]) => ({
    path,
    added: added.map(([reference]) => reference),
    evidence: added.map(([, evidence]) => evidence),
  });
  expect(answer.changes).toEqual([
    change('wiki/home/facts/other.md', ['https://e.org/other', 'property']),
    change('wiki/net/facts/clipped.md', ['https://e.org/clip', 'property'], [talk, 'property']),
    change('wiki/net/facts/hashed.md', [talk, 'source_hash'], ['https://e.org/talk', 'source_hash']),
    change(
      'wiki/net/facts/lines.md',
      [PAPER, 'source_note'],
      ['https://e.org/1', 'source_line'],
      ['https://e.org/2', 'source_line'],
      ['https://e.org/3', 'source_line'],
    ),
    change('wiki/net/facts/linking.md', [PAPER, 'source_note']),
    change('wiki/net/facts/listed.md', [talk, 'ledger']),
    change('wiki/net/facts/promoted.md', [talk, 'ledger'], ['https://e.org/talk', 'ledger']),
    change('knowledge/loose.md', ['https://e.org/loose', 'property']),
  ]);
  expect(answer).toMatchObject({
    scanned: 13,
    updated: 8,
    already: 2,
    unresolved: 1,
    errors: [
      { path: 'wiki/net/facts/locked.md', error: expect.stringMatching(/locked/) },
      { path: 'wiki/net/facts/odd.md', error: expect.stringMatching(/cannot be edited safely/) },
    ],
  });
  expect(files.get('wiki/net/facts/listed.md')).toBe(
    `---\nx: 1 # kept\nsources: ["https://e.org/talk?utm_source=a", "${talk}"]\n---\nBody.\n`,
  );
  const changed = new Set(answer.changes.map(({ path }) => path));
  for (const [path, text] of before) if (!changed.has(path)) expect(files.get(path)).toBe(text);
  for (const { path, added } of answer.changes) {
    const [old, now] = [parseNote(before.get(path) ?? ''), parseNote(files.get(path) ?? '')];
    expect(now.body).toBe(old.body);
    const standing = Array.isArray(old.frontmatter.sources) ? old.frontmatter.sources : [];
    expect(now.frontmatter).toEqual({ ...old.frontmatter, sources: [...standing, ...added] });
  }
});

it('changes nothing the second time, nor in a dry run, which answers the same', async () => {
  const { run, files } = await world();
  const before = [...files];
  const dry = await run(backfillRefs, { dry_run: true });
  expect([...files]).toEqual(before);
  expect(await run(backfillRefs, {})).toEqual(dry);
  const after = [...files];
  const again = await run(backfillRefs, {});
  expect([...files]).toEqual(after);
  expect(again).toMatchObject({ updated: 0, changes: [], already: dry.already + dry.updated });
});

it('keeps what it changes in the history', async () => {
  const { run, state } = await world();
  await run(backfillRefs, { wing: 'home' });
  const hash = sha256(FILES['wiki/home/facts/other.md'] ?? '');
  expect(state.files.get(`history/${hash.slice(0, 2)}/${hash}.md`)).toBe(FILES['wiki/home/facts/other.md']);
});

it.each([
  [{ wing: 'Home' }, 1],
  [{ wing: 'net', hall: 'sources' }, 1],
  [{ hall: 'facts' }, 11],
  [{ wing: 'nowhere' }, 0],
])('looks only at %j', async (filter, scanned) => {
  const { run } = await world();
  expect((await run(backfillRefs, { ...filter, dry_run: true })).scanned).toBe(scanned);
});

it('gives back what was lost to a page of the pipeline, promoted since', async () => {
  const { run, files, vault } = await openTestBrain();
  const answer = await run(ingestText, { text: '# T\n\nWords.', source: 'https://e.org/t' });
  const path = 'wiki/net/facts/t.md';
  await run(promoteNote, { path: 'raw/2026-11-20-t.md', wing: 'net', hall: 'facts' });
  const whole = files.get(path) ?? '';
  const { sources } = parseNote(whole).frontmatter;
  for (const lost of [['sources'], ['sources', 'source_hash']]) {
    vault.outside(path, setKeys(whole, {}, lost).text);
    const { changes } = await run(backfillRefs, {});
    expect(changes).toEqual([{ path, added: sources, evidence: expect.any(Array) }]);
  }
  expect(answer).toHaveProperty('original');
});

it('gives no note the source of another that had its name in the queue before', async () => {
  const { run, files, vault } = await openTestBrain();
  for (const [wing, text] of [
    ['a', 'Alpha words.'],
    ['b', 'Beta talk.'],
  ]) {
    await run(ingestText, { text: `# Notes\n\n${text}` });
    await run(promoteNote, { path: 'raw/2026-11-20-notes.md', wing, hall: 'facts' });
  }
  expect(await run(backfillRefs, {})).toMatchObject({ already: 2, changes: [] });
  const path = 'wiki/a/facts/notes.md';
  const whole = files.get(path) ?? '';
  const { sources } = parseNote(whole).frontmatter;
  vault.outside(path, setKeys(whole, {}, ['sources']).text);
  expect((await run(backfillRefs, {})).changes).toEqual([{ path, added: sources, evidence: ['ledger'] }]);
  vault.outside(path, setKeys(whole, {}, ['sources', 'source_hash']).text);
  expect(await run(backfillRefs, {})).toMatchObject({ unresolved: 1, changes: [] });
});

it('takes no word for a source from a note that only claims to be made of the same', async () => {
  const mark = `source_hash: ${HASH}`;
  const claims = `---\n${mark}\nsources: ["[[wiki/net/facts/evil]]"]\nwritten_by: low\n---\nx\n`;
  const { run } = await openTestBrain({
    'raw/claims.md': claims,
    'wiki/net/facts/evil.md': '# Evil\n',
    'wiki/net/facts/a.md': `---\n${mark}\n---\nBody.\n`,
  });
  expect((await run(backfillRefs, {})).changes).toEqual([]);
});

it.each<[string, string | null]>([
  ['https://example.org/a (read 2026-01-02)', 'https://example.org/a'],
  ['https://example.org/a, seen by Ann', 'https://example.org/a'],
  ['https://example.org/a.', 'https://example.org/a'],
  ['(https://example.org/a)', 'https://example.org/a'],
  ['[https://example.org/a]', 'https://example.org/a'],
  ['“https://example.org/a”, p. 3', 'https://example.org/a'],
  ['«https://example.org/a»', 'https://example.org/a'],
  ['‘https://example.org/a’', 'https://example.org/a'],
  ['**_`https://example.org/a`_**', 'https://example.org/a'],
  ['![a figure](https://example.org/a)', 'https://example.org/a'],
  ['![[paper]]', '[[wiki/net/decisions/paper|The paper]]'],
  ['"[[paper]]"', '[[wiki/net/decisions/paper|The paper]]'],
  ['https://example.org/a）と', 'https://example.org/a'],
  ['「https://example.org/a」、p. 3', 'https://example.org/a'],
  ['（https://example.org/a）', 'https://example.org/a'],
  ['【https://example.org/a】', 'https://example.org/a'],
  ['https://example.org/a。', 'https://example.org/a'],
  ['https://example.org/a，と', 'https://example.org/a'],
  ['https://example.org/a（参照）', 'https://example.org/a'],
  ['[記事](https://example.org/A（曖昧）)、p. 3', 'https://example.org/A（曖昧）'],
  ['<https://example.org/A（曖昧）>と', 'https://example.org/A（曖昧）'],
  ['https://example.org/けいおん', 'https://example.org/けいおん'],
  ['*https://example.org/a*', 'https://example.org/a'],
  ['"https://example.org/a"; https://example.org/b', 'https://example.org/a'],
  ['https://example.org/A_(b) and more', 'https://example.org/A_(b)'],
  ['[the wiki](https://example.org/A_(b)), page 3', 'https://example.org/A_(b)'],
  ['[https://shown.org](https://example.org/a) p. 2', 'https://example.org/a'],
  ['<https://example.org/a> (p. 3)', 'https://example.org/a'],
  ['[[paper]] (p. 3), https://example.org/a', '[[wiki/net/decisions/paper|The paper]]'],
  ['[[paper|Paper]], p. 3', '[[wiki/net/decisions/paper|Paper]]'],
  ['https://', null],
  ['https://.', null],
  ['a talk of (example.org)', null],
  ['no link, unlike https://evil.example/x which is wrong', null],
  ['the manual, https://example.org/a', null],
  ['not [[paper]]', null],
  ['~~https://example.org/a~~', null],
  ['[not this](notes.md) but https://example.org/a', null],
  ['ftp:https://example.org/a', null],
])('reads the address or link that a line "Source: %s" begins with', async (said, reference) => {
  const { run } = await openTestBrain({
    'wiki/net/facts/a.md': `Source: ${said}\n`,
    ...(said.includes('paper') && { 'wiki/net/decisions/paper.md': '# The paper\n' }),
  });
  const { changes } = await run(backfillRefs, { hall: 'facts' });
  expect(changes.flatMap(({ added }) => added)).toEqual(reference === null ? [] : [reference]);
});

it.each([
  `${'.'.repeat(900_000)}x`,
  `https://e.org/${'('.repeat(400_000)}${'.'.repeat(400_000)}x`,
  '[['.repeat(200_000),
  '['.repeat(300_000),
  '[a](<'.repeat(50_000),
  `${'['.repeat(300_000)}${'x'.repeat(300_000)}`,
  '<![('.repeat(200_000),
  `[[${'a'.repeat(500_000)}|${'b'.repeat(400_000)}`,
])('is not held up by a line that goes on for ever: %#', async (said) => {
  const line = `Source: ${said}`;
  const { run } = await openTestBrain({ 'wiki/net/facts/a.md': `${line}\n` });
  const began = cpuMs();
  expect(await run(backfillRefs, {})).toMatchObject({ scanned: 1 });
  expect(cpuMs() - began).toBeLessThan(20_000);
});

it('finds the kept text of a hash that no ledger knows, and only that of the very bytes', async () => {
  const text = 'The whole talk.';
  const hash = sha256(text);
  const kept = `inbox/processed/2026-11-02/talk-${hash.slice(0, 8)}.txt`;
  const note = { 'wiki/net/facts/a.md': `---\nsource_hash: ${hash}\n---\n` };
  const found = await openTestBrain({ ...note, [kept]: text });
  expect((await found.run(backfillRefs, {})).changes[0]?.added).toEqual([
    `[[${kept}|${kept.split('/').at(-1)}]]`,
  ]);
  const another = await openTestBrain({ ...note, [kept]: 'Another text.' });
  expect(await another.run(backfillRefs, {})).toMatchObject({ unresolved: 1, changes: [] });
});

it('finds an original under a name of its own by its hash, and reads none when nothing asks for it', async () => {
  const pdf = 'inbox/processed/2026-11-02/report.pdf';
  const note = (text: string) => `---\nsource_hash: ${sha256(text)}\n---\n`;
  const { run, vault } = await openTestBrain({
    'inbox/processed/2026-11-01/other.pdf': 'Other bytes.',
    [pdf]: 'The report.',
    'wiki/net/facts/a.md': note('The report.'),
    'wiki/net/facts/b.md': note('Nobody has these.'),
  });
  const answer = await run(backfillRefs, {});
  expect(answer.changes).toEqual([
    { path: 'wiki/net/facts/a.md', added: [`[[${pdf}|report.pdf]]`], evidence: ['source_hash'] },
  ]);
  expect(answer.unresolved).toBe(1);
  const read = jest.spyOn(vault, 'readBytes');
  await run(backfillRefs, { hall: 'decisions' });
  expect(read).not.toHaveBeenCalled();
});

it('names no original that is gone', async () => {
  const { run } = await world({ ...FILES, [KEPT]: '' });
  const gone = await world(Object.fromEntries(Object.entries(FILES).filter(([path]) => path !== KEPT)));
  expect((await run(backfillRefs, { wing: 'net' })).scanned).toBe(11);
  const { changes } = await gone.run(backfillRefs, {});
  expect(changes.find(({ path }) => path.endsWith('promoted.md'))?.added).toEqual(['https://e.org/talk']);
});

it('stops where it is when it is called off, and says how far it is', async () => {
  const { brain, files } = await world();
  const signal = new StopController();
  const seen: number[] = [];
  const answer = await backfillRefs.run(brain, {}, agent, {
    signal,
    progress: ({ done, total }) => {
      seen.push(done);
      expect(total).toBe(13);
      if (done === 2) signal.stop();
    },
  });
  expect(seen).toEqual([0, 1, 2]);
  expect(answer.scanned).toBe(3);
  expect(files.get('knowledge/loose.md')).toBe(FILES['knowledge/loose.md']);
});

it.each([
  ['a wing that is a path', { wing: '../x' }, 'invalid_wing'],
  ['a hall that is none', { hall: 'misc' }, 'invalid_hall'],
  ['a field that is none', { path: 'x' }, 'unknown_field'],
])('refuses %s', async (_, raw, code) => {
  const { refusal } = await world();
  expect((await refusal(backfillRefs, raw)).code).toBe(code);
});

it('wants more than the leave to propose', async () => {
  const { refusal } = await world();
  expect((await refusal(backfillRefs, {}, callerWith(['read', 'propose']))).code).toBe('forbidden_scope');
});
