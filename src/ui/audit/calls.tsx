import type { RefObject } from 'preact';
import { localDate } from '../../core/base/time';
import { useUi } from '../client/context';
import { Flag } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { clock, count, counted, day, seconds } from '../kit/words';
import { type AuditTime, TIMES } from './filter';
import { type AuditRead, callKey } from './use-audit';
import { agentOf, type AuditCall, dayWords, outcomeOf, subjectOf } from './words';

interface AuditDay {
  /** `YYYY-MM-DD`, in the local time zone. */
  readonly day: string;
  readonly calls: readonly AuditCall[];
}

/** Groups calls by their day in the local time zone, in the given order. */
export function byDay(calls: readonly AuditCall[]): AuditDay[] {
  const days: { day: string; calls: AuditCall[] }[] = [];
  for (const call of calls) {
    const day = localDate(new Date(call.ts));
    const last = days.at(-1);
    if (last?.day === day) last.calls.push(call);
    else days.push({ day, calls: [call] });
  }
  return days;
}

/** One bar of the histogram above the calls. */
interface Slot {
  readonly from: Date;
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts calls in slots of equal length between two moments. Calls outside are left out; one at `to` belongs to the last slot.
 */
export function countSlots(calls: readonly AuditCall[], from: Date, to: Date, slots: number): Slot[] {
  const width = (to.getTime() - from.getTime()) / slots;
  const counted = Array.from({ length: slots }, (_, index) => ({
    from: new Date(from.getTime() + index * width),
    passed: 0,
    failed: 0,
  }));
  for (const call of calls) {
    const at = Date.parse(call.ts) - from.getTime();
    const slot = counted[at === to.getTime() - from.getTime() ? slots - 1 : Math.floor(at / width)];
    if (slot === undefined) continue;
    if (call.ok) slot.passed += 1;
    else slot.failed += 1;
  }
  return counted;
}

/** The outcome of a call: an icon and a few words. */
function OutcomeWords({ call }: { readonly call: AuditCall }) {
  const { kind, words } = outcomeOf(call);
  if (kind === 'failed') {
    return (
      <span class="brain-row mod-close brain-bad">
        <Icon name="circle-alert" />
        {words}
      </span>
    );
  }
  if (kind === 'changed') {
    return (
      <span class="brain-row mod-close">
        <Icon name="pencil" />
        {words}
      </span>
    );
  }
  return (
    <span class="brain-row mod-close brain-muted">
      <Icon name="check" class="brain-ok" />
      {words}
    </span>
  );
}

/** The verified name, and muted the name that the client gives itself. */
function AgentWords({ call }: { readonly call: AuditCall }) {
  const { name, claim } = agentOf(call);
  return (
    <>
      {name}
      {claim !== undefined && <span class="brain-muted"> ({claim})</span>}
    </>
  );
}

/** The note or the query of a call. */
function SubjectWords({ call }: { readonly call: AuditCall }) {
  const { main, aside } = subjectOf(call);
  return (
    <>
      {main}
      {aside !== undefined && <span class="brain-muted"> {aside}</span>}
    </>
  );
}

/** The panel names at most this many paths. */
const MOST_PATHS = 12;

/** The details of the selected call. */
export function CallPanel(props: {
  readonly call: AuditCall;
  /** The element that scrolls, and takes the focus. */
  readonly areaRef: RefObject<HTMLDivElement | null>;
  /** Null when the call names no note. */
  readonly onDiff: (() => void) | null;
  readonly onNote: (() => void) | null;
  readonly onAgent: () => void;
  readonly isOnlyAgent: boolean;
  /** Null for a call that changed nothing. */
  readonly onUndo: (() => void) | null;
}) {
  const { call, areaRef, onDiff, onNote, onAgent, isOnlyAgent, onUndo } = props;
  const { host } = useUi();
  return (
    <aside class="brain-inspect" aria-label="This call">
      <div
        ref={areaRef}
        class="brain-info brain-scroll"
        tabIndex={0}
        role="region"
        aria-label="Facts of this call"
      >
        <section>
          <h2 class="brain-heading brain-mono">{call.tool}</h2>
          <span class="brain-small brain-muted">
            {dayWords(call.ts, host.now())}, {seconds(call.ts)}, line {count(call.seq)}
          </span>
        </section>
        <Facts call={call} />
        <Reason call={call} />
        <div class="brain-row mod-wrap">
          {onDiff !== null && (
            <button type="button" class="brain-action" onClick={onDiff}>
              Full diff <Key>D</Key>
            </button>
          )}
          {onNote !== null && (
            <button type="button" class="brain-action" onClick={onNote}>
              Open note <Key>O</Key>
            </button>
          )}
          <button type="button" class="brain-action" aria-pressed={isOnlyAgent} onClick={onAgent}>
            {isOnlyAgent ? 'All agents' : 'Only this agent'} <Key>F</Key>
          </button>
        </div>
      </div>
      {onUndo !== null && (
        <div class="brain-foot brain-audit-undo">
          <button type="button" onClick={onUndo}>
            <Icon name="undo-2" />
            Undo all of {agentOf(call).name} since {clock(call.ts)}
          </button>
          <p class="brain-small brain-muted">You see the list before anything happens.</p>
        </div>
      )}
    </aside>
  );
}

function Facts({ call }: { readonly call: AuditCall }) {
  const { host } = useUi();
  const { paths } = call;
  const others = Object.entries(call.args).filter(([name]) => name !== 'reason');
  return (
    <section>
      <dl class="brain-facts">
        <dt>Outcome</dt>
        <dd>
          <OutcomeWords call={call} />
        </dd>
        <dt>Agent</dt>
        <dd>
          <AgentWords call={call} />
        </dd>
        <dt>Token</dt>
        <dd>{call.auth === '' ? 'none' : call.auth.split(' ').join(', ')}</dd>
        {paths.length > 0 && (
          <>
            <dt>{paths.length === 1 ? 'Note' : 'Notes'}</dt>
            <dd>
              {paths.slice(0, MOST_PATHS).map((path) => (
                <button
                  key={path}
                  type="button"
                  class="brain-plain mod-inline mod-line"
                  title={path}
                  onClick={(event) => host.openNote(path, { newPane: event.ctrlKey || event.metaKey })}
                >
                  {path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')}
                </button>
              ))}
              {paths.length > MOST_PATHS && (
                <span class="brain-muted">and {paths.length - MOST_PATHS} more</span>
              )}
            </dd>
          </>
        )}
        <dt>Took</dt>
        <dd>{count(call.duration_ms)} ms</dd>
        {call.unlinked > 0 && (
          <>
            <dt>Unlinked</dt>
            <dd>{counted(call.unlinked, 'link')}</dd>
          </>
        )}
        {call.content_hash !== undefined && (
          <>
            <dt>After</dt>
            <dd>
              <span class="brain-mono" title={call.content_hash}>
                {call.content_hash.slice(0, 8)}…
              </span>
            </dd>
          </>
        )}
        {others.map(([name, value]) => (
          <ArgumentFact key={name} name={name} value={value} />
        ))}
        <dt>Request</dt>
        <dd>
          <span class="brain-mono">{call.id}</span>
        </dd>
      </dl>
    </section>
  );
}

function ArgumentFact({ name, value }: { readonly name: string; readonly value: AuditCall['args'][string] }) {
  const words = argumentWords(value);
  return (
    <>
      <dt>{name}</dt>
      <dd title={words}>{words}</dd>
    </>
  );
}

/** Returns an argument in words. The log keeps short values, and only the length of long ones. */
function argumentWords(value: AuditCall['args'][string]): string {
  if (typeof value === 'object' && value !== null) return `${count(value.chars)} characters, not kept`;
  return value === null ? 'none' : String(value);
}

function Reason({ call }: { readonly call: AuditCall }) {
  const { reason } = call.args;
  if (reason === undefined) return null;
  return (
    <section aria-label="Reason">
      <h2 class="brain-heading">Reason given</h2>
      <p class="brain-audit-reason">{argumentWords(reason)}</p>
    </section>
  );
}

/** The number of bars by the chosen time: half hours of a day, four hours of a week, days of a month. */
const SLOTS: Readonly<Record<AuditTime, number>> = { day: 48, week: 42, month: 30, all: 48 };
const TICKS = 5;

/** A histogram of the shown calls over time, with failed calls stacked on top. */
export function CallStrip(props: {
  readonly read: AuditRead;
  readonly calls: readonly AuditCall[];
  readonly time: AuditTime;
  /** The selected call, whose bar is marked. */
  readonly current: AuditCall | null;
}) {
  const { read, calls, time, current } = props;
  const oldest = read.calls.at(-1)?.ts;
  const to = read.at;
  // The axis begins at the oldest call that was read: a gap would look as if nothing had happened.
  const isCut = read.total > read.calls.length;
  const first = oldest === undefined ? to : new Date(oldest);
  const from = read.since === null || isCut ? first : read.since;
  const slots = countSlots(calls, from, to, SLOTS[time]);
  const highest = Math.max(1, ...slots.map(({ passed, failed }) => passed + failed));
  const failed = calls.filter(({ ok }) => !ok).length;
  const isAllRead = calls.length === read.calls.length;
  const number =
    isCut && isAllRead
      ? `newest ${count(calls.length)} of ${count(read.total)} calls`
      : counted(calls.length, 'call');
  const words = `${number}, ${count(failed)} failed`;
  const width = (to.getTime() - from.getTime()) / slots.length;
  const at = current === null ? -1 : Math.floor((Date.parse(current.ts) - from.getTime()) / width);
  return (
    <div class="brain-strip" role="img" aria-label={`${TIMES[time].label}: ${words}`}>
      <span class="brain-count brain-wide-only">{words}</span>
      <div class="brain-bars">
        {slots.map((slot, index) => (
          <span
            key={slot.from.getTime()}
            class={index === Math.min(at, slots.length - 1) ? 'is-on' : undefined}
          >
            {slot.passed > 0 && <i style={{ height: share(slot.passed, highest) }} />}
            {slot.failed > 0 && <i class="fail" style={{ height: share(slot.failed, highest) }} />}
          </span>
        ))}
      </div>
      <div class="brain-axis">
        {Array.from({ length: TICKS }, (_, tick) => {
          const moment = new Date(from.getTime() + (tick / (TICKS - 1)) * (to.getTime() - from.getTime()));
          return <span key={tick}>{tickWords(moment, from, to)}</span>;
        })}
      </div>
    </div>
  );
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)}%`;
}

const TWO_DAYS_MS = 2 * 86_400_000;

/** Returns the label of a tick: the time of day on a short axis, the day on a long one. */
function tickWords(moment: Date, from: Date, to: Date): string {
  if (to.getTime() - from.getTime() > TWO_DAYS_MS) return day(moment).replace(/ \d{4}$/, '');
  const isFirst = moment.getTime() === from.getTime() && day(from) !== day(to);
  return isFirst ? `${clock(moment)}, ${day(moment).replace(/ \d{4}$/, '')}` : clock(moment);
}

const COLUMNS = 7;

/** The table of calls, newest first, grouped by day. */
export function CallTable(props: {
  readonly calls: readonly AuditCall[];
  readonly current: AuditCall | null;
  readonly now: Date;
  /** The number of calls that fit and are not drawn yet. */
  readonly rest: number;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  readonly onSelect: (call: AuditCall) => void;
  readonly onMore: () => void;
}) {
  const { calls, current, now, rest, areaRef, onSelect, onMore } = props;
  return (
    <div ref={areaRef} class="brain-scroll" tabIndex={0} role="region" aria-label="Calls">
      <table class="brain-table brain-calls">
        <colgroup>
          <col class="mod-time" />
          <col class="mod-tool" />
          <col class="mod-agent" />
          <col />
          <col class="mod-outcome" />
          <col class="mod-gate" />
          <col class="mod-ms" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Tool</th>
            <th scope="col">Agent</th>
            <th scope="col">Note or query</th>
            <th scope="col">Outcome</th>
            <th scope="col">Gate</th>
            <th scope="col" class="mod-right">
              ms
            </th>
          </tr>
        </thead>
        {byDay(calls).map(({ day, calls: ofDay }) => (
          <tbody key={day}>
            <tr class="mod-day">
              <th scope="rowgroup" colSpan={COLUMNS}>
                {dayWords(ofDay[0]?.ts ?? day, now)}
              </th>
            </tr>
            {ofDay.map((call) => (
              <CallRow
                key={callKey(call)}
                call={call}
                selected={call === current}
                onSelect={() => onSelect(call)}
              />
            ))}
          </tbody>
        ))}
      </table>
      {rest > 0 && (
        <button type="button" class="brain-more-calls" onClick={onMore}>
          Show more of {counted(rest, 'older call')}
        </button>
      )}
    </div>
  );
}

function CallRow(props: {
  readonly call: AuditCall;
  readonly selected: boolean;
  readonly onSelect: () => void;
}) {
  const { call, selected, onSelect } = props;
  return (
    <tr aria-selected={selected} onClick={onSelect}>
      <td class="brain-num brain-muted">{seconds(call.ts)}</td>
      <td>{call.tool}</td>
      <td>
        <AgentWords call={call} />
      </td>
      <td>
        <SubjectWords call={call} />
      </td>
      <td>
        <OutcomeWords call={call} />
      </td>
      <td>
        {call.unlinked > 0 && (
          <Flag icon="shield" title={`The gate took out ${counted(call.unlinked, 'link')}`}>
            {count(call.unlinked)}
          </Flag>
        )}
      </td>
      <td class="mod-right brain-muted">{count(call.duration_ms)}</td>
    </tr>
  );
}
