import { clearInterval, setInterval } from 'node:timers';
import type { Brain } from '../../core/operation/context';
import { VECTOR_STATES, vectorState } from '../../core/status/status';
import { type Metrics, routeOf } from '../../doors/http/app';

/** Every value is from a fixed set: a label that a caller can choose would make series without end. */
type Labels = Readonly<Record<string, string>>;

/** The values of one metric: by labels and, in a histogram, by further names. */
type Sample = readonly [labels: Labels, value: number, suffix?: string];

/**
 * Returns the lines of one metric in the text format of Prometheus, version 0.0.4.
 * @param name without the prefix `brain_`
 */
export function metricText(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  const full = `brain_${name}`;
  const lines = samples.map(([labels, value, suffix = '']) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${full}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  const about = help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return `# HELP ${full} ${about}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

/** A number for each set of labels, which only grows. */
export class Counter {
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

  add(labels: Labels): void {
    const key = JSON.stringify(labels);
    const counted = this.#counts.get(key) ?? { labels, count: 0 };
    counted.count += 1;
    this.#counts.set(key, counted);
  }

  samples(): Sample[] {
    return [...this.#counts.values()].map(({ labels, count }) => [labels, count]);
  }
}

/** The upper bounds of the buckets (s). */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** How many durations were how long (s), for each set of labels. */
export class Histogram {
  readonly #series = new Map<string, { readonly labels: Labels; buckets: number[]; sum: number }>();

  observe(labels: Labels, seconds: number): void {
    const key = JSON.stringify(labels);
    const series = this.#series.get(key) ?? { labels, buckets: [...BOUNDS, 0].map(() => 0), sum: 0 };
    const found = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = found < 0 ? BOUNDS.length : found;
    series.buckets[at] = (series.buckets[at] ?? 0) + 1;
    series.sum += seconds;
    this.#series.set(key, series);
  }

  samples(): Sample[] {
    return [...this.#series.values()].flatMap(({ labels, buckets, sum }) => {
      let count = 0;
      const cumulative = buckets.map((inBucket, at): Sample => {
        count += inBucket;
        return [{ ...labels, le: String(BOUNDS[at] ?? '+Inf') }, count, '_bucket'];
      });
      return [...cumulative, [labels, sum, '_sum'] as const, [labels, count, '_count'] as const];
    });
  }
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'DELETE'];
const STATUSES = ['wiki', 'knowledge', 'raw', 'rejected', 'vault'] as const;
/** The interval at which the delay of the event loop is measured (ms). */
const TICK_MS = 250;

/** What a server measures of itself. */
export class ServerMetrics {
  readonly #requests = new Counter();
  readonly #durations = new Histogram();
  readonly #delays = new Histogram();
  readonly #timer: NodeJS.Timeout;
  #running = 0;
  #writes = 0;

  constructor() {
    let due = performance.now() + TICK_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#delays.observe({}, Math.max(0, now - due) / 1000);
      due = now + TICK_MS;
    }, TICK_MS).unref();
  }

  /** Counts a change of the vault that is durable. */
  written(): void {
    this.#writes += 1;
  }

  /** Returns what the door needs. */
  of(brain: Brain): Metrics {
    return {
      measure: (req, res, next) => {
        const arrived = performance.now();
        this.#running += 1;
        res.once('close', () => {
          this.#running -= 1;
          const labels = {
            method: METHODS.includes(req.method) ? req.method : 'other',
            route: routeOf(req) ?? 'other',
          };
          const status = res.writableFinished ? `${Math.floor(res.statusCode / 100)}xx` : 'cut';
          this.#requests.add({ ...labels, status });
          this.#durations.observe(labels, (performance.now() - arrived) / 1000);
        });
        next();
      },
      text: () => this.#text(brain),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #text(brain: Brain): string {
    const { catalog } = brain;
    const gauge = (name: string, help: string, value: number) =>
      metricText(name, 'gauge', help, [[{}, value]]);
    return [
      metricText('info', 'gauge', 'The version of the server.', [[{ version: brain.version }, 1]]),
      metricText(
        'http_requests_total',
        'counter',
        'Requests by route and class of status; cut: the client left before the answer was sent.',
        this.#requests.samples(),
      ),
      metricText(
        'http_request_duration_seconds',
        'histogram',
        'Time from a request to the end of its answer.',
        this.#durations.samples(),
      ),
      gauge(
        'http_requests_running',
        'Requests whose answer has not ended, this one included.',
        this.#running,
      ),
      metricText('writes_total', 'counter', 'Changes of the vault that are durable.', [[{}, this.#writes]]),
      gauge('writer_queue', 'Changes that run or wait for the writer.', brain.writer.waiting),
      metricText(
        'notes',
        'gauge',
        'Notes by status; vault: notes of the owner.',
        STATUSES.map((status) => [{ status }, catalog.count(status)]),
      ),
      gauge('pending_notes', 'Notes of the review queue.', catalog.count('raw')),
      gauge('catalog_ready', '1 once every note has been read.', brain.isReady() ? 1 : 0),
      gauge('catalog_waiting_files', 'Files that are to be read.', catalog.dirtyCount),
      ...vectorTexts(brain),
      gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
      metricText(
        'event_loop_delay_seconds',
        'histogram',
        `How late a timer was that is due every ${TICK_MS} ms.`,
        this.#delays.samples(),
      ),
    ].join('');
  }
}

/** Returns the metrics of search by meaning; none where it is off. */
function vectorTexts({ hybrid }: Pick<Brain, 'hybrid'>): string[] {
  if (hybrid === null) return [];
  const state = vectorState(hybrid);
  const { vectors, pending, lastSync } = hybrid.sync.state;
  const known = (value: number | null): Sample[] => (value === null ? [] : [[{}, value]]);
  return [
    metricText(
      'vector_state',
      'gauge',
      '1 for the state of search by meaning.',
      VECTOR_STATES.map((each) => [{ state: each }, each === state ? 1 : 0]),
    ),
    metricText('vector_notes', 'gauge', 'Notes with a vector, as last counted.', known(vectors)),
    metricText('vector_pending_notes', 'gauge', 'Notes that wait for a vector.', known(pending)),
    metricText(
      'vector_last_sync_timestamp_seconds',
      'gauge',
      'When the last sync ended.',
      known(lastSync === null ? null : lastSync.getTime() / 1000),
    ),
  ];
}
