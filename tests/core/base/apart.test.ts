import { apart, finish, inSlices, Pace, type Steps, type TextCall } from '../../../src/core/base/steps';

const LENGTH = {
  name: 'length',
  *steps(text: string): Steps<number> {
    yield;
    return text.length;
  },
  textOf: (text: string) => text,
};
const SHORT = 'x'.repeat(100);
const LONG = 'x'.repeat(20_000);

function pace(run?: (call: TextCall, caller: string) => Promise<unknown>): Pace {
  const clock = { now: () => new Date(0) };
  return new Pace(() => Promise.resolve(), clock, undefined, run && { run });
}

it('gives the host long texts only, with the name of the caller', async () => {
  const asked: string[] = [];
  const some = pace(async ({ task, input }, caller) => {
    asked.push(`${task} of ${String(input).length} for ${caller}`);
    return 7;
  });
  expect(await inSlices(apart(LENGTH, SHORT), some.of('a'))).toBe(100);
  expect(await inSlices(apart(LENGTH, LONG), some.of('b'))).toBe(7);
  expect(asked).toEqual(['length of 20000 for b']);
});

it('reads a long text here where nobody else does', async () => {
  expect(finish(apart(LENGTH, LONG))).toBe(20_000);
  expect(await inSlices(apart(LENGTH, LONG), pace())).toBe(20_000);
  expect(await inSlices(apart(LENGTH, LONG), { run: async (work) => work() })).toBe(20_000);
});

it('throws the failure of a host where the steps asked', async () => {
  const failing = pace(() => Promise.reject(new Error('ended')));
  const steps = function* (): Steps<string> {
    try {
      return String(yield* apart(LENGTH, LONG));
    } catch (error) {
      return String(error);
    }
  };
  expect(await inSlices(steps(), failing)).toBe('Error: ended');
});
