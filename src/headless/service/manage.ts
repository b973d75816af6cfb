import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { writeWhole } from '../../adapters/files/disk';
import { hasCode, orNull } from '../../adapters/files/file-system';
import type { Environment } from '../../adapters/host/config-folder';
import { CommandError, UsageError } from '../terminal/io';
import { environmentFile, launchdPlist, MADE_BY, type ServiceSpec, systemdUnit } from './units';

/** What `brain service status` tells. */
interface ServiceState {
  readonly name: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** The words of the system for its state. */
  readonly state: string;
  /** The file that describes the service to the system. */
  readonly file: string;
}

/** The program of the system that starts services. */
export interface ServiceManager {
  /** The file that describes the service. */
  file(name: string): string;
  /** Returns the contents of that file. */
  describe(spec: ServiceSpec): string;
  /** The command that shows the log of the service. */
  log(spec: Pick<ServiceSpec, 'name' | 'logFile'>): string;
  /** Says what a person has to know about when the service runs. */
  readonly note: string;
  /** Rejects when the system's program cannot be used in this session. */
  check(): Promise<void>;
  /** Starts the service that is described in its file, now and at each login. */
  start(name: string): Promise<void>;
  /** Stops the service, and does not start it any more. */
  stop(name: string): Promise<void>;
  /** Makes the system forget a file that is gone. */
  forget(): Promise<void>;
  state(name: string): Promise<Pick<ServiceState, 'running' | 'state'>>;
}

interface Done {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the system, without a shell. @throws CommandError when it is not installed. */
function runProgram(env: Environment, program: string, ...args: readonly string[]): Promise<Done> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (hasCode(error, 'ENOENT')) {
        reject(
          new CommandError(
            `There is no ${program} on this system. Have "brain serve" started by what starts programs here.`,
          ),
        );
        return;
      }
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** Runs a program that must succeed. @throws CommandError with what it said. */
async function mustRun(env: Environment, program: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram(env, program, ...args);
  if (code !== 0)
    throw new CommandError(`"${[program, ...args].join(' ')}" failed: ${stderr.trim() || code}`);
}

function systemd(env: Environment, home: string): ServiceManager {
  const config = env.XDG_CONFIG_HOME;
  const base = config && path.isAbsolute(config) ? config : path.join(home, '.config');
  const systemctl = (...args: readonly string[]): Promise<void> =>
    mustRun(env, 'systemctl', '--user', ...args);
  return {
    file: (name) => path.join(base, 'systemd', 'user', `${name}.service`),
    describe: systemdUnit,
    log: ({ name }) => `journalctl --user -u ${name}`,
    note: 'It runs while you are logged in. To have it run from the start of the machine on: loginctl enable-linger',
    async check() {
      const { code, stderr } = await runProgram(env, 'systemctl', '--user', 'show-environment');
      if (code === 0) return;
      throw new CommandError(
        `The systemd of this user cannot be reached: ${stderr.trim()}. Log in as the user whose service it is; after "su" or "sudo", set XDG_RUNTIME_DIR=/run/user/$(id -u).`,
      );
    },
    async start(name) {
      await systemctl('daemon-reload');
      await systemctl('enable', `${name}.service`);
      await systemctl('restart', `${name}.service`);
    },
    stop: (name) => systemctl('disable', '--now', `${name}.service`),
    forget: () => systemctl('daemon-reload'),
    async state(name) {
      const { stdout } = await runProgram(env, 'systemctl', '--user', 'is-active', `${name}.service`);
      const state = stdout.trim() || 'unknown';
      return { running: state === 'active', state };
    },
  };
}

function launchd(env: Environment, home: string): ServiceManager {
  const domain = `gui/${userInfo().uid}`;
  const file = (name: string): string => path.join(home, 'Library', 'LaunchAgents', `${name}.plist`);
  const unload = (name: string): Promise<Done> =>
    runProgram(env, 'launchctl', 'bootout', `${domain}/${name}`);
  return {
    file,
    describe: launchdPlist,
    log: ({ logFile }) => `tail -f '${logFile.replaceAll("'", "'\\''")}'`,
    note: 'It runs while you are logged in.',
    async check() {
      await runProgram(env, 'launchctl', 'version');
    },
    async start(name) {
      // An older one stays loaded otherwise; that there is none is no failure.
      await unload(name);
      await mustRun(env, 'launchctl', 'enable', `${domain}/${name}`);
      await mustRun(env, 'launchctl', 'bootstrap', domain, file(name));
    },
    async stop(name) {
      await unload(name);
    },
    forget: () => Promise.resolve(),
    async state(name) {
      const { code, stdout } = await runProgram(env, 'launchctl', 'print', `${domain}/${name}`);
      const state = code === 0 ? (/^\s*state = (.+)$/m.exec(stdout)?.[1] ?? 'loaded') : 'not loaded';
      return { running: state === 'running', state };
    },
  };
}

/**
 * Returns the program that starts services for a user on this system.
 * @throws CommandError for a system that has another one.
 */
export function serviceManager(env: Environment, home: string, platform: NodeJS.Platform): ServiceManager {
  if (platform === 'linux') return systemd(env, home);
  if (platform === 'darwin') return launchd(env, home);
  const instead =
    platform === 'win32'
      ? 'In the Task Scheduler of Windows, make a task that runs "brain serve" at logon.'
      : 'Have "brain serve" started by what starts programs here.';
  throw new CommandError(
    `A service can be set up with systemd on Linux and with launchd on macOS. ${instead}`,
  );
}

/** @throws UsageError for a name that would not be safe as the name of a file. */
export function checkServiceName(name: string): void {
  if (/^[a-z0-9](?:[a-z0-9.-]{0,38}[a-z0-9])?$/.test(name)) return;
  throw new UsageError(
    `The name "${name}" in --name cannot be the name of a service. Use up to 40 lower-case letters, digits, "-" and ".".`,
  );
}

/**
 * Returns the settings for a service: those that its file has already, and those of `env`, which win.
 * @throws Error when the file cannot be read.
 */
export async function settingsFor(
  envFile: string,
  env: Environment,
  names: readonly string[],
): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  const kept = parseEnv((await readIfThere(envFile)) ?? '');
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) settings[name] = value;
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== '') settings[name] = value;
  }
  return settings;
}

