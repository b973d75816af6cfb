import type { Caller } from '../../../src/core/access/tokens';
import { history } from '../../../src/core/notes/history';
import { getNote } from '../../../src/core/notes/get';
import { editRoot } from '../../../src/core/notes/root';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { FIRST_GUIDANCE } from '../../../src/core/notes/guidance';
import { listPending } from '../../../src/core/review/pending';
import { confirmNote } from '../../../src/core/review/confirm';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { ingestPages } from '../../../src/core/ingest/operations';
import { sha256 } from '../../../src/core/base/hash';
import { listUndos, type PastUndo, pastUndos } from '../../../src/core/undo/record';
import { redo } from '../../../src/core/undo/redo';
import { undoWriter } from '../../../src/core/undo/undo';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const ALL = ['read', 'write', 'review', 'admin'] as const;
const rogue: Caller = { ...callerWith(ALL, 'rogue'), client: 'claude-code 2.1' };
const other = callerWith(ALL, 'other');
const MINUTE = 60_000;
const SINCE = '2026-11-20T10:40:00Z';
const MTU = 'wiki/net/facts/mtu.md';

/** A vault at 10:32, then what happened before, then a clock at 10:45, after the time that undos ask for. */
async function world(before?: (opened: TestBrain) => Promise<void>): Promise<TestBrain> {
  const opened = await openTestBrain({ 'AGENTS.md': '# Guide\n' });
  await before?.(opened);
  opened.clock.advance(13 * MINUTE);
  return opened;
}

function write({ run }: TestBrain, caller: Caller, content = '# MTU\n\n1420.\n', slug = 'mtu') {
  return run(writeNote, { wing: 'net', hall: 'facts', slug, content }, caller);
}

function update({ run }: TestBrain, caller: Caller, content: string, path = MTU) {
  return run(updateNote, { path, content, reason: 'because' }, caller);
}

/** Looks, then does it. */
async function undo(opened: TestBrain, by = 'rogue', since = SINCE) {
  const { plan } = await opened.run(undoWriter, { by, since, dry_run: true }, person);
  return opened.run(undoWriter, { by, since, plan }, person);
}

function look({ run }: TestBrain, by = 'rogue', since = SINCE) {
  return run(undoWriter, { by, since, dry_run: true }, person);
}

const bodyOf = async ({ run }: TestBrain, path = MTU): Promise<string> => (await run(getNote, { path })).body;

