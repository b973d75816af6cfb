import type { RefObject } from 'preact';
import { Flag } from '../parts/flag';
import { seconds } from '../parts/seconds';
import { count, counted } from '../parts/words';
import { byDay } from './audit-days';
import type { AuditCall } from './audit-words';
import { AgentWords, OutcomeWords, SubjectWords } from './outcome-words';
import { dayWords } from './time-words';
import { callKey } from './use-audit';

const COLUMNS = 7;

/** The calls of a log, newest first, under their days. */
export function CallTable(props: {
  readonly calls: readonly AuditCall[];
  readonly current: AuditCall | null;
  readonly now: Date;
  /** Calls that fit and are not drawn yet. */
  readonly rest: number;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  readonly onSelect: (call: AuditCall) => void;
  readonly onMore: () => void;
}) {
  const { calls, current, now, rest, areaRef, onSelect, onMore } = props;
  return (
    <div ref={areaRef} class="brain-rows brain-scroll" tabIndex={0} role="region" aria-label="Calls">
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
