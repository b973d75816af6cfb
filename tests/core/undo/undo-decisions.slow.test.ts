import * as fc from 'fast-check';
import type { Caller } from '../../../src/core/access/tokens';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { updateNote } from '../../../src/core/notes/update';
import { perform } from '../../../src/core/operation/operation';
import { confirmNote } from '../../../src/core/review/confirm';
import { moveNote } from '../../../src/core/review/move';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { replaceNote } from '../../../src/core/review/replace';
import { undoWriter } from '../../../src/core/undo/undo';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const WRITERS: Readonly<Record<string, Caller>> = {
  me: person,
  local: { ...callerWith(['read', 'write', 'review', 'admin'], 'local'), origin: 'http' },
};
const STAMP: Readonly<Record<string, string>> = { me: 'human:me', local: 'local' };

const queued = (n: number, text: string): [string, string] => [
  `raw/2026-11-0${n}-q${n}.md`,
  `---\ncreated_at: 2026-11-0${n}T00:00:00Z\norigin: mcp\nwritten_by: intern\n---\n# Q${n}\n\n${text}\n`,
];
const known = (n: number, text: string): [string, string] => [
  `wiki/net/facts/w${n}.md`,
  `---\nwing: net\nhall: facts\ncreated_at: 2026-10-0${n}T00:00:00Z\norigin: mcp\nwritten_by: intern\n---\n# W${n}\n\n${text}\n`,
];
const FILES = Object.fromEntries([
  queued(1, 'One, see [[raw/2026-11-02-q2|the second]].'),
  queued(2, 'Two, see [[wiki/net/facts/w1|W1]].'),
  queued(3, 'Three.'),
  known(1, 'Wiki one, see [[raw/2026-11-01-q1|Q1]] and [[raw/2026-11-02-q2|Q2]].'),
  known(2, 'Wiki two, see [[wiki/net/facts/w1|W1]].'),
]);

const act = fc.record({
  kind: fc.constantFrom('promote', 'replace', 'reject', 'confirm', 'move', 'update'),
  who: fc.constantFrom('me', 'me', 'local'),
  /** Which of the queued notes, of the notes in the wiki, and of the new names is meant. */
  raw: fc.nat(2),
  note: fc.nat(4),
  slug: fc.constantFrom('a', 'b', 'w1'),
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** The first note goes back in a second run, after the promoted one has left its place. */
const FREED: Act[] = [
  { kind: 'move', who: 'me', raw: 0, note: 0, slug: 'a' },
  { kind: 'promote', who: 'me', raw: 1, note: 0, slug: 'w1' },
  { kind: 'replace', who: 'me', raw: 0, note: 0, slug: 'a' },
];

const notesOf = (files: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...files].filter(([path]) => !path.endsWith('_index.md')));

/** Does one thing; what the service refuses does not happen. Returns the paths that it changed, the one that it is about first. */
async function doIt({ brain, files, clock }: TestBrain, one: Act): Promise<string[]> {
  const { kind, who, slug } = one;
  clock.advance(60_000);
  const before = notesOf(files);
  const pick = (under: string, index: number): string => {
    const paths = [...before.keys()].filter((path) => path.startsWith(under)).sort();
    return paths[index % Math.max(paths.length, 1)] ?? 'raw/none.md';
  };
  const raw = pick('raw/2', one.raw);
  const path = pick('wiki/', one.note);
  const call = (): Promise<unknown> => {
    const caller = WRITERS[who] ?? person;
    switch (kind) {
      case 'promote':
        return perform(brain, promoteNote, { path: raw, wing: 'net', hall: 'facts', slug }, caller);
      case 'replace':
        return perform(brain, replaceNote, { path: raw, replaces: path, reason: 'r' }, caller);
      case 'reject':
        return perform(brain, rejectNote, { path: raw, reason: 'r' }, caller);
      case 'confirm':
        return perform(brain, confirmNote, { path }, caller);
      case 'move':
        return perform(brain, moveNote, { path, slug }, caller);
      case 'update':
        return perform(brain, updateNote, { path, content: `# New\n\n${slug}\n`, reason: 'r' }, caller);
    }
  };
  await call().catch(() => undefined);
  const after = notesOf(files);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (each) => before.get(each) !== after.get(each),
  );
  return changed.sort((a, b) => Number(b === path || b === raw) - Number(a === path || a === raw));
}

