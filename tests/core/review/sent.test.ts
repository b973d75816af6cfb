import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { MAX_CONTENT } from '../../../src/core/operation/fields';
import { updateNote } from '../../../src/core/notes/update';
import { editRoot } from '../../../src/core/notes/root';
import { writeNote } from '../../../src/core/notes/write';
import { SentTexts } from '../../../src/core/operation/sent';
import { listPending } from '../../../src/core/review/pending';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { readSent } from '../../../src/core/review/sent';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { cpuMs } from '../../support/cpu';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const bot = callerWith(['read', 'propose', 'write'], 'bot');
const BAD = '# Bad\n\n![x](https://example.org/x.png)\n';
const DAY = 86_400_000;

async function world(more: Parameters<typeof openTestBrain>[3] = {}, files: Record<string, string> = {}) {
  const test = await openTestBrain(files, { rootEdit: 'propose' }, undefined, more);
  const { run, state, brain } = test;
  const propose = async (content: string, slug = 'note') => {
    const proposer = callerWith(['read', 'propose'], 'bot');
    const { path } = await run(writeNote, { wing: 'net', hall: 'facts', slug, content }, proposer);
    return vaultPath(path);
  };
  const pending = async (path: string, caller = person) =>
    (await run(listPending, { path, similar: false }, caller)).pending[0];
  const kept = async (path: string) => (await pending(path))?.made_harmless;
  const keptFiles = async () =>
    (await state.list('local.testtest/door')).filter((file) => file.endsWith('.jsonl'));
  const tidy = () =>
    brain.sent.tidy(
      (hash, path) => brain.catalog.withHash(hash) !== null || brain.catalog.taken(path) !== null,
    );
  return { ...test, propose, pending, kept, keptFiles, tidy };
}

it('keeps every text as it was sent, unit for unit', async () => {
  const { run, propose } = await world();
  let made = 0;
  const unit = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom('\r\n', '\ud800', '\u0000', '\ufeff', '"', '\\', '\n---\n'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 30 }), async (units) => {
      made += 1;
      const text = `x\n${units.join('')}\n\n<iframe src="x"></iframe>\n`;
      const path = await propose(text, `n${made}`);
      const sent = await run(readSent, { path }, person);
      expect(sent.text).toBe(text);
      const frame = text.split('\n').indexOf('<iframe src="x"></iframe>') + 1;
      for (const { kind, line = 0 } of sent.findings)
        if (kind === 'html') expect(line).toBeLessThanOrEqual(frame);
    }),
    { numRuns: 60 },
  );
});

it('tells of a text whose beginning was made plain, and of a proposal for the root note', async () => {
  const { run, propose, kept } = await world({}, { 'AGENTS.md': '# Root\n' });
  const path = await propose('\u200b---\na: 1\n---\ntext\n');
  expect(await kept(path)).toMatchObject({
    findings: [
      { rule: 'invisible', line: 1 },
      { rule: 'active_content', kind: 'property', line: 1 },
    ],
  });
  const edit = { content: BAD, reason: 'r', expected_hash: sha256('# Root\n') };
  const root = await run(editRoot, edit, agent);
  expect(await kept(root.path)).toMatchObject({ findings: [{ rule: 'remote_embed', line: 3 }] });
  expect(await run(readSent, { path: root.path }, person)).toMatchObject({
    text: BAD,
    fields: { reason: 'r' },
  });
});

it('says that a text beyond 1 MiB was not kept', async () => {
  const { run, propose, kept } = await world();
  const content = `${'x'.repeat(MAX_CONTENT - BAD.length)}${BAD}`;
  const exact = await propose(content);
  expect((await run(readSent, { path: exact }, person)).text).toBe(content);
  const { path } = await run(
    writeNote,
    { wing: 'net', hall: 'facts', slug: 'long', content: `${content.slice(1)}1`, frontmatter: { a: 'b' } },
    callerWith(['read', 'propose'], 'bot'),
  );
  expect(await kept(path)).toMatchObject({ count: 1 });
  const { warnings, ...rest } = await run(readSent, { path }, person);
  expect(rest).not.toHaveProperty('text');
  expect(warnings).toEqual([expect.stringContaining('was not kept')]);
});

