import { CommandError, UsageError } from '../terminal/io';
import { fillFromFiles } from '../terminal/secrets';
import { startBridge } from './start';

/** The bridge as a program, for the bundle that desktop clients install. Standard output is for the protocol only. */
try {
  fillFromFiles(process.env);
  await startBridge(process);
} catch (error) {
  const isOurs = error instanceof CommandError || error instanceof UsageError;
  process.stderr.write(`${isOurs ? error.message : 'The bridge has failed for a reason of its own.'}\n`);
  process.exitCode = 1;
}
