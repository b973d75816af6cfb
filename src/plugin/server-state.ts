/** How the server is on this device, for whoever shows it. */
export type ServerState =
  /** This installation of Obsidian cannot run it; the message says what to do. */
  | { readonly kind: 'unsupported'; readonly message: string }
  /** The person has not yet seen and confirmed which folders are used. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  /** The vault is open and agents reach it at the address. */
  | { readonly kind: 'running'; readonly url: string }
  /** It wanted to run and does not, or it runs and agents cannot reach it; the message says why and what to do. */
  | { readonly kind: 'failed'; readonly message: string };

/** What the status bar, the settings and an empty screen say of a state: a word, a sentence, the colour of its dot. */
export interface StateWords {
  readonly word: string;
  readonly sentence: string;
  readonly dot: 'mod-green' | 'mod-amber' | 'mod-red' | 'mod-off';
}

/** Puts a state into words. */
export function wordsOf(state: ServerState): StateWords {
  switch (state.kind) {
    case 'unsupported':
      return { word: 'Brain cannot run', sentence: state.message, dot: 'mod-red' };
    case 'unconfirmed':
      return {
        word: 'Brain not set up',
        sentence: 'Nothing runs yet. Look at the folders that will be used, then start.',
        dot: 'mod-off',
      };
    case 'off':
      return {
        word: 'Brain off',
        sentence: 'The server is stopped. Agents cannot reach this vault.',
        dot: 'mod-off',
      };
    case 'starting':
      return { word: 'Brain starting', sentence: 'The vault is being opened.', dot: 'mod-amber' };
    case 'running':
      return {
        word: 'Brain running',
        sentence: `Agents reach this vault at ${state.url}.`,
        dot: 'mod-green',
      };
    case 'failed':
      return { word: 'Brain failed', sentence: state.message, dot: 'mod-red' };
  }
}
