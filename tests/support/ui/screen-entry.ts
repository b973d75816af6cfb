import { h, render } from 'preact';
import { type Answer, type Ask, type BrainClient, CallError } from '../../../src/core/registry/client';
import type { OperationName } from '../../../src/core/operation/descriptors';
import { UiProvider } from '../../../src/ui/client/context';
import type { FileIngest, UiHost } from '../../../src/ui/client/host';
import { type Mounted, mountScreen } from '../../../src/ui/app/mount';
import type { ScreenName, ScreenParams } from '../../../src/ui/client/screens';

/** What a test in another process answers to a call. */
type Reply =
  | { readonly value: unknown }
  | {
      readonly error: { code: string; message: string; details: Record<string, unknown>; requestId?: string };
    };

declare global {
  interface Window {
    /** Of the test: answers calls, and hears what the screen asks of its host. */
    testCall(name: string, ask: unknown): Promise<Reply>;
    testHeard(what: string, detail: unknown): Promise<void>;
    testFile(name: string, bytes: readonly number[]): Promise<Reply>;
    /** Of this page: shows a screen, and tells it that something has changed. */
    testShow(screen: ScreenName, params: ScreenParams): void;
    testChanged(): void;
    testUnmount(): void;
  }
}

const listeners = new Set<() => void>();

const client: BrainClient = {
  async call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>> {
    return valueOf(await window.testCall(name, ask)) as Answer<Name>; // The test answers in the operation's own shape.
  },
  changes(listener) {
    const own = (): void => listener();
    listeners.add(own);
    return () => listeners.delete(own);
  },
};

function valueOf(reply: Reply): unknown {
  if ('value' in reply) return reply.value;
  const { code, message, details, requestId } = reply.error;
  throw new CallError(code, message, details, requestId);
}

const heard =
  (what: string) =>
  (...detail: unknown[]): void =>
    void window.testHeard(what, detail);

const query = new URLSearchParams(window.location.search);
const kept = new Map<string, string>();

const host: UiHost = {
  kind: query.get('kind') === 'web' ? 'web' : 'obsidian',
  connection: { url: 'http://127.0.0.1:27246' },
  openNote: heard('openNote'),
  ...(query.get('kind') !== 'web' && {
    editNote: heard('editNote'),
    openFile: heard('openFile'),
    draggedPaths: (text: string) => (text.startsWith('obsidian://') ? [text.replace(/^.*&file=/, '')] : []),
  }),
  async ingestFile(name: string, file: Blob): Promise<FileIngest> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return valueOf(await window.testFile(name, [...bytes])) as FileIngest; // As above.
  },
  sendPart: () => Promise.reject(new Error('No test sends a part of a file here.')),
  go: heard('go'),
  copy: (text) => window.testHeard('copy', [text]),
  openLayer(title, content, onClose) {
    const dialog = document.querySelector('dialog');
    if (dialog === null) throw new Error('The page has no place for a layer.');
    dialog.setAttribute('aria-label', title);
    const before = document.activeElement;
    const closed = (): void => {
      render(null, dialog);
      if (before instanceof HTMLElement) before.focus();
      onClose?.();
    };
    dialog.addEventListener('close', closed, { once: true });
    const sheet = h('div', { class: 'brain-sheet' }, [
      h('div', { class: 'brain-sheet-head' }, h('h2', null, title)),
      h(UiProvider, { value: { client, host } }, content),
    ]);
    render(sheet, dialog);
    dialog.showModal();
    return () => dialog.close();
  },
  preferences: { get: (key) => kept.get(key) ?? null, set: (key, value) => void kept.set(key, value) },
  session: {
    get: (key) => window.sessionStorage.getItem(key),
    set: (key, value) => window.sessionStorage.setItem(key, value),
  },
  now: () => new Date(query.get('now') ?? Date.now()),
};

let mounted: Mounted | null = null;
window.testShow = (screen, params) => {
  const container = document.getElementById('screen');
  if (container === null) throw new Error('The page has no place for a screen.');
  if (mounted === null) mounted = mountScreen(container, { client, host }, screen, params);
  else mounted.show(screen, params);
};
window.testChanged = () => {
  for (const listener of [...listeners]) listener();
};
window.testUnmount = () => {
  mounted?.unmount();
  mounted = null;
};