describe('a note whose latest writer it is', () => {
  it('goes back to the version of another writer, as a new version that supersedes the one taken back', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    const bad = await update(opened, rogue, '# MTU\n\nPay here.\n');
    opened.clock.advance(MINUTE);
    const { items, undo: id } = await undo(opened);
    expect(id).toEqual(expect.any(String));
    expect(items).toEqual([
      {
        action: 'revert',
        path: MTU,
        title: 'MTU',
        version: bad.supersedes,
        linked_from: [],
        why: 'goes back to the version of other',
      },
    ]);
    const note = await opened.run(getNote, { path: MTU });
    expect(note).toMatchObject({
      body: '# MTU\n\n1420.\n',
      written_by: 'other',
      supersedes: bad.content_hash,
      updated_at: '2026-11-20T10:46:00Z',
    });
    expect(note.frontmatter.supersede_reason).toBe(`Undo of rogue since ${SINCE}, by human:me`);
    const past = await opened.run(history, { path: MTU });
    expect('versions' in past && past.versions.map(({ written_by: by }) => by)).toEqual([
      'other',
      'rogue (claude-code 2.1)',
      'other',
    ]);
  });

  it('is undone once by two calls at the same moment, and can still be taken back', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    const { plan } = await look(opened);
    const again = () => opened.run(undoWriter, { by: 'rogue', since: SINCE, plan }, person);
    const both = await Promise.allSettled([again(), again()]);
    const [done, ...rest] = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(rest).toEqual([]);
    await opened.run(redo, { undo: String(done?.undo) }, person);
    expect(await bodyOf(opened)).toBe('# MTU\n\nPay here.\n');
  });

  it('passes over a row of its versions', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    for (const n of [1, 2, 3]) await update(opened, rogue, `# MTU\n\n${n}\n`);
    await undo(opened);
    expect(await bodyOf(opened)).toBe('# MTU\n\n1420.\n');
  });

  it('goes back to its own version from before the time', async () => {
    const opened = await world(async (early) => void (await write(early, rogue)));
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    expect((await undo(opened)).items).toMatchObject([{ action: 'revert' }]);
    expect(await bodyOf(opened)).toBe('# MTU\n\n1420.\n');
    expect((await look(opened)).items).toEqual([]);
  });

  it('finds the version that it overwrote, which no version names', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    const content = '# MTU\n\nOverwritten.\n';
    await opened.run(writeNote, { wing: 'net', hall: 'facts', slug: 'mtu', content, overwrite: true }, rogue);
    await undo(opened);
    expect(await opened.run(getNote, { path: MTU })).toMatchObject({
      body: '# MTU\n\n1420.\n',
      written_by: 'other',
    });
  });

  it('goes to the queue when it has no other version: the address as suggestion, links to it told', async () => {
    const opened = await world();
    await write(opened, rogue);
    const link = await write(opened, other, '# Router\n\nSee [[wiki/net/facts/mtu|MTU]].\n', 'router');
    const hash = sha256(opened.files.get(MTU) ?? '');
    const { items } = await undo(opened);
    expect(items).toMatchObject([
      { action: 'queue', path: MTU, to: 'raw/2026-11-20-mtu.md', linked_from: [link.path] },
    ]);
    expect(opened.files.has(MTU)).toBe(false);
    const { pending } = await opened.run(listPending);
    expect(pending).toMatchObject([
      {
        path: 'raw/2026-11-20-mtu.md',
        suggested: { wing: 'net', hall: 'facts', slug: 'mtu' },
        written_by: 'rogue (claude-code 2.1)',
      },
    ]);
    expect(await opened.run(history, { hash })).toMatchObject({ hash });
    expect(opened.files.get('wiki/net/_index.md')).not.toContain('mtu');
    expect(opened.files.get(link.path)).toContain('[[wiki/net/facts/mtu|MTU]]');
  });

  it('goes to the queue from knowledge/ too, and with notes of the same name beside it', async () => {
    const opened = await world();
    await opened.run(writeNote, { content: 'One.', filename: 'one' }, rogue);
    await write(opened, rogue, 'Also.', 'one');
    const { items } = await undo(opened);
    expect(items.map(({ path, to }) => [path, to])).toEqual([
      ['knowledge/one.md', 'raw/2026-11-20-one.md'],
      ['wiki/net/facts/one.md', 'raw/2026-11-20-one-2.md'],
    ]);
    expect((await opened.run(listPending)).total).toBe(2);
  });

  it('goes back to the queue when a person has promoted it', async () => {
    const opened = await world();
    const { path } = await opened.run(
      writeNote,
      { wing: 'net', hall: 'facts', slug: 'mtu', content: 'x' },
      { ...rogue, scopes: new Set(['read', 'propose'] as const) },
    );
    await opened.run(promoteNote, { path, wing: 'net', hall: 'facts' }, person);
    expect((await undo(opened)).items).toMatchObject([{ action: 'queue', path: MTU, to: path }]);
    expect(opened.files.get(path)).not.toContain('promoted_');
  });

  it('is found by its pages of documents, which a model or nobody made in between', async () => {
    const opened = await world();
    const page = { title: 'Page', content: 'Text.', wing: 'net', hall: 'facts' };
    await opened.run(ingestPages, { pages: [page], destination: 'wiki' }, rogue);
    const [path = ''] = [...opened.files.keys()].filter((file) => file.includes('/page'));
    expect(opened.files.get(path)).toMatch(/written_by: .*rogue/);
    expect((await look(opened)).items.map((item) => item.path)).toEqual([path]);
  });

  it('keeps its present address when a person has moved it', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    await update(opened, rogue, '# MTU\n\nPay.\n');
    opened.vault.outside('wiki/lab/facts/mtu.md', opened.files.get(MTU) ?? '');
    opened.vault.outside(MTU, null);
    await undo(opened);
    expect(await opened.run(getNote, { path: 'wiki/lab/facts/mtu.md' })).toMatchObject({
      body: '# MTU\n\n1420.\n',
      frontmatter: { wing: 'lab', hall: 'facts' },
    });
  });
});

