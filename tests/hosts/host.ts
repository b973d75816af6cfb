import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A program that serves a vault: the headless server, or the plugin inside a stand-in for the app. */
export interface Host {
  readonly name: string;
  /** Why this host cannot be tried here, or null. */
  readonly missing: string | null;
  /**
   * Serves the vault and resolves when it answers; `more` is added to its environment. Rejects with what the program said
   * when it does not come up.
   */
  start(vault: string, home: string, more?: Readonly<Record<string, string>>): Promise<RunningHost>;
}

export interface RunningHost {
  readonly url: string;
  /** The owner's token. */
  readonly token: string;
  /** Ends it as its user would. */
  stop(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

const BRAIN = path.resolve('dist/brain.mjs');
const PLUGIN = path.resolve('main.js');
const SIMULATOR = path.resolve('.cache/renderer/simulator.cjs');

/**
 * Bundles the simulator anew; its source is TypeScript, and older Nodes run it too. It is put in place whole: a program of
 * another suite may read it just now.
 */
export function buildSimulator(): void {
  const made = `${SIMULATOR}.${process.pid}`;
  execFileSync(process.execPath, ['tests/support/renderer/build.mjs', made]);
  renameSync(made, SIMULATOR);
}

/** `brain serve` on the Node of this process. */
export const headless: Host = {
  name: 'the headless server',
  missing: existsSync(BRAIN) ? null : 'dist/brain.mjs is missing: run "npm run build" first',
  start: (vault, home, more = {}) => serve({ BRAIN_VAULT: vault }, home, more),
};

/** `brain serve` on a vault in a database, which the first start brings in from the folder. */
export function onStore(dsn: string): Host {
  let isBroughtIn = false;
  return {
    name: 'the headless server on a store',
    missing: headless.missing,
    async start(vault, home, more = {}) {
      const store = { BRAIN_STORE: dsn };
      const env = { ...environment(home), ...store };
      if (!isBroughtIn) execFileSync(process.execPath, [BRAIN, 'import', '--vault', vault], { env });
      isBroughtIn = true;
      return serve(store, home, more);
    },
  };
}

const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  BRAIN_CONFIG_DIR: path.join(home, 'config'),
});

async function serve(
  place: Readonly<Record<string, string>>,
  home: string,
  more: Readonly<Record<string, string>>,
): Promise<RunningHost> {
  const env = { ...more, ...environment(home), ...place };
  const child = spawn(process.execPath, [BRAIN, 'serve', '--create', '--port', '0'], { env });
  const url = await firstMatch(child, /^Brain Server \S+ on (\S+)\n/);
  const shown = spawn(process.execPath, [BRAIN, 'token', 'show'], { env });
  const token = await firstMatch(shown, /^(\S+)\n/);
  return { url, token, stop: () => ended(child, 'SIGTERM'), kill: () => ended(child, 'SIGKILL') };
}

/**
 * The built plugin in the simulator of a renderer process, on one of the Node versions that the app has had; `watch` is a
 * module that is told when the plugin begins, and may change the process before.
 */
export function plugin(name: string, node: string, electron: string, watch?: string): Host {
  return {
    name,
    missing: [node, PLUGIN].find((file) => !existsSync(file))?.concat(' is missing') ?? null,
    async start(vault, home, more = {}) {
      const env = { ...more, PATH: process.env.PATH ?? '', HOME: home, TZ: 'UTC', BRAIN_PORT: '0' };
      const watched = watch === undefined ? [] : [watch];
      const child = spawn(node, [SIMULATOR, PLUGIN, vault, home, electron, ...watched], { env });
      const line = await firstMatch(child, /^ready (.+)\n/m);
      const { url, token }: { url: string; token: string } = JSON.parse(line);
      return { url, token, stop: () => ended(child, 'SIGTERM'), kill: () => ended(child, 'SIGKILL') };
    },
  };
}

