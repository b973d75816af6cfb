import type { App } from 'obsidian';
import { type Check, conflictCheck, tokenNameChecks } from '../../core/vocabulary/check';
import { isConflictName } from '../../core/vocabulary/paths';
import type { Service, StateHere } from './control';

/** Returns the checks that only this app can make: the port, sync conflicts, and token names. */
export function hostChecks(
  { state, url }: Pick<Service, 'url'> & { readonly state: StateHere },
  vault: Pick<App['vault'], 'getFiles'>,
  tokens: readonly { readonly name: string }[] = [],
): readonly Check[] {
  const copies = vault
    .getFiles()
    .filter(({ name }) => isConflictName(name))
    .map(({ path }) => path)
    .sort();
  const names = tokens.map(({ name }) => name).filter((name) => name !== 'owner');
  return [portCheck(state, url), conflictCheck(copies), ...tokenNameChecks(names)];
}

function portCheck(state: StateHere, url: string): Check {
  const name = 'port';
  switch (state.kind) {
    case 'running':
      return { name, state: 'ok', message: `Listening on ${state.url}.` };
    case 'starting':
      return { name, state: 'warning', message: `The server is about to listen on ${url}.` };
    case 'failed':
      return {
        name,
        state: 'failed',
        message: state.message,
        fix: 'Stop the program that has the port, or choose another port in the settings.',
        action: 'open-settings',
      };
    case 'off':
      return {
        name,
        state: 'warning',
        message: 'The server is stopped, so agents cannot reach this vault.',
        fix: 'Start the server.',
        action: 'restart-server',
      };
  }
}
