import { timestamp } from '../../core/rules/time';
import { useUi } from '../context';
import type { AuditCall } from './audit-words';
import type { UndoChoice } from './undo-choice';
import { UndoLayer } from './undo-layer';

/** A call from which on everything of its caller is to be undone. */
export type UndoFrom = Pick<AuditCall, 'actor' | 'ts'>;

/**
 * Opens the layer that undoes what a writer did: since a call, when one is given; else of the agent that the screen shows, if
 * it shows one alone.
 */
export function useUndo(
  agent: string | null,
  agents: readonly string[],
  onChange: () => void,
): (from?: UndoFrom) => void {
  const { host } = useUi();
  return (from) => {
    const first: UndoChoice =
      from === undefined
        ? { by: agent ?? '', span: '24h', time: localMinute(host.now()) }
        : { by: from.actor, span: 'time', time: localMinute(new Date(from.ts)) };
    const close = host.openLayer(
      'Undo what a writer did',
      <UndoLayer agents={agents} first={first} close={() => close()} onChange={onChange} />,
    );
  };
}

/** The minute as a field for date and time takes it, in the time zone of the person. */
function localMinute(time: Date): string {
  return timestamp(new Date(time.getTime() - time.getTimezoneOffset() * 60_000)).slice(0, 16);
}
