import { isCopy, segmentOf } from '../storage/change-log';

/** What the logs of a vault say of themselves. */
export interface PastFaults {
  /** The devices that go on writing logs of an earlier version although another device writes the present form. */
  readonly oldDevices: readonly string[];
  /** Copies of logs that sync programs made. */
  readonly copies: readonly string[];
  /** Segments that are not there, though later ones are. */
  readonly missing: readonly string[];
  /** Logs with lines that were cut off, but for the last one. */
  readonly torn: readonly string[];
}

interface ReadLog {
  readonly path: string;
  readonly torn: number;
  /** The latest times of its parts (ms since the epoch). */
  readonly indexes: readonly { readonly latest: number }[];
}

/** Returns the faults of logs that were read. */
export function faultsOf(logs: readonly ReadLog[]): PastFaults {
  const [old, present] = [new Map<string, number>(), new Map<string, number>()];
  const numbers = new Map<string, Set<number>>();
  let first = Infinity;
  for (const { path, indexes } of logs) {
    const segment = segmentOf(path);
    const device = segment?.device ?? /^changes\/[^.]+\.([^.]+)\.jsonl$/.exec(path)?.[1];
    if (device === undefined) continue;
    const last = segment === null ? old : present;
    last.set(device, Math.max(last.get(device) ?? -Infinity, ...indexes.map(({ latest }) => latest)));
    if (segment === null) continue;
    const { epoch, number } = segment;
    first = Math.min(first, parseInt(epoch, 36));
    const line = `${device}.${epoch}`;
    numbers.set(line, (numbers.get(line) ?? new Set()).add(number));
  }
  const isOld = ([device, latest]: readonly [string, number]): boolean =>
    latest > Math.max(first, present.get(device) ?? -Infinity);
  return {
    oldDevices: [...old].filter(isOld).map(([device]) => device),
    copies: logs.map(({ path }) => path).filter(isCopy),
    missing: [...numbers].flatMap(([line, there]) =>
      Array.from({ length: Math.max(...there) }, (_, at) => at + 1)
        .filter((number) => !there.has(number))
        .map((number) => `past/${line}.${number}.jsonl`),
    ),
    torn: logs.filter(({ torn }) => torn > 0).map(({ path }) => path),
  };
}
