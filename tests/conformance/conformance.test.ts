import { Sandbox } from '../headless/brain-process';
import { compare, type Profile, readBaseline, type Revision, REVISIONS } from './baseline';
import { describeWithTheirs } from './others';
import { runSuite, scenariosOf } from './suite';
import { startWiredServer, TOKEN } from './wired-server';
import { type Front, withToken } from './with-token';

const runs = REVISIONS.flatMap((revision): [Profile, Revision][] => [
  ['product', revision],
  ['wiring', revision],
]);

/**
 * The protocol's own conformance suite, against the program that is shipped and against its HTTP stack with the suite's
 * fixtures.
 */
describeWithTheirs('the conformance suite', () => {
  const sandbox = new Sandbox();
  const fronts: Partial<Record<Profile, Front>> = {};
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const shipped = await sandbox.serve([], { BRAIN_TOKEN: TOKEN });
    stops.push(() => shipped.stop());
    const wired = await startWiredServer();
    stops.push(() => wired.stop());
    fronts.product = await withToken(shipped.url, TOKEN);
    fronts.wiring = await withToken(wired.url, TOKEN);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([fronts.product?.close(), fronts.wiring?.close()]);
    await Promise.all(stops.map((stop) => stop()));
    await sandbox.remove();
  });

  it.each(runs)(
    'conforms as %s in %s, apart from what the baseline explains',
    async (profile, revision) => {
      const report = await runSuite(fronts[profile]?.url ?? '', revision, sandbox.folder);
      const { unexpected, stale } = compare(report.failures, readBaseline(profile, revision));
      expect({ unexpected, stale }).toEqual({ unexpected: [], stale: [] });
      expect(report.scenarios).toEqual(scenariosOf(revision));
      const clean = report.scenarios.filter(
        (name) => !report.failures.some(({ scenario }) => scenario === name),
      );
      console.info(
        `${profile} ${revision}: ${clean.length} of ${report.scenarios.length} scenarios without a failure, ` +
          `${report.passed} checks passed, ${report.failures.length} failures explained`,
      );
    },
    420_000,
  );
});

const failed = (scenario: string, check: string) => ({ scenario, check, message: 'Why.' });

it('tells a failure that is not in the baseline', () => {
  const { unexpected } = compare([failed('ping', 'ping'), failed('caching', 'b')], ['caching:a']);
  expect(unexpected).toEqual(['ping:ping Why.', 'caching:b Why.']);
});

it('tells an entry of the baseline that no longer fails', () => {
  const { stale } = compare([failed('caching', 'a')], ['caching:a', 'caching', 'ping', 'caching:b']);
  expect(stale).toEqual(['ping', 'caching:b']);
});
