import { recordsOfText, textOfRecords } from '../../../src/core/catalog/snapshot';
import type { Operation } from '../../../src/core/operation/operation';
import { createdTime, listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { NOW, openTestBrain, person } from '../../support/test-brain';

describe('the queue', () => {
  it('is an empty list when nothing waits', async () => {
    const { run } = await openTestBrain({ 'raw/rejected/x.md': 'x', 'raw/scan.pdf': 'x' });
    expect(await run(listPending)).toEqual({ count: 0, total: 0, pending: [] });
  });

  it('is ordered oldest first: by created_at, created, the date in the name, the time of the file; ties by path', async () => {
    const { run } = await openTestBrain({
      'raw/by-file-time.md': 'x',
      'raw/2026-03-03-by-name.md': 'x',
      'raw/2026-09-09-by-stamp.md': '---\ncreated_at: 2026-01-01T00:00:00Z\n---\nx',
      'raw/clip.md': '---\ncreated: 2026-02-02\n---\nx',
      'raw/sub/2026-03-03-by-name.md': 'x',
    });
    const { pending } = await run(listPending);
    expect(pending.map(({ path }) => path)).toEqual([
      'raw/2026-09-09-by-stamp.md',
      'raw/clip.md',
      'raw/2026-03-03-by-name.md',
      'raw/sub/2026-03-03-by-name.md',
      'raw/by-file-time.md',
    ]);
  });

  it('keeps the place of a note that says no time when it is edited, also over a restart', async () => {
    const { run, clock, vault, brain } = await openTestBrain();
    for (const name of ['first', 'second', 'third']) {
      vault.outside(`raw/${name}.md`, name);
      clock.advance(60_000);
    }
    vault.outside('raw/first.md', 'first, edited');
    const inOrder = async () => (await run(listPending)).pending.map(({ path }) => path);
    const order = ['raw/first.md', 'raw/second.md', 'raw/third.md'];
    expect(await inOrder()).toEqual(order);
    expect((await run(listPending)).pending[0]).toMatchObject({ created_at: NOW });
    const [record] = recordsOfText(textOfRecords([...brain.catalog.notes('raw')]));
    expect(record).toEqual([...brain.catalog.notes('raw')][0]);
  });

  it('goes by the earlier of the times of a file: a copy is made later than its text was written', () => {
    const path = vaultPath('raw/copy.md');
    expect(createdTime({ frontmatter: {}, path, mtime: 5, born: 9 })).toEqual(new Date(5));
    expect(createdTime({ frontmatter: {}, path, mtime: 9, born: 5 })).toEqual(new Date(5));
  });

  it('shows what a person needs to decide', async () => {
    const note =
      '---\ncreated: 2026-11-10\nwing: net\nhall: facts\nsource: https://example.org/dns\nhalf_life: eternal\n---\n# Dual stack DNS\n\nUnbound answers on both.\n';
    const { run } = await openTestBrain({
      'raw/2026-11-01-Dual Stack.md': note,
      'wiki/net/facts/unbound.md': '# Unbound\n\nUnbound is a DNS resolver.\n',
    });
    expect((await run(listPending)).pending).toEqual([
      {
        unverified: false,
        can_re_extract: false,
        risks: [],
        same: [],
        path: 'raw/2026-11-01-Dual Stack.md',
        title: 'Dual stack DNS',
        excerpt: 'Unbound answers on both.',
        created_at: '2026-11-10T00:00:00Z',
        age_days: 10,
        bytes: note.length,
        content_hash: sha256(note),
        suggested: { wing: 'net', hall: 'facts', slug: 'dual-stack' },
        source: 'https://example.org/dns',
        sources: [],
        similar: [
          { path: 'wiki/net/facts/unbound.md', title: 'Unbound', stale: false, shared: ['DNS', 'Unbound'] },
        ],
        stale: false,
        rejected_before: false,
        warnings: [expect.stringMatching(/half_life/)],
      },
    ]);
  });

  it('leaves similar notes out when nobody wants them, and lists one note alone', async () => {
    const { run } = await openTestBrain({
      'raw/a.md': '# Unbound\n\nResolver.\n',
      'raw/b.md': 'else',
      'wiki/net/facts/unbound.md': '# Unbound\n\nUnbound is a DNS resolver.\n',
    });
    const all = await run(listPending, { similar: false });
    expect(all).toMatchObject({
      total: 2,
      pending: [{ path: 'raw/a.md', similar: [] }, { path: 'raw/b.md' }],
    });
    const one = await run(listPending, { path: '/brain/raw/a.md' });
    expect(one).toMatchObject({
      count: 1,
      total: 1,
      pending: [{ path: 'raw/a.md', similar: [{ path: 'wiki/net/facts/unbound.md' }] }],
    });
    expect(await run(listPending, { path: 'raw/none.md' })).toEqual({ count: 0, total: 0, pending: [] });
  });

  it('remembers what was rejected before', async () => {
    const { run } = await openTestBrain({
      'raw/rejected/old.md': '# Again\n\nSame words.\n',
      'raw/new.md': '---\nx: y\n---\n# again\n\nsame  WORDS\n',
    });
    expect((await run(listPending)).pending).toMatchObject([{ path: 'raw/new.md', rejected_before: true }]);
  });

  it('is paged', async () => {
    const { run } = await openTestBrain(
      Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`raw/2026-01-0${n + 1}-n.md`, 'x'])),
    );
    const page = await run(listPending, { limit: 3, offset: 6 });
    expect(page).toMatchObject({ count: 1, total: 7, pending: [{ path: 'raw/2026-01-07-n.md' }] });
  });

  it.each([[{ limit: 0 }], [{ limit: 201 }], [{ offset: -1 }], [{ limit: 'x' }]])(
    'refuses %j',
    async (input) => {
      const { refusal } = await openTestBrain();
      expect(await refusal(listPending, input)).toMatchObject({ code: 'invalid_field' });
    },
  );
});

