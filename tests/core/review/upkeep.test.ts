import { sha256 } from '../../../src/core/base/hash';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { confirmNote } from '../../../src/core/review/confirm';
import { moveNote } from '../../../src/core/review/move';
import { listNotes } from '../../../src/core/search/list';
import { agent, callerWith, NOW, openTestBrain, person } from '../../support/test-brain';

const PATH = 'wiki/net/facts/dns.md';
const claim = (at: string, more = '') =>
  `---\ntitle: DNS\nwing: net\nhall: facts\ncreated_at: ${at}\nhalf_life: volatile\nclaim_provenance: asserted\n${more}---\n# DNS\n\nUnbound answers.\n`;
const OLD = claim('2026-01-01T00:00:00Z');
const owner = callerWith(undefined, 'owner');

describe('confirm', () => {
  it('stamps a note, which is stale no more, and takes that back byte for byte', async () => {
    const { run, files } = await openTestBrain({ [PATH]: OLD });
    expect((await run(getNote, { path: PATH })).stale).toBe(true);
    const dry = await run(confirmNote, { path: PATH, dry_run: true }, person);
    expect(files.get(PATH)).toBe(OLD);
    const answer = await run(confirmNote, { path: PATH, expected_hash: sha256(OLD) }, person);
    expect(answer).toEqual(dry);
    expect(answer).toEqual({
      path: PATH,
      content_hash: sha256(files.get(PATH) ?? ''),
      previous_hash: sha256(OLD),
      verified_at: NOW,
      verified_by: 'human:me',
      warnings: [],
    });
    expect((await run(getNote, { path: PATH })).stale).toBe(false);
    await run(
      confirmNote,
      { path: PATH, undo: answer.previous_hash, expected_hash: answer.content_hash },
      person,
    );
    expect(files.get(PATH)).toBe(OLD);
  });

  it('is a person’s word', async () => {
    const { run, refusal, files } = await openTestBrain({ [PATH]: OLD });
    expect((await refusal(confirmNote, { path: PATH }, callerWith())).code).toBe('not_ours');
    expect((await run(confirmNote, { path: PATH }, owner)).verified_by).toBe('human:me');
    const content = '---\nverified_at: 2030-01-01T00:00:00Z\n---\n# New\n\nx\n';
    const { path, warnings } = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'new', content });
    expect((await refusal(confirmNote, { path }, callerWith())).code).toBe('forbidden_scope');
    expect(files.get(path)).not.toMatch('verified_at');
    expect(warnings.join()).toMatch(/"verified_at" was dropped/);
  });

  it('ends with the text that it is about, whoever changes it', async () => {
    for (const caller of [agent, person]) {
      const { run, files } = await openTestBrain({ [PATH]: OLD });
      const confirm = async () => {
        await run(confirmNote, { path: PATH }, person);
        expect(files.get(PATH)).toMatch(/verified_at[^]*verified_by/);
      };
      await confirm();
      const same = {
        path: PATH,
        content: '# DNS\n\nUnbound answers.\n',
        frontmatter: { tags: ['a'] },
        reason: 'tags',
      };
      await run(updateNote, same, caller);
      expect(files.get(PATH)).toMatch(/verified_at[^]*verified_by/);
      const content = (files.get(PATH) ?? '').replace('Unbound', 'Dnsmasq');
      const { warnings } = await run(updateNote, { path: PATH, content, reason: 'moved' }, caller);
      expect(files.get(PATH)).toMatch('Dnsmasq');
      expect(files.get(PATH)).not.toMatch('verified_');
      expect(warnings).toEqual([]);
      await confirm();
      await run(
        writeNote,
        { wing: 'net', hall: 'facts', slug: 'dns', content: '# DNS\n\nNew.\n', overwrite: true },
        caller,
      );
      expect(files.get(PATH)).not.toMatch('verified_');
    }
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a missing note', { path: 'wiki/net/facts/none.md' }, 'note_not_found'],
    ['a queued note', { path: 'raw/x.md' }, 'path_not_allowed'],
    ['a map', { path: 'wiki/net/_index.md' }, 'path_not_allowed'],
    ['a note of the owner', { path: 'Notes/a.md' }, 'not_ours'],
    ['another version', { expected_hash: 'a'.repeat(64) }, 'hash_mismatch'],
    ['an undo of nothing', { undo: 'a'.repeat(64), expected_hash: sha256(OLD) }, 'invalid_field'],
    ['an undo without a version', { undo: 'a'.repeat(64) }, 'missing_field'],
  ])('refuses %s', async (_, input, code) => {
    const { refusal } = await openTestBrain({ [PATH]: OLD, 'raw/x.md': 'x', 'Notes/a.md': 'x' });
    expect((await refusal(confirmNote, { path: PATH, ...input }, person)).code).toBe(code);
  });
});

