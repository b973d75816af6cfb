import { ACTS } from './acts';
import { FAILURES, type FaultCase, LASTING } from './faults';
import { startNode } from './node-host';
import { expectBounded, expectUnharmed } from './matrix';
import { attempt, stageOf } from './stage';

/** Acts and faults that have been wrong at a call which the samples of the matrix seldom meet: here at every one. */
const FOUND: readonly (readonly [string, FaultCase | undefined])[] = [
  // What was taken back, and not brought to the disk before the journal was emptied, came to life again.
  ['promote', LASTING.find(({ name }) => name === 'a disk that stays full')],
  // A link that was made although the system said no left the original twice.
  ['ingest', FAILURES.find(({ name }) => name === 'EIO, though it was done')],
  // A file that could not be read for the plan of its folder got a page all the same, and the link to it became text.
  ['ingest a folder with an image', FAILURES.find(({ name }) => name === 'EIO')],
  // A log that was made although the system said no was left empty.
  ['sessions', FAILURES.find(({ name }) => name === 'EIO, though it was done')],
];

it.each(FOUND.map(([act, fault]) => ({ act, fault, name: fault?.name })))(
  '$act is whole or not there after $name at every call',
  async ({ act: name, fault }) => {
    const act = ACTS[name];
    if (act === undefined || fault === undefined) throw new Error('There is no such act or fault.');
    const stage = await stageOf(startNode, act);
    const expectWhole = LASTING.includes(fault) ? expectBounded : expectUnharmed;
    for (let call = 1; ; call += 1) {
      const outcome = await attempt(stage, fault, call);
      if (outcome === null) {
        expect(call).toBeGreaterThan(10);
        return;
      }
      await expectWhole(stage, outcome.world, outcome.running, outcome.error);
    }
  },
);
