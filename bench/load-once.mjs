// Compiles and runs the built plugin once, as the app does, in a process that has nothing else to do. Prints two durations.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { Script } from 'node:vm';

const nodeRequire = createRequire(import.meta.url);
class Base {}
/** Every class of the app is the same empty one: only what our own code does at load is measured. */
const app = new Proxy({}, { get: (_target, name) => (name === '__esModule' ? undefined : Base) });
const require = (name) => (name === 'obsidian' || name === 'electron' ? app : nodeRequire(name));

const code = readFileSync(process.argv[2], 'utf8');
const start = performance.now();
const script = new Script(`(function anonymous(require,module,exports){${code}\n})`, { filename: 'main.js' });
const compiled = performance.now();
const module = { exports: {} };
script.runInThisContext()(require, module, module.exports);
const ran = performance.now();
if (typeof module.exports.default !== 'function') throw new Error('The bundle gives no plugin.');
process.stdout.write(JSON.stringify({ compile: compiled - start, execute: ran - compiled }));
