import { INTERRUPTED, unwritten } from '../terminal/io';
import { commandFor, absoluteCommand } from '../terminal/program';
import { runCli } from './run';

// A reader that has read enough (`brain query … | head`) closes the pipe, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`brain: ${unwritten(error)}\n`);
  process.exit(1);
});

const script = process.argv[1] ?? 'brain';
const code = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  command: commandFor(script),
  program: absoluteCommand(script, process.execPath),
});
process.exitCode = code;
// The call that was interrupted, or a hook that ran out of time, may still hold a connection.
if (code === INTERRUPTED || process.argv[2] === 'hook') process.stdout.write('', () => process.exit());
