import { sha256 } from '../../../src/core/base/hash';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { confirmNote } from '../../../src/core/review/confirm';
import { listDecisions } from '../../../src/core/review/decisions';
import { moveNote } from '../../../src/core/review/move';
import { listPending } from '../../../src/core/review/pending';
import { gateReport } from '../../../src/core/review/gate-report';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { replaceNote } from '../../../src/core/review/replace';
import { unpromoteNote } from '../../../src/core/review/return';
import { queryNotes } from '../../../src/core/search/query';
import { redo } from '../../../src/core/undo/redo';
import { undoWriter } from '../../../src/core/undo/undo';
import { agent, callerWith, NOW, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const RAW = 'raw/2026-11-01-dns.md';
const OLD = 'wiki/net/facts/dns.md';
const QUEUED =
  '---\nwing: lab\nhall: failures\ncreated_at: 2026-11-01T00:00:00Z\norigin: mcp\nwritten_by: laptop (claude 1)\ntitle: Another title\nsource: https://e.org/new\ntags: [new]\n---\n# DNS\n\nKnot answers.\n';
const CURRENT =
  '\ufeff---\r\nwing: net\r\nhall: facts\r\ncreated_at: 2026-01-01T00:00:00Z\r\norigin: mcp\r\nwritten_by: intern\r\ntitle: DNS\r\naliases: [Names]\r\nsource: https://e.org/old\r\nmine: yes # so\r\nverified_at: 2026-05-05T00:00:00Z\r\nverified_by: human:me\r\n---\r\n# DNS\r\n\r\nUnbound answers.';
const LINKING = 'See [[raw/2026-11-01-dns|the new one]] and [[wiki/net/facts/dns|DNS]].\n';
const FILES = { [RAW]: QUEUED, [OLD]: CURRENT, 'wiki/net/facts/linking.md': LINKING };
const ASK = { path: RAW, replaces: OLD, reason: 'Knot took over' };

it('takes a property that the gate made code for that of the replaced note', async () => {
  const raw = '---\n"`cssclasses`": [wide]\ncover: x\n"`banner`": other\n---\n# DNS\n\nKnot answers.\n';
  const old = '---\ncssclasses: [wide]\ncover: x\nbanner: y\n---\n# DNS\n\nUnbound answers.\n';
  const { run, files } = await openTestBrain({ [RAW]: raw, [OLD]: old });
  const { refs } = await run(replaceNote, ASK, person);
  expect(files.get(OLD)).toMatch(/\ncssclasses: \[wide\]\ncover: x\nbanner: y\n"`banner`": other\n/);
  expect(refs).toMatchObject([{ target: 'cover', unlinked: false }]);
});

it('makes text of a reason with an address that opens a program', async () => {
  const { run, files } = await openTestBrain(FILES);
  const answer = await run(replaceNote, { ...ASK, reason: '[x](obsidian://open)' }, person);
  expect(files.get(OLD)).toContain('supersede_reason: x\r\n');
  expect(answer.refs).toMatchObject([{ target: 'supersede_reason', unlinked: true }]);
});

it('gives a note the queued text; it keeps address, identity and foreign keys', async () => {
  const { run, files } = await openTestBrain(FILES);
  const answer = await run(replaceNote, ASK, person);
  const text = files.get(OLD) ?? '';
  expect(answer).toEqual({
    path: OLD,
    from: RAW,
    content_hash: sha256(text),
    previous_hash: sha256(CURRENT),
    refs: [],
    warnings: [],
  });
  expect(files.has(RAW)).toBe(false);
  expect(text).toMatch(/\r\n# DNS\r\n\r\nKnot answers\.\r\n$/);
  for (const line of [
    'wing: net',
    'hall: facts',
    'created_at: 2026-01-01T00:00:00Z',
    'title: DNS',
    'aliases: [Names]',
    'mine: yes # so',
    'source: https://e.org/new',
    'tags: [new]',
    'origin: mcp',
    'written_by: laptop (claude 1)',
    `updated_at: ${NOW}`,
    'supersede_reason: Knot took over',
    `promoted_at: ${NOW}`,
    'promoted_by: human:me',
  ])
    expect(text.split('\r\n')).toContain(line);
  expect(text.replaceAll('"', '')).toMatch(`supersedes: ${sha256(CURRENT)}\r\n`);
  expect(text).not.toMatch('verified_');
  expect(files.get('wiki/net/facts/linking.md')).toBe(
    'See [[wiki/net/facts/dns|the new one]] and [[wiki/net/facts/dns|DNS]].\n',
  );
  expect((await run(listPending)).total).toBe(0);
  expect(await run(history, { hash: sha256(CURRENT) })).toMatchObject({ content: CURRENT });
  expect(await run(history, { path: OLD })).toMatchObject({ versions: [{ reason: 'Knot took over' }, {}] });
  expect((await run(queryNotes, { query: 'knot' })).results).toMatchObject([{ path: OLD }]);
  expect(files.get('wiki/net/_index.md')).toMatch('Knot answers');
});

it('shows in a dry run what will be and changes nothing', async () => {
  const { run, files } = await openTestBrain(FILES);
  const { body, body_before, ...dry } = await run(replaceNote, { ...ASK, dry_run: true }, person);
  expect([body, body_before]).toEqual(['# DNS\r\n\r\nKnot answers.\r\n', '# DNS\r\n\r\nUnbound answers.']);
  expect(Object.fromEntries([...files].filter(([path]) => path in FILES))).toEqual(FILES);
  expect(await run(replaceNote, ASK, person)).toEqual(dry);
  const blind = await openTestBrain(FILES);
  const seen = await blind.run(replaceNote, { ...ASK, dry_run: true }, callerWith(['review']));
  expect([seen.body, seen.body_before]).toEqual([undefined, undefined]);
});

it('takes a text merged by hand, which its person has written', async () => {
  const { run, files } = await openTestBrain(FILES);
  await run(replaceNote, { ...ASK, body: '# DNS\n\nBoth ![a](http://x/a).\n' }, person);
  expect(files.get(OLD)).toMatch(/written_by: human:me\r\n[^]*\r\nBoth \[a\]\(http:\/\/x\/a\)\.\r\n$/);
});

it('gates the text, but for what a person keeps and what the note has', async () => {
  const current = '# DNS\n\n![old](http://x/old)\n';
  const queued = '# DNS\n\n![old](http://x/old) ![a](http://x/a) ![b](http://x/b)\n';
  const { run } = await openTestBrain({ [RAW]: queued, [OLD]: current });
  const { findings } = await run(gateReport, { path: RAW });
  expect(findings).toHaveLength(3);
  const dry = await run(replaceNote, { ...ASK, keep: [2], dry_run: true }, person);
  expect(dry.body).toBe('# DNS\n\n![old](http://x/old) [a](http://x/a) ![b](http://x/b)\n');
  const byToken = await run(replaceNote, { ...ASK, keep: [2], dry_run: true }, agent);
  expect(byToken.body).toBe('# DNS\n\n![old](http://x/old) [a](http://x/a) [b](http://x/b)\n');
  expect(byToken.warnings[0]).toMatch(/^"keep" was ignored/);
});

it.each<[string, Record<string, unknown>, string]>([
  ['a note that is not there', { replaces: 'wiki/net/facts/none.md' }, 'note_not_found'],
  ['a map', { replaces: 'wiki/net/_index.md' }, 'path_not_allowed'],
  ['a queued note', { replaces: 'raw/x.md' }, 'path_not_allowed'],
  ['a note of the owner', { replaces: 'Notes/mine.md' }, 'not_ours'],
  ['a locked note', { replaces: 'wiki/net/facts/locked.md' }, 'locked'],
  ['with a decided note', { path: 'raw/gone.md' }, 'source_missing'],
  ['with a note of the wiki', { path: OLD }, 'not_in_queue'],
  ['with a note without text', { path: 'raw/empty.md' }, 'empty_content'],
  ['with an empty merge', { body: ' \n' }, 'empty_content'],
  ['without a reason', { reason: ' ' }, 'invalid_field'],
  ['no note', { replaces: undefined }, 'missing_field'],
  ['another version of the queued note', { expected_hash: 'a'.repeat(64) }, 'hash_mismatch'],
  ['another version of the note', { replaced_hash: 'a'.repeat(64) }, 'hash_mismatch'],
  ['with a merge and kept findings', { body: 'Both', keep: [] }, 'invalid_field'],
  ['a finding that is not there', { keep: [0] }, 'invalid_field'],
  ['a way out', { replaces: 'wiki/../../x.md' }, 'path_not_allowed'],
])('refuses to replace %s', async (_, input, code) => {
  const { refusal } = await openTestBrain({
    ...FILES,
    'raw/empty.md': '---\nx: 1\n---\n',
    'Notes/mine.md': 'x',
    'wiki/net/facts/locked.md': '---\nlocked: true\n---\nx',
  });
  expect(await refusal(replaceNote, { ...ASK, ...input }, person)).toMatchObject({ code });
});

it('keeps the lock that the owner gave a queued note, and says when it drops that of a token', async () => {
  for (const [head, isKept] of [
    ['', true],
    ['written_by: human:me\n', true],
    ['written_by: intern\norigin: mcp\n', false],
  ] as const) {
    const { run, files } = await openTestBrain({ ...FILES, [RAW]: `---\n${head}locked: true\n---\nKnot.\n` });
    const { warnings } = await run(replaceNote, ASK, person);
    expect(files.get(OLD)?.includes('locked: true')).toBe(isKept);
    expect(warnings.join().includes('"locked" was dropped')).toBe(!isKept);
  }
});

it('needs the scope to review', async () => {
  const { refusal } = await openTestBrain(FILES);
  expect((await refusal(replaceNote, ASK, callerWith(['read', 'write']))).code).toBe('forbidden_scope');
});

describe('undo', () => {
  const back = ({ run }: TestBrain) => run(unpromoteNote, { path: OLD }, person);

  it('gives both files and the links back byte for byte, twice', async () => {
    const opened = await openTestBrain(FILES);
    for (let time = 0; time < 2; time += 1) {
      await opened.run(replaceNote, ASK, person);
      expect(await opened.run(unpromoteNote, { path: OLD, dry_run: true }, person)).toEqual({
        path: RAW,
        from: OLD,
      });
      expect(await back(opened)).toEqual({ path: RAW, from: OLD });
      expect(Object.fromEntries([...opened.files].filter(([path]) => path in FILES))).toEqual(FILES);
    }
  });

  it('says so when somebody has changed the note since, and does it once', async () => {
    const opened = await openTestBrain(FILES);
    await opened.run(replaceNote, ASK, person);
    await opened.run(updateNote, { path: OLD, content: '# DNS\n\nBind answers.\n', reason: 'newer' });
    const after = opened.files.get(OLD);
    const { warnings, path } = await back(opened);
    expect(warnings).toEqual([expect.stringMatching(/was changed since it was replaced: it keeps/)]);
    expect([opened.files.get(OLD), opened.files.get(path)]).toEqual([after, QUEUED]);
    // The replacement stamps a note that never came from the queue, so there is nothing else to take back.
    expect((await opened.refusal(unpromoteNote, { path: OLD }, person)).code).toBe('not_in_queue');
    expect(opened.files.get(OLD)).toBe(after);
  });

  it('gives the former text back where the note is after a move', async () => {
    const { run, files, refusal } = await openTestBrain(FILES);
    await run(replaceNote, ASK, person);
    const { path } = await run(moveNote, { path: OLD, slug: 'names', wing: 'lab' }, person);
    expect(await run(unpromoteNote, { path }, person)).toEqual({ path: RAW, from: path });
    expect(files.get(RAW)).toBe(QUEUED);
    expect(files.get(path)).toBe(CURRENT.slice(1).replace('wing: net', 'wing: lab'));
    expect((await refusal(unpromoteNote, { path }, person)).code).toBe('not_in_queue');
  });

  it('refuses a second time when the note was confirmed in between', async () => {
    const opened = await openTestBrain(FILES);
    await opened.run(replaceNote, ASK, person);
    await opened.run(confirmNote, { path: OLD }, person);
    expect((await back(opened)).warnings).toHaveLength(1);
    const { files } = opened;
    const kept = files.get(OLD);
    expect((await opened.refusal(unpromoteNote, { path: OLD }, person)).code).toBe('not_in_queue');
    expect([files.get(OLD), files.get(RAW)]).toEqual([kept, QUEUED]);
  });

  it('works again after an undo of the writer that was taken back', async () => {
    const opened = await openTestBrain(FILES);
    const { run, files } = opened;
    await run(replaceNote, ASK, person);
    const ask = { by: 'human:me', since: '1d' };
    const { plan } = await run(undoWriter, { ...ask, dry_run: true }, person);
    const { undo } = await run(undoWriter, { ...ask, plan }, person);
    await run(redo, { undo }, person);
    expect([files.get(OLD) === CURRENT, files.get(RAW)]).toEqual([false, QUEUED]);
    expect(await back(opened)).toEqual({ path: RAW, from: OLD });
    expect([files.get(OLD), files.get(RAW)]).toEqual([CURRENT, QUEUED]);
    expect((await opened.refusal(unpromoteNote, { path: OLD }, person)).code).toBe('not_in_queue');
  });

  it('names the queued note in the list of decisions, and its title alone', async () => {
    const opened = await openTestBrain({
      [RAW]: '# Open\n\nx\n',
      [OLD]: '---\ntitle: Hidden\n---\n# Hidden\n\ny\n',
    });
    await opened.run(replaceNote, ASK, person);
    await back(opened);
    const some = { ...agent, limits: { read: ['raw'] } };
    expect(await opened.run(listDecisions, {}, some)).toMatchObject({
      decisions: [{ kind: 'returned', path: RAW, title: 'Open' }],
    });
  });

  it('peels one decision after the other', async () => {
    const opened = await openTestBrain({ [RAW]: QUEUED, 'raw/2026-11-02-newer.md': '# DNS\n\nNewer.\n' });
    const { run, files } = opened;
    await run(promoteNote, { path: RAW, wing: 'net', hall: 'facts' }, person);
    const first = files.get(OLD);
    await run(replaceNote, { ...ASK, path: 'raw/2026-11-02-newer.md' }, person);
    await back(opened);
    expect([files.get(OLD), files.get('raw/2026-11-02-newer.md')]).toEqual([first, '# DNS\n\nNewer.\n']);
    await back(opened);
    expect([files.get(OLD), files.get(RAW)]).toEqual([undefined, QUEUED]);
  });

  it.each([
    ['', {}],
    [' with a text merged by hand', { body: '# DNS\n\nBoth.\n' }],
  ])('of everything that the person did does the same%s', async (_, more) => {
    const { run, files } = await openTestBrain(FILES);
    await run(replaceNote, { ...ASK, ...more }, person);
    const ask = { by: 'human:me', since: '1d' };
    const { plan, items } = await run(undoWriter, { ...ask, dry_run: true }, person);
    expect(items).toMatchObject([{ path: OLD, why: expect.stringMatching(/was replaced by this writer/) }]);
    await run(undoWriter, { ...ask, plan }, person);
    expect([files.get(OLD), files.get(RAW)]).toEqual([CURRENT, QUEUED]);
    expect((await run(undoWriter, { ...ask, dry_run: true }, person)).count).toBe(0);
  });

  it('of everything that a person did takes a promotion and two replacements back in one run, links included', async () => {
    const files = {
      [RAW]: QUEUED,
      'raw/2026-11-02-newer.md': '# DNS\n\nNewer.\n',
      'raw/2026-11-03-newest.md': '# DNS\n\nNewest, see [[raw/2026-11-02-newer]].\n',
      'wiki/net/facts/linking.md': 'See [[raw/2026-11-01-dns]] and [[raw/2026-11-02-newer|the newer]].\n',
    };
    const opened = await openTestBrain(files);
    const { run } = opened;
    await run(promoteNote, { path: RAW, wing: 'net', hall: 'facts' }, person);
    await run(replaceNote, { ...ASK, path: 'raw/2026-11-02-newer.md' }, person);
    await run(replaceNote, { ...ASK, path: 'raw/2026-11-03-newest.md' }, person);
    await run(confirmNote, { path: OLD }, person);
    const replaced = opened.files.get(OLD);
    const ask = { by: 'human:me', since: '1d' };
    const { plan, items } = await run(undoWriter, { ...ask, dry_run: true }, person);
    expect(items).toMatchObject([
      {
        action: 'unpromote',
        path: OLD,
        to: RAW,
        linked_from: [],
        why: 'was promoted, then replaced, then confirmed by this writer, so it goes back to the review queue, and the notes that gave it their text come back to the queue',
      },
    ]);
    const { undo } = await run(undoWriter, { ...ask, plan }, person);
    const now = (): Record<string, string> =>
      Object.fromEntries([...opened.files].filter(([path]) => !path.endsWith('_index.md')));
    expect(now()).toEqual(files);
    expect((await run(undoWriter, { ...ask, dry_run: true }, person)).count).toBe(0);
    await run(redo, { undo }, person);
    expect(opened.files.get(OLD)).toBe(replaced);
  });

  it('of everything that a person did leaves what another has confirmed since', async () => {
    const opened = await openTestBrain(FILES);
    const { run, files } = opened;
    await run(replaceNote, ASK, { ...agent, name: 'curator' });
    opened.clock.advance(60_000);
    await run(confirmNote, { path: OLD }, person);
    const confirmed = files.get(OLD);
    const { items, left } = await run(undoWriter, { by: 'curator', since: '1d', dry_run: true }, person);
    expect({ items, left }).toMatchObject({ items: [], left: [{ path: OLD, reason: 'changed_since' }] });
    expect(files.get(OLD)).toBe(confirmed);
  });

  it('works once after two replacements were undone at once and that was taken back', async () => {
    const opened = await openTestBrain({ ...FILES, 'raw/2026-11-02-newer.md': '# DNS\n\nNewer.\n' });
    const { run, files } = opened;
    await run(replaceNote, ASK, person);
    const first = files.get(OLD);
    await run(replaceNote, { ...ASK, path: 'raw/2026-11-02-newer.md' }, person);
    const ask = { by: 'human:me', since: '1d' };
    const { plan } = await run(undoWriter, { ...ask, dry_run: true }, person);
    const { undo } = await run(undoWriter, { ...ask, plan }, person);
    expect(files.get(OLD)).toBe(CURRENT);
    expect((await opened.refusal(unpromoteNote, { path: OLD }, person)).code).toBe('not_in_queue');
    await run(redo, { undo }, person);
    await back(opened);
    expect(files.get(OLD)).toBe(first);
    await back(opened);
    expect(files.get(OLD)).toBe(CURRENT);
  });

  it('of everything that a person did leaves an adopted note in the wiki', async () => {
    const { run, files } = await openTestBrain({ [RAW]: QUEUED, 'Projects/plan.md': '# Plan\n\nMine.\n' });
    const { path } = await run(
      adoptNote,
      { path: 'Projects/plan.md', wing: 'net', hall: 'facts' },
      { ...agent, name: 'first' },
    );
    const adopted = files.get(path);
    await run(replaceNote, { ...ASK, replaces: path }, person);
    const ask = { by: 'human:me', since: '1d' };
    const { plan } = await run(undoWriter, { ...ask, dry_run: true }, person);
    await run(undoWriter, { ...ask, plan }, person);
    expect([files.get(path), files.get(RAW), files.has('Projects/plan.md')]).toEqual([
      adopted,
      QUEUED,
      false,
    ]);
  });
});
