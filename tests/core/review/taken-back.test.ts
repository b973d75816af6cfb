import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { moveNote } from '../../../src/core/review/move';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { replaceNote } from '../../../src/core/review/replace';
import { unpromoteNote } from '../../../src/core/review/return';
import { redo } from '../../../src/core/undo/redo';
import { undoWriter } from '../../../src/core/undo/undo';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const PLAN = 'Projects/Plan.md';
const ADOPTED = 'wiki/garden/decisions/Plan.md';
const RAW = 'raw/2026-11-01-dns.md';
const ada = { ...person, name: 'ada' };
const ADOPTION = { path: PLAN, wing: 'garden', hall: 'decisions' };
const FACT = { wing: 'net', hall: 'facts' };

/** Returns the texts that the history of a note lists, newest first, and checks that a read counts them. */
async function textsOf({ run }: TestBrain, path: string): Promise<string[]> {
  const listed = await run(history, { path });
  const versions = 'versions' in listed ? listed.versions : [];
  expect(await run(getNote, { path })).toMatchObject({ history: versions.length - 1 });
  const texts: string[] = [];
  for (const { hash } of versions) {
    const version = await run(history, { hash });
    texts.push('body' in version ? version.body.trim() : '');
  }
  return texts;
}

async function undo({ run }: TestBrain, by: string): Promise<string> {
  const ask = { by, since: '1d' };
  const { plan } = await run(undoWriter, { ...ask, dry_run: true }, person);
  return (await run(undoWriter, { ...ask, plan }, person)).undo ?? '';
}

describe('links of other notes, when a decision is taken back', () => {
  const LINKS = 'From [[Plan]], [[Projects/Plan|the plan]] and [p](Plan.md).\n';

  it('are again as they were after an adoption', async () => {
    const opened = await openTestBrain({ [PLAN]: 'A drip line.\n', 'Projects/Links.md': LINKS });
    const { path } = await opened.run(adoptNote, { ...ADOPTION, slug: 'drip' }, person);
    expect(opened.files.get('Projects/Links.md')).toContain('[[drip|Plan]]');
    await opened.run(updateNote, { path, content: 'Two lines.', reason: 'measured' }, person);
    await opened.run(unpromoteNote, { path }, person);
    expect(opened.files.get('Projects/Links.md')).toBe(LINKS);
  });

  it('follow where their note was changed since', async () => {
    const opened = await openTestBrain({ [PLAN]: 'A drip line.\n', 'Projects/Links.md': LINKS });
    const { path } = await opened.run(adoptNote, { ...ADOPTION, slug: 'drip' }, person);
    const linked = opened.files.get('Projects/Links.md') ?? '';
    opened.vault.outside('Projects/Links.md', `Mine. ${linked}`);
    await opened.run(unpromoteNote, { path }, person);
    const now = opened.files.get('Projects/Links.md') ?? '';
    expect(now).toMatch(/^Mine\. From /);
    expect(now).not.toContain('drip');
  });

  it.each([
    ['a promotion', 'unpromote'],
    ['a move', 'move'],
  ])('are again as they were after %s', async (_, way) => {
    const opened = await openTestBrain({
      [RAW]: '# DNS\n',
      'Notes/me.md': 'See [[2026-11-01-dns]], [[raw/2026-11-01-dns|dns]] and [[wiki/net/facts/names#dns]].\n',
    });
    const former = opened.files.get('Notes/me.md');
    const { path } = await opened.run(promoteNote, { path: RAW, ...FACT, slug: 'names' }, person);
    const promoted = opened.files.get('Notes/me.md');
    expect(promoted).not.toBe(former);
    if (way === 'unpromote') {
      await opened.run(unpromoteNote, { path }, person);
      expect(opened.files.get('Notes/me.md')).toBe(former);
      return;
    }
    const { path: moved } = await opened.run(moveNote, { path, slug: 'words' }, person);
    expect(opened.files.get('Notes/me.md')).not.toBe(promoted);
    await opened.run(moveNote, { path: moved, slug: 'names' }, person);
    expect(opened.files.get('Notes/me.md')).toBe(promoted);
  });

  it('are left in notes of the owner about which the caller does not decide, and this is told', async () => {
    const opened = await openTestBrain({
      [RAW]: '---\norigin: mcp\nwritten_by: eve\ncreated_at: 2026-11-01T00:00:00Z\n---\n# DNS\n',
      'Notes/me.md': 'See [[raw/2026-11-01-dns]].\n',
    });
    const { path } = await opened.run(promoteNote, { path: RAW, ...FACT, slug: 'names' }, person);
    const promoted = opened.files.get('Notes/me.md');
    const back = await opened.run(unpromoteNote, { path }, callerWith());
    expect(back.warnings).toEqual([expect.stringContaining('Notes/me.md is a note of the owner')]);
    expect(opened.files.get('Notes/me.md')).toBe(promoted);
  });
});