describe('what others have done', () => {
  it('is listed and not touched when another writer changed the note since', async () => {
    const opened = await world();
    await write(opened, rogue);
    await update(opened, other, '# MTU\n\nCorrected.\n');
    const before = new Map(opened.files);
    expect(await undo(opened)).toMatchObject({
      items: [],
      left: [{ path: MTU, reason: 'changed_since', why: expect.stringContaining('other') as string }],
    });
    expect(opened.files).toEqual(before);
  });

  it('is listed and not touched when the note was edited by hand since', async () => {
    const opened = await world();
    const { path } = await write(opened, rogue);
    opened.vault.outside(path, (opened.files.get(path) ?? '').replace('1420', '1419'));
    expect(await look(opened)).toMatchObject({ items: [], left: [{ path, reason: 'edited_since' }] });
  });

  it('counts as edited by hand also below a link that followed a note', async () => {
    const opened = await world(async ({ run }) => {
      await run(
        writeNote,
        { content: '# Dns\n', filename: 'dns' },
        { ...other, scopes: new Set(['propose']) },
      );
    });
    const { path } = await write(opened, rogue, '# MTU\n\n[[raw/2026-11-20-dns|Dns]]\n');
    opened.vault.outside(path, `${opened.files.get(path) ?? ''}\nMine, see [[raw/2026-11-20-dns|Dns]].\n`);
    await opened.run(promoteNote, { path: 'raw/2026-11-20-dns.md', wing: 'net', hall: 'facts' }, person);
    expect(opened.files.get(path)).toContain('[[wiki/net/facts/dns|Dns]]');
    expect(await look(opened)).toMatchObject({ items: [], left: [{ path, reason: 'edited_since' }] });
  });

  it('is what the note goes back to when a hand edit came in between', async () => {
    const opened = await world();
    await write(opened, rogue);
    opened.clock.advance(MINUTE);
    opened.vault.outside(MTU, (opened.files.get(MTU) ?? '').replace('1420', '1419, says the manual'));
    opened.clock.advance(MINUTE);
    await update(opened, rogue, '# MTU\n\nPay.\n');
    expect((await undo(opened)).items).toMatchObject([{ action: 'revert' }]);
    expect(await bodyOf(opened)).toBe('# MTU\n\n1419, says the manual.\n');
  });

  it('is left alone where the writer had no hand in it, or only before the time', async () => {
    const opened = await world(async (early) => {
      await write(early, rogue, '# Old\n', 'old');
    });
    await write(opened, other);
    await write(opened, callerWith(ALL, 'rogue2'), '# Two\n', 'two');
    expect(await look(opened)).toMatchObject({ items: [], left: [] });
    expect(await look(opened, 'rog')).toMatchObject({ items: [], left: [] });
  });

  it('is respected: a note that the owner locked, and one that waits in the queue', async () => {
    const opened = await world();
    const { path } = await write(opened, rogue);
    const locked = (opened.files.get(path) ?? '').replace('\n---\n', '\nlocked: yes\n---\n');
    opened.vault.outside(path, locked);
    await opened.run(
      writeNote,
      { content: 'x', filename: 'idea' },
      { ...rogue, scopes: new Set(['propose']) },
    );
    const { items, left } = await look(opened);
    expect(items).toEqual([]);
    expect(left.map(({ path, reason }) => [path, reason])).toEqual([
      ['raw/2026-11-20-idea.md', 'in_queue'],
      [path, 'edited_since'],
    ]);
  });
});

