import type { UiHost } from '../../../src/ui/client/host';

/** A host that opens, keeps and copies nothing, at a time that stands still, but for what is given. */
export function quietHost(given: Partial<UiHost> = {}): UiHost {
  return {
    kind: 'obsidian',
    connection: { url: 'http://127.0.0.1:1' },
    openNote: () => undefined,
    ingestFile: () => Promise.reject(new Error('No test sends a file here.')),
    sendPart: () => Promise.reject(new Error('No test sends a file here.')),
    go: () => undefined,
    copy: () => Promise.resolve(),
    openLayer: () => () => undefined,
    preferences: { get: () => null, set: () => undefined },
    session: { get: () => null, set: () => undefined },
    now: () => new Date('2026-11-20T12:00:00Z'),
    ...given,
  };
}
