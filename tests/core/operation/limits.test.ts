import { ingestTool } from '../../../src/core/ingest/tool';
import { writeNote } from '../../../src/core/notes/write';
import { RateLimit } from '../../../src/core/operation/rate-limit';
import { WRITE_QUEUE_LIMIT, WriterLock } from '../../../src/core/storage/writer';
import { fixedClock } from '../../support/fixed-clock';
import { refusal } from '../../support/refusal';
import { openTestBrain } from '../../support/test-brain';

describe('the rate limit', () => {
  it('counts per caller and minute, and says when to come back', () => {
    const clock = fixedClock();
    const rate = new RateLimit(2, clock);
    rate.take('a');
    clock.advance(15_000);
    rate.take('a');
    rate.take('b');
    expect(refusal(() => rate.take('a'))).toMatchObject({
      code: 'rate_limited',
      details: { retry_after: 45 },
    });
    clock.advance(45_000);
    rate.take('a');
  });

  it('counts bytes, also those of calls that it refuses', () => {
    const clock = fixedClock();
    const rate = new RateLimit(0, clock, 1000);
    rate.takeBytes('a', 1000);
    rate.takeBytes('b', 600);
    expect(refusal(() => rate.takeBytes('b', 600))).toMatchObject({
      code: 'rate_limited',
      details: { retry_after: 60 },
    });
    expect(refusal(() => rate.takeBytes('b', 1))).toMatchObject({ code: 'rate_limited' });
    clock.advance(60_000);
    rate.takeBytes('b', 1000);
  });

  it('lets one file of a minute have more than is left, however many are sent at once', () => {
    const clock = fixedClock();
    const rate = new RateLimit(0, clock, 10_000);
    const [first, second, third] = [rate.fileCounter('a'), rate.fileCounter('a'), rate.fileCounter('a')];
    for (const count of [first, second]) count(4500);
    first(4500);
    first(90_000);
    expect(refusal(() => second(1))).toMatchObject({ code: 'rate_limited', details: { retry_after: 60 } });
    expect(refusal(() => third(1))).toMatchObject({ code: 'rate_limited' });
    clock.advance(60_000);
    first(1);
    rate.fileCounter('a')(1);
  });

  it('counts a block of the disk for the shortest file', () => {
    const rate = new RateLimit(0, fixedClock(), 10_000);
    for (let n = 0; n < 3; n += 1) rate.fileCounter('a')(1);
    expect(refusal(() => rate.fileCounter('a')(1))).toMatchObject({ code: 'rate_limited' });
  });

  it('counts what would come of a change like the change', async () => {
    const { run, refusal } = await openTestBrain({}, { rateLimit: 1 });
    const note = { wing: 'net', hall: 'facts', slug: 'mtu', content: 'It is 1420.', dry_run: true };
    await run(writeNote, note);
    expect(await refusal(writeNote, note)).toMatchObject({ code: 'rate_limited' });
  });

  it('is off at 0', () => {
    const rate = new RateLimit(0, fixedClock());
    for (let n = 0; n < 10_000; n += 1) rate.take('a');
  });

  it('neither counts nor refuses who asks for a job, and counts what is ingested', async () => {
    const { run, refusal } = await openTestBrain({}, { rateLimit: 2 });
    const askTwice = async () => {
      for (let n = 0; n < 2; n += 1)
        expect(await refusal(ingestTool, { job: 'x' })).toMatchObject({ code: 'not_found' });
    };
    const place = { wing: 'net', hall: 'facts' };
    await askTwice();
    await run(writeNote, { ...place, slug: 'mtu', content: 'It is 1420.' });
    await run(ingestTool, { text: 'The port is 51820.' });
    expect(await refusal(writeNote, { ...place, slug: 'port', content: 'It is 51820.' })).toMatchObject({
      code: 'rate_limited',
    });
    await askTwice();
    expect(await refusal(ingestTool, { text: 'Too much.' })).toMatchObject({ code: 'rate_limited' });
  });
});

describe('the write queue', () => {
  it('runs one at a time in order, whatever the outcome of the one before', async () => {
    const queue = new WriterLock();
    const seen: string[] = [];
    const work = (name: string, fails = false) =>
      queue.run(async () => {
        seen.push(`${name} begins`);
        await Promise.resolve();
        seen.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const outcomes = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is bounded, and takes new work when there is room', async () => {
    const queue = new WriterLock();
    let open = () => undefined as void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const waiting = Array.from({ length: WRITE_QUEUE_LIMIT }, () => queue.run(() => gate));
    expect(refusal(() => void queue.run(() => gate))).toMatchObject({
      code: 'busy',
      details: { retry_after: 2 },
    });
    open();
    await Promise.all(waiting);
    await queue.run(() => gate);
    await queue.idle();
  });
});
