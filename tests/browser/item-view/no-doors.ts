import type { DoorOptions, Listening } from '../../../src/plugin/server/doors';

/** No address is exposed where nothing listens. */
export function checkExposure(): void {
  return undefined;
}

/** Stands for the doors: a page cannot listen, and the screens do not need anyone to. */
export async function openDoors({ vault }: DoorOptions): Promise<Listening> {
  const { host, port } = vault.brain.config;
  const server = {
    port,
    url: `http://${host}:${port}`,
    answers: () => Promise.resolve(true),
    listenAt: () => Promise.resolve(false),
    stop: () => Promise.resolve(),
  };
  return Promise.resolve({ server });
}
