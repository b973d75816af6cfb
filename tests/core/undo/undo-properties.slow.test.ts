import * as fc from 'fast-check';
import type { Caller } from '../../../src/core/access/tokens';
import { settleConfig } from '../../../src/core/config/config';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { redo } from '../../../src/core/undo/redo';
import { undoWriter } from '../../../src/core/undo/undo';
import { openBrain } from '../../../src/core/vault/open';
import { isWriter } from '../../../src/core/vocabulary/envelope';
import { fakeDocuments } from '../../support/fake-documents';
import { silentLog } from '../../support/silent-log';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const ALL = ['read', 'write', 'review', 'admin'] as const;
const WRITERS: Readonly<Record<string, Caller>> = {
  rogue: callerWith(ALL, 'rogue'),
  other: callerWith(ALL, 'other'),
  me: person,
};
const SLUGS = ['a', 'b', 'c'] as const;
const SINCE = '2026-11-20T11:00:00Z';
const pathOf = (slug: string): string => `wiki/net/facts/${slug}.md`;

const act = fc.record({
  kind: fc.constantFrom('write', 'overwrite', 'update', 'propose', 'promote', 'reject', 'hand', 'wait'),
  who: fc.constantFrom('rogue', 'rogue', 'other', 'me'),
  slug: fc.constantFrom(...SLUGS),
  text: fc.constantFrom<string>('One.', 'Two.', 'See [[wiki/net/facts/a|A]].'),
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** Does one thing; what the service refuses (a name that is taken, a note that is not there) simply does not happen. */
async function doIt(opened: TestBrain, { kind, who, slug, text }: Act): Promise<void> {
  const { brain, vault, files, clock } = opened;
  const caller = WRITERS[who] ?? person;
  const content = `# ${slug}\n\n${text}\n`;
  const place = { wing: 'net', hall: 'facts', slug };
  const queued = [...files.keys()].find((path) => path.startsWith('raw/2') && path.includes(slug));
  clock.advance(60_000);
  const call = (): Promise<unknown> => {
    switch (kind) {
      case 'write':
        return perform(brain, writeNote, { ...place, content }, caller);
      case 'overwrite':
        return perform(brain, writeNote, { ...place, content, overwrite: true }, caller);
      case 'update':
        return perform(brain, updateNote, { path: pathOf(slug), content, reason: 'r' }, caller);
      case 'propose':
        return perform(brain, writeNote, { ...place, content }, { ...caller, scopes: new Set(['propose']) });
      case 'promote':
        return perform(brain, promoteNote, { path: queued ?? 'raw/none.md', ...place }, caller);
      case 'reject':
        return perform(brain, rejectNote, { path: queued ?? 'raw/none.md' }, caller);
      case 'hand':
      case 'wait':
        return Promise.resolve();
    }
  };
  await call().catch(() => undefined);
  const note = files.get(pathOf(slug));
  if (kind === 'hand' && note !== undefined) vault.outside(pathOf(slug), `${note}\nBy hand ${text}\n`);
}

const notesOf = (files: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...files].filter(([path]) => !path.endsWith('_index.md')));

async function lived(acts: readonly Act[], later: readonly Act[]): Promise<TestBrain> {
  const opened = await openTestBrain({}, {}, '2026-11-20T10:00:00Z');
  for (const one of acts) await doIt(opened, one);
  opened.clock.advance(Date.parse(SINCE) - opened.clock.now().getTime());
  for (const one of later) await doIt(opened, one);
  opened.clock.advance(60_000);
  return opened;
}

const life = fc.tuple(fc.array(act, { maxLength: 8 }), fc.array(act, { minLength: 1, maxLength: 12 }));

it('leaves no note of the wiki standing on what the writer wrote since, but for those that it lists', async () => {
  await fc.assert(
    fc.asyncProperty(life, async ([before, later]) => {
      const opened = await lived(before, later);
      const ask = { by: 'rogue', since: SINCE };
      const seen = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
      const done = await opened.run(undoWriter, { ...ask, plan: seen.plan }, person);
      expect({ ...done, undo: undefined }).toEqual({ ...seen, undo: undefined });
      const again = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
      expect(again.items).toEqual([]);
      const left = new Set(done.left.map(({ path }) => path));
      const reverted = new Set(done.items.map(({ path }) => path));
      for (const [path, text] of notesOf(opened.files)) {
        if (!path.startsWith('wiki/') || left.has(path) || reverted.has(path)) continue;
        const { written_by: by, updated_at, created_at } = parseNote(text).frontmatter;
        const at = String(updated_at ?? created_at);
        expect({ path, bad: isWriter(by, 'rogue') && at >= SINCE }).toEqual({ path, bad: false });
      }
      await opened.close();
    }),
    { numRuns: 60 },
  );
});

it('keeps every text, and taking it back gives every byte back where it stood', async () => {
  await fc.assert(
    fc.asyncProperty(life, async ([before, later]) => {
      const opened = await lived(before, later);
      const ask = { by: 'rogue', since: SINCE };
      const was = notesOf(opened.files);
      const { plan } = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
      expect(notesOf(opened.files)).toEqual(was);
      const { undo, items } = await opened.run(undoWriter, { ...ask, plan }, person);
      const touched = new Set(items.flatMap(({ path, to }) => [path, to]));
      for (const [path, text] of was) if (!touched.has(path)) expect(opened.files.get(path)).toBe(text);
      if (undo !== undefined) await opened.run(redo, { undo }, person);
      expect(notesOf(opened.files)).toEqual(was);
      for (const path of was.keys()) {
        if (path.startsWith('wiki/')) await opened.run(getNote, { path });
      }
      await opened.close();
    }),
    { numRuns: 60 },
  );
});

it('never brings back what was undone when the doings of another are undone after it', async () => {
  const others = act.map((one): Act => ({ ...one, who: one.who === 'me' ? 'me' : 'other' }));
  const changes = others.map((one): Act => ({
    ...one,
    kind: ['overwrite', 'hand'].includes(one.kind) ? one.kind : 'update',
  }));
  // A hand edit makes a text a person's, with all that stood in it before.
  const poisoned = act.map((one): Act => ({
    ...one,
    kind: one.kind === 'hand' ? 'wait' : one.kind,
    text: one.who === 'rogue' ? 'Poison.' : one.text,
  }));
  const lives = fc.tuple(
    fc.array(others, { maxLength: 6 }),
    fc.array(poisoned, { minLength: 1, maxLength: 10 }),
    fc.array(changes, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('2026-11-20T09:00:00Z', SINCE),
  );
  await fc.assert(
    fc.asyncProperty(lives, async ([before, later, after, since]) => {
      const opened = await lived(before, later);
      const undo = async (by: string, from: string) => {
        const ask = { by, since: from };
        const { plan } = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
        opened.clock.advance(60_000);
        return opened.run(undoWriter, { ...ask, plan }, person);
      };
      const left = new Set((await undo('rogue', SINCE)).left.map(({ path }) => path));
      for (const one of after) await doIt(opened, one);
      opened.clock.advance(60_000);
      await undo('other', since);
      for (const [path, text] of notesOf(opened.files)) {
        if (path.startsWith('wiki/') && !left.has(path))
          expect({ path, text }).not.toMatchObject({ text: expect.stringContaining('Poison.') as string });
      }
      await opened.close();
    }),
    { numRuns: 100 },
  );
});

it('is done or not done at all, wherever it is cut', async () => {
  const write = (kind: Act['kind'], who: string, slug: (typeof SLUGS)[number], text: string): Act =>
    ({ kind, who, slug, text }) as Act;
  const before = [write('write', 'other', 'a', 'One.'), write('propose', 'other', 'c', 'One.')];
  const later = [
    write('update', 'rogue', 'a', 'Two.'),
    write('write', 'rogue', 'b', 'Two.'),
    write('promote', 'rogue', 'c', ''),
  ];
  let finished = 0;
  let undone = 0;
  for (let cut = 1; cut < 20; cut += 1) {
    const opened = await lived(before, later);
    const was = notesOf(opened.files);
    const ask = { by: 'rogue', since: SINCE };
    const { plan } = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
    let calls = 0;
    let dead = false;
    // Nothing reaches the vault any more, nor does anyone take anything back.
    opened.vault.intercept = () => {
      calls += 1;
      if ((dead ||= calls >= cut)) throw new Error('cut');
    };
    const answered = await opened.run(undoWriter, { ...ask, plan }, person).then(
      () => true,
      () => false,
    );
    opened.vault.intercept = () => undefined;
    const ports = {
      vault: opened.vault,
      state: opened.state,
      clock: opened.clock,
      log: silentLog(),
      documents: fakeDocuments(),
      servers: alone,
    };
    const next = await openBrain(ports, settleConfig({}, {}), {
      device: 'testtest',
      version: '0.0.0-test',
      sleep: () => new Promise(() => undefined),
      breathe: async () => undefined,
    });
    await next.loaded;
    expect(next.brain.recovery.attention).toEqual([]);
    const now = notesOf(opened.files);
    const isBefore = [...was].every(([path, text]) => now.get(path) === text) && now.size === was.size;
    const isAfter = !now.has(pathOf('b')) && !now.has(pathOf('c')) && now.get(pathOf('a'))?.includes('One.');
    expect({ cut, whole: isBefore !== isAfter }).toEqual({ cut, whole: true });
    if (answered) expect({ cut, isAfter }).toEqual({ cut, isAfter: true });
    if (isBefore) undone += 1;
    else finished += 1;
    await next.close();
  }
  expect(undone).toBeGreaterThan(0);
  expect(finished).toBeGreaterThan(0);
});
