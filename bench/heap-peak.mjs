// Loaded into a server before its own program: V8 then prints each collection of garbage of each thread, as --trace-gc does, and every
// collection is a whole one, so that the heap that it leaves is what the thread needs. At SIGUSR2 the main thread collects, for the reason
// "testing", which marks that place among the lines. The text comes out when the process ends.
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';

for (const flag of ['--expose-gc', '--trace-gc', '--gc-global']) v8.setFlagsFromString(flag);
const collect = vm.runInNewContext('gc');
process.on('SIGUSR2', () => collect());
