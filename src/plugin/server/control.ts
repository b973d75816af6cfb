import { isRecord } from '../../core/base/json';
import type { Answer, Ask, BrainClient } from '../../core/registry/client';
import type { FileIngest, TokenAdmin } from '../../ui/client/host';
import { consoleLog } from './failure';
import type { StartChoice } from './store';

/** The state of the server on this device, or of the connection to a server elsewhere. */
export type ServerState =
  /** This installation of Obsidian cannot run the server. The message says what to do. */
  | { readonly kind: 'unsupported'; readonly message: string }
  /** The person has not confirmed the folders yet. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  /** The vault is open and agents can connect to the URL. */
  | { readonly kind: 'running'; readonly url: string }
  /** The server failed to start, or agents cannot connect to it. The message says why and what to do. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The screens work on the server at the URL, which is elsewhere. */
  | { readonly kind: 'connected'; readonly url: string }
  /** The server elsewhere does not answer, or not to this device. The message says why and what to do. */
  | { readonly kind: 'lost'; readonly message: string };

/** The description of a state: a word, a sentence, and the colour of its dot. */
export interface StateDescription {
  readonly word: string;
  readonly sentence: string;
  readonly dot: 'mod-green' | 'mod-amber' | 'mod-red' | 'mod-off';
}

/** Describes a state. */
export function describeState(state: ServerState): StateDescription {
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
    case 'connected':
      return {
        word: 'Brain connected',
        sentence: `The screens work on the server at ${state.url}.`,
        dot: 'mod-green',
      };
    case 'lost':
      return { word: 'Brain not connected', sentence: state.message, dot: 'mod-red' };
  }
}

/** The message when a file that is to be ingested cannot be read. */
export const UNREADABLE_FILE = 'The file cannot be read. It may have been moved since.';

/** The states of the server inside the app. */
export type StateHere = Extract<ServerState, { kind: 'off' | 'starting' | 'running' | 'failed' }>;

/** The service that opens the vault of the app and its doors, or that reaches a server elsewhere. */
export interface Service {
  readonly state: Exclude<ServerState, { kind: 'unsupported' | 'unconfirmed' }>;
  /** The client of the open vault; null while it is closed. Each opening has a new one. */
  readonly client: BrainClient | null;
  /** True when hybrid retrieval is on, or when only the server elsewhere knows; false while the vault is closed. */
  readonly hasHybrid: boolean;
  /** The progress of the embedding sync; null while nothing is embedded. */
  readonly syncProgress: { readonly done: number; readonly total: number } | null;
  /** Null for a server elsewhere, where tokens are made on its machine. */
  readonly tokens: TokenAdmin | null;
  /** Reads a file of a server elsewhere. Rejects with a CallError. Null when the files are those of the app. */
  readonly readFile: ((path: string) => Promise<Blob>) | null;
  /** Returns true for a note of the app that the service reads as its owner's: outside its folders, and not left out. */
  isOwners(path: string): boolean;
  /** Starts to ingest a file of any kind. Rejects with a CallError, also while the vault is closed. */
  ingestFile(name: string, file: Blob): Promise<FileIngest>;
  /** Sends bytes of a file of an import. Rejects with a CallError, also while the vault is closed. */
  sendPart(ask: Ask<'sendBatchFile'>, part: Blob): Promise<Answer<'sendBatchFile'>>;
  /** The URL of the server, whether it runs or not: `http://127.0.0.1:27246`. */
  readonly url: string;
  /** Opens the vault and the doors. Resolves when that ends; `state` has the outcome. Does nothing while the server runs. */
  start(): Promise<void>;
  /** Finishes the running write, then closes the port and the vault. */
  stop(): Promise<void>;
  /** Closes the port before it returns, and the vault later. For the unloading of the plugin, which does not wait. */
  unload(): void;
  /** Restarts with the current settings. */
  restart(): Promise<void>;
  /** Calls `listener` after every change of `state` or `client`. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

interface ControlDeps {
  /** The reason why this installation cannot run the server; null when it can. */
  readonly problem: string | null;
  readonly choice: StartChoice;
  /** Returns the address of the server elsewhere that the settings name; null for the server inside the app. */
  address(): string | null;
  /** Loads the code of the service for an address as `address` returns it. It is not loaded with the app. */
  load(address: string | null): Promise<Service>;
  /** Shows the folders and asks for consent. Nothing runs before that. */
  askConsent(): void;
  /** Shows a message until the person closes it. Returns a function that closes it. */
  showMessage(message: string): () => void;
}

/**
 * The single owner of the server's state: everything that shows or changes it goes through here. It decides whether the
 * service may run; the service decides how.
 */
