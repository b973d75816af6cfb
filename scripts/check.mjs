// Runs the checks that read the code: eslint beside all others, since it alone takes as long as they do.
import { spawn } from 'node:child_process';
import process from 'node:process';

/** Runs a script of package.json and prints its output when it ends. Resolves with its exit code. */
function run(script) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', script], { shell: process.platform === 'win32' });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

const codes = await Promise.all([
  run('lint:code'),
  run('typecheck').then((code) => code || run('lint:rest')),
]);
process.exitCode = codes.find((code) => code !== 0) ?? 0;
