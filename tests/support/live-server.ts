import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { hasCode } from '../../src/adapters/files/file-system';
import { type Scope, SCOPES, type TokenStore } from '../../src/core/access/tokens';
import { type Settings, settleConfig } from '../../src/core/config/config';
import { createApp } from '../../src/doors/http/app';
import { type ServerOptions, startServer } from '../../src/doors/http/listen';
import { createMcpDoor } from '../../src/doors/mcp/server';
import { openVault } from '../../src/headless/server/open';
import { silentLog } from './silent-log';

/** A file that is being written stands here. One that still does after this time, in milliseconds, was forgotten. */
const UNDER_WAY = /^\.brain[/\\]local\.[^/\\]+[/\\]tmp[/\\]./;
const SETTLE_MS = 5000;

/** The tokens of the live server; each is its own name. */
export const TOKENS: Readonly<Record<string, readonly Scope[]>> = {
  owner: SCOPES,
  laptop: ['read', 'write'],
  reader: ['read'],
  writer: ['write'],
  proposer: ['read', 'propose'],
  dropbox: ['propose'],
  janitor: ['write', 'review', 'admin'],
  curator: ['read', 'write', 'review', 'admin'],
  ada: ['read', 'write', 'review'],
};
/** The name of the token that is a person's. */
const PERSON = 'ada';
/** The name of the token that sees one wing, and writes into it alone. */
const INTERN = 'intern';
const INTERNS = { read: ['wiki/homelab'], writeWings: ['homelab'] };

const tokens: TokenStore = {
  verify: async (token) => {
    if (token === INTERN)
      return { name: token, scopes: new Set(['read', 'write']), page: false, limits: INTERNS };
    const scopes = TOKENS[token];
    return scopes === undefined
      ? null
      : { name: token, scopes: new Set(scopes), page: false, human: token === PERSON };
  },
};

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface LiveServer {
  readonly url: string;
  readonly root: string;
  http(method: string, path: string, body?: unknown, token?: string): Promise<Answered>;
  /** A client of the SDK that is connected with the token. */
  mcp(token?: string): Promise<Client>;
  /** Every file and folder of the vault but the audit log, which records refused calls too. */
  snapshot(): Promise<Record<string, string>>;
  /** Stops it; fails when anything was logged as an error that `errors` does not name. */
  stop(expected?: { errors: RegExp }): Promise<void>;
}

/** Both doors over a vault in a temporary folder, on a free port of this process. */
export async function startLiveServer(
  files: Readonly<Record<string, string>> = {},
  settings: Settings = {},
  prepare: (root: string) => Promise<void> = () => Promise.resolve(),
  limits: ServerOptions['limits'] = {},
): Promise<LiveServer> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'brain-live-')));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await prepare(root);
  const config = settleConfig({}, settings);
  const log = silentLog();
  const opened = await openVault(root, config, { BRAIN_DEVICE: 'testtest' }, log);
  await opened.brain.ready();
  // What the inbox keeps of its start and the maps that are made then belong into the first snapshot.
  while (opened.brain.inbox.state.state === 'starting') await wait(5);
  const end = Date.now() + SETTLE_MS;
  while (opened.brain.unready() !== null && Date.now() < end) await wait(5);
  const mcp = createMcpDoor({ ...opened, sessionKey: 'test key', version: '0.0.0-test' });
  const app = createApp({ brain: opened.brain, tokens, version: '0.0.0-test', mcp });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, limits });
  const clients: Client[] = [];
  return {
    url: server.url,
    root,
    async http(method, path, body, token = 'owner') {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
    },
    async mcp(token = 'owner') {
      const client = new Client({ name: 'live test', version: '1.0' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
      clients.push(client);
      return client;
    },
    async snapshot() {
      const end = Date.now() + SETTLE_MS;
      for (;;) {
        const found = await filesIn(root);
        const isSettled = found !== null && !Object.keys(found).some((path) => UNDER_WAY.test(path));
        if (isSettled || (found !== null && Date.now() > end)) return found;
        await wait(20);
      }
    },
    async stop(expected) {
      for (const client of clients) await client.close();
      await server.stop();
      await opened.close();
      await rm(root, { recursive: true, force: true });
      const errors = log.lines.filter(
        ({ level, event }) => level === 'error' && expected?.errors.test(event) !== true,
      );
      expect(errors).toEqual([]);
    },
  };
}

/** Everything below a folder but what is kept in the background, at a time of its own; null when a file went meanwhile. */
async function filesIn(root: string): Promise<Record<string, string> | null> {
  const found: Record<string, string> = {};
  try {
    for (const path of await readdir(root, { recursive: true })) {
      if (path.startsWith(join('.brain', 'audit')) || path.endsWith('catalog.bin')) continue;
      const full = join(root, path);
      found[path] = (await lstat(full)).isDirectory() ? 'folder' : await readFile(full, 'latin1');
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  return found;
}
