import { homedir } from 'node:os';
import { setImmediate } from 'node:timers';
import { configFolder, type Environment } from '../../adapters/host/config-folder';
import { proofOf } from '../../adapters/host/own-server';
import { ownTokensIn, savedKey } from '../../adapters/host/token-file';
import { joinTokenStores } from '../../core/access/tokens';
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
  /** Names the configuration folder of this user, whose command line and bridge reach this server too. */
  readonly env: Environment;
  /** Returns false when the server was stopped meanwhile. */
  readonly isWanted: () => boolean;
}

/** A listening server, or a sentence for the person about why the port is taken. */
export type Listening = { readonly server: RunningServer } | { readonly busy: string };

/** The modules of the doors, in parts that take about the same time to load. */
const DOOR_MODULES: readonly (() => Promise<unknown>)[] = [
  () => import('../../doors/mcp/tools'),
  () => import('../../doors/mcp/era-2025'),
  () => import('../../doors/mcp/era-2026'),
  () => import('../../doors/http/app'),
];

/**
 * Opens HTTP and MCP for an open vault. Tries the port once; the caller decides on retries. Returns null when the server was
 * stopped meanwhile.
 * @throws ConfigError when the address fails for another reason than a taken port.
 */
export async function openDoors(options: DoorOptions): Promise<Listening | null> {
  const { vault, tokens, version, log, env, isWanted } = options;
  const folder = configFolder(env, process.platform, homedir());
  const { brain, audit } = vault;
  const { host, port } = brain.config;
  await loadModules();
  const { createMcpDoor } = await import('../../doors/mcp/server');
  const { createApp } = await import('../../doors/http/app');
  if (!isWanted()) return null;
  const mcp = createMcpDoor({ brain, audit, sessionKey: tokens.sessionKey, version });
  const app = createApp({
    ...{ brain, version, mcp },
    tokens: joinTokenStores(tokens, ownTokensIn(folder)),
    async prove(nonce, end) {
      const key = await savedKey(folder).catch(() => null);
      return key && { proof: proofOf(key, nonce, end) };
    },
  });
  try {
    return { server: await startServer(app, { host, port, retryMs: 0, log }) };
  } catch (error) {
    if (error instanceof PortBusy) return { busy: error.message };
    throw error;
  }
}

/** Loads the modules of the doors. Each blocks the thread while it is evaluated, so other work gets a turn after each. */
async function loadModules(): Promise<void> {
  for (const load of DOOR_MODULES) {
    await load();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
