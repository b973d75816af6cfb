import { Pace } from '../../../src/core/base/steps';
import { fixedClock } from '../../support/fixed-clock';

/** A pace whose rests are counted, over work that takes `cost` milliseconds a piece. */
function paced(cost: number) {
  const clock = fixedClock();
  const log: string[] = [];
  const breathe = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    log.push('|');
  };
  const pace = new Pace(breathe, clock);
  const piece = (name: string) =>
    pace.run(() => {
      clock.advance(cost);
      log.push(name);
      return name;
    });
  return { clock, log, piece };
}

it('does as much at once as fits into a slice, and no two pieces more when many wait', async () => {
  const { log, piece } = paced(2);
  await Promise.all([...'abcdefgh'].map(piece));
  expect(log.join('')).toBe('|ab|cd|ef|gh');
});

it('does one piece a slice when each takes longer', async () => {
  const { log, piece } = paced(50);
  for (const name of 'abc') await piece(name);
  expect(log.join('')).toBe('|a|b|c');
});

it('rests after other work has taken the time, and when the clock was set back', async () => {
  const { clock, log, piece } = paced(1);
  await piece('a');
  clock.advance(100);
  await piece('b');
  clock.advance(-3_600_000);
  await piece('c');
  await piece('d');
  expect(log.join('')).toBe('|a|b|cd');
});

it('gives what the work gives, and what it throws', async () => {
  const { piece } = paced(1);
  expect(await piece('a')).toBe('a');
  const pace = new Pace(async () => undefined, fixedClock());
  const broken = () => {
    throw new Error('broken');
  };
  await expect(pace.run(broken)).rejects.toThrow('broken');
  expect(await pace.run(() => 1)).toBe(1);
});
