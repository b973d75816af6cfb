// The built plugin in a process that looks like a window of the app, on a vault on disk:
//   node simulator.cjs <main.js> <vault> <home> <electron version> [<watch.cjs>]
// Prints "ready {url, token}" when the server listens. Ends as the app does when it is asked to. With a module that watches it
// also prints "watched {…}" then.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get, request as send } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import type { App, Plugin, PluginManifest, RequestUrlParam } from 'obsidian';
import manifest from '../../../manifest.json';
import { watchVault } from '../../../src/adapters/vault/watch';
import * as app from '../../obsidian/index';
import { type Device, newDevice } from '../../obsidian/core/device';
import type { FakeResponse } from '../../obsidian/core/host-state';
import { DiskStorage } from '../../obsidian/storage/disk';
import { becomeRenderer } from './renderer-globals';

/** How soon the app notices what other programs write, and how often it is looked whether the server runs. */
const LOOK_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 45_000;

const OWNER_SECRET = 'brain-server-owner-token';

/** What a module exports that measures the plugin from inside its process. */
export interface PluginWatch {
  /** Called when the app is ready and the person is about to agree to the server. */
  begin(): void;
  /** What was seen, as JSON can say it. */
  end(): Promise<unknown>;
}

type PluginClass = new (app: App, manifest: PluginManifest) => Plugin;

/** Evaluates the bundle as the app does: as the body of a function, with a `require` that knows the app. */
function evaluate(file: string): PluginClass {
  const nodeRequire = createRequire(file);
  const module: { exports: { default?: PluginClass } } = { exports: {} };
  const code = readFileSync(file, 'utf8');
  const body: unknown = runInThisContext(`(function anonymous(require,module,exports){${code}\n})`, {
    filename: file,
  });
  if (typeof body !== 'function') throw new Error('The bundle is no function body.');
  const load = (name: string): unknown => (name === 'obsidian' ? app : nodeRequire(name));
  body(load, module, module.exports);
  if (module.exports.default === undefined) throw new Error('The bundle gives no plugin.');
  return module.exports.default;
}

/** Secrets and local storage outlive the process, beside the vault, as the app's own do. */
function keptDevice(file: string): { device: Device; keep(): void } {
  const device = newDevice();
  if (existsSync(file)) {
    const kept: Record<'localStorage' | 'secrets', [string, string][]> = JSON.parse(
      readFileSync(file, 'utf8'),
    );
    for (const [key, value] of kept.localStorage) device.localStorage.set(key, value);
    for (const [key, value] of kept.secrets) device.secrets.set(key, value);
  }
  const keep = (): void => {
    writeFileSync(
      file,
      JSON.stringify({ localStorage: [...device.localStorage], secrets: [...device.secrets] }),
    );
  };
  return { device, keep };
}

async function main(): Promise<void> {
  const [bundle = '', vault = '', home = '', electron = '', watchFile] = process.argv.slice(2);
  const watched: PluginWatch | null = watchFile === undefined ? null : createRequire(watchFile)(watchFile);
  const { document } = becomeRenderer(electron);
  mkdirSync(home, { recursive: true });
  const { device, keep } = keptDevice(path.join(home, 'device.json'));
  const storage = new DiskStorage(vault);
  const host = await app.createHost({
    storage,
    device,
    document,
    requests: overHttp,
    settings: { outsideDelay: LOOK_EVERY_MS },
  });
  const watcher = watchVault(vault, ({ path: at }) => host.noticed(at), console);
  // The app has looked through the vault before it says that its layout is ready.
  await watcher.ready;
  await host.loadPlugin(evaluate(bundle), manifest);
  await host.layoutReady();

  watched?.begin();
  const end = Date.now() + GIVE_UP_AFTER_MS;
  for (let url: string | undefined; url === undefined;) {
    if (Date.now() > end) throw new Error(`No server. ${host.notices.map(({ text }) => text).join(' | ')}`);
    const buttons = [...document.querySelectorAll('button')];
    buttons.find((button) => button.textContent === 'Start')?.click();
    url = /Agents reach this vault at (http:\S+?)\.(?:\s|$)/.exec(statusOf(host))?.[1];
    if (url === undefined) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    else {
      // The owner's token is made when it is first needed, which is when the first request has to be told from a stranger's.
      await new Promise((resolve, reject) => {
        get(`${url}/pending`, { headers: { authorization: 'Bearer a-stranger' } }, (answer) => {
          answer.resume().once('end', resolve);
        }).once('error', reject);
      });
      keep();
      console.log(`ready ${JSON.stringify({ url, token: device.secrets.get(OWNER_SECRET) })}`);
    }
  }
  process.once('SIGTERM', () => {
    void (async () => {
      if (watched !== null) console.log(`watched ${JSON.stringify(await watched.end())}`);
      await host.quit();
      host.unloadPlugin(manifest.id);
      await watcher.close();
      keep();
      process.exit(0);
    })();
  });
}

/** The app's own client reaches other programs outside the rules for web pages. */
function overHttp({ url, method = 'GET', headers = {}, body = '' }: RequestUrlParam): Promise<FakeResponse> {
  return new Promise((resolve, reject) => {
    const asked = send(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    asked.once('error', () => reject(new Error('net::ERR_CONNECTION_REFUSED')));
    asked.end(typeof body === 'string' ? body : Buffer.from(body));
  });
}

/** What the status bar says, its labels for screen readers included. */
function statusOf(host: Awaited<ReturnType<typeof app.createHost>>): string {
  return host.statusBar
    .flatMap((item) => [item, ...item.querySelectorAll('*')])
    .flatMap((element) => [element.textContent, element.getAttribute('aria-label')])
    .join(' ');
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