describe('what the writer decided', () => {
  const proposed = async ({ run }: TestBrain, filename: string): Promise<string> => {
    const proposer = { ...other, scopes: new Set(['propose'] as const) };
    return (await run(writeNote, { content: `# ${filename}\n`, filename }, proposer)).path;
  };

  it('goes back to the queue: promoted notes and rejected ones, under their names there', async () => {
    let [good, bad] = ['', ''];
    const opened = await world(async (early) => {
      good = await proposed(early, 'good');
      bad = await proposed(early, 'bad');
    });
    const before = [opened.files.get(good), opened.files.get(bad)];
    await opened.run(promoteNote, { path: bad, wing: 'net', hall: 'facts' }, rogue);
    await opened.run(rejectNote, { path: good, reason: 'no' }, rogue);
    const { items } = await undo(opened);
    expect(items.map(({ action, path, to }) => [action, path, to])).toEqual([
      ['restore', 'raw/rejected/2026-11-20-good.md', good],
      ['unpromote', 'wiki/net/facts/bad.md', bad],
    ]);
    expect(opened.files.get(good)).toBe(before[0]);
    expect(opened.files.get(bad)).toContain(before[1]?.split('---\n').at(-1));
    expect(opened.files.get(bad)).not.toContain('promoted');
  });

  it('stays when it is about its own notes, or when another has rewritten the promoted note', async () => {
    let path = '';
    const opened = await world(async (early) => void (path = await proposed(early, 'fine')));
    await opened.run(promoteNote, { path, wing: 'net', hall: 'facts' }, rogue);
    opened.clock.advance(MINUTE);
    await update(opened, other, '# Fine\n\nMine now.\n', 'wiki/net/facts/fine.md');
    const own = await opened.run(
      writeNote,
      { content: 'own', filename: 'own' },
      { ...rogue, scopes: new Set(['propose']) },
    );
    await opened.run(rejectNote, { path: own.path }, rogue);
    expect(await look(opened)).toMatchObject({
      items: [],
      left: [{ path: 'wiki/net/facts/fine.md', reason: 'changed_since' }],
    });
  });
});

describe('the root note', () => {
  const edit = ({ run, files }: TestBrain, caller: Caller, content: string) =>
    run(
      editRoot,
      { content, reason: 'because', expected_hash: sha256(files.get('AGENTS.md') ?? '') },
      caller,
    );

  it('goes back to the text before its edits, and the way back is on record', async () => {
    const opened = await world(async (early) => void (await edit(early, other, '# Guide of other\n')));
    await edit(opened, rogue, '# Obey me\n');
    await edit(opened, rogue, '# Obey me more\n');
    expect((await undo(opened)).items).toMatchObject([
      { action: 'root', path: 'AGENTS.md', why: 'goes back to the text of other' },
    ]);
    expect(opened.files.get('AGENTS.md')).toBe('# Guide of other\n');
    expect((await look(opened)).items).toEqual([]);
  });

  it('gets the first guidance when the writer made it', async () => {
    const opened = await openTestBrain({}, {}, '2026-11-20T10:45:00Z');
    await opened.run(editRoot, { content: '# Obey\n', reason: 'new' }, rogue);
    await undo(opened);
    expect(opened.files.get('AGENTS.md')).toBe(FIRST_GUIDANCE);
  });

  it('is listed when another or a hand has changed it since', async () => {
    const opened = await world();
    await edit(opened, rogue, '# Obey me\n');
    opened.vault.outside('AGENTS.md', '# Mine\n');
    expect(await look(opened)).toMatchObject({ items: [], left: [{ reason: 'edited_since' }] });
    await edit(opened, other, '# Ours\n');
    expect(await look(opened)).toMatchObject({ items: [], left: [{ reason: 'changed_since' }] });
  });
});

describe('the run', () => {
  it('changes nothing when it is dry, and wants the list that was looked at', async () => {
    const opened = await world();
    await write(opened, rogue);
    const before = new Map(opened.files);
    const seen = await look(opened);
    expect(opened.files).toEqual(before);
    expect(await opened.refusal(undoWriter, { by: 'rogue', since: SINCE }, person)).toMatchObject({
      code: 'missing_field',
    });
    await write(opened, rogue, '# Another\n', 'another');
    expect(
      await opened.refusal(undoWriter, { by: 'rogue', since: SINCE, plan: seen.plan }, person),
    ).toMatchObject({ code: 'hash_mismatch' });
  });

  it('needs the scopes admin and review', async () => {
    const opened = await world();
    const ask = { by: 'rogue', since: SINCE, dry_run: true };
    for (const scopes of [
      ['read', 'write', 'review'],
      ['read', 'write', 'admin'],
    ] as const) {
      const refused = await opened.refusal(undoWriter, ask, callerWith(scopes));
      expect(refused).toMatchObject({
        code: 'forbidden_scope',
        message: expect.stringMatching(/needs the scope "(?:admin"|review" beside "admin")\. Ask/),
      });
      expect((await opened.refusal(redo, { undo: 'x' }, callerWith(scopes))).code).toBe('forbidden_scope');
    }
  });

  it('takes a time, a date or a span, and refuses anything else', async () => {
    const opened = await world();
    await write(opened, rogue);
    for (const since of ['2026-11-20', '24h', '2026-11-20T11:40:00+01:00']) {
      expect((await look(opened, 'rogue', since)).count).toBe(1);
    }
    expect((await look(opened, 'rogue', '24h')).since).toBe('2026-11-19T10:45:00Z');
    for (const since of ['yesterday', '', '0h', '3651d']) {
      const { code, message } = await opened.refusal(
        undoWriter,
        { by: 'rogue', since, dry_run: true },
        person,
      );
      expect(code).toBe('invalid_field');
      expect(message).toContain('"since"');
    }
  });

  it('does all of it or nothing', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    await update(opened, rogue, '# MTU\n\nPay.\n');
    await write(opened, rogue, '# Two\n', 'two');
    const { plan } = await look(opened);
    const before = new Map(opened.files);
    opened.vault.intercept = (call, path) => {
      if (call === 'remove' && path === 'wiki/net/facts/two.md') throw new Error('disk');
    };
    await expect(opened.run(undoWriter, { by: 'rogue', since: SINCE, plan }, person)).rejects.toThrow('disk');
    opened.vault.intercept = () => undefined;
    expect(opened.files).toEqual(before);
    expect((await opened.run(listUndos, {}, person)).total).toBe(0);
    expect((await look(opened)).plan).toBe(plan);
  });
});