describe('a rejection', () => {
  const path = 'raw/2026-11-01-dns.md';
  const text = '---\ntags: [a]\n---\n# DNS\n';

  it('moves the note aside with who and why, and lists who links to it', async () => {
    const { run, files } = await openTestBrain({
      [path]: text,
      'raw/other.md': 'See [[raw/2026-11-01-dns]].',
    });
    expect(await run(rejectNote, { path, reason: 'twice: said' }, person)).toEqual({
      path,
      rejected_path: 'raw/rejected/2026-11-01-dns.md',
      rejected_at: '2026-11-20T10:32:00Z',
      linked_from: ['raw/other.md'],
    });
    const rejected = files.get('raw/rejected/2026-11-01-dns.md') ?? '';
    for (const line of [
      'rejected_at: 2026-11-20T10:32:00Z',
      'rejected_by: human:me',
      'reject_reason: "twice: said"',
      'tags: [a]',
    ]) {
      expect(rejected.split('\n')).toContain(line);
    }
    expect(files.has(path)).toBe(false);
    expect(files.get('raw/other.md')).toBe('See [[raw/2026-11-01-dns]].');
    expect((await run(listPending)).pending.map((entry) => entry.path)).toEqual(['raw/other.md']);
  });

  it('never overwrites an earlier one', async () => {
    const { run, files } = await openTestBrain({ [path]: text, 'raw/rejected/2026-11-01-DNS.md': 'first' });
    expect((await run(rejectNote, { path })).rejected_path).toBe('raw/rejected/2026-11-01-dns-2.md');
    expect(files.get('raw/rejected/2026-11-01-DNS.md')).toBe('first');
  });

  it('works on a note whose front matter cannot be edited', async () => {
    const odd = '---\nJust prose between rules.\n---\nMore.\n';
    const { run, files } = await openTestBrain({ [path]: odd });
    const { rejected_path } = await run(rejectNote, { path, reason: 'no' });
    expect(files.get(rejected_path)).toBe(odd);
    await run(restoreNote, { path: rejected_path });
    expect([...files]).toEqual([[path, odd]]);
  });

  it('can be taken back, byte for byte', async () => {
    const { run, files } = await openTestBrain({ [path]: text });
    const { rejected_path } = await run(rejectNote, { path, reason: 'no' });
    expect(await run(restoreNote, { path: rejected_path })).toEqual({ path, from: rejected_path });
    expect([...files]).toEqual([[path, text]]);
  });

  it('is restored under the old name without its number, but a date keeps its day', async () => {
    const { run } = await openTestBrain({
      'raw/rejected/dns-2.md': 'x',
      'raw/rejected/2026-11-20.md': 'x',
      'raw/rejected/2026-11-2.md': 'x',
      'raw/taken.md': 'x',
      'raw/rejected/taken.md': 'y',
    });
    expect((await run(restoreNote, { path: 'raw/rejected/dns-2.md' })).path).toBe('raw/dns.md');
    expect((await run(restoreNote, { path: 'raw/rejected/2026-11-20.md' })).path).toBe('raw/2026-11-20.md');
    expect((await run(restoreNote, { path: 'raw/rejected/taken.md' })).path).toBe('raw/taken-2.md');
  });

  it.each([
    ['what was rejected already', 'raw/rejected/x.md', 'not_in_queue'],
    ['a wiki note', 'wiki/a/facts/b.md', 'not_in_queue'],
    ['a missing note', 'raw/none.md', 'source_missing'],
    ['a way out', 'raw/../AGENTS.md', 'path_not_allowed'],
  ])('refuses %s', async (_, target, code) => {
    const { refusal } = await openTestBrain({ 'raw/rejected/x.md': 'x', 'wiki/a/facts/b.md': 'x' });
    expect(await refusal(rejectNote, { path: target })).toMatchObject({ code });
  });

  it('changes nothing in a dry run', async () => {
    const { run, files } = await openTestBrain({ [path]: text });
    await run(rejectNote, { path, dry_run: true });
    expect([...files]).toEqual([[path, text]]);
  });
});

