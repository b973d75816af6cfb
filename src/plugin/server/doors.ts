import { setImmediate } from 'node:timers';
import type { Log } from '../../core/base/host';
import { PortBusy, type RunningServer, startServer } from '../../doors/http/listen';
import type { OpenVault } from './open-vault';
import type { PluginTokens } from './tokens';

export { checkExposure } from '../../doors/http/listen';

export interface DoorOptions {
  readonly vault: OpenVault;
  readonly tokens: PluginTokens;
  readonly version: string;
  readonly log: Log;
  /** False when whoever asked has gone meanwhile. */
  readonly isWanted: () => boolean;
}

/** A listening server, or why the port cannot be had at the moment: a sentence for the person. */
export type Listening = { readonly server: RunningServer } | { readonly busy: string };

/** What the doors stand on, in parts that take about as long as each other to come to life. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('../../doors/mcp/tools'),
  () => import('../../doors/mcp/era-2025'),
  () => import('../../doors/mcp/era-2026'),
  () => import('../../doors/http/app'),
];

/**
 * Opens HTTP and MCP for an opened vault. The port is tried once: who asks decides when to ask again. Resolves with null when
 * that is not wanted any more.
 * @throws ConfigError when the address cannot be had for another reason than that it is taken.
 */
export async function openDoors(options: DoorOptions): Promise<Listening | null> {
  const { vault, tokens, version, log, isWanted } = options;
  const { brain, audit } = vault;
  const { host, port } = brain.config;
  await wakeModules();
  const { createMcpDoor } = await import('../../doors/mcp/server');
  const { createApp } = await import('../../doors/http/app');
  if (!isWanted()) return null;
  const mcp = createMcpDoor({ brain, audit, sessionKey: tokens.sessionKey, version });
  const app = createApp({ brain, tokens, version, mcp });
  try {
    return { server: await startServer(app, { host, port, retryMs: 0, log }) };
  } catch (error) {
    if (error instanceof PortBusy) return { busy: error.message };
    throw error;
  }
}

/**
 * A module that is needed for the first time holds the thread while it comes to life; between two of them, others have a
 * turn.
 */
async function wakeModules(): Promise<void> {
  for (const load of PARTS) {
    await load();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
