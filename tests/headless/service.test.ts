import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { environmentFile, launchdPlist, systemdUnit } from '../../src/headless/service/units';
import { brainCommand } from '../support/command-line';
import { notOn } from '../support/systems';
import { withTempFolder } from '../support/temp-folder';

const posix = notOn(['win32'], 'the programs that stand in for the system are shell scripts');

const spec = {
  name: 'brain-server',
  vault: '/home/ada/my "best" notes, 100%/$HOME\\<a> & b',
  port: '27246',
  program: ['/opt/node 22/bin/node', '/usr/local/bin/brain'],
  envFile: '/home/ada/.config/brain-server/brain-server.env',
  logFile: '/home/ada/Library/Logs/brain-server.log',
};

describe('what the system is given', () => {
  it('is a unit with every word quoted, for systemd', () => {
    expect(systemdUnit(spec)).toMatchSnapshot();
  });

  it('is a property list, for launchd', () => {
    expect(launchdPlist(spec)).toMatchSnapshot();
  });

  it('is refused for a path with a line break, which would be another setting', () => {
    const broken = { ...spec, vault: '/home/ada/a\nExecStart=/bin/sh' };
    expect(() => systemdUnit(broken)).toThrow('control character');
    expect(() => launchdPlist(broken)).toThrow('control character');
  });

  it('is refused for a Node that systemd would not start', () => {
    expect(() => systemdUnit({ ...spec, program: ['/opt/a "b"/node', '/x'] })).toThrow(
      'Install Node elsewhere',
    );
  });

  it.each(['plain', "it's", 'a "b" c', 'a#b', ' spaces ', '\'"', 'C:\\new', '$HOME ${x}', '`'])(
    'keeps the value %j of a setting',
    (value) => {
      expect(parseEnv(environmentFile({ BRAIN_A: value, BRAIN_B: 'x' }))).toEqual({
        BRAIN_A: value,
        BRAIN_B: 'x',
      });
    },
  );

  it.each(['a\nb', '\'"`'])('says that the value %j cannot be kept', (value) => {
    expect(() => environmentFile({ BRAIN_A: value })).toThrow('BRAIN_A');
  });

  it('is a unit that systemd takes, where systemd is', () =>
    withTempFolder(async (folder) => {
      const program = path.join(folder, 'my node $x 100%');
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
      const file = path.join(folder, 'brain-server.service');
      writeFileSync(file, systemdUnit({ ...spec, program: [program, '/usr/local/bin/brain'] }));
      const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', file], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder },
      });
      if (error !== undefined)
        return console.log('There is no systemd-analyze here: the unit was not verified.');
      // It also judges the units of this machine, which are none of ours.
      expect(stderr.split('\n').filter((line) => line.includes('brain-server'))).toEqual([]);
      expect([status, stderr]).toEqual([0, expect.anything()]);
    }));
});

interface Machine {
  readonly home: string;
  /** The calls of the stand-in for systemctl or launchctl. */
  readonly calls: () => string[];
  run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** Runs `work` on a machine whose `program` is a script with `body`, which records its calls. */
async function onMachine(
  platform: NodeJS.Platform,
  { program, body }: { readonly program: string; readonly body: string },
  work: (machine: Machine) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
  own = '/usr/local/bin/brain',
): Promise<void> {
  await withTempFolder(async (home) => {
    const calls = path.join(home, 'calls');
    mkdirSync(path.join(home, 'bin'));
    const script = path.join(home, 'bin', program);
    if (program !== '') {
      writeFileSync(script, `#!/bin/sh\necho "$*" >> '${calls}'\n${body}\n`);
      chmodSync(script, 0o755);
    }
    const env = { HOME: home, PATH: path.join(home, 'bin'), ...more };
    await work({
      home,
      calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
      async run(...args) {
        const program = ['/usr/bin/node', own];
        const { code, out, err } = await onPlatform(platform, () =>
          brainCommand(['service', ...args], { env, program }),
        );
        return { code, stdout: out, stderr: err };
      },
    });
  });
}

/** Runs `work` with another platform in `process`. */
async function onPlatform<T>(platform: NodeJS.Platform, work: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform');
  Object.defineProperty(process, 'platform', { ...own, value: platform });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'platform', { ...own });
  }
}

const SYSTEMCTL = { program: 'systemctl', body: 'case "$*" in *is-active*) echo active;; esac' };

