import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../../src/headless/cli/run';

interface Given {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How the program was started: the Node and the file. */
  readonly program?: readonly string[];
  readonly tty?: boolean;
  /** What a person types on a terminal; without it nobody is asked. */
  readonly typed?: string;
}

/** Runs a command of `brain` in this process, and answers its exit code and what it printed. */
export async function brainCommand(
  args: readonly string[],
  { input = '', env = {}, program = [], tty = false, typed }: Given = {},
): Promise<{ code: number; out: string; err: string }> {
  const stdout = Object.assign(new PassThrough(), { isTTY: tty });
  const stderr = Object.assign(new PassThrough(), { isTTY: tty });
  const given = typed === undefined ? input : `${typed}\n`;
  const bytes = Readable.from(given === '' ? [] : [Buffer.from(given)]);
  const stdin = Object.assign(bytes, { isTTY: typed !== undefined });
  const code = await runCli(args, { env: { ...env }, stdin, stdout, stderr, command: 'brain', program });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
