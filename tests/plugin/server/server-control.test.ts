import { ServerControl, type Service } from '../../../src/plugin/server/control';
import { DeviceStore, StartChoice } from '../../../src/plugin/server/store';
import { fakeClient, fakeService } from '../fake-service';

function world(options: { problem?: string; load?: (address: string | null) => Promise<Service> } = {}) {
  const kept = new Map<string, unknown>();
  const choice = new StartChoice(
    new DeviceStore({
      loadLocalStorage: (key) => kept.get(key) ?? null,
      saveLocalStorage: (key, data) => void (data === null ? kept.delete(key) : kept.set(key, data)),
    }),
  );
  const client = fakeClient();
  const service = fakeService(client);
  const told: string[] = [];
  const shown = new Set<{ message: string }>();
  let loads = 0;
  let asks = 0;
  let address: string | null = null;
  const control = new ServerControl({
    problem: options.problem ?? null,
    choice,
    address: () => address,
    load:
      options.load ??
      (async () => {
        loads += 1;
        return service;
      }),
    askConsent: () => (asks += 1),
    showMessage(message) {
      told.push(message);
      const notice = { message };
      shown.add(notice);
      return () => void shown.delete(notice);
    },
  });
  return {
    choice,
    client,
    service,
    control,
    told,
    shown: () => [...shown].map(({ message }) => message),
    counts: () => ({ loads, asks }),
    name: (next: string | null) => (address = next),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('before the person has agreed', () => {
  it('asks once the app is ready, and loads nothing', async () => {
    const { control, counts } = world();
    await control.begin();
    expect(counts()).toEqual({ loads: 0, asks: 1 });
    expect(control.state).toEqual({ kind: 'unconfirmed' });
    expect(control.client).toBeNull();
  });

  it('does not ask again unbidden after "Not now", but whoever starts it is asked', async () => {
    const { choice, control, counts } = world();
    choice.postpone();
    await control.begin();
    expect(counts()).toEqual({ loads: 0, asks: 0 });
    await control.start();
    await control.restart();
    expect(counts()).toEqual({ loads: 0, asks: 2 });
  });
});

describe('in an installation that cannot run it', () => {
  it('says so and loads nothing, whatever was agreed', async () => {
    const { choice, control, told, counts } = world({ problem: 'Too old.' });
    choice.confirm();
    await control.begin();
    await control.start();
    await control.restart();
    expect(told).toEqual(['Too old.', 'Too old.', 'Too old.']);
    expect(counts()).toEqual({ loads: 0, asks: 0 });
    expect(control.state).toEqual({ kind: 'unsupported', message: 'Too old.' });
  });
});

describe('once the person has agreed', () => {
  it('starts with the app', async () => {
    const { choice, control, service, counts } = world();
    choice.confirm();
    await control.begin();
    expect(service.calls).toEqual(['start']);
    expect(counts()).toEqual({ loads: 1, asks: 0 });
    expect(control.state.kind).toBe('running');
  });

  it('stays off where it is not to start with the app, until someone starts it', async () => {
    const { choice, control, service } = world();
    choice.confirm();
    choice.setStarts(false);
    await control.begin();
    expect(control.state).toEqual({ kind: 'off' });
    await control.start();
    expect(service.calls).toEqual(['start']);
  });

  it('loads the service once, however often it is started meanwhile', async () => {
    const { choice, control, counts } = world();
    choice.confirm();
    await Promise.all([control.start(), control.start(), control.begin()]);
    expect(counts().loads).toBe(1);
  });

  it('says that it starts while its code is loaded', async () => {
    const { choice, control } = world();
    choice.confirm();
    const seen: string[] = [];
    control.onChange(() => seen.push(control.state.kind));
    await control.start();
    expect(seen[0]).toBe('starting');
    expect(seen.at(-1)).toBe('running');
  });

  it('stops and starts anew', async () => {
    const { choice, control, service } = world();
    choice.confirm();
    await control.start();
    await control.stop();
    expect(control.state.kind).toBe('off');
    await control.restart();
    expect(service.calls).toEqual(['start', 'stop', 'restart']);
    expect(control.state.kind).toBe('running');
  });

  it('tells why it does not run, once for each reason', async () => {
    const { choice, control, service, told } = world();
    choice.confirm();
    await control.start();
    const busy = { kind: 'failed', message: 'Port 27246 is in use.' } as const;
    service.become(busy);
    service.become({ kind: 'starting' });
    service.become(busy);
    expect(told).toEqual([busy.message]);
    service.become({ kind: 'running', url: service.url });
    service.become(busy);
    expect(told).toHaveLength(2);
    expect(control.state).toEqual(busy);
  });

  it('takes back what it told once that is no longer so', async () => {
    const { choice, control, service, shown } = world();
    choice.confirm();
    await control.start();
    service.become({ kind: 'failed', message: 'Port in use.' });
    service.become({ kind: 'starting' });
    expect(shown()).toEqual(['Port in use.']);
    service.become({ kind: 'failed', message: 'The vault is in use.' });
    expect(shown()).toEqual(['The vault is in use.']);
    service.become({ kind: 'running', url: service.url });
    expect(shown()).toEqual([]);
    service.become({ kind: 'failed', message: 'Port in use.' });
    control.unload();
    expect(shown()).toEqual([]);
  });

  it('shows what was thrown while its code was loaded, and can be tried again', async () => {
    const { service } = world();
    const loads = [
      async (): Promise<Service> => {
        throw new Error('Unexpected end of input');
      },
      async () => service,
    ];
    const next = world({ load: async () => loads.shift()?.() ?? service });
    next.choice.confirm();
    await next.control.start();
    expect(next.control.state).toEqual({ kind: 'failed', message: 'Unexpected end of input' });
    expect(next.told).toEqual(['Unexpected end of input']);
    await next.control.restart();
    expect(next.control.state.kind).toBe('running');
  });

  it('keeps the vault at hand when only agents cannot reach it', async () => {
    const { choice, client, control, service } = world();
    choice.confirm();
    await control.start();
    service.become({ kind: 'failed', message: 'Port in use.' });
    expect(control.client).toBe(client);
  });
});

describe('the queue', () => {
  it('is counted at the start and after every change', async () => {
    const { choice, client, control } = world();
    choice.confirm();
    client.total = 14;
    expect(control.pending).toBeNull();
    await control.start();
    await settled();
    expect(control.pending).toBe(14);
    let told = 0;
    control.onChange(() => (told += 1));
    client.total = 13;
    client.change();
    await settled();
    expect([control.pending, told]).toEqual([13, 1]);
    client.change();
    await settled();
    expect(told).toBe(1);
  });

  it('is unknown once the vault is closed', async () => {
    const { choice, client, control } = world();
    choice.confirm();
    client.total = 14;
    await control.start();
    await settled();
    await control.stop();
    expect(control.pending).toBeNull();
  });
});

describe('when the plugin goes', () => {
  it('lets go of the vault and tells nobody any more', async () => {
    const { choice, control, service } = world();
    choice.confirm();
    await control.start();
    let told = 0;
    control.onChange(() => (told += 1));
    control.unload();
    expect(service.calls).toEqual(['start', 'unload']);
    expect(told).toBe(0);
    await control.start();
    await control.restart();
    expect(service.calls).toEqual(['start', 'unload']);
  });

  it('does not start a service whose code arrives too late', async () => {
    let arrive = (_: Service): void => undefined;
    const late = world({ load: () => new Promise((resolve) => (arrive = resolve)) });
    late.choice.confirm();
    const starting = late.control.start();
    late.control.unload();
    arrive(late.service);
    await starting;
    expect(late.service.calls).toEqual([]);
  });
});

it('can be stopped while its code is being loaded, also when that fails', async () => {
  let fail = (_: Error): void => undefined;
  const { choice, control } = world({ load: () => new Promise((_, reject) => (fail = reject)) });
  choice.confirm();
  const starting = control.begin();
  await settled();
  expect(control.state.kind).toBe('starting');
  const stopping = control.stop();
  fail(new Error('The file is damaged.'));
  await Promise.all([starting, stopping]);
  expect(control.state).toEqual({ kind: 'failed', message: 'The file is damaged.' });
});

describe('a server elsewhere', () => {
  const URL = 'https://brain.example';
  /** A control with one service here and one elsewhere; both begin at once. */
  function places(options: { problem?: string } = {}) {
    const [here, elsewhere] = [fakeService(fakeClient()), fakeService(fakeClient())];
    const loads: (string | null)[] = [];
    const made = world({
      ...options,
      load: async (address) => {
        loads.push(address);
        return address === null ? here : elsewhere;
      },
    });
    return { ...made, here, elsewhere, loads };
  }

  it('is used without consent and in an installation that cannot run one, and asks nothing', async () => {
    const { control, name, elsewhere, loads, counts, told } = places({ problem: 'Too old.' });
    name(URL);
    await control.begin();
    expect([elsewhere.calls, loads, counts().asks, told]).toEqual([['start'], [URL], 0, []]);
    expect(control.state.kind).toBe('running');
  });

  it('takes the place of the one inside the app, and gives it back', async () => {
    const { choice, control, name, here, elsewhere } = places();
    choice.confirm();
    await control.begin();
    const before = control.client;
    name(URL);
    await control.begin();
    expect([here.calls, elsewhere.calls]).toEqual([['start', 'stop'], ['start']]);
    expect(control.client).not.toBe(before);
    name(null);
    await control.begin();
    expect([here.calls, elsewhere.calls]).toEqual([
      ['start', 'stop', 'start'],
      ['start', 'stop'],
    ]);
    expect(control.state.kind).toBe('running');
  });

  it('leaves nothing running where nobody has agreed', async () => {
    const { choice, control, name, here, elsewhere, counts } = places();
    choice.postpone();
    name(URL);
    await control.begin();
    name(null);
    await control.begin();
    expect([here.calls, elsewhere.calls, counts().asks]).toEqual([[], ['start', 'stop'], 0]);
    expect(control.state).toEqual({ kind: 'unconfirmed' });
  });

  it('is not begun before the vault of the app is closed', async () => {
    const { choice, control, name, here, elsewhere } = places();
    choice.confirm();
    await control.begin();
    let close = (): void => undefined;
    here.stop = () => new Promise((resolve) => (close = resolve));
    name(URL);
    const moving = control.begin();
    await settled();
    expect([control.client, control.state.kind, elsewhere.calls]).toEqual([null, 'starting', []]);
    close();
    await moving;
    expect(elsewhere.calls).toEqual(['start']);
  });

  it('ends where the setting ends, however fast it changes', async () => {
    for (const last of [URL, null]) {
      const { choice, control, name, here, elsewhere } = places();
      choice.confirm();
      const moves: Promise<void>[] = [];
      for (const next of [URL, null, URL, null, ...(last === null ? [] : [last])]) {
        name(next);
        moves.push(control.begin());
      }
      await Promise.all(moves);
      const [used, other] = last === null ? [here, elsewhere] : [elsewhere, here];
      expect(used.calls.at(-1)).toBe('start');
      expect(other.client).toBeNull();
      expect(control.client).toBe(used.client);
    }
  });
});