export class ServerControl {
  readonly #deps: ControlDeps;
  readonly #listeners = new Set<() => void>();
  #service: Service | null = null;
  /** The address that the service is for. */
  #address: string | null = null;
  #loading: { readonly address: string | null; readonly service: Promise<Service | null> } | null = null;
  /** Resolves when the service of another address has stopped; null when there was none. */
  #left: Promise<void> | null = null;
  #failure: string | null = null;
  #lastMessage: string | null = null;
  /** Closes the last message. */
  #closeMessage: (() => void) | null = null;
  #pending: number | null = null;
  #watched: BrainClient | null = null;
  #unwatch: (() => void) | null = null;
  #unfollow = (): void => undefined;
  #isClosed = false;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
  }

  get state(): ServerState {
    const { problem, choice } = this.#deps;
    if (!this.isElsewhere) {
      if (problem !== null) return { kind: 'unsupported', message: problem };
      if (!choice.confirmed) return { kind: 'unconfirmed' };
    }
    if (this.#failure !== null) return { kind: 'failed', message: this.#failure };
    if (this.#service !== null) return this.#service.state;
    return this.#loading === null ? { kind: 'off' } : { kind: 'starting' };
  }

  /** True when the settings name a server elsewhere: nothing runs inside the app then. */
  get isElsewhere(): boolean {
    return this.#deps.address() !== null;
  }

  /** The client of the open vault, also when agents cannot connect; null while the vault is closed. */
  get client(): BrainClient | null {
    return this.#service?.client ?? null;
  }

  /** The service; null until its code is loaded. */
  get service(): Service | null {
    return this.#service;
  }

  /** True when hybrid retrieval is on; false while the vault is closed. */
  get hasHybrid(): boolean {
    return this.#service?.hasHybrid ?? false;
  }

  /** The progress of the embedding sync; null while nothing is embedded. */
  get syncProgress(): Service['syncProgress'] {
    return this.#service?.syncProgress ?? null;
  }

  /** The number of notes that await review; null while it is unknown. */
  get pending(): number | null {
    return this.client === null || this.state.kind === 'lost' ? null : this.#pending;
  }

  /** Calls `listener` after every change of the properties above. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Starts what the settings name, with the app and after they name another server: the connection to a server elsewhere, or the
   * server inside the app if the person agreed. Asks for consent if nobody did yet. What ran for another address is stopped.
   */
  async begin(): Promise<void> {
    const { problem, choice } = this.#deps;
    this.#leave();
    if (this.isElsewhere) await this.#run((service) => service.start());
    else if (problem !== null) this.#show(problem);
    else if (choice.starts) await this.#run((service) => service.start());
    else if (!choice.asked) this.#deps.askConsent();
  }

  /** Starts the server, or asks for consent first. */
  async start(): Promise<void> {
    const { problem, choice } = this.#deps;
    if (this.isElsewhere) await this.#run((service) => service.start());
    else if (problem !== null) this.#show(problem);
    else if (choice.confirmed) await this.#run((service) => service.start());
    else this.#deps.askConsent();
  }

  /** Tells the listeners that the person has answered. */
  answered(): void {
    this.#notify();
  }

  /** Stops the server until a person or the app starts it again. */
  async stop(): Promise<void> {
    this.#failure = null;
    await this.#loading?.service.catch(() => undefined); // The caller that loads it reports the error.
    await this.#service?.stop();
    this.#changed();
  }

  /** Restarts the server with the current settings. */
  async restart(): Promise<void> {
    const { problem, choice } = this.#deps;
    if (!this.isElsewhere && (!choice.confirmed || problem !== null)) return this.start();
    await this.#run((service) => service.restart());
  }

  /** Closes everything for good: the port at once, the vault after the running write. */
  unload(): void {
    this.#isClosed = true;
    this.#clearMessage();
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
      if (service === null || service !== this.#service) return;
      await act(service);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.#changed();
  }

  /** Stops the service of an address that the settings no longer name. */
  #leave(): void {
    const [service, address] = [this.#service, this.#deps.address()];
    this.#failure = null;
    if (service === null || this.#address === address) return;
    this.#unfollow();
    this.#service = null;
    this.#changed();
    this.#left = service.stop().catch((error: unknown) => {
      consoleLog.warn('service.left', { message: String(error) });
    });
  }

  /** Returns the service, loaded at the first call; null when the plugin was unloaded or the address changed meanwhile. */
  async #loaded(): Promise<Service | null> {
    if (this.#service !== null) return this.#service;
    const address = this.#deps.address();
    if (this.#loading === null || this.#loading.address !== address) {
      this.#loading = { address, service: this.#load(address) };
      this.#notify();
    }
    return this.#loading.service;
  }

  async #load(address: string | null): Promise<Service | null> {
    try {
      if (this.#left !== null) await this.#left;
      const service = await this.#deps.load(address);
      if (this.#isClosed || address !== this.#deps.address()) return null;
      // The address may have changed and changed back meanwhile.
      if (this.#service !== null) return this.#service;
      this.#service = service;
      this.#address = address;
      this.#unfollow = service.onChange(() => this.#changed());
      return service;
    } finally {
      if (this.#loading?.address === address) this.#loading = null; // Another address has its own.
    }
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#watchQueue();
    const { state } = this;
    // A retry that fails with the same message is not reported again.
    if (state.kind === 'failed' && state.message !== this.#lastMessage) this.#show(state.message);
    if (state.kind !== 'starting') {
      this.#lastMessage = state.kind === 'failed' ? state.message : null;
      // The last message is outdated.
      if (state.kind !== 'failed' && state.kind !== 'unsupported') this.#clearMessage();
    }
    this.#notify();
  }

  /** Shows a message in place of the previous one. */
  #show(message: string): void {
    this.#clearMessage();
    this.#closeMessage = this.#deps.showMessage(message);
  }

  #clearMessage(): void {
    this.#closeMessage?.();
    this.#closeMessage = null;
  }

  #notify(): void {
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
      const { total } = await client.call('pending', { limit: 1, similar: false, wait: false });
      if (client !== this.#watched || total === this.#pending) return;
      this.#pending = total;
      this.#notify();
    } catch (error) {
      // The vault is being opened or closed, or its server is away. When it is there again, its next change counts again.
      const isPassing = isRecord(error) && (error.code === 'starting' || error.code === 'unreachable');
      if (client === this.#watched && !isPassing) consoleLog.warn('queue.count', { message: String(error) });
    }
  }
}