describe('after an undo of somebody else', () => {
  /** `other` wrote it, `rogue` poisoned it, that was undone, and `other` went on. */
  const undone = async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    opened.clock.advance(MINUTE);
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    opened.clock.advance(MINUTE);
    await undo(opened);
    opened.clock.advance(MINUTE);
    return opened;
  };

  it('never goes back to what was undone: what an undo put back is as old as it was', async () => {
    const opened = await undone();
    await update(opened, other, '# MTU\n\nNewer.\n');
    opened.clock.advance(MINUTE);
    await undo(opened, 'other', '2026-11-20T10:46:30Z');
    expect(await bodyOf(opened)).toBe('# MTU\n\n1420.\n');
    expect((await look(opened, 'other', '2026-11-20T10:46:30Z')).items).toEqual([]);
  });

  it('takes the writer of what was put back for its writer, at the time at which that was written', async () => {
    const opened = await undone();
    expect((await look(opened, 'other', SINCE)).items).toEqual([]);
    // From before the first version on there is no version of anyone else but the one that was undone.
    const all = await look(opened, 'other', '2026-11-20T10:00:00Z');
    expect(all.items).toMatchObject([{ action: 'queue', path: MTU }]);
    await update(opened, other, '# MTU\n\nNewer.\n');
    opened.clock.advance(MINUTE);
    const { items } = await undo(opened, 'other', '2026-11-20T10:00:00Z');
    expect(items).toMatchObject([{ action: 'queue', path: MTU }]);
    expect(opened.files.get(items[0]?.to ?? '')).toContain('Newer.');
  });

  it('goes back to no version of a writer whose doings were undone, although another had replaced it', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    opened.clock.advance(MINUTE);
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    opened.clock.advance(MINUTE);
    await update(opened, callerWith(ALL, 'third'), '# MTU\n\nThird.\n');
    await write(opened, rogue, '# Two\n', 'two');
    opened.clock.advance(MINUTE);
    const { undo: id } = await undo(opened);
    opened.clock.advance(MINUTE);
    expect((await look(opened, 'third')).items).toMatchObject([{ why: 'goes back to the version of other' }]);
    // What was taken back is no longer undone.
    await opened.run(redo, { undo: id }, person);
    expect((await look(opened, 'third')).items).toMatchObject([
      { why: 'goes back to the version of rogue (claude-code 2.1)' },
    ]);
  });

  it('does so through the queue as well, where an undo has put it there', async () => {
    const opened = await world();
    await opened.run(writeNote, { content: '# MTU\n\n1420.\n' }, callerWith(['propose'], 'other'));
    opened.clock.advance(MINUTE);
    const raw = [...opened.files.keys()].find((path) => path.startsWith('raw/')) ?? '';
    await opened.run(promoteNote, { path: raw, wing: 'net', hall: 'facts', slug: 'mtu' }, rogue);
    opened.clock.advance(MINUTE);
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    opened.clock.advance(MINUTE);
    const [item] = (await undo(opened)).items;
    await opened.run(promoteNote, { path: item?.to, wing: 'net', hall: 'facts', slug: 'mtu' }, person);
    opened.clock.advance(MINUTE);
    const { items } = await undo(opened, 'other', SINCE);
    expect(items).toMatchObject([{ action: 'queue' }]);
    expect(opened.files.get(items[0]?.to ?? '')).toContain('1420.');
  });
});