describe('what is kept of a note', () => {
  it('follows it when a hand moves it, and says when a hand has changed it', async () => {
    const { run, propose, kept, vault } = await world();
    const path = await propose(BAD);
    const text = (await vault.read(path)) ?? '';
    vault.outside(path, null);
    vault.outside('raw/other-name.md', text);
    expect(await kept('raw/other-name.md')).toMatchObject({
      changed: false,
      findings: [{ note_line: expect.any(Number) }],
    });
    vault.outside(path, `${text}\nBy hand.\n`);
    const changed = await kept(path);
    expect(changed).toMatchObject({ changed: true, findings: [{ rule: 'remote_embed', line: 3 }] });
    expect(changed?.findings[0]).not.toHaveProperty('note_line');
    const sent = await run(readSent, { path }, person);
    expect(sent).toMatchObject({ text: BAD, changed: true, content_hash: sha256(text) });
    expect(sent.warnings).toEqual([expect.stringContaining('has changed')]);
  });

  it('is that of its last revision, and none after one that needed no change', async () => {
    const { run, propose, kept, pending, keptFiles } = await world();
    const path = await propose(BAD);
    const revise = (content: string) => run(updateNote, { path, content, reason: 'r' }, bot);
    await revise('# Bad\n\n[[nothing]] and [x](javascript:x)\n');
    expect(await kept(path)).toMatchObject({ count: 2, changed: false });
    await revise('# Good\n\nText.\n');
    expect([await kept(path), (await pending(path))?.risks]).toEqual([undefined, []]);
    await revise('# Good\n\nText again.\n');
    expect(await kept(path)).toBeUndefined();
    expect(await keptFiles()).toHaveLength(4);
    await revise(BAD);
    expect(await kept(path)).toMatchObject({ count: 1, changed: false });
  });

  it('is not taken for that of a later note with its name', async () => {
    const { run, propose, kept, clock } = await world();
    const path = await propose(BAD);
    await run(rejectNote, { path }, person);
    clock.advance(1000);
    expect(await propose('# Good\n\nText.\n')).toBe(path);
    expect(await kept(path)).toBeUndefined();
  });

  it('is there again when a rejected note comes back', async () => {
    const { run, propose, kept } = await world();
    const path = await propose(BAD);
    const rejected = await run(rejectNote, { path }, person);
    await run(restoreNote, { path: rejected.rejected_path }, person);
    expect(await kept(path)).toMatchObject({ count: 1 });
  });

  it('is read from the disk by a brain that is opened later', async () => {
    const { run, propose, brain } = await world();
    const path = await propose(BAD);
    const later = new SentTexts(brain, 'local.testtest/door');
    const note = brain.catalog.record(path);
    expect(note && (await later.look())(note)).toMatchObject({ count: 1, changed: false });
    expect((await run(readSent, { path }, person)).text).toBe(BAD);
  });

  it('is passed over when its file is damaged', async () => {
    const { propose, kept, keptFiles, state, clock } = await world();
    const path = await propose(BAD);
    const [file = ''] = await keptFiles();
    const text = (await state.read(file)) ?? '';
    for (const damaged of ['', 'x', '\n', text.slice(0, 40), `${text.slice(0, 40)}\n{}`, '{"v":2}\n{}\n']) {
      await state.write(file, damaged);
      const fresh = new SentTexts({ state, clock }, 'local.testtest/door');
      const note = { path, content_hash: sha256('x'), frontmatter: {} };
      expect((await fresh.look())(note)).toBeNull();
    }
    await state.write(file, text);
    expect(await kept(path)).toMatchObject({ count: 1 });
  });
});

it('keeps nothing for a dry run, for a note in the wiki, and for one that is refused', async () => {
  const { run, refusal, keptFiles } = await world();
  const note = { wing: 'net', hall: 'facts', slug: 'note', content: BAD };
  await run(writeNote, { ...note, dry_run: true }, callerWith(['read', 'propose'], 'bot'));
  await run(writeNote, note, agent);
  expect(await refusal(writeNote, { ...note, content: `${BAD}more` }, bot)).toMatchObject({
    code: 'note_exists',
  });
  expect(await keptFiles()).toEqual([]);
});

it('keeps the text before the note is written, and writes no note whose text cannot be kept', async () => {
  const { run, files, state, vault, keptFiles, propose } = await world();
  const order: string[] = [];
  const { write } = state;
  const { create } = vault;
  state.write = async (path, text) => {
    // The tidying of the start may come in between.
    if (!path.endsWith('/gone.json')) order.push(path.replace(/[0-9a-f]{64}/, '…'));
    return write.call(state, path, text);
  };
  vault.create = async (path, ...rest) => {
    order.push(path);
    return create.call(vault, path, ...rest);
  };
  const path = await propose(BAD);
  expect(order).toEqual(['local.testtest/door/….jsonl', path]);

  state.write = () => Promise.reject(new BrainError('busy', 'full'));
  const note = { wing: 'net', hall: 'facts', slug: 'second', content: `${BAD}more` };
  await expect(run(writeNote, note, callerWith(['read', 'propose'], 'bot'))).rejects.toThrow('full');
  expect([...files.keys()].filter((at) => at.startsWith('raw/'))).toEqual([path]);

  // A cut between the two leaves a text of which nobody hears.
  state.write = write;
  vault.create = () => Promise.reject(new Error('cut'));
  await expect(run(writeNote, note, callerWith(['read', 'propose'], 'bot'))).rejects.toThrow('cut');
  expect(await keptFiles()).toHaveLength(2);
  expect((await run(listPending, {}, person)).pending).toHaveLength(1);
});

