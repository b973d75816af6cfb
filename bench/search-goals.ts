import type { Figures } from './search-worker';

/** What one engine needed at one size: medians over its runs. */
export interface Measured {
  readonly build: Figures;
  readonly hold: Figures;
  readonly load?: Figures;
  readonly weigh?: Figures;
}

export interface Goal {
  readonly says: string;
  /** Undefined when a peer or a figure is missing. */
  readonly met: boolean | undefined;
}

/** Name of one engine to what it needed. */
export type AtOneSize = ReadonlyMap<string, Measured>;

/** What this project holds itself to, beside what was measured at one size. */
export function goalsOf(documents: number, engines: AtOneSize): Goal[] {
  const own = engines.get('Brain Server');
  const mini = engines.get('MiniSearch');
  if (own === undefined) return [];
  const names = (own.build.queries ?? []).map(({ name }) => name);
  const eight = names.filter((name) => name.startsWith('8 '));
  // A peer as it comes, and as those set it up who want to find what was half typed or mistyped, as we do.
  const peers = [
    { peer: 'MiniSearch', asked: names, goal: 100 },
    { peer: 'SQLite FTS5', asked: eight, goal: 30 },
    { peer: 'MiniSearch, prefixes and typos', asked: names, goal: 100 },
    { peer: 'SQLite FTS5, prefixes', asked: eight, goal: 30 },
  ].filter(({ peer }) => engines.has(peer));
  return [
    ...peers.flatMap(({ peer, asked, goal }) =>
      asked.flatMap((name) => [
        times(`p50 of ${name}`, p50(engines.get(peer), name), p50(own, name), goal, peer),
        times(`p99 of ${name}`, p99(engines.get(peer), name), p99(own, name), goal, peer),
      ]),
    ),
    times('build', mini?.build.build, own.build.build, 6, 'MiniSearch'),
    ...(documents === 10_000 ? [below('update until found', own.build.update, 0.2, 'ms')] : []),
    times('cold start', mini?.load?.cold, own.load?.cold, 40, "MiniSearch's JSON"),
    share('memory after build', own.hold.held, mini?.hold.held),
    share('memory after load', own.weigh?.held, mini?.weigh?.held),
  ];
}

/** What is asked of a million documents. */
export function goalsOfMillion(own: Figures): Goal[] {
  const eight = (own.queries ?? []).filter(({ name }) => name.startsWith('8 '));
  return [
    ...eight.map(({ name, p50: value }) => below(`p50 of ${name}`, value, 20, 'ms')),
    below('peak memory of the process', own.peak, 4096, 'MiB'),
  ];
}

function times(
  what: string,
  theirs: number | undefined,
  own: number | undefined,
  goal: number,
  peer: string,
): Goal {
  const ratio = theirs === undefined || own === undefined ? undefined : theirs / own;
  return {
    says: `${what}: ${ratio === undefined ? 'not measured' : `${ratio.toFixed(1)} times as fast as ${peer}`}, goal ${goal}`,
    met: ratio === undefined ? undefined : ratio >= goal,
  };
}

function share(what: string, own: number | undefined, theirs: number | undefined): Goal {
  const ratio = theirs === undefined || own === undefined ? undefined : own / theirs;
  return {
    says: `${what}: ${ratio === undefined ? 'not measured' : `${ratio.toFixed(2)} of MiniSearch's`}, goal 0.25`,
    met: ratio === undefined ? undefined : ratio <= 0.25,
  };
}

function below(what: string, value: number | undefined, goal: number, unit: string): Goal {
  return {
    says: `${what}: ${value === undefined ? 'not measured' : `${value.toFixed(2)} ${unit}`}, goal below ${goal} ${unit}`,
    met: value === undefined ? undefined : value < goal,
  };
}

function p50(measured: Measured | undefined, name: string): number | undefined {
  return measured?.build.queries?.find((query) => query.name === name)?.p50;
}

function p99(measured: Measured | undefined, name: string): number | undefined {
  return measured?.build.queries?.find((query) => query.name === name)?.p99;
}
