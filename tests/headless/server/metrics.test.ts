import * as fc from 'fast-check';
import { createPageToken, type TokenStore } from '../../../src/core/access/tokens';
import { VECTOR_STATES } from '../../../src/core/status/status';
import { WriterLock } from '../../../src/core/storage/writer';
import { Counter, Histogram, metricText, ServerMetrics } from '../../../src/headless/server/metrics';
import { call, codeOf, fakeBrain, post, serve, stopServers } from '../../doors/http-support';
import { openHybridBrain } from '../../support/hybrid-brain';
import { parseExposition, type ParsedMetric } from './exposition';

const page = createPageToken();
const tokens: TokenStore = {
  async verify(token) {
    if (token === page.token) return page.store.verify(token);
    const known = { name: token, page: false };
    if (token === 'admin') return { ...known, scopes: new Set(['admin', 'read']) };
    if (token === 'part') return { ...known, scopes: new Set(['admin']), limits: { read: ['wiki'] } };
    return token === 'reader' ? { ...known, scopes: new Set(['read', 'write', 'review']) } : null;
  },
};
const as = (token: string) => ({ authorization: `Bearer ${token}` });

const metrics = new ServerMetrics();
let url = '';
beforeAll(async () => {
  const { brain } = fakeBrain();
  const measured = { ...brain, writer: new WriterLock(), hybrid: null };
  ({ url } = await serve({ brain: measured, tokens, metrics: metrics.of(measured) }));
});
afterAll(async () => {
  await stopServers();
  metrics.close();
});

async function scrape(): Promise<Map<string, ParsedMetric>> {
  const answer = await fetch(`${url}/metrics`, { headers: as('admin') });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(await answer.text());
}