it('removes what is kept thirty days after its note has left the queue, and no sooner', async () => {
  const { run, propose, keptFiles, tidy, clock, brain } = await world();
  const path = await propose(BAD);
  const waiting = await propose(BAD.replace('Bad', 'Other'), 'other');
  clock.advance(100 * DAY);
  await tidy();
  expect(await keptFiles()).toHaveLength(2);
  await run(rejectNote, { path }, person);
  await tidy();
  clock.advance(30 * DAY);
  await tidy();
  expect(await keptFiles()).toHaveLength(2);
  clock.advance(DAY);
  await tidy();
  expect(await keptFiles()).toHaveLength(1);
  const note = brain.catalog.record(waiting);
  expect(note && (await brain.sent.look())(note)).toMatchObject({ count: 1 });
});

it('begins the thirty days anew for a note that comes back', async () => {
  const { run, propose, keptFiles, tidy, clock } = await world();
  const path = await propose(BAD);
  const rejected = await run(rejectNote, { path }, person);
  await tidy();
  clock.advance(29 * DAY);
  await run(restoreNote, { path: rejected.rejected_path }, person);
  await tidy();
  await run(rejectNote, { path }, person);
  await tidy();
  clock.advance(29 * DAY);
  await tidy();
  expect(await keptFiles()).toHaveLength(1);
});

it('removes what is kept when the vault is opened, and every day', async () => {
  const naps: { readonly ms: number; wake(): void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => naps.push({ ms, wake }));
  const { run, propose, keptFiles, clock } = await world({ sleep });
  const path = await propose(BAD);
  await run(rejectNote, { path }, person);
  for (const days of [0, 31]) {
    clock.advance(days * DAY);
    const nap = naps.findIndex(({ ms }) => ms === DAY);
    naps.splice(nap, 1)[0]?.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await keptFiles()).toEqual([]);
});

it('removes by hash what is kept of a text', async () => {
  const { propose, pending, kept, brain } = await world();
  const path = await propose(BAD);
  const hash = (await pending(path))?.content_hash ?? '';
  await brain.sent.remove(hash as ReturnType<typeof sha256>);
  await brain.sent.remove(hash as ReturnType<typeof sha256>);
  expect(await kept(path)).toBeUndefined();
});

it('shows it to a caller with read paths only of notes that it may see', async () => {
  const { run, propose, pending, refusal } = await world();
  const path = await propose(BAD);
  const limited = (read: string[]) => ({ ...person, limits: { read } });
  expect((await pending(path, limited(['raw'])))?.made_harmless).toMatchObject({ count: 1 });
  expect((await run(readSent, { path }, limited(['raw']))).text).toBe(BAD);
  expect(await refusal(readSent, { path }, limited(['wiki']))).toMatchObject({ code: 'note_not_found' });
  expect(await refusal(readSent, { path: 'raw/no-such.md' }, limited(['wiki']))).toMatchObject({
    code: 'note_not_found',
  });
});

it('looks for the line of a property in the block alone, in a time that grows with the text', async () => {
  const { run, pending } = await world();
  const proposer = callerWith(['read', 'propose'], 'bot');
  let slug = 0;
  const propose = async (block: string, fill: string, frontmatter = {}) => {
    const content = `---\n${block}\n---\na${fill}x\nbanner: later\n`;
    const place = { wing: 'net', hall: 'facts', slug: `n${(slug += 1)}` };
    const { path } = await run(writeNote, { ...place, content, frontmatter }, proposer);
    return (await pending(path))?.made_harmless?.findings.map(({ kind, line }) => [kind, line]);
  };
  expect(await propose('t: 1\n"banner" : "x"', ' b')).toEqual([['property', 3]]);
  expect(await propose('t: 1', ' c', { banner: 'x' })).toEqual([['property', undefined]]);
  const costOf = async (unit: string) => {
    const before = cpuMs();
    await propose('t: 1', unit.repeat(200_000), { banner: 'x' });
    return cpuMs() - before;
  };
  expect(await costOf(' ')).toBeLessThan(20 * (await costOf('d')) + 500);
});
