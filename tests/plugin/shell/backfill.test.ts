import { type BrainClient, CallError } from '../../../src/core/registry/client';
import { Backfill } from '../../../src/plugin/shell/backfill';
import { manualTime } from '../../support/manual-later';
import { fakeClient } from '../fake-service';

/** A backfill over a client whose answer the test gives. */
function world() {
  const time = manualTime();
  const told: string[] = [];
  let settle: { answer(value: object): void; fail(error: Error): void } | null = null;
  const known = fakeClient({ cancelBackfill: { cancelled: true } });
  const client: BrainClient = {
    ...known,
    call: (name, ask) =>
      name === 'backfill'
        ? new Promise((resolve, reject) => {
            settle = { answer: (value) => resolve(Object.assign(value)), fail: reject };
          })
        : known.call(name, ask),
  };
  const control: {
    client: BrainClient | null;
    hasHybrid: boolean;
    syncProgress: { done: number; total: number } | null;
  } = { client, hasHybrid: true, syncProgress: null };
  const showSettings = jest.fn();
  const backfill = new Backfill(control, (message) => told.push(message), showSettings, time.later);
  const seen: unknown[] = [];
  backfill.onChange(() => seen.push(backfill.progress));
  const end = () => {
    if (settle === null) throw new Error('No backfill was asked for.');
    return settle;
  };
  return { backfill, control, told, seen, time, asked: known.asked, showSettings, end };
}

it('shows how far it is while it runs, and tells what it has done', async () => {
  const { backfill, control, told, seen, time, end } = world();
  const running = backfill.run();
  control.syncProgress = { done: 212, total: 412 };
  time.pass(1_000);
  end().answer({ added: 412, deleted: 0, errors: [] });
  await running;
  expect(seen).toEqual([{ done: 0, total: 0 }, { done: 212, total: 412 }, null]);
  expect(told).toEqual(['Backfill done: 412 notes embedded.']);
  expect(time.waiting).toBe(0);
});

it('tells the first error beside how many there are', async () => {
  const { backfill, told, end } = world();
  const running = backfill.run();
  end().answer({
    added: 1,
    deleted: 0,
    errors: ['a', 'b'].map((name) => ({ path: `wiki/${name}.md`, error: `The text of ${name} is empty.` })),
  });
  await running;
  expect(told).toEqual(['Backfill done: 1 note embedded, 2 errors.\nThe text of a is empty.']);
});

it('tells why one was cut short, and the first error beside that', async () => {
  const { backfill, told, end } = world();
  const reason = { error: '97 more notes wait for the embedder to answer.' };
  for (const errors of [
    [{ path: 'wiki/a.md', error: 'The embedder cannot be reached.' }, reason],
    [reason],
  ]) {
    const running = backfill.run();
    end().answer({ added: 16, deleted: 0, errors });
    await running;
  }
  expect(told).toEqual([
    'Backfill stopped: 16 notes embedded, 1 error. 97 more notes wait for the embedder to answer.\nThe embedder cannot be reached.',
    'Backfill stopped: 16 notes embedded. 97 more notes wait for the embedder to answer.',
  ]);
});

it('runs once at a time, and not at all while the vault is closed', async () => {
  const { backfill, control, told, end } = world();
  const running = backfill.run();
  await backfill.run();
  end().answer({ added: 0, deleted: 0, errors: [] });
  await running;
  expect(told).toHaveLength(1);
  control.client = null;
  await backfill.run();
  expect(backfill.progress).toBeNull();
  expect(told).toHaveLength(1);
});

it('asks nobody where search goes by words alone, says what to set, and runs once that is done', async () => {
  const { backfill, control, told, seen, showSettings, end } = world();
  control.hasHybrid = false;
  await backfill.run();
  expect(told).toEqual([expect.stringContaining('"Set up search by meaning" in the settings')]);
  expect(showSettings).toHaveBeenCalledTimes(1);
  expect(seen).toEqual([]);
  control.hasHybrid = true;
  const running = backfill.run();
  end().answer({ added: 0, deleted: 0, errors: [] });
  await running;
  expect(told).toHaveLength(2);
  expect(showSettings).toHaveBeenCalledTimes(1);
});

it('asks to stop what runs, and nothing when nothing runs', async () => {
  const { backfill, asked, end } = world();
  await backfill.cancel();
  expect(asked).toEqual([]);
  const running = backfill.run();
  await backfill.cancel();
  expect(asked).toEqual([{ name: 'cancelBackfill', ask: {} }]);
  end().answer({ added: 0, deleted: 0, errors: [{ error: 'It was cancelled.' }] });
  await running;
});

it('passes a failure on, and can be run again', async () => {
  const { backfill, time, end } = world();
  const running = backfill.run();
  end().fail(new CallError('hybrid_not_configured', 'There are no embeddings.'));
  await expect(running).rejects.toThrow('There are no embeddings.');
  expect([backfill.progress, time.waiting]).toEqual([null, 0]);
});

it('tells nothing once it was closed', async () => {
  const { backfill, told, seen, time, end } = world();
  const running = backfill.run();
  backfill.close();
  end().fail(new CallError('unreachable', 'The vault was closed.'));
  await running;
  expect(told).toEqual([]);
  expect(seen).toHaveLength(1);
  expect(time.waiting).toBe(0);
});