describe('the owner gets an adopted note back', () => {
  it('also after its return was undone', async () => {
    const opened = await openTestBrain({ [PLAN]: 'A drip line.\n' });
    await opened.run(adoptNote, ADOPTION, person);
    await opened.run(unpromoteNote, { path: ADOPTED }, ada);
    await undo(opened, 'human:ada');
    expect(opened.files.has(ADOPTED)).toBe(true);
    expect(await opened.run(unpromoteNote, { path: ADOPTED }, person)).toMatchObject({ path: PLAN });
    expect(opened.files.get(PLAN)).toBe('A drip line.\n');
  });

  it('with all versions that it had', async () => {
    const opened = await openTestBrain({ [PLAN]: 'One.\n' });
    await opened.run(adoptNote, ADOPTION, person);
    for (const content of ['Two.', 'Three.']) {
      opened.clock.advance(5_000);
      await opened.run(updateNote, { path: ADOPTED, content, reason: 'measured' }, person);
    }
    await opened.run(unpromoteNote, { path: ADOPTED }, person);
    expect(await textsOf(opened, PLAN)).toEqual(['Three.', 'Three.', 'Two.', 'One.', 'One.']);
  });
});

describe('the history of a note', () => {
  it('has what an undo took away, and what taking that back did', async () => {
    const opened = await openTestBrain();
    const one = callerWith(['read', 'write'], 'one');
    const two = callerWith(['read', 'write'], 'two');
    const { path } = await opened.run(writeNote, { ...FACT, slug: 'dns', content: 'One.' }, one);
    opened.clock.advance(5_000);
    await opened.run(updateNote, { path, content: 'Two.', reason: 'news' }, two);
    opened.clock.advance(5_000);
    const undone = await undo(opened, 'two');
    expect(await textsOf(opened, path)).toEqual(['One.', 'Two.', 'One.']);
    await opened.run(redo, { undo: undone }, person);
    expect(await textsOf(opened, path)).toEqual(['Two.', 'One.', 'One.']);
  });

  it('has a text that was overwritten, and a promotion makes no version of what the queue had', async () => {
    const opened = await openTestBrain();
    const write = { ...FACT, slug: 'dns' };
    const { path: queued } = await opened.run(
      writeNote,
      { ...write, content: 'One.' },
      callerWith(['read', 'write'], 'one'),
    );
    await opened.run(writeNote, { ...write, content: 'Two.', overwrite: true }, agent);
    expect(await textsOf(opened, queued)).toEqual(['Two.', 'One.']);
  });

  it('has the text of a replacement that was taken back', async () => {
    const opened = await openTestBrain({ [RAW]: 'One.\n', 'raw/2026-11-02-dns.md': 'Two.\n' });
    const { path } = await opened.run(promoteNote, { path: RAW, ...FACT }, person);
    await opened.run(replaceNote, { path: 'raw/2026-11-02-dns.md', replaces: path, reason: 'news' }, person);
    await opened.run(unpromoteNote, { path }, person);
    expect(await textsOf(opened, path)).toEqual(['One.', 'Two.', 'One.']);
  });
});

it('says why a promoted note that was written anew does not go back', async () => {
  const opened = await openTestBrain({ [RAW]: 'One.\n' });
  const { path } = await opened.run(promoteNote, { path: RAW, ...FACT, slug: 'dns' }, person);
  await opened.run(writeNote, { ...FACT, slug: 'dns', content: 'Two.', overwrite: true }, agent);
  const { code, message } = await opened.refusal(unpromoteNote, { path }, person);
  expect([code, message]).toEqual(['not_in_queue', expect.stringContaining('was written anew since')]);
});

describe('versions that a note says it has', () => {
  it('are listed after a hand wrote it, and it was moved', async () => {
    const opened = await openTestBrain({ [RAW]: 'One.\n' });
    const { path } = await opened.run(promoteNote, { path: RAW, ...FACT, slug: 'dns' }, person);
    await opened.run(updateNote, { path, content: 'Two.', reason: 'news' }, person);
    opened.vault.outside(path, (opened.files.get(path) ?? '').replace('Two.', 'By hand.'));
    const { path: moved } = await opened.run(moveNote, { path, slug: 'names', wing: 'lab' }, person);
    const texts = await textsOf(opened, moved);
    expect(texts[0]).toBe('By hand.');
    expect(texts).toContain('One.');
  });

  it('are listed of a queued note that comes back', async () => {
    const opened = await openTestBrain({ [RAW]: 'One.\n', 'raw/2026-11-02-dns.md': 'Two.\n' });
    const { path } = await opened.run(promoteNote, { path: RAW, ...FACT }, person);
    const queued = 'raw/2026-11-02-dns.md';
    await opened.run(updateNote, { path: queued, content: 'Three.', reason: 'news' }, person);
    await opened.run(replaceNote, { path: queued, replaces: path, reason: 'news' }, person);
    await opened.run(unpromoteNote, { path }, person);
    expect(await textsOf(opened, queued)).toEqual(['Three.', 'Two.']);
  });
});
