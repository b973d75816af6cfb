import type { AgentName } from './agents';

/** A token that was made here, for as long as the screen stands: nothing else remembers its text. */
export interface MadeToken {
  readonly agent: AgentName;
  readonly name: string;
  readonly text: string;
}
