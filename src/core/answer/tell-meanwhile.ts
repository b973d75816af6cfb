import type { Brain } from '../brain';
import type { Watch } from '../progress';

/** So often whoever waits hears that the work goes on, in seconds: no five go by without a word. */
const TELL_EVERY_S = 4;

/**
 * The outcome of work of which nobody knows how far it is. Until it ends, however it does, whoever waits hears again and again
 * for how many seconds it has gone on: clients give up a call that is silent for long.
 */
export async function tellMeanwhile<T>(
  sleep: Brain['sleep'],
  tell: Watch['progress'],
  work: Promise<T>,
): Promise<T> {
  if (tell === undefined) return work;
  let goesOn = true;
  const telling = async (): Promise<void> => {
    for (let done = TELL_EVERY_S; ; done += TELL_EVERY_S) {
      await sleep(TELL_EVERY_S * 1000);
      if (!goesOn) return;
      tell({ done, total: 0 });
    }
  };
  void telling();
  try {
    return await work;
  } finally {
    goesOn = false;
  }
}
