import { timestamp } from '../../core/rules/time';
import { useUi } from '../context';
import type { UndoChoice } from './undo-choice';
import { UndoLayer } from './undo-layer';

/** Opens the layer that undoes what a writer did, for the agent that the screen shows, if it shows one alone. */
export function useUndo(agent: string | null, agents: readonly string[], onChange: () => void): () => void {
  const { host } = useUi();
  return () => {
    const first: UndoChoice = { by: agent ?? '', span: '24h', time: localMinute(host.now()) };
    const close = host.openLayer(
      'Undo what a writer did',
      <UndoLayer agents={agents} first={first} close={() => close()} onChange={onChange} />,
    );
  };
}

/** The minute as a field for date and time takes it, in the time zone of the person. */
function localMinute(now: Date): string {
  return timestamp(new Date(now.getTime() - now.getTimezoneOffset() * 60_000)).slice(0, 16);
}
