import { runPowerCut, whyNot } from './power-cut';

/** Fewer cuts than `npm run crash -- power`, the same script; the model of a disk in `tests/faults` runs everywhere. */
it('keeps what was acknowledged when the power is cut on ext4, where this machine can cut it', async () => {
  const reason = await whyNot('ext4');
  if (reason !== null) {
    process.stdout.write(`no power was cut: ${reason}\n`);
    return;
  }
  const result = await runPowerCut({
    system: 'ext4',
    rounds: 2,
    writesPerRound: 120,
    clients: 8,
    seed: 20261120,
  });
  expect(result.problems).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(40);
  // The cut is a real one: what nobody had synced is gone.
  expect(result.unsynced.lost).toBeGreaterThan(result.unsynced.written / 2);
}, 180_000);
