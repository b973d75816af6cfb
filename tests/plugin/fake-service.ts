import type { Service, StateHere } from '../../src/plugin/server/control';
import { type BrainClient, CallError } from '../../src/core/registry/client';

export interface FakeClient extends BrainClient {
  /** What was asked, in order. */
  readonly asked: { readonly name: string; readonly ask: unknown }[];
  /** How many notes the queue holds. */
  total: number;
  change(): void;
}

/** A client of a vault of which only the length of the queue is known; `answers` adds what else it can say. */
export function fakeClient(answers: Readonly<Record<string, object>> = {}): FakeClient {
  const listeners = new Set<() => void>();
  const client: FakeClient = {
    asked: [],
    total: 0,
    async call(name, ask) {
      client.asked.push({ name, ask });
      const answer = name === 'pending' ? { count: 0, total: client.total, pending: [] } : answers[name];
      if (answer === undefined) throw new CallError('not_implemented', `The fake does not know ${name}.`);
      if (answer instanceof Error) throw answer;
      return Object.assign(answer);
    },
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change() {
      for (const listener of listeners) listener();
    },
  };
  return client;
}

export interface FakeService extends Service {
  readonly state: StateHere;
  hasHybrid: boolean;
  syncProgress: Service['syncProgress'];
  /** `start`, `stop`, `restart`, `unload`, in order. */
  readonly calls: string[];
  become(state: StateHere, client?: BrainClient | null): void;
}

/** A service that does what the test says. It runs at once when it is started, unless `reluctant`. */
export function fakeService(client: BrainClient = fakeClient(), { reluctant = false } = {}): FakeService {
  const listeners = new Set<() => void>();
  const tokens = new Map<string, readonly string[]>();
  let state: StateHere = { kind: 'off' };
  let open: BrainClient | null = null;
  const service: FakeService = {
    calls: [],
    get state() {
      return state;
    },
    get client() {
      return open;
    },
    url: 'http://127.0.0.1:27246',
    ingestFile: (name) => Promise.reject(new CallError('not_implemented', `The fake cannot take ${name}.`)),
    sendPart: ({ name }) => Promise.reject(new CallError('not_implemented', `The fake cannot take ${name}.`)),
    readFile: null,
    isOwners: (path) => path === 'Journal.md',
    hasHybrid: false,
    syncProgress: null,
    tokens: {
      list: async () =>
        [...tokens].map(([name, scopes]) => ({ name, scopes, created_at: '2026-11-14T09:12:00+00:00' })),
      add: async (name, scopes) => {
        tokens.set(name, scopes);
        return 'secret';
      },
      revoke: async (name) => {
        tokens.delete(name);
      },
    },
    become(next, nextClient = open) {
      state = next;
      open = nextClient;
      for (const listener of [...listeners]) listener();
    },
    async start() {
      service.calls.push('start');
      service.become({ kind: 'starting' });
      if (!reluctant) service.become({ kind: 'running', url: service.url }, client);
    },
    async stop() {
      service.calls.push('stop');
      service.become({ kind: 'off' }, null);
    },
    unload() {
      service.calls.push('unload');
      listeners.clear();
      service.become({ kind: 'off' }, null);
    },
    async restart() {
      service.calls.push('restart');
      service.become({ kind: 'running', url: service.url }, client);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return service;
}