describe('a decision about the version that was looked at', () => {
  const path = 'raw/2026-11-01-dns.md';
  const text = '---\ntags: [a]\n---\n# DNS\n';
  const decisions: readonly (readonly [string, Operation, Record<string, unknown>])[] = [
    ['promote', promoteNote, { path, wing: 'net', hall: 'facts' }],
    ['reject', rejectNote, { path }],
  ];

  it.each(decisions)('%s goes through while the note is at it', async (_, op, input) => {
    const { run, files } = await openTestBrain({ [path]: text });
    await run(op, { ...input, expected_hash: sha256(text) });
    expect(files.has(path)).toBe(false);
  });

  it.each(decisions)(
    '%s is refused with the present hash when the note is at another',
    async (_, op, input) => {
      const { refusal } = await openTestBrain({ [path]: text });
      for (const dry of [false, true]) {
        const stale = { ...input, expected_hash: sha256('seen'), dry_run: dry };
        expect(await refusal(op, stale)).toMatchObject({
          code: 'hash_mismatch',
          message: expect.stringMatching(/expected_hash/),
          details: { path, content_hash: sha256(text) },
        });
      }
    },
  );

  it.each(decisions)('%s is refused when the note is saved while its copy is made', async (_, op, input) => {
    const { run, files, vault } = await openTestBrain({ [path]: text });
    const saved = `${text}One more line.\n`;
    vault.intercept = (call) => {
      if (call === 'create') vault.outside(path, saved);
    };
    await expect(run(op, { ...input, expected_hash: sha256(text) })).rejects.toMatchObject({
      code: 'hash_mismatch',
      details: { path, content_hash: sha256(saved) },
    });
    expect([...files]).toEqual([[path, saved]]);
  });

  it.each(decisions)('%s wants a whole hash', async (_, op, input) => {
    const { refusal } = await openTestBrain({ [path]: text });
    expect(await refusal(op, { ...input, expected_hash: 'abc' })).toMatchObject({ code: 'invalid_field' });
  });
});