describe('stale notes', () => {
  it('are listed, the longest unverified first', async () => {
    const { run } = await openTestBrain({
      'wiki/net/facts/a.md': claim('2026-03-01T00:00:00Z'),
      'wiki/net/facts/b.md': claim('2026-01-01T00:00:00Z'),
      'wiki/net/facts/c.md': claim(
        '2025-01-01T00:00:00Z',
        'verified_at: 2026-06-01T00:00:00Z\nverified_by: human:me\n',
      ),
      'wiki/net/facts/d.md': claim('2025-01-01T00:00:00Z', 'verified_at: 2026-11-19T00:00:00Z\n'),
      'wiki/net/facts/plain.md': '# Plain\n\nx\n',
      'Notes/mine.md': claim('2025-01-01T00:00:00Z'),
    });
    const { notes, total } = await run(listNotes, { stale: true });
    expect(notes.map(({ path }) => path)).toEqual([
      'wiki/net/facts/b.md',
      'wiki/net/facts/a.md',
      'wiki/net/facts/c.md',
    ]);
    expect(total).toBe(3);
    expect((await run(listNotes, { stale: true, limit: 1, offset: 1 })).notes).toMatchObject([
      { path: 'wiki/net/facts/a.md' },
    ]);
  });
});

it('keeps the lock of a note, and a person may confirm and move it', async () => {
  const locked = OLD.replace('title: DNS\n', 'title: DNS\nlocked: true\n');
  const linking = '---\nlocked: true\n---\nSee [[wiki/net/facts/dns]].\n';
  const local = { ...callerWith(), name: 'local', owner: true };
  const { run, refusal, files } = await openTestBrain({
    [PATH]: locked,
    'wiki/lab/facts/linking.md': linking,
  });
  for (const caller of [owner, local]) {
    expect((await refusal(confirmNote, { path: PATH }, caller)).code).toBe('locked');
    expect((await refusal(moveNote, { path: PATH, hall: 'hypotheses' }, caller)).code).toBe('locked');
  }
  expect(files.get(PATH)).toBe(locked);
  await run(confirmNote, { path: PATH }, person);
  const { path } = await run(moveNote, { path: PATH, hall: 'hypotheses' }, person);
  expect(files.get('wiki/lab/facts/linking.md')).toContain('[[wiki/net/hypotheses/dns|wiki/net/facts/dns]]');
  expect(files.get(path)).toMatch('locked: true');
});

it('leaves links in locked notes to a person', async () => {
  const linking = '---\nlocked: true\n---\nSee [[wiki/net/facts/dns]].\n';
  const { run, files } = await openTestBrain({ [PATH]: OLD, 'wiki/lab/facts/linking.md': linking });
  const { relinked, warnings } = await run(moveNote, { path: PATH, hall: 'hypotheses' }, owner);
  expect(relinked).toBe(0);
  expect(warnings.join()).toMatch('wiki/lab/facts/linking.md');
  expect(files.get('wiki/lab/facts/linking.md')).toBe(linking);
});

describe('move', () => {
  const FILES = {
    [PATH]: `${OLD}See [[wiki/net/facts/dns|it]].\n`,
    'wiki/lab/facts/linking.md': 'See [[wiki/net/facts/dns|DNS]].\n',
    'Notes/mine.md': 'See [[wiki/net/facts/dns]].\n',
    'wiki/net/hypotheses/taken.md': 'x',
  };

  it('gives a note another hall; links follow, and a move back gives the bytes back', async () => {
    const { run, files } = await openTestBrain(FILES);
    const dry = await run(moveNote, { path: PATH, hall: 'hypotheses', dry_run: true }, person);
    expect(Object.fromEntries(files)).toEqual(FILES);
    const answer = await run(moveNote, { path: PATH, hall: 'hypotheses' }, person);
    expect(answer).toEqual(dry);
    expect(answer).toMatchObject({ path: 'wiki/net/hypotheses/dns.md', from: PATH, hall: 'hypotheses' });
    expect(files.has(PATH)).toBe(false);
    expect(files.get(answer.path)).toMatch(/hall: hypotheses\n/);
    expect(files.get('wiki/lab/facts/linking.md')).toBe('See [[wiki/net/hypotheses/dns|DNS]].\n');
    expect(files.get('Notes/mine.md')).toBe('See [[wiki/net/hypotheses/dns|wiki/net/facts/dns]].\n');
    expect(files.get('wiki/net/_index.md')).toMatch('wiki/net/hypotheses/dns');
    await run(moveNote, { path: answer.path, hall: 'facts' }, person);
    expect(Object.fromEntries([...files].filter(([path]) => path in FILES))).toEqual(FILES);
  });

  it('moves by wing and name, for the owner too', async () => {
    const { run } = await openTestBrain(FILES);
    const { path } = await run(moveNote, { path: PATH, wing: 'Lab', slug: 'names' }, owner);
    expect(path).toBe('wiki/lab/facts/names.md');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a missing note', { path: 'wiki/net/facts/none.md' }, 'note_not_found'],
    ['a queued note', { path: 'raw/x.md' }, 'path_not_allowed'],
    ['to where it is', {}, 'missing_field'],
    ['to a taken place', { hall: 'hypotheses', slug: 'taken' }, 'destination_exists'],
    ['to a hall that is none', { hall: 'x' }, 'invalid_hall'],
    ['to a wing that is a path', { wing: 'a/b' }, 'invalid_wing'],
    ['of another version', { hall: 'hypotheses', expected_hash: 'a'.repeat(64) }, 'hash_mismatch'],
  ])('refuses %s', async (_, input, code) => {
    const { refusal } = await openTestBrain(FILES);
    expect((await refusal(moveNote, { path: PATH, ...input }, person)).code).toBe(code);
  });

  it('is a person’s act', async () => {
    const { refusal } = await openTestBrain(FILES);
    expect((await refusal(moveNote, { path: PATH, hall: 'hypotheses' }, callerWith())).code).toBe(
      'forbidden_scope',
    );
  });
});
