import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const MODULES = path.resolve('tests/others/node_modules');

/** Other people's programs need a newer Node than we do; this is the app's own. */
export const NODE_22 = path.resolve('tests/nodes/node_modules/electron-39/bin/node');

/** A file of one of the packages that are installed for these tests alone. */
export function theirs(...names: string[]): string {
  return path.join(MODULES, ...names);
}

const wanted = [
  [NODE_22, 'npm ci --prefix tests/nodes'],
  [theirs('@modelcontextprotocol', 'conformance', 'package.json'), 'npm ci --prefix tests/others'],
  [path.resolve('dist/brain.mjs'), 'npm run build'],
] as const;

/**
 * The command that brings what is missing for these tests, or null. Where everything must be there, a missing part is an
 * error.
 */
function missingPart(): string | null {
  const command = wanted.find(([file]) => !existsSync(file))?.[1] ?? null;
  if (command !== null && process.env.CI !== undefined) throw new Error(`Run "${command}" first.`);
  return command;
}

/**
 * Tests that need other people's programs; where those are missing they are left out, and it is said aloud what brings them.
 */
export function describeWithTheirs(name: string, tests: () => void): void {
  const missing = missingPart();
  if (missing === null) {
    describe(name, tests);
    return;
  }
  console.warn(`Skipped: ${name}. "${missing}" brings what is missing.`);
  describe.skip(name, tests);
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of theirs on their Node, with nothing of this machine's user, and gives it up after a while. */
export function runTheirs(
  args: readonly string[],
  home: string,
  { input = '', seconds = 60 }: { input?: string; seconds?: number } = {},
): Promise<Ran> {
  const env = {
    PATH: `${path.dirname(NODE_22)}:${process.env.PATH ?? ''}`,
    HOME: home,
    TZ: 'UTC',
    NO_COLOR: '1',
  };
  const child = spawn(NODE_22, args, { cwd: home, env, timeout: seconds * 1000, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
