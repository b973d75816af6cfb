import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BrainClient } from '../../core/registry/client';
import type { UiHost } from './host';

export interface UiContext {
  readonly client: BrainClient;
  readonly host: UiHost;
}

const Context = createContext<UiContext | null>(null);

/** Gives everything below it the client and the host. */
export const UiProvider = Context.Provider;

/** The client and the host of the screen that asks. */
export function useUi(): UiContext {
  const found = useContext(Context);
  if (found === null) throw new Error('This component stands outside a screen.');
  return found;
}
