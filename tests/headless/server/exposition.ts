/** One metric of a text, as a program reads it. */
export interface ParsedMetric {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/**
 * Parses the text format of Prometheus, version 0.0.4, strictly: each metric has its HELP, its TYPE and then all its samples,
 * no sample is there twice, and a histogram is complete and cumulative.
 * @throws Error at the first line that breaks a rule
 */
export function parseExposition(text: string): Map<string, ParsedMetric> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const metrics = new Map<string, ParsedMetric>();
  const lines = text.split('\n').slice(0, -1);
  for (let at = 0; at < lines.length;) {
    const [, name = '', help = ''] = matched(
      new RegExp(`^# HELP (${NAME}) ((?:[^\\\\]|\\\\[\\\\n])*)$`),
      lines[at++],
    );
    const [, type = ''] = matched(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`), lines[at++]);
    if (metrics.has(name)) throw new Error(`${name} is there twice`);
    const samples: ParsedMetric['samples'][number][] = [];
    const seen = new Set<string>();
    for (; at < lines.length && !lines[at]?.startsWith('#'); at += 1) {
      const line = lines[at] ?? '';
      const [, full = '', pairs, number = ''] = matched(
        new RegExp(`^(${NAME})(?:\\{(.+)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`, 's'),
        line,
      );
      const suffix = full.slice(name.length);
      if (!full.startsWith(name) || SUFFIXES[type]?.includes(suffix) !== true)
        throw new Error(`${full} is no sample of the ${type} ${name}`);
      const labels = labelsIn(pairs);
      const key = JSON.stringify([full, Object.entries(labels).sort()]);
      if (seen.has(key)) throw new Error(`a sample is there twice: ${line}`);
      seen.add(key);
      samples.push({ name: full, labels, value: Number(number) });
    }
    const metric = { type, help: unescaped(help), samples };
    if (type === 'histogram') checkHistogram(name, metric);
    metrics.set(name, metric);
  }
  return metrics;
}

function matched(pattern: RegExp, line = ''): RegExpExecArray {
  const match = pattern.exec(line);
  if (match === null) throw new Error(`not as ${pattern.source}: ${JSON.stringify(line)}`);
  return match;
}

function labelsIn(pairs: string | undefined): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (pairs !== undefined && LABEL.lastIndex < pairs.length) {
    const match = LABEL.exec(pairs);
    if (match === null) throw new Error(`no labels: ${pairs}`);
    const [, label = '', value = ''] = match;
    if (Object.hasOwn(labels, label)) throw new Error(`the label ${label} is there twice`);
    labels[label] = unescaped(value);
  }
  return labels;
}

function unescaped(text: string): string {
  return text.replace(/\\[\\"n]/g, (escape) => ESCAPES[escape] ?? escape);
}

function checkHistogram(name: string, { samples }: ParsedMetric): void {
  const series = new Map<string, { buckets: [number, number][]; sums: number; counts: number[] }>();
  for (const { name: full, labels: given, value } of samples) {
    const { le, ...labels } = given;
    if ((le !== undefined) !== full.endsWith('_bucket')) throw new Error(`${full} has the wrong labels`);
    const key = JSON.stringify(Object.entries(labels).sort());
    const found = series.get(key) ?? { buckets: [], sums: 0, counts: [] };
    if (le !== undefined) found.buckets.push([le === '+Inf' ? Infinity : Number(le), value]);
    else if (full.endsWith('_sum')) found.sums += 1;
    else found.counts.push(value);
    series.set(key, found);
  }
  for (const { buckets, sums, counts } of series.values()) {
    const rising = buckets.every(([bound, count], at) => {
      const [before = -Infinity, fewer = 0] = buckets[at - 1] ?? [];
      return bound > before && count >= fewer;
    });
    const [last, total] = buckets.at(-1) ?? [];
    if (!rising || last !== Infinity || sums !== 1 || counts.length !== 1 || counts[0] !== total)
      throw new Error(`${name} is no whole histogram`);
  }
}
