import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../src/core/access/tokens';
import { settleConfig } from '../../src/core/config/config';
import { createApp } from '../../src/doors/http/app';
import { startServer } from '../../src/doors/http/listen';
import { createMcpDoor } from '../../src/doors/mcp/server';
import { openVault } from '../../src/headless/server/open';
import { silentLog } from '../support/silent-log';
import { WIRED_SURFACE, WIRED_TOOLS } from './fixtures';

export const TOKEN = 'the-suite-0123456789-0123456789-0123';

/** The whole HTTP stack as it is shipped, with what the suite calls by name registered beside our own. */
export async function startWiredServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'brain-wired-')));
  const opened = await openVault(root, settleConfig({}, {}), { BRAIN_DEVICE: 'wiredwir' }, silentLog());
  await opened.brain.ready();
  const version = '0.0.0-test';
  const mcp = createMcpDoor({
    ...opened,
    sessionKey: 'test key',
    version,
    tools: WIRED_TOOLS,
    surface: WIRED_SURFACE,
  });
  const owner = { name: 'owner', scopes: new Set(SCOPES), page: false };
  const tokens = { verify: async (token: string) => (token === TOKEN ? owner : null) };
  const app = createApp({ brain: opened.brain, tokens, version, mcp });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await opened.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
