import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { BrainClient } from '../../core/registry/client';
import type { UiHost } from './host';

export interface UiContext {
  readonly client: BrainClient;
  readonly host: UiHost;
}

const Context = createContext<UiContext | null>(null);

/** Provides the client and the host to the components below it. */
export const UiProvider = Context.Provider;

/** Returns the client and the host. Throws outside of a `UiProvider`. */
export function useUi(): UiContext {
  const found = useContext(Context);
  if (found === null) throw new Error('This component stands outside a screen.');
  return found;
}
