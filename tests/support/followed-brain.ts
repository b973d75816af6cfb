import { followVault } from '../../src/core/vault/follow';
import { type More, openTestBrain } from './test-brain';

/** A followed vault whose waits end when the test says so. */
export async function openFollowed(
  files: Readonly<Record<string, string>>,
  settings = {},
  on: More['on'] = {},
) {
  const opened = await openTestBrain(files, settings, undefined, { on });
  const { brain, vault } = opened;
  const sleeping: (() => void)[] = [];
  const following = followVault(brain, () => new Promise((resolve) => sleeping.push(resolve)));
  const drain = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    ...opened,
    following,
    async pass(): Promise<void> {
      for (await drain(); sleeping.length > 0;) {
        for (const wake of sleeping.splice(0)) wake();
        await drain();
        await brain.writer.idle();
        await drain();
      }
    },
    move(from: string, to: string): void {
      const text = vault.files.get(from);
      if (text === undefined) throw new Error(`No such file: ${from}`);
      vault.outside(from, null);
      vault.outside(to, text);
    },
  };
}
