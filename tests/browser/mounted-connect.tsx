import { render } from 'preact';
import { CallError } from '../../src/core/registry/client';
import { ConnectScreen } from '../../src/ui/connect/screen';
import { UiProvider } from '../../src/ui/client/context';
import type { TokenEntry, UiHost } from '../../src/ui/client/host';

/** Entry of a page that shows the connect screen in a host that manages tokens, as the app does. Tests drive it. */
const tokens: (TokenEntry & { text: string })[] = ['owner', 'laptop'].map((name) => ({
  name,
  scopes: ['read', 'write'],
  created_at: '2026-11-01T00:00:00Z',
  text: `secret-of-${name}`,
}));
const copied: string[] = [];
const entries = { tokens, copied };
export type Mounted = typeof entries;

const host: UiHost = {
  kind: 'obsidian',
  connection: { url: 'http://127.0.0.1:27246' },
  openNote: () => undefined,
  ingestFile: () => Promise.reject(new Error('This screen sends no file.')),
  sendPart: () => Promise.reject(new Error('This screen sends no file.')),
  go: () => undefined,
  copy: async (text) => void copied.push(text),
  openLayer: () => () => undefined,
  preferences: { get: () => null, set: () => undefined },
  session: { get: () => null, set: () => undefined },
  tokens: {
    list: async () => tokens.map(({ text: _, ...entry }) => ({ ...entry })),
    async add(name, scopes, limits) {
      if (!/^[a-z0-9-]+$/.test(name) || tokens.some((token) => token.name === name)) {
        throw new CallError('invalid_field', `The name "${name}" cannot be used.`, { field: 'name' });
      }
      const text = `secret-of-${name}`;
      tokens.push({ name, scopes, created_at: '2026-11-20T12:00:00Z', text, ...limits });
      return text;
    },
    async revoke(name) {
      tokens.splice(
        tokens.findIndex((token) => token.name === name),
        1,
      );
    },
  },
  now: () => new Date('2026-11-20T12:00:00Z'),
};
const client = {
  call: () => Promise.reject(new CallError('unreachable', 'Nothing is asked here.')),
  changes: () => () => undefined,
};
Object.assign(window, { entries });
render(
  <UiProvider value={{ client, host }}>
    <div class="brain-screen">
      <ConnectScreen params={{}} />
    </div>
  </UiProvider>,
  document.body,
);
