import { record } from './answers';

const [first = 0, count = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + count; seed += 1)
  process.stdout.write(`${JSON.stringify(await record(seed))}\n`);
