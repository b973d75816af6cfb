// npm start: serves ./brain, a copy of the sample vault when there is none yet. Arguments go on to `brain serve`; a
// `--vault` among them names another folder.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { copySample } from './copy-sample.mjs';

const root = path.dirname(import.meta.dirname);
process.chdir(root);

const given = process.argv.slice(2);
const namesVault = given.some((word) => /^--vault(?:=|$)/.test(word));
if (!namesVault && !existsSync('brain')) {
  await copySample('sample-vault', 'brain', new Date());
  console.log('Made ./brain from the sample vault.');
}

const vault = namesVault ? [] : ['--vault', 'brain'];
const server = spawn(process.execPath, ['dist/brain.mjs', 'serve', ...vault, ...given], { stdio: 'inherit' });
// A terminal sends its signals to the server as well, and a second one would cut its work short: wait for it.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
