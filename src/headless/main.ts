import { runCli } from './cli';
import { startedAs } from './started-as';
import { unwritten } from './unreadable';

// A reader that has seen enough (`brain query … | head`) closes the pipe; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`brain: ${unwritten(error)}\n`);
  process.exit(1);
});

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  command: startedAs(process.argv[1] ?? 'brain'),
});
