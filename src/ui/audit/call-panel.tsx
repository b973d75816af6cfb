import type { RefObject } from 'preact';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { seconds } from '../parts/seconds';
import { clock, count, counted } from '../parts/words';
import { agentOf, type AuditCall } from './audit-words';
import { AgentWords, OutcomeWords } from './outcome-words';
import { dayWords } from './time-words';

/** Paths that are named; the rest is a number. */
const MOST_PATHS = 12;

/** All that the log knows of the chosen call. */
export function CallPanel(props: {
  readonly call: AuditCall;
  /** What scrolls, and takes the focus. */
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

/** An argument as the log keeps it: short values, and of long ones only how long they were. */
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
