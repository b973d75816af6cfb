import { sha256 } from '../../../src/core/base/hash';
import { inSlices, Pace } from '../../../src/core/base/steps';
import type { TextThreads } from '../../../src/core/ports/ports';
import { promoteNote } from '../../../src/core/review/promote';
import { editRoot } from '../../../src/core/notes/root';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { BodyWork, gateBody } from '../../../src/core/notes/content';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain, person, type TestBrain } from '../../support/test-brain';

const address = { wing: 'home', hall: 'facts' } as const;
const LONG = `# Long\n\n${'See [[Known]] and [[Ghost]] of it.\n\n'.repeat(4000)}`;
const FILES = {
  'wiki/home/facts/known.md': '# Known\n',
  'wiki/home/facts/old.md': '# Old\n',
  'raw/long.md': LONG,
};

/** Counts the pieces of work that are done with the writer held, and those that are done without it. */
function counted({ brain }: TestBrain) {
  const pieces = { held: 0, free: 0 };
  let isHeld = false;
  const share = brain.writer.overlap.bind(brain.writer);
  const run: Pace['run'] = Reflect.get(Pace.prototype, 'run');
  jest.spyOn(Pace.prototype, 'run').mockImplementation(function (this: Pace, work) {
    pieces[isHeld ? 'held' : 'free'] += 1;
    return run.call(this, work);
  });
  Object.assign(brain.writer, {
    overlap: (plan: Parameters<typeof share>[0]) =>
      share(async (others) => {
        isHeld = true;
        try {
          return await plan(others);
        } finally {
          isHeld = false;
        }
      }),
  });
  return pieces;
}

afterEach(() => jest.restoreAllMocks());

it.each([
  ['written', (test: TestBrain) => test.run(writeNote, { ...address, slug: 'new', content: LONG })],
  [
    'updated',
    (test: TestBrain) =>
      test.run(updateNote, { path: 'wiki/home/facts/old.md', content: LONG, reason: 'longer' }),
  ],
  ['promoted', (test: TestBrain) => test.run(promoteNote, { path: 'raw/long.md', ...address, slug: 'new' })],
])('a long note that is %s is read and gated before the writer is taken', async (_, act) => {
  const test = await openTestBrain(FILES);
  const pieces = counted(test);
  const { refs } = await act(test);
  expect(refs.length).toBeGreaterThan(1);
  expect(pieces.free).toBeGreaterThan(50);
  expect(pieces.held).toBeLessThan(5);
});

describe('what is remembered of a body', () => {
  const request = {
    body: 'See [[Known]] and [[Ghost]].\n',
    from: { path: vaultPath('wiki/home/facts/new.md'), wing: 'home', hall: 'facts' },
    mode: 'full',
  } as const;

  it('is what the gate says, and is not worked out twice', async () => {
    const { brain } = await openTestBrain(FILES);
    const work = new BodyWork(brain);
    const first = await work.gate(request);
    expect(first).toEqual(await gateBody(brain, request));
    expect(await work.gate({ ...request })).toBe(first);
  });

  it.each([
    ['another body', { body: 'See [[Ghost]].\n' }],
    ['another text that stands', { current: request.body }],
    ['another caller', { blind: true }],
    ['another way through the gate', { mode: 'promote' as const }],
  ])('is worked out anew for %s', async (_, other) => {
    const { brain } = await openTestBrain(FILES);
    const work = new BodyWork(brain);
    const first = await work.gate(request);
    const again = await work.gate({ ...request, ...other });
    expect(again).not.toBe(first);
    expect(again).toEqual(await gateBody(brain, { ...request, ...other }));
  });

  it('is worked out anew when a note is gone that it leads to', async () => {
    const { brain } = await openTestBrain(FILES);
    const work = new BodyWork(brain);
    expect((await work.gate(request)).unlinked).toEqual(['Ghost']);
    brain.catalog.drop(vaultPath('wiki/home/facts/known.md'));
    expect((await work.gate(request)).unlinked).toEqual(['Known', 'Ghost']);
  });
});

const STOOD = `# Long\n\n${'word '.repeat(4000)}\n`;
const STANDING = 'wiki/net/facts/dns.md';
const SHORT = { content: '# DNS\n', reason: 'shorter' };
const HELD = { content: '# Other\n', wing: 'net', hall: 'facts', filename: 'other' } as const;

it.each<[string, Record<string, string>, (world: TestBrain) => Promise<unknown>]>([
  ['an update', { [STANDING]: STOOD }, (world) => world.run(updateNote, { path: STANDING, ...SHORT })],
  [
    'a write',
    { [STANDING]: STOOD },
    (world) =>
      world.run(writeNote, { ...HELD, content: SHORT.content, filename: 'dns', overwrite: true }, person),
  ],
  [
    'an edit of the root note',
    { 'AGENTS.md': STOOD },
    (world) => world.run(editRoot, { ...SHORT, expected_hash: sha256(STOOD) }),
  ],
])('reads the long text that %s replaces before it takes the lock', async (_, files, replace) => {
  let beside: (() => Promise<unknown>) | null = null;
  const textThreads: TextThreads = {
    async run({ here }) {
      const work = beside;
      beside = null;
      // It would wait for its own end if the lock were held.
      await work?.();
      return inSlices(here(), { run: async (work) => work() });
    },
  };
  const world = await openTestBrain(files, {}, undefined, { textThreads });
  beside = () => world.run(writeNote, HELD);
  await replace(world);
  expect(beside).toBeNull();
  expect(world.files.has('wiki/net/facts/other.md')).toBe(true);
});