/** Joins what was changed together, and returns for each path who changed anything that it hangs together with. */
function touchedBy(deeds: readonly { readonly who: string; readonly paths: readonly string[] }[]) {
  const groups = new Map<string, { who: Set<string>; paths: Set<string> }>();
  for (const { who, paths } of deeds) {
    const group = { who: new Set([who]), paths: new Set(paths) };
    for (const path of paths) {
      for (const each of groups.get(path)?.who ?? []) group.who.add(each);
      for (const each of groups.get(path)?.paths ?? []) group.paths.add(each);
    }
    for (const path of group.paths) groups.set(path, group);
  }
  return groups;
}

/** Returns a note with its links led to where an undo puts the notes, but for those that it says it leaves. */
function withLinksLed(
  path: string,
  text: string,
  items: readonly {
    readonly path: string;
    readonly to?: string | undefined;
    readonly linked_from: readonly string[];
  }[],
): string {
  const led = new Map(
    items.filter(({ linked_from: left }) => !left.includes(path)).map((item) => [item.path, item.to]),
  );
  return text.replaceAll(/\[\[([^|\]]+)/g, (link, target: string) => {
    const to = led.get(`${target}.md`);
    return to === undefined ? link : `[[${to.replace(/\.md$/, '')}`;
  });
}

const SERVICES = ['updated_at', 'supersedes', 'supersede_reason'];
/** Returns a text without the stamps of a new version, which an undo of an update makes of the former one. */
function saidBy(text: string | undefined) {
  if (text === undefined) return undefined;
  const { frontmatter, body } = parseNote(text);
  return {
    ...Object.fromEntries(Object.entries(frontmatter).filter(([key]) => !SERVICES.includes(key))),
    body,
  };
}

it('makes the notes that only the writer touched as they were, and leaves what others changed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 9 }), async (acts) => {
      const opened = await openTestBrain(FILES);
      const deeds: { who: string; kind: string; paths: string[] }[] = [];
      for (const one of acts) {
        const paths = await doIt(opened, one);
        deeds.push({ who: one.who, kind: one.kind, paths });
      }
      const done = notesOf(opened.files);
      opened.clock.advance(60_000);
      const ask = { by: STAMP.me, since: '2026-11-20T00:00:00Z' };
      const expected = new Map(done);
      const given = new Map(Object.entries(FILES));
      const told = new Set<string>();
      // A note goes back to a place that another one leaves in a second run.
      for (let runs = 0; ; runs += 1) {
        const { plan, count, items, left } = await opened.run(undoWriter, { ...ask, dry_run: true }, person);
        for (const { path } of left) told.add(path);
        if (count === 0) break;
        expect(runs).toBeLessThan(5);
        for (const texts of [expected, given])
          for (const [path, text] of texts) texts.set(path, withLinksLed(path, text, items));
        await opened.run(undoWriter, { ...ask, plan }, person);
      }
      const now = notesOf(opened.files);
      for (const [path, { who, paths }] of touchedBy(deeds)) {
        // A person looks at a note that an undo says it leaves, when no later run has moved it.
        if (who.has('local') || [...paths].some((each) => told.has(each) && now.has(each))) continue;
        const own = deeds.filter((deed) => deed.paths.some((each) => paths.has(each)));
        const isText = own.every(({ kind }) => kind === 'update');
        const seen = isText ? saidBy : (text: string | undefined) => text;
        // A note that it links to may be elsewhere, because another one moved that.
        const either = [FILES[path], given.get(path)].map((text) => ({ path, text: seen(text) }));
        expect(either).toContainEqual({ path, text: seen(now.get(path)) });
      }
      for (const [path, text] of expected) {
        const last = deeds.findLast((deed) => deed.paths.includes(path));
        const isOthers =
          last?.who !== 'me' && ['update', 'replace', 'confirm'].includes(last?.kind ?? 'update');
        const isFirst = last === undefined || last.paths.indexOf(path) === 0;
        if (isOthers && isFirst && path.startsWith('wiki/'))
          expect({ path, text: now.get(path) }).toEqual({ path, text });
      }
      await opened.close();
    }),
    { numRuns: 150, examples: [[FREED]] },
  );
});