posix.describe('brain service with systemd', () => {
  const unit = (home: string) => path.join(home, '.config/systemd/user/brain-server.service');
  const settings = (home: string) => path.join(home, '.config/brain-server/brain-server.env');

  it('writes unit and settings, starts the service at once and at each login', () =>
    onMachine(
      'linux',
      SYSTEMCTL,
      async ({ home, calls, run }) => {
        mkdirSync(path.join(home, 'my notes'));
        const done = await run('install', '--vault', path.join(home, 'my notes'), '--port', '27300');
        expect(done).toMatchObject({ code: 0, stderr: '' });
        expect(done.stdout).toContain(`serves ${home}/my notes on port 27300`);
        expect(done.stdout).toContain('loginctl enable-linger');
        expect(calls()).toEqual([
          '--user show-environment',
          '--user daemon-reload',
          '--user enable brain-server.service',
          '--user restart brain-server.service',
        ]);
        const text = readFileSync(unit(home), 'utf8');
        expect(text).toContain(
          `ExecStart="/usr/bin/node" "--env-file=${settings(home)}" "/usr/local/bin/brain" "serve" "--vault" "${home}/my notes" "--port" "27300"\n`,
        );
        expect(text).not.toContain('a-key');
        expect(statSync(settings(home)).mode & 0o777).toBe(0o600);
        expect(parseEnv(readFileSync(settings(home), 'utf8'))).toEqual({
          BRAIN_LLM_URL: 'http://127.0.0.1:11434',
          BRAIN_LLM_KEY: 'a-key',
        });
      },
      {
        BRAIN_LLM_URL: 'http://127.0.0.1:11434',
        BRAIN_LLM_KEY: 'a-key',
        BRAIN_PORT: '1',
        BRAIN_URL: 'http://x',
      },
    ));

  it('keeps the settings that a person has added when it is installed again', () =>
    onMachine('linux', SYSTEMCTL, async ({ home, run }) => {
      await run('install', '--vault', home);
      writeFileSync(settings(home), 'BRAIN_RATE_LIMIT=5 # mine\n');
      expect((await run('install', '--vault', home)).code).toBe(0);
      expect(parseEnv(readFileSync(settings(home), 'utf8'))).toEqual({ BRAIN_RATE_LIMIT: '5' });
    }));

  it('leaves a unit alone that somebody else has written, and says what to do', () =>
    onMachine('linux', SYSTEMCTL, async ({ home, calls, run }) => {
      const own = '[Service]\nExecStart=/opt/mine\n';
      mkdirSync(path.dirname(unit(home)), { recursive: true });
      writeFileSync(unit(home), own);
      for (const args of [
        ['install', '--vault', home],
        ['install', '--vault', home, '--dry-run'],
        ['uninstall'],
      ]) {
        const { code, stdout, stderr } = await run(...args);
        expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('--name')]);
        expect(stderr).toContain(unit(home));
      }
      expect(readFileSync(unit(home), 'utf8')).toBe(own);
      expect(existsSync(settings(home))).toBe(false);
      expect(calls()).toEqual([]);
      expect((await run('install', '--vault', home, '--name', 'brain-2')).code).toBe(0);
    }));

  it('keeps no token in the unit, and makes a relative folder of settings absolute', () =>
    onMachine(
      'linux',
      SYSTEMCTL,
      async ({ home, run }) => {
        const token = 'a-token-of-the-owner-that-is-long-enough';
        expect((await run('install', '--vault', home)).code).toBe(0);
        expect(readFileSync(unit(home), 'utf8')).not.toContain(token);
        const file = path.resolve('tmp-conf/brain-server.env');
        expect(statSync(file).mode & 0o777).toBe(0o600);
        expect(parseEnv(readFileSync(file, 'utf8'))).toEqual({
          BRAIN_TOKEN: token,
          BRAIN_CONFIG_DIR: path.resolve('tmp-conf'),
        });
        rmSync(path.resolve('tmp-conf'), { recursive: true });
      },
      {
        BRAIN_TOKEN: 'a-token-of-the-owner-that-is-long-enough',
        BRAIN_CONFIG_DIR: 'tmp-conf',
      },
    ));

  it('says whether it runs, and goes away leaving the settings', () =>
    onMachine('linux', SYSTEMCTL, async ({ home, calls, run }) => {
      expect(await run('status')).toMatchObject({ code: 1, stdout: 'brain-server: not installed\n' });
      await run('install', '--vault', home);
      const state = await run('status');
      expect(state).toMatchObject({ code: 0 });
      expect(state.stdout).toContain('brain-server: active\n');
      expect(JSON.parse((await run('status', '--json')).stdout)).toEqual({
        ...{ name: 'brain-server', installed: true, running: true, state: 'active', file: unit(home) },
      });
      expect(await run('uninstall')).toMatchObject({ code: 0 });
      expect(calls().slice(-2)).toEqual([
        '--user disable --now brain-server.service',
        '--user daemon-reload',
      ]);
      expect([existsSync(unit(home)), existsSync(settings(home))]).toEqual([false, true]);
      const again = await run('uninstall');
      expect([again.code, again.stderr]).toEqual([
        1,
        expect.stringContaining('There is no service "brain-server"'),
      ]);
    }));

  it('ends with 1 when the service has failed', () =>
    onMachine(
      'linux',
      { program: 'systemctl', body: 'case "$*" in *is-active*) echo failed; exit 3;; esac' },
      async ({ home, run }) => {
        await run('install', '--vault', home);
        const { code, stdout, stderr } = await run('status');
        expect([code, stdout]).toEqual([1, expect.stringContaining('brain-server: failed\n')]);
        expect(stderr).toContain('does not run');
      },
    ));

  it('prints everything and changes nothing with --dry-run', () =>
    onMachine(
      'linux',
      SYSTEMCTL,
      async ({ home, calls, run }) => {
        const { code, stdout } = await run('install', '--vault', home, '--dry-run');
        expect(code).toBe(0);
        expect(stdout).toContain(`# ${unit(home)}\n`);
        expect(stdout).toContain('ExecStart=');
        expect(stdout).toContain('# Settings: BRAIN_LLM_KEY');
        expect(stdout).not.toContain('a-key');
        expect(calls()).toEqual([]);
        expect([existsSync(unit(home)), existsSync(settings(home))]).toEqual([false, false]);
      },
      { BRAIN_LLM_KEY: 'a-key' },
    ));

  it.each([[], ['--dry-run']])(
    'refuses a folder that is not there, with %j, and writes nothing',
    (...flags) =>
      onMachine('linux', SYSTEMCTL, async ({ home, calls, run }) => {
        const { code, stderr } = await run('install', '--vault', path.join(home, 'missing'), ...flags);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`There is no folder ${home}/missing`)]);
        expect(calls()).toEqual([]);
        expect([existsSync(unit(home)), existsSync(settings(home))]).toEqual([false, false]);
      }),
  );

  it('is not set up for a copy in the cache of npx', () =>
    onMachine(
      'linux',
      SYSTEMCTL,
      async ({ home, calls, run }) => {
        const { code, stderr } = await run('install', '--vault', home);
        expect([code, stderr]).toEqual([1, expect.stringContaining('npm install -g brain-server')]);
        expect(calls()).toEqual([]);
      },
      {},
      '/home/ada/.npm/_npx/1f/node_modules/.bin/brain-server',
    ));

  it('writes nothing where systemd cannot be reached, and says what to do', () =>
    onMachine(
      'linux',
      { program: 'systemctl', body: 'echo "Failed to connect to bus: No medium found" >&2; exit 1' },
      async ({ home, run }) => {
        const { code, stderr } = await run('install', '--vault', home);
        expect([code, stderr]).toEqual([1, expect.stringContaining('No medium found')]);
        expect(stderr).toContain('XDG_RUNTIME_DIR');
        expect([existsSync(unit(home)), existsSync(settings(home))]).toEqual([false, false]);
      },
    ));

  it.each([
    [['install'], 2, 'needs a vault'],
    [['install', '--vault', '/tmp/x', '--port', '99999'], 2, '--port'],
    [['install', '--vault', '/tmp/x', '--name', '../x'], 2, '--name'],
    [['status', '--name', 'a b'], 2, '--name'],
  ])('refuses %j', (args, code, words) =>
    onMachine('linux', SYSTEMCTL, async ({ calls, run }) => {
      const said = await run(...args);
      expect([said.code, said.stderr]).toEqual([code, expect.stringContaining(words)]);
      expect(calls()).toEqual([]);
    }),
  );
});