/** The files of a vault, state included, as another program sees and changes them. */
export interface VaultFiles {
  has(at: string): boolean;
  read(at: string): string;
  /** The names of the files in a folder. */
  names(folder: string): string[];
  write(at: string, text: string): void;
  remove(at: string): void;
}

export function filesOnDisk(vault: string): VaultFiles {
  const place = (at: string) => path.join(vault, at);
  return {
    has: (at) => existsSync(place(at)),
    read: (at) => readFileSync(place(at), 'utf8'),
    names: (folder) => readdirSync(place(folder)),
    write: (at, text) => {
      mkdirSync(path.dirname(place(at)), { recursive: true });
      writeFileSync(place(at), text);
    },
    remove: (at) => rmSync(place(at)),
  };
}

/** The files of a vault in a database, where `sql` runs SQL; a change is written as another server writes it. */
export function filesInStore(sql: (text: string) => string): VaultFiles {
  const STATE = '.brain/';
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const bodyOf = (at: string): string =>
    at.startsWith(STATE)
      ? sql(
          `SELECT encode(string_agg(body, '' ORDER BY part), 'base64') FROM brain.state WHERE path = ${literal(at.slice(STATE.length))}`,
        )
      : sql(`SELECT encode(body, 'base64') FROM brain.files WHERE path = ${literal(at)}`);
  const tell = (at: string, removed: boolean) =>
    `INSERT INTO brain.changes (path, removed, by) VALUES (${literal(at)}, ${removed}, 'a person');`;
  return {
    has: (at) => sql(`SELECT count(*) FROM brain.files WHERE path = ${literal(at)}`) === '1',
    read: (at) => Buffer.from(bodyOf(at), 'base64').toString('utf8'),
    names: (folder) => {
      const below = literal(`${folder.slice(STATE.length)}/`);
      const rest = `substr(path, length(${below}) + 1)`;
      return sql(`SELECT DISTINCT ${rest} FROM brain.state WHERE starts_with(path, ${below})`).split('\n');
    },
    write: (at, text) =>
      void sql(
        `BEGIN; INSERT INTO brain.files (path, folded, body) VALUES (${literal(at)}, lower(${literal(at)}), convert_to(${literal(text)}, 'UTF8')); ${tell(at, false)} COMMIT`,
      ),
    remove: (at) =>
      void sql(`BEGIN; DELETE FROM brain.files WHERE path = ${literal(at)}; ${tell(at, true)} COMMIT`),
  };
}

/** Where the Node of a line of Electron lies once `npm ci --prefix tests/nodes` has brought it. */
export function nodeOf(electron: string): string {
  return path.resolve(`tests/nodes/node_modules/electron-${electron}/bin/node`);
}

/** The plugin on the Nodes of the app's last lines, the oldest and the newest first, and on the Node of this process. */
export const plugins: readonly Host[] = [
  plugin('the plugin on the Node of Electron 37', nodeOf('37'), '37.10.3'),
  plugin('the plugin on the Node of Electron 43', nodeOf('43'), '43.1.1'),
  plugin('the plugin on the Node of Electron 39', nodeOf('39'), '39.8.3'),
  plugin(`the plugin on Node ${process.versions.node}`, process.execPath, '37.10.3'),
];

/** The first group of the first match in what the program prints; rejects with all it said when it ends before. */
function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      const found = pattern.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.\n${out}\n${errors}`)));
  });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await over;
}

/**
 * The hosts that this machine can run. Those that it cannot are left out, and it is said aloud what brings what they miss; in
 * CI (`CI` is set) that is an error, so that it cannot go unnoticed.
 */
export function present(hosts: readonly Host[]): Host[] {
  for (const { name, missing } of hosts) {
    if (missing === null) continue;
    if (process.env.CI !== undefined) throw new Error(`${name}: ${missing}`);
    console.warn(`Skipped: ${name}, because ${missing}. npm ci --prefix tests/nodes brings what is missing.`);
  }
  return hosts.filter(({ missing }) => missing === null);
}
