import { isRecord } from '../../core/base/json';
import type { BrainClient } from '../../core/registry/client';
import type { FileIngest, TokenAdmin } from '../../ui/client/host';
import { consoleLog } from './failure';
import type { StartChoice } from './store';

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

/** The service that opens the vault and its doors, as the rest of the plugin uses it. */
export interface Service {
  readonly state: Extract<ServerState, { kind: 'off' | 'starting' | 'running' | 'failed' }>;
  /** The way to the opened vault; null while it is not open. Another one after the vault was opened again. */
  readonly client: BrainClient | null;
  /** Whether search goes by meaning too; false while the vault is not open. */
  readonly hasHybrid: boolean;
  /** How far the sync of the embeddings is; null while none embeds. */
  readonly syncProgress: { readonly done: number; readonly total: number } | null;
  readonly tokens: TokenAdmin;
  /** Begins to ingest a file of any kind. Rejects with a CallError, also while the vault is not open. */
  ingestFile(name: string, bytes: Uint8Array): Promise<FileIngest>;
  /** Where agents reach the server, or would if it ran: `http://127.0.0.1:27246`. */
  readonly url: string;
  /** Resolves when the vault is open or that has failed; `state` says which. Does nothing while it runs. */
  start(): Promise<void>;
  /** Lets the running write end, then lets go of port and vault. */
  stop(): Promise<void>;
  /** Gives the port back before it returns; the vault follows. For the end of the plugin, which waits for nobody. */
  unload(): void;
  /** Stops and starts with the settings as they are now. */
  restart(): Promise<void>;
  /** Calls `listener` after every change of `state` or `client`. Returns how to stop that. */
  onChange(listener: () => void): () => void;
}

interface ControlDeps {
  /** Why this installation cannot run the server at all; null when it can. */
  readonly problem: string | null;
  readonly choice: StartChoice;
  /** Loads the code of the service, which is left out of the start of the app. */
  load(): Promise<Service>;
  /** Shows the folders and asks; nothing runs before the person has agreed. */
  ask(): void;
  /** Tells the person of something that needs them, until it is closed; returns how to close it. */
  tell(message: string): () => void;
}

/**
 * The one switch of the server: everything that shows it or turns it goes through here. It decides whether the service may
 * run at all; the service decides how.
 */
export class ServerControl {
  readonly #deps: ControlDeps;
  readonly #listeners = new Set<() => void>();
  #service: Service | null = null;
  #loading: Promise<Service | null> | null = null;
  #failure: string | null = null;
  #told: string | null = null;
  /** Takes away what was told last. */
  #untell: (() => void) | null = null;
  #pending: number | null = null;
  #watched: BrainClient | null = null;
  #unwatch: (() => void) | null = null;
  #isClosed = false;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
  }

  get state(): ServerState {
    const { problem, choice } = this.#deps;
    if (problem !== null) return { kind: 'unsupported', message: problem };
    if (!choice.confirmed) return { kind: 'unconfirmed' };
    if (this.#failure !== null) return { kind: 'failed', message: this.#failure };
    if (this.#service !== null) return this.#service.state;
    return this.#loading === null ? { kind: 'off' } : { kind: 'starting' };
  }

  /** The way to the vault while it is open; also when agents cannot reach it. */
  get client(): BrainClient | null {
    return this.#service?.client ?? null;
  }

  /** The service, once its code was needed. */
  get service(): Service | null {
    return this.#service;
  }

  /** Whether search goes by meaning too; false while the vault is not open. */
  get hasHybrid(): boolean {
    return this.#service?.hasHybrid ?? false;
  }

  /** How far the sync of the embeddings is; null while none embeds. */
  get syncProgress(): Service['syncProgress'] {
    return this.#service?.syncProgress ?? null;
  }

  /** How many notes await review; null while that is not known. */
  get pending(): number | null {
    return this.client === null ? null : this.#pending;
  }

  /** Calls `listener` after every change of what stands above. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What happens once the app is ready: starts where that was agreed, asks where nobody was asked yet. */
  async begin(): Promise<void> {
    const { problem, choice } = this.#deps;
    if (problem !== null) this.#tell(problem);
    else if (choice.starts) await this.#run((service) => service.start());
    else if (!choice.asked) this.#deps.ask();
  }

  /** Starts the server, or asks first where the person has not agreed yet. */
  async start(): Promise<void> {
    const { problem, choice } = this.#deps;
    if (problem !== null) this.#tell(problem);
    else if (choice.confirmed) await this.#run((service) => service.start());
    else this.#deps.ask();
  }

  /** The person has answered; whatever shows the state shows it anew. */
  answered(): void {
    this.#announce();
  }

  /** Stops it until someone starts it again, or the app does. */
  async stop(): Promise<void> {
    this.#failure = null;
    await this.#loading?.catch(() => undefined); // Told by whoever began to load it.
    await this.#service?.stop();
    this.#changed();
  }

  /** Starts it anew with the settings as they are now. */
  async restart(): Promise<void> {
    if (!this.#deps.choice.confirmed || this.#deps.problem !== null) return this.start();
    await this.#run((service) => service.restart());
  }

  /** Lets go of everything, for good: the port at once, the vault when the running write has ended. */
  unload(): void {
    this.#isClosed = true;
    this.#takeBack();
    this.#unwatch?.();
    this.#unwatch = null;
    this.#listeners.clear();
    this.#service?.unload();
  }

  async #run(act: (service: Service) => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    this.#failure = null;
    try {
      const service = await this.#loaded();
      if (service === null) return;
      await act(service);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.#changed();
  }

  /** Null when the plugin was unloaded meanwhile. */
  async #loaded(): Promise<Service | null> {
    if (this.#service !== null) return this.#service;
    if (this.#loading === null) {
      this.#loading = this.#load();
      this.#announce();
    }
    return this.#loading;
  }

  async #load(): Promise<Service | null> {
    try {
      const service = await this.#deps.load();
      if (this.#isClosed) return null;
      this.#service = service;
      service.onChange(() => this.#changed());
      return service;
    } finally {
      this.#loading = null;
    }
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#watchQueue();
    const { state } = this;
    // A retry that fails as before is no news.
    if (state.kind === 'failed' && state.message !== this.#told) this.#tell(state.message);
    if (state.kind !== 'starting') {
      this.#told = state.kind === 'failed' ? state.message : null;
      // What was told is no longer so.
      if (state.kind !== 'failed' && state.kind !== 'unsupported') this.#takeBack();
    }
    this.#announce();
  }

  /** Tells one thing at a time: what was told before is superseded. */
  #tell(message: string): void {
    this.#takeBack();
    this.#untell = this.#deps.tell(message);
  }

  #takeBack(): void {
    this.#untell?.();
    this.#untell = null;
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #watchQueue(): void {
    const { client } = this;
    if (client === this.#watched) return;
    this.#unwatch?.();
    this.#unwatch = null;
    this.#watched = client;
    this.#pending = null;
    if (client === null) return;
    this.#unwatch = client.changes(() => void this.#count(client));
    void this.#count(client);
  }

  async #count(client: BrainClient): Promise<void> {
    try {
      const { total } = await client.call('pending', { limit: 1 });
      if (client !== this.#watched || total === this.#pending) return;
      this.#pending = total;
      this.#announce();
    } catch (error) {
      // The vault is still being read or about to be closed: the next change asks again, or nobody does.
      const isPassing = isRecord(error) && error.code === 'starting';
      if (client === this.#watched && !isPassing) consoleLog.warn('queue.count', { message: String(error) });
    }
  }
}