posix.describe('brain service with launchd', () => {
  const LAUNCHCTL = {
    program: 'launchctl',
    body: 'case "$1" in print) printf "service = {\\n\\tstate = running\\n}\\n";; bootout) exit 3;; esac',
  };

  it('loads a property list, says whether it runs, and takes it away', () =>
    onMachine('darwin', LAUNCHCTL, async ({ home, calls, run }) => {
      const file = path.join(home, 'Library/LaunchAgents/brain-work.plist');
      const domain = `gui/${process.getuid?.()}`;
      expect(await run('install', '--vault', home, '--name', 'brain-work')).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect(readFileSync(file, 'utf8')).toContain('<string>brain-work</string>');
      expect(existsSync(path.join(home, 'Library/Application Support/brain-server/brain-work.env'))).toBe(
        true,
      );
      expect(calls()).toEqual([
        'version',
        `bootout ${domain}/brain-work`,
        `enable ${domain}/brain-work`,
        `bootstrap ${domain} ${file}`,
      ]);
      expect(await run('status', '--name', 'brain-work')).toMatchObject({ code: 0 });
      expect(await run('uninstall', '--name', 'brain-work')).toMatchObject({ code: 0 });
      expect(existsSync(file)).toBe(false);
    }));
});

posix.describe('brain service with a foreign property list', () => {
  it('leaves it alone', () =>
    onMachine('darwin', { program: 'launchctl', body: '' }, async ({ home, calls, run }) => {
      const file = path.join(home, 'Library/LaunchAgents/brain-server.plist');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '<plist/>');
      for (const args of [['install', '--vault', home], ['uninstall']]) {
        expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });
      }
      expect([readFileSync(file, 'utf8'), calls()]).toEqual(['<plist/>', []]);
    }));
});

posix.describe('brain service on other systems', () => {
  it.each([
    ['win32', 'Task Scheduler'],
    ['freebsd', 'systemd on Linux'],
  ] as const)('says that %s has none', (platform, words) =>
    onMachine(platform, { program: '', body: '' }, async ({ home, run }) => {
      const { code, stderr } = await run('install', '--vault', home);
      expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    }),
  );

  it('says that a Linux without systemd has none', () =>
    onMachine('linux', { program: '', body: '' }, async ({ home, run }) => {
      const { code, stderr } = await run('install', '--vault', home);
      expect([code, stderr]).toEqual([1, expect.stringContaining('There is no systemctl')]);
    }));
});
