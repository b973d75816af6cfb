import type { App } from 'obsidian';
import type { Clock, Log } from '../../core/base/host';
import type { Config } from '../../core/config/config';
import { DEFAULT_URL } from '../../core/config/settings';
import type { QuarantinedFile } from '../../core/operation/context';
import type { BrainClient } from '../../core/registry/client';
import type { Plan } from '../../core/storage/plan';
import { vaultPath } from '../../core/vocabulary/paths';
import type { RunningServer } from '../../doors/http/listen';
import { type Service, type StateHere, UNREADABLE_FILE } from './control';
import { Alarm, type SetTimer } from './timers';
import type { OpenVault } from './open-vault';
import { PluginTokens } from './tokens';

// The modules that open the vault and its doors are loaded on demand, so the imports above are types of them only.

/** The delays before the port or the vault is tried again (ms). The last one repeats. */
const RETRIES = [1_000, 2_000, 5_000, 10_000, 30_000];
/** The interval of checks that the server accepts connections (ms). */
const WATCH_EVERY_MS = 60_000;

export type ServiceStatus =
  | { readonly state: 'stopped' }
  | { readonly state: 'starting' }
  | { readonly state: 'running'; readonly port: number; readonly url: string }
  /** Another program has the port, or another service the vault. The service retries by itself. */
  | {
      readonly state: 'waiting';
      readonly for: 'port' | 'vault';
      readonly reason: string;
      readonly nextTry: Date;
    }
  /** A failure that no retry cures. The reason names it. */
  | { readonly state: 'failed'; readonly reason: string };

export interface ServiceOptions {
  readonly app: App;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Returns the configuration of the current settings. Rejects with a sentence for the person. */
  configure(): Promise<Config>;
  /**
   * The first layout of the vault, which the person has agreed to: whether its folders and guidance are still missing, and a
   * note that they are created.
   */
  readonly layout: { isDue(): boolean; made(): void };
  /** Called after every change that an operation commits in the vault. Must not throw. */
  readonly committed?: (plan: Plan) => void;
  /** Called after a file of the inbox is put into quarantine. Must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
  readonly clock?: Clock;
  readonly later?: SetTimer;
}

const systemClock: Clock = { now: () => new Date() };

/**
 * The lifecycle of the server inside the app. Starts and stops run one after another, in the order of the calls. While the
 * port is taken the vault is open, so the screens work.
 */
export class BrainService implements Service {
  readonly tokens: PluginTokens;
  readonly readFile = null;
  readonly #options: ServiceOptions;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #listeners = new Set<() => void>();
  #status: ServiceStatus = { state: 'stopped' };
  #vault: OpenVault | null = null;
  #server: RunningServer | null = null;
  #url = DEFAULT_URL;
  #isWanted = false;
  /** The number of tries in a row that found the port or the vault taken. */
  #failures = 0;
  #chain: Promise<void> = Promise.resolve();

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#alarm = new Alarm(this.#clock, options.later);
    this.tokens = new PluginTokens(options.app, this.#clock, options.env.BRAIN_TOKEN);
  }

  /** The status in detail. */
  get status(): ServiceStatus {
    return this.#status;
  }

  get state(): StateHere {
    const status = this.#status;
    switch (status.state) {
      case 'stopped':
        return { kind: 'off' };
      case 'starting':
        return { kind: 'starting' };
      case 'running':
        return { kind: 'running', url: status.url };
      case 'waiting':
        return { kind: 'failed', message: `${status.reason} It is tried again by itself.` };
      case 'failed':
        return { kind: 'failed', message: status.reason };
    }
  }

  get client(): BrainClient | null {
    return this.#vault?.client ?? null;
  }

  async ingestFile(...[name, file]: Parameters<Service['ingestFile']>): ReturnType<Service['ingestFile']> {
    const { client, bytes } = await this.#withBytes(file);
    return client.ingestFile(name, bytes);
  }

  async sendPart(...[ask, part]: Parameters<Service['sendPart']>): ReturnType<Service['sendPart']> {
    const { client, bytes } = await this.#withBytes(part);
    return client.sendPart(ask, bytes);
  }

  /** @throws CallError when a file cannot be read, or the vault is closed */
  async #withBytes(file: Blob): Promise<{ client: OpenVault['client']; bytes: Uint8Array }> {
    const { CallError } = await import('../../core/registry/client');
    const bytes = await file.arrayBuffer().catch(() => {
      throw new CallError('source_missing', UNREADABLE_FILE);
    });
    if (this.#vault !== null) return { client: this.#vault.client, bytes: new Uint8Array(bytes) };
    throw new CallError('unreachable', 'The vault is not open. Start the server, then repeat this.');
  }

  isOwners(path: string): boolean {
    return this.#vault?.brain.catalog.record(vaultPath(path))?.status === 'vault';
  }

  get hasHybrid(): boolean {
    return this.#hybrid !== null;
  }

  get syncProgress(): Service['syncProgress'] {
    const progress = this.#hybrid?.sync.state.progress ?? null;
    return progress?.phase === 'embedding' ? progress : null;
  }

