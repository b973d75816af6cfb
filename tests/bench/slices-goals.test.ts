import { heldFigures, holdToGoals } from '../../bench/slices';

/** The lines of a run's goals, and what the process would end with. */
function held(work: number, delay: number): { lines: string[]; code: unknown } {
  const before = process.exitCode;
  const log = jest.spyOn(console, 'log').mockImplementation();
  try {
    process.exitCode = 0;
    holdToGoals(heldFigures('here', work, delay));
    const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith('- '));
    return { lines, code: process.exitCode };
  } finally {
    process.exitCode = before;
    log.mockRestore();
  }
}

it.each([
  ['both goals are reached', 12, 20, 0, []],
  ['a slice is too long', 12.1, 20, 1, ['longest slice']],
  ['the event loop is held for too long', 12, 20.1, 1, ['delay of the event loop']],
  ['nothing was measured', Number.NaN, Number.NaN, 1, ['longest slice', 'delay of the event loop']],
])('ends with the right code, and names the goal, when %s', (_, work, delay, code, missed) => {
  const told = held(work, delay);
  expect(told.code).toBe(code);
  expect(told.lines).toHaveLength(2);
  const lines = told.lines.filter((line) => line.startsWith('- MISSED'));
  expect(lines).toEqual(missed.map((name) => expect.stringContaining(`here: ${name}`)));
});
