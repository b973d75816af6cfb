import { useRef } from 'preact/hooks';
import { timestamp } from '../../core/base/time';
import type { Answer, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { type AsyncState, useAsync, useCall, useChanges } from '../kit/async';
import { type AuditFilter, sinceOf } from './filter';
import type { AuditCall } from './words';

/** The largest page that the service gives. */
const PAGE = 200;
/** The screen reads at most this many calls; a narrower filter reaches older ones. */
export const MOST_CALLS = 1_000;

export interface AuditRead {
  /** Newest first. */
  readonly calls: readonly AuditCall[];
  /** The number of calls in the log that fit; more than `calls` has when there are too many to read. */
  readonly total: number;
  /** The time of the reading. */
  readonly at: Date;
  /** The beginning of the chosen time; null for the whole log. */
  readonly since: Date | null;
}

interface AuditState {
  readonly read: AuditRead | null;
  readonly error: CallError | null;
  readonly loading: boolean;
  /** Agents and tools of every call that was read since the screen was opened, for the menus. */
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  /** The verification of the chain of the whole log, repeated whenever the calls are read again. */
  readonly check: AsyncState<Answer<'verifyAudit'>>;
  readonly reload: () => void;
}

/** Reads the calls that fit a filter, newest first, and again after every change. The service filters over the whole log. */
export function useAudit(filter: AuditFilter): AuditState {
  const { client, host } = useUi();
  const agents = useRef(new Set<string>());
  const tools = useRef(new Set<string>());
  const { agent, tool, time, path, outcome } = filter;
  const answer = useAsync(
    JSON.stringify([agent, tool, time, path, outcome]),
    async () => {
      const read = await readCalls(client, filter, host.now());
      for (const call of read.calls) {
        agents.current.add(call.actor);
        tools.current.add(call.tool);
      }
      return read;
    },
    { keep: true },
  );
  const check = useCall('verifyAudit', {});
  const reload = (): void => {
    answer.reload();
    check.reload();
  };
  useChanges(reload);
  return {
    read: answer.value,
    error: answer.error,
    loading: answer.loading,
    agents: menuValues(agents.current, agent),
    tools: menuValues(tools.current, tool),
    check,
    reload,
  };
}

/** Reads the newest calls that fit a filter, page by page; `at` is the present time. @throws CallError */
export async function readCalls(
  client: Pick<BrainClient, 'call'>,
  filter: AuditFilter,
  at: Date,
): Promise<AuditRead> {
  const { agent, tool, path, outcome } = filter;
  const since = sinceOf(filter.time, at);
  const calls: AuditCall[] = [];
  let total: number;
  do {
    const page = await client.call('audit', {
      limit: PAGE,
      offset: calls.length,
      ...(agent !== null && { actor: agent }),
      ...(tool !== null && { tool }),
      ...(path !== null && { path }),
      ...(outcome === 'failed' && { ok: false }),
      ...(outcome === 'changed' && { changed: true }),
      ...(since !== null && { since: timestamp(since) }),
    });
    calls.push(...page.entries);
    ({ total } = page);
    if (page.count === 0) break;
  } while (calls.length < Math.min(total, MOST_CALLS));
  return { calls: unique(calls), total, at, since };
}

/** Removes duplicates: a call that arrives between two pages moves the others on, and one is read twice. */
function unique(calls: readonly AuditCall[]): AuditCall[] {
  return [...new Map(calls.map((call) => [callKey(call), call])).values()];
}

/** Returns a key that is unique among calls. */
export function callKey({ ts, seq, id }: AuditCall): string {
  return `${ts} ${seq} ${id}`;
}

function menuValues(seen: ReadonlySet<string>, chosen: string | null): string[] {
  return [...new Set([...seen, ...(chosen === null ? [] : [chosen])])].sort();
}