describe('taking an undo back', () => {
  it('brings every note back byte for byte, and lists what changed since', async () => {
    const opened = await world(async (early) => {
      await write(early, other);
      await write(early, other, '# Three\n', 'three');
    });
    await update(opened, rogue, '# MTU\n\nPay.\n');
    await update(opened, rogue, '# Three\n\nPay.\n', 'wiki/net/facts/three.md');
    await write(opened, rogue, '# Two\n', 'two');
    const before = new Map(opened.files);
    const { undo: id } = await undo(opened);
    expect(opened.files).not.toEqual(before);
    const ask = { undo: id };
    expect(await opened.run(redo, { ...ask, dry_run: true }, person)).toMatchObject({ count: 3 });
    await opened.run(redo, ask, person);
    expect(opened.files).toEqual(before);
    expect(await opened.run(listUndos, {}, person)).toMatchObject({
      total: 1,
      undos: [
        { undo: id, by: 'rogue', actor: 'human:me', notes: 3, taken_back: expect.any(String) as string },
      ],
    });

    opened.clock.advance(MINUTE);
    const again = await undo(opened);
    await update(opened, other, '# Three\n\nBetter.\n', 'wiki/net/facts/three.md');
    expect(await opened.run(redo, { undo: again.undo }, person)).toMatchObject({
      count: 2,
      left: [{ path: 'wiki/net/facts/three.md', why: 'was changed since' }],
    });
    expect(await bodyOf(opened, 'wiki/net/facts/three.md')).toBe('# Three\n\nBetter.\n');
  });

  it('refuses an undo that nobody knows', async () => {
    const { refusal } = await world();
    expect((await refusal(redo, { undo: '../../x' }, person)).code).toBe('note_not_found');
  });
});

describe('notes of the owner that it adopted', () => {
  const owners = {
    'Ideas/One.md': '# One\n\nSee [[Two]].\n',
    'Ideas/Two.md': '# Two\n',
    'Journal.md': '# Journal\n\nBoth [[Ideas/One]] and [[Two|the second]].\n',
  };

  it('go back, and the links to them in other notes follow; taking the undo back turns them again', async () => {
    const opened = await openTestBrain(owners);
    opened.clock.advance(13 * MINUTE);
    const adopt = (path: string, slug: string) =>
      opened.run(adoptNote, { path, wing: 'net', hall: 'facts', slug }, { ...rogue, owner: true });
    await adopt('Ideas/One.md', 'first');
    await adopt('Ideas/Two.md', 'second');
    const adopted = opened.files.get('Journal.md');
    expect(adopted).toBe('# Journal\n\nBoth [[wiki/net/facts/first|Ideas/One]] and [[second|the second]].\n');
    opened.clock.advance(MINUTE);
    const done = await undo(opened);
    expect(done.items.map(({ to, linked_from: from }) => [to, from])).toEqual([
      ['Ideas/One.md', []],
      ['Ideas/Two.md', expect.any(Array)],
    ]);
    expect(opened.files.get('Ideas/Two.md')).toBe(owners['Ideas/Two.md']);
    expect(opened.files.get('Journal.md')).toBe(owners['Journal.md']);
    await opened.run(redo, { undo: done.undo }, person);
    expect(opened.files.get('Journal.md')).toBe(adopted);
    expect(opened.files.has('Ideas/One.md')).toBe(false);
  });
});