function valueOf(
  found: Map<string, ParsedMetric>,
  metric: string,
  labels: Readonly<Record<string, string>> = {},
  name = metric,
): number {
  const fits = found
    .get(metric)
    ?.samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return (fits ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** Waits for the count of the requests, which grows when an answer has closed. */
async function settled(): Promise<Map<string, ParsedMetric>> {
  for (;;) {
    const found = await scrape();
    if (valueOf(found, 'brain_http_requests_running') === 1) return found;
  }
}

describe('GET /metrics', () => {
  it('counts a request by its route and class of status, and how long it took', async () => {
    const echoed = { method: 'POST', route: '/echo' };
    const before = await settled();
    await post(url, '/echo', {}, as('reader'));
    await post(url, '/echo', { unknown: 1 }, as('reader'));
    await call(url, 'GET', '/private/diary?text=secret', { headers: as('reader') });
    await call(url, 'PURGE', '/echo', { headers: as('reader') });
    const after = await settled();
    const grown = (metric: string, labels: Readonly<Record<string, string>>, name = metric) =>
      valueOf(after, metric, labels, name) - valueOf(before, metric, labels, name);
    const requests = 'brain_http_requests_total';
    expect(grown(requests, { ...echoed, status: '2xx' })).toBe(1);
    expect(grown(requests, { ...echoed, status: '4xx' })).toBe(1);
    expect(grown(requests, { method: 'GET', route: 'other', status: '4xx' })).toBe(1);
    expect(grown(requests, { method: 'other', route: '/echo', status: '4xx' })).toBe(1);
    const took = 'brain_http_request_duration_seconds';
    expect(grown(took, echoed, `${took}_count`)).toBe(2);
    expect(grown(took, { ...echoed, le: '+Inf' }, `${took}_bucket`)).toBe(2);
    expect(grown(took, echoed, `${took}_sum`)).toBeGreaterThan(0);
  });

  it('counts durable changes', async () => {
    const before = await scrape();
    metrics.written();
    expect(valueOf(await scrape(), 'brain_writes_total') - valueOf(before, 'brain_writes_total')).toBe(1);
  });

  it('tells what the service holds and how the process is', async () => {
    const found = await scrape();
    for (const name of [
      ...['info', 'writer_queue', 'notes', 'pending_notes', 'catalog_ready', 'catalog_waiting_files'],
      ...['process_resident_memory_bytes', 'event_loop_delay_seconds', 'writes_total'],
    ])
      expect(found.has(`brain_${name}`)).toBe(true);
    expect([...found.keys()].filter((name) => !/^brain_[a-z_]+$/.test(name))).toEqual([]);
    expect(valueOf(found, 'brain_catalog_ready')).toBe(1);
    expect(valueOf(found, 'brain_info', { version: '1.2.3' })).toBe(1);
    expect(valueOf(found, 'brain_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });

  it('tells the state of search by meaning where it is on', async () => {
    const { brain } = await openHybridBrain({ 'wiki/a/facts/fan.md': '# Fan\n\nIt rattles.\n' });
    const found = parseExposition(metrics.of(brain).text());
    const states = found.get('brain_vector_state')?.samples.map(({ labels, value }) => [labels.state, value]);
    expect(Object.fromEntries(states ?? [])).toEqual(
      Object.fromEntries(VECTOR_STATES.map((state) => [state, state === 'ready' ? 1 : 0])),
    );
    expect(valueOf(found, 'brain_vector_notes')).toBe(1);
    expect(valueOf(found, 'brain_vector_pending_notes')).toBe(0);
    expect(valueOf(found, 'brain_notes', { status: 'wiki' })).toBe(1);
    expect((await scrape()).has('brain_vector_state')).toBe(false);
  });

  it('names no label as a caller pleases', async () => {
    for (const word of ['one', 'two']) {
      await call(url, 'GET', `/${word}`, { headers: as('reader') });
      await call(url, 'GET', `/find?text=${word}`, { headers: { ...as('reader'), 'x-brain-client': word } });
      await call(url, 'GET', '/find', { headers: as(word) });
    }
    const labels = [...(await settled()).values()].flatMap(({ samples }) =>
      samples.flatMap((sample) => Object.values(sample.labels)),
    );
    expect(labels.filter((label) => /one|two|secret|diary|reader|PURGE/.test(label))).toEqual([]);
  });

  it.each([
    ['reader', 403, 'forbidden_scope'],
    ['part', 403, 'forbidden_scope'],
    ['nobody', 401, 'unauthorized'],
  ])('is refused to the token "%s"', async (token, status, code) => {
    const answer = await call(url, 'GET', '/metrics', { headers: as(token) });
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  it('is described where it is, takes GET and HEAD, and is unknown where it is off', async () => {
    const { body } = await call(url, 'GET', '/openapi.json', { headers: as('admin') });
    expect(body.paths).toHaveProperty(['/metrics']);
    expect((await call(url, 'HEAD', '/metrics', { headers: as('admin') })).status).toBe(200);
    expect((await call(url, 'POST', '/metrics', { headers: as('admin') })).status).toBe(405);
    const off = await serve({ tokens });
    const answer = await call(off.url, 'GET', '/metrics', { headers: as('admin') });
    const unknown = await call(off.url, 'GET', '/nowhere', { headers: as('admin') });
    expect([answer.status, codeOf(answer)]).toEqual([unknown.status, codeOf(unknown)]);
    expect((await call(off.url, 'GET', '/openapi.json')).body.paths).not.toHaveProperty(['/metrics']);
  });
});

describe('the text format', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '{', '}', ',', '=', ' ', 'é', '#') });

  it('gives back labels and help as they were', () => {
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (help, one, two, value) => {
          const found = parseExposition(metricText('x', 'gauge', help, [[{ one, two }, value]])).get(
            'brain_x',
          );
          expect(found).toMatchObject({ type: 'gauge', help, samples: [{ labels: { one, two } }] });
          expect(found?.samples[0]?.value).toBeCloseTo(value, 10);
        },
      ),
    );
  });

  it('counts every label apart, and nothing twice', () => {
    fc.assert(
      fc.property(fc.array(text), (given) => {
        const counter = new Counter();
        for (const label of given) counter.add({ label });
        const samples = parseExposition(metricText('x', 'counter', 'X.', counter.samples())).get(
          'brain_x',
        )?.samples;
        const expected = [...new Set(given)].map((label) => [
          label,
          given.filter((one) => one === label).length,
        ]);
        expect(samples?.map(({ labels, value }) => [labels.label, value])).toEqual(expected);
      }),
    );
  });

  it('puts every duration into the buckets that it fits', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (durations) => {
        const histogram = new Histogram();
        for (const seconds of durations) histogram.observe({ route: '/x' }, seconds);
        const found = parseExposition(metricText('x', 'histogram', 'X.', histogram.samples()));
        for (const { name, labels, value } of found.get('brain_x')?.samples ?? []) {
          if (name !== 'brain_x_bucket') continue;
          const bound = labels.le === '+Inf' ? Infinity : Number(labels.le);
          expect(value).toBe(durations.filter((seconds) => seconds <= bound).length);
        }
      }),
    );
  });

  it.each([
    ['no end', 'brain_x 1'],
    ['no type', '# HELP brain_x X.\nbrain_x 1\n'],
    ['a sample twice', '# HELP x X.\n# TYPE x gauge\nx 1\nx 2\n'],
    ['a quote in a label', '# HELP x X.\n# TYPE x gauge\nx{a="b"c"} 1\n'],
    ['a histogram without +Inf', '# HELP x X.\n# TYPE x histogram\nx_bucket{le="1"} 1\nx_sum 1\nx_count 1\n'],
  ])('would be told with %s', (_name, broken) => {
    expect(() => parseExposition(broken)).toThrow();
  });
});