  get #hybrid(): OpenVault['brain']['hybrid'] {
    return this.#vault?.brain.hybrid ?? null;
  }

  get url(): string {
    return this.#url;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): Promise<void> {
    this.#isWanted = true;
    return this.#enqueue(() => this.#open());
  }

  stop(): Promise<void> {
    this.#isWanted = false;
    this.#alarm.clear();
    return this.#enqueue(() => this.#close());
  }

  restart(): Promise<void> {
    this.#isWanted = true;
    this.#alarm.clear();
    return this.#enqueue(async () => {
      await this.#close();
      await this.#open();
    });
  }

  /**
   * Closes the port before it returns, aborting open requests, so that the next instance can have it. The vault closes after
   * the running write. For the unloading of the plugin, which does not wait.
   */
  unload(): void {
    this.#listeners.clear();
    const server = this.#server;
    void this.stop();
    void server?.stop({ atOnce: true });
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#chain.then(work);
    this.#chain = result.catch((error: unknown) => {
      this.#options.log.error('service.step', { message: String(error) });
    });
    return this.#chain;
  }

  async #open(): Promise<void> {
    if (!this.#isWanted || this.#status.state === 'running') return;
    this.#alarm.clear();
    // A retry is not shown as a start.
    if (this.#status.state !== 'waiting') this.#setStatus({ state: 'starting' });
    try {
      await this.#openVault();
      if (this.#vault !== null && this.#isWanted) await this.#openDoors(this.#vault);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #openVault(): Promise<void> {
    if (this.#vault !== null) return;
    const { layout, app, version, env, log, committed, quarantined } = this.#options;
    const config = await this.#options.configure();
    const { checkExposure } = await import('./doors');
    checkExposure(config);
    const { environmentFault } = this.tokens;
    if (environmentFault !== null)
      throw new (await import('../../core/config/config')).ConfigError(environmentFault);
    this.#url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
    const { openVault } = await import('./open-vault');
    if (!this.#isWanted) return;
    const isFirst = layout.isDue();
    const opening = await openVault({
      app,
      config,
      version,
      env,
      clock: this.#clock,
      log,
      isFirst,
      onLost: () => void this.#enqueue(() => this.#openAnew()),
      hostChecks: async () =>
        (await import('./host-checks')).hostChecks(this, app.vault, await this.tokens.list()),
      ...(committed && { committed }),
      ...(quarantined && { quarantined }),
    });
    if ('inUse' in opening) return this.#retryLater('vault', opening.inUse);
    if (isFirst) layout.made();
    this.#vault = opening.opened;
  }

  /** Closes a vault that another service has taken over, and waits for it. */
  async #openAnew(): Promise<void> {
    // What it cannot write any more is no failure.
    await this.#close().catch((error: unknown) =>
      this.#options.log.warn('service.lost', { message: String(error) }),
    );
    await this.#open();
  }

  async #openDoors(vault: OpenVault): Promise<void> {
    const { version, log, env } = this.#options;
    const { openDoors } = await import('./doors');
    const isWanted = (): boolean => this.#isWanted;
    const listening = await openDoors({ vault, tokens: this.tokens, version, log, env, isWanted });
    if (listening === null) return;
    if ('busy' in listening) return this.#retryLater('port', listening.busy);
    const { port, url } = listening.server;
    this.#server = listening.server;
    this.#url = url;
    this.#failures = 0;
    this.#watchLater();
    this.#setStatus({ state: 'running', port, url });
  }

  #retryLater(what: 'port' | 'vault', reason: string): void {
    const delay = RETRIES[Math.min(this.#failures, RETRIES.length - 1)] ?? WATCH_EVERY_MS;
    this.#failures += 1;
    if (this.#isWanted) this.#alarm.set(delay, () => void this.#enqueue(() => this.#open()));
    const nextTry = new Date(this.#clock.now().getTime() + delay);
    this.#setStatus({ state: 'waiting', for: what, reason, nextTry });
  }

  #watchLater(): void {
    if (this.#isWanted) this.#alarm.set(WATCH_EVERY_MS, () => void this.#enqueue(() => this.#watch()));
  }

  /** Reopens the server when it does not answer: a machine that slept may have lost the socket. */
  async #watch(): Promise<void> {
    const server = this.#server;
    if (server === null || !this.#isWanted) return;
    if (await server.answers()) return this.#watchLater();
    this.#options.log.warn('service.silent', { port: server.port });
    this.#server = null;
    await server.stop({ atOnce: true });
    this.#setStatus({ state: 'starting' });
    await this.#open();
  }

  async #close(): Promise<void> {
    const [server, vault] = [this.#server, this.#vault];
    this.#server = null;
    this.#vault = null;
    this.#failures = 0;
    try {
      await server?.stop();
    } finally {
      try {
        await vault?.close();
      } finally {
        this.#setStatus({ state: 'stopped' });
      }
    }
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log.error('service.failed', { message: reason });
    this.#setStatus({ state: 'failed', reason });
  }

  #setStatus(status: ServiceStatus): void {
    this.#status = status;
    for (const listener of [...this.#listeners]) listener();
  }
}
