import { isAttachment } from '../attachments/parts';
import { refreshCatalog } from '../catalog/load';
import type { Brain } from '../operation/context';
import { afterQuiet, type Following } from './quiet';

/**
 * The interval of further looks (ms): at files that could not be read, as while a disk is away, and at a choice that was made on another
 * device or server.
 */
const LOOK_AGAIN_MS = 60_000;

/**
 * Keeps the words of the attachments in step with the files of the vault, in the background: at the start, after one of them has
 * changed, and after the owner has chosen.
 * @param sleep resolves after this many milliseconds without keeping the process alive
 */
export function followAttachments(brain: Brain, sleep: (milliseconds: number) => Promise<void>): Following {
  const { allAttachments: attachments, catalog } = brain;
  let isClosed = false;
  let isBegun = false;
  const quiet = afterQuiet(
    brain,
    'attachments.settle',
    async () => {
      await refreshCatalog(brain);
      await attachments.recall();
      if (!isBegun) attachments.touchAll();
      isBegun = true;
      await attachments.settle();
    },
    sleep,
  );
  const stopListening = [
    attachments.onWork(() => quiet.wake()),
    catalog.follow((path) => attachments.touch(path)),
    // The catalog does not read the changes of others until somebody asks for them.
    brain.vault.changes(({ path }) => {
      if (attachments.isOn && isAttachment(path)) quiet.wake();
    }),
  ];

  async function keepLooking(): Promise<void> {
    while (!isClosed) {
      quiet.wake();
      await sleep(LOOK_AGAIN_MS);
    }
  }
  void keepLooking();

  return {
    async close() {
      isClosed = true;
      attachments.close();
      for (const stop of stopListening) stop();
      await quiet.close();
    },
  };
}