/**
 * Returns whether the description of a service is there.
 * @throws CommandError when another program or a person wrote it, because it must stay as it is.
 */
export async function hasOwnDescription(manager: ServiceManager, name: string): Promise<boolean> {
  const file = manager.file(name);
  const text = await readIfThere(file);
  if (text === null || text.includes(MADE_BY)) return text !== null;
  throw new CommandError(
    `${file} was not made by "brain service install", so it stays as it is. Give this service another name (--name <name>), or remove that file first.`,
  );
}

/**
 * Writes the files of a service and starts it. Nothing is written when the system's program cannot be used.
 * @throws CommandError also for the description of a foreign service.
 */
export async function installService(
  manager: ServiceManager,
  spec: ServiceSpec,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const file = manager.file(spec.name);
  const [description, environment] = [manager.describe(spec), environmentFile(settings)];
  await hasOwnDescription(manager, spec.name);
  await manager.check();
  for (const each of [spec.envFile, spec.logFile, file]) await mkdir(path.dirname(each), { recursive: true });
  await writeWhole(spec.envFile, Buffer.from(environment), { mode: 0o600 });
  await writeWhole(file, Buffer.from(description), { mode: 0o644 });
  await manager.start(spec.name);
}

/**
 * Stops a service and removes its description. Resolves false when there is none.
 * @throws CommandError also for the description of a foreign service.
 */
export async function uninstallService(manager: ServiceManager, name: string): Promise<boolean> {
  if (!(await hasOwnDescription(manager, name))) return false;
  await manager.check();
  await manager.stop(name);
  await rm(manager.file(name), { force: true });
  await manager.forget();
  return true;
}

/** Returns what the system says of a service. */
export async function serviceState(manager: ServiceManager, name: string): Promise<ServiceState> {
  const file = manager.file(name);
  if ((await readIfThere(file)) === null) {
    return { name, installed: false, running: false, state: 'not installed', file };
  }
  return { name, installed: true, ...(await manager.state(name)), file };
}

function readIfThere(file: string): Promise<string | null> {
  return orNull(readFile(file, 'utf8'));
}
