import { finishForgetting, forget } from '../../../src/core/forget/forget';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const NOTE = 'wiki/lab/facts/quokka.md';
const LINKING = 'wiki/lab/facts/linking.md';
const STAMPS = '---\norigin: mcp\nwritten_by: intern\n---\n';
const FILES = {
  [NOTE]: `${STAMPS}# Quokka\n\nXylograph words.\n`,
  [LINKING]: `${STAMPS}# Linking\n\nSee [[wiki/lab/facts/quokka|it]].\n`,
};

type Stores = Pick<TestBrain, 'vault' | 'state'>;

/** Returns the store, whose calls fail from the one on of which `isOver` says so: the process was killed. */
function cut<T extends object>(store: T, isOver: (name: string) => boolean): T {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        if (isOver(String(name))) throw new Error('The process was killed.');
        return Reflect.apply(member, target, given);
      };
    },
  });
}

const CHANGES = new Set([
  'write',
  'writeBytes',
  'rewrite',
  'create',
  'append',
  'remove',
  'edit',
  'putDerived',
]);

async function opened(): Promise<TestBrain & { readonly plan: string }> {
  const brain = await openTestBrain(FILES);
  const { content_hash: hash } = await brain.run(getNote, { path: NOTE });
  const update = {
    path: NOTE,
    content: '# Quokka\n\nMore xylograph.\n',
    expected_hash: hash,
    reason: 'more',
  };
  await brain.run(updateNote, update, callerWith(['read', 'write'], 'intern'));
  const { plan } = await brain.run(forget, { path: NOTE, dry_run: true }, person);
  return { ...brain, plan };
}

/** Forgets the note, and kills the process at the n-th change of a store. Resolves false when there are fewer changes. */
async function forgetUntil(n: number): Promise<Stores | null> {
  const first = await opened();
  await first.close();
  let changes = 0;
  const isOver = (name: string): boolean => {
    if (CHANGES.has(name)) changes += 1;
    return changes >= n;
  };
  const { vault, state, plan } = first;
  const on = { vault: cut(vault, isOver), state: cut(state, isOver) };
  changes = -Infinity;
  const brain = await openTestBrain({}, {}, undefined, { on });
  changes = 0;
  const done = await brain.run(forget, { path: NOTE, reason: 'Asked for', plan }, person).catch(() => null);
  const isCut = changes >= n;
  changes = n;
  await brain.close().catch(() => undefined);
  if (!isCut) expect(done).toMatchObject({ forgotten: true, warnings: [] });
  return isCut ? { vault, state } : null;
}

function textsOf({ vault, state }: Stores): string {
  const blobs = [...state.blobs].map(([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')]);
  return JSON.stringify([...vault.files, ...state.files, ...blobs]).toLowerCase();
}

it('is finished or not begun at the next start, wherever it was cut', async () => {
  const outcomes = new Set<string>();
  for (let n = 1; ; n += 1) {
    const stores = await forgetUntil(n);
    if (stores === null) break;
    const brain = await openTestBrain({}, {}, undefined, { on: stores });
    await finishForgetting(brain.brain);
    if (brain.files.has(NOTE)) {
      outcomes.add('not begun');
      expect(brain.files.get(LINKING)).toContain('[[wiki/lab/facts/quokka|it]]');
      expect(textsOf(brain)).not.toContain('forgotten');
    } else {
      outcomes.add('finished');
      expect(textsOf(brain)).not.toContain('xylograph');
      expect(brain.files.get(LINKING)).toContain('See it.');
    }
    await brain.close();
    if (!brain.files.has(NOTE)) expect(textsOf(brain)).not.toContain('xylograph');
  }
  expect([...outcomes].sort()).toEqual(['finished', 'not begun']);
});