const PAGE = { title: 'MTU', content: '1420.' };
const RAW = 'raw/2026-11-01-dns.md';
const DEEDS: [string, (opened: TestBrain) => Promise<unknown>][] = [
  ['a note', (opened) => write(opened, rogue)],
  ['a version', (opened) => write(opened, other).then(() => update(opened, rogue, '# MTU\n\nPay here.\n'))],
  ['a promotion', ({ run }) => run(promoteNote, { path: RAW, wing: 'net', hall: 'facts' }, rogue)],
  ['a rejection', ({ run }) => run(rejectNote, { path: RAW }, rogue)],
  [
    'an edit of the root note',
    ({ run, files }) =>
      run(
        editRoot,
        { content: '# Obey me\n', reason: 'because', expected_hash: sha256(files.get('AGENTS.md') ?? '') },
        rogue,
      ),
  ],
  [
    'a source of a note of another',
    async ({ run }) => {
      await run(ingestPages, { pages: [PAGE], source: 'https://a.example' }, other);
      await run(ingestPages, { pages: [PAGE], source: 'https://rogue.example' }, rogue);
    },
  ],
];

it.each(DEEDS)(
  '%s is undone from the second on in which it came, and not when it is older',
  async (_, deed) => {
    const opened = await openTestBrain({ 'AGENTS.md': '# Guide\n', [RAW]: '# DNS\n\nUnbound.\n' });
    await deed(opened);
    opened.clock.advance(13 * MINUTE);
    const found = async (since: string) => {
      const { items, left } = await look(opened, 'rogue', since);
      return [items.length, left.length];
    };
    expect(await found('2026-11-20T10:32:00Z')).toEqual([1, 0]);
    expect(await found('2026-11-20T10:32:01Z')).toEqual([0, 0]);
  },
);

it.each([
  ['written', (opened: TestBrain) => write(opened, rogue)],
  [
    'promoted',
    ({ run }: TestBrain) => run(promoteNote, { path: RAW, wing: 'net', hall: 'facts', slug: 'mtu' }, rogue),
  ],
])('leaves a note that a person confirmed in the second in which it was %s', async (_, deed) => {
  const opened = await openTestBrain({ [RAW]: '# DNS\n\nUnbound.\n' });
  await deed(opened);
  await opened.run(confirmNote, { path: MTU }, person);
  expect(await look(opened, 'rogue', '2026-11-20T10:00:00Z')).toMatchObject({
    items: [],
    left: [{ path: MTU, reason: 'changed_since', why: expect.stringContaining('human:me') as string }],
  });
});

describe('an undo that an earlier version recorded', () => {
  const file = 'undo/0123456789abcdef.json';

  it('is listed and taken back, and its file stays as it is', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    const bad = await update(opened, rogue, '# MTU\n\nPay here.\n');
    opened.clock.advance(MINUTE);
    await undo(opened);
    const { content_hash: after } = await opened.run(getNote, { path: MTU });
    const [{ by, since, notes }] = (await pastUndos(opened.brain)) as [PastUndo];
    expect(notes).toMatchObject([{ path: MTU, before: bad.content_hash, after }]);
    const record = { v: 1, id: '0123456789abcdef', ts: '2026-11-20T10:46:00Z', by, since, actor: 'x', notes };
    const text = JSON.stringify(record);
    // The vault as the earlier version left it.
    for (const path of opened.state.files.keys())
      if (path.startsWith('past/')) opened.state.files.delete(path);
    opened.state.files.set(file, text);
    opened.state.files.set('undo/torn.json', text.slice(0, 40));
    expect(await opened.run(listUndos, {}, person)).toMatchObject({
      total: 1,
      undos: [{ undo: record.id, at: record.ts, by: 'rogue', actor: 'x', notes: 1 }],
    });
    expect(await opened.run(redo, { undo: record.id }, person)).toMatchObject({ restored: [MTU], left: [] });
    expect(await bodyOf(opened)).toBe('# MTU\n\nPay here.\n');
    expect((await opened.run(listUndos, {}, person)).undos).toMatchObject([
      { undo: record.id, taken_back: expect.any(String) as string },
    ]);
    expect(opened.state.files.get(file)).toBe(text);
  });

  it('counts as taken back when people have put everything back', async () => {
    const opened = await world(async (early) => void (await write(early, other)));
    await update(opened, rogue, '# MTU\n\nPay here.\n');
    const text = opened.files.get(MTU) ?? '';
    opened.clock.advance(MINUTE);
    const { undo: id } = await undo(opened);
    opened.vault.outside(MTU, text);
    expect(await opened.run(redo, { undo: id }, person)).toMatchObject({ count: 0 });
    expect((await opened.run(listUndos, {}, person)).undos).toMatchObject([
      { undo: id, taken_back: expect.any(String) as string },
    ]);
  });
});
