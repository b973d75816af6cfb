import { CallError } from '../../../src/core/registry/client';
import {
  type IngestClient,
  Intake,
  NOTHING,
  type Step,
  type IngestRequest,
} from '../../../src/ui/intake/intake';

const DONE: Step = { kind: 'done', outcome: NOTHING };
const running = (done: number, total = 4): Step => ({ kind: 'running', job: 'j1', done, total });

/** A service that answers the steps in order, and what it was asked. */
function scripted(steps: readonly (Step | CallError)[]) {
  const asked: string[] = [];
  const left = [...steps];
  const next = (what: string): Promise<Step> => {
    asked.push(what);
    const step = left.shift();
    if (step === undefined) throw new Error(`Nothing is left to answer to "${what}".`);
    return step instanceof CallError ? Promise.reject(step) : Promise.resolve(step);
  };
  const client: IngestClient = {
    begin: (source) => next(source.kind === 'path' ? `begin ${source.path}` : `begin ${source.kind}`),
    poll: (job) => next(`poll ${job}`),
    cancel: (job) => next(`cancel ${job}`),
  };
  return { client, asked };
}

const wanted = (name: string): IngestRequest => ({
  name,
  source: () => Promise.resolve({ kind: 'path', path: name }),
});

/** Resolves when nothing runs or waits any more. */
async function ended(intake: Intake): Promise<void> {
  for (let turn = 0; turn < 1_000 && intake.isBusy; turn += 1) await Promise.resolve();
  expect(intake.isBusy).toBe(false);
}

const states = (intake: Intake) => intake.items.map(({ name, state }) => `${name} ${state}`);

it('takes one after the other, and shows how far each is', async () => {
  const { client, asked } = scripted([running(0), running(3), DONE, DONE]);
  const intake = new Intake(client, () => Promise.resolve());
  const seen: string[] = [];
  intake.listen(() =>
    seen.push(intake.items.map((item) => `${item.state} ${item.done}/${item.total}`).join(', ')),
  );
  intake.add([wanted('a.pdf'), wanted('b.md')]);
  await ended(intake);
  expect(asked).toEqual(['begin a.pdf', 'poll j1', 'poll j1', 'begin b.md']);
  expect(states(intake)).toEqual(['a.pdf done', 'b.md done']);
  expect(seen).toContain('running 3/4, waiting 0/0');
});

it('goes on after one that failed, or could not be read', async () => {
  const { client, asked } = scripted([new CallError('no_text', 'There is no text in it.'), DONE]);
  const intake = new Intake(client, () => Promise.resolve());
  const unreadable: IngestRequest = {
    name: 'gone.txt',
    source: () => Promise.reject(new CallError('source_missing', 'It is gone.')),
  };
  intake.add([wanted('scan.pdf'), unreadable, wanted('b.md')]);
  await ended(intake);
  expect(asked).toEqual(['begin scan.pdf', 'begin b.md']);
  expect(intake.items.map(({ error }) => error?.message ?? null)).toEqual([
    'There is no text in it.',
    'It is gone.',
    null,
  ]);
});

it('calls off what runs and drops what waits', async () => {
  const { client, asked } = scripted([running(1), running(2), { kind: 'cancelled' }]);
  const intake = new Intake(client, () => {
    intake.cancel();
    return Promise.resolve();
  });
  intake.add([wanted('a.pdf'), wanted('b.md')]);
  await ended(intake);
  expect(asked).toEqual(['begin a.pdf', 'poll j1', 'cancel j1']);
  expect(states(intake)).toEqual(['a.pdf cancelled', 'b.md cancelled']);
});

it('keeps the outcome of what ended before it could be called off', async () => {
  const { client } = scripted([running(1), running(4), DONE]);
  const intake = new Intake(client, () => {
    intake.cancel();
    return Promise.resolve();
  });
  intake.add([wanted('a.pdf')]);
  await ended(intake);
  expect(states(intake)).toEqual(['a.pdf done']);
});

it('takes on more while it works, and after it was called off', async () => {
  const { client, asked } = scripted([running(1), DONE, DONE, DONE]);
  let more = false;
  const intake = new Intake(client, () => {
    if (!more) intake.add([wanted('b.md')]);
    more = true;
    return Promise.resolve();
  });
  intake.add([wanted('a.pdf')]);
  await ended(intake);
  intake.cancel();
  intake.add([wanted('c.md')]);
  await ended(intake);
  expect(asked).toEqual(['begin a.pdf', 'poll j1', 'begin b.md', 'begin c.md']);
});

it('waits when the service asks for it, and gives up in the end', async () => {
  const busy = new CallError('busy', 'Later.', { retry_after: 2 });
  const { client } = scripted([busy, DONE, busy, busy, busy, busy]);
  const pauses: number[] = [];
  const intake = new Intake(client, (ms) => {
    pauses.push(ms);
    return Promise.resolve();
  });
  intake.add([wanted('a.md'), wanted('b.md')]);
  await ended(intake);
  expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000]);
  expect(states(intake)).toEqual(['a.md done', 'b.md failed']);
});

it('sends nothing that was called off while it was being read', async () => {
  const { client, asked } = scripted([]);
  const intake = new Intake(client, () => Promise.resolve());
  intake.add([
    {
      name: 'a.md',
      source: () => {
        intake.cancel();
        return Promise.resolve({ kind: 'path', path: 'a.md' });
      },
    },
  ]);
  await ended(intake);
  expect(asked).toEqual([]);
  expect(states(intake)).toEqual(['a.md cancelled']);
});

it('forgets what has ended when it is told to', async () => {
  const { client } = scripted([DONE]);
  const intake = new Intake(client, () => Promise.resolve());
  intake.add([wanted('a.md')]);
  intake.clear();
  expect(intake.items).toHaveLength(1);
  await ended(intake);
  intake.clear();
  expect(intake.items).toEqual([]);
});
