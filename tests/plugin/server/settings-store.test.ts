import { SettingsStore } from '../../../src/plugin/server/store';

function storeOn(file: { data: unknown; fails?: Error }) {
  const written: unknown[] = [];
  const store = new SettingsStore({
    loadData: async () => {
      if (file.fails) throw file.fails;
      return file.data;
    },
    saveData: async (data: unknown) => {
      written.push(data);
      file.data = data;
    },
  });
  return { store, written };
}

it.each([null, undefined, 'text', 7, ['a']])(
  'starts with the defaults when the file holds %p',
  async (data) => {
    const { store, written } = storeOn({ data });
    await store.load();
    expect(store.saved).toEqual({});
    expect(written).toEqual([]);
  },
);

it('writes what was changed and keeps what it does not know', async () => {
  const { store, written } = storeOn({ data: { port: 4000, later: { a: 1 } } });
  await store.load();
  await store.set('humanName', 'Ada');
  await store.set('port', undefined);
  expect(written.at(-1)).toEqual({ later: { a: 1 }, humanName: 'Ada' });
});

it('tells of changes here and on other devices, and not of a file that is as it was', async () => {
  const file = { data: { port: 4000 } };
  const { store } = storeOn(file);
  await store.load();
  let told = 0;
  const stop = store.onChange(() => (told += 1));
  await store.load();
  expect(told).toBe(0);
  file.data = { port: 5000 };
  await store.load();
  expect(told).toBe(1);
  await store.set('port', 6000);
  expect(told).toBe(2);
  stop();
  await store.set('port', 7000);
  expect(told).toBe(2);
});

it('does not write over a file that it could not read', async () => {
  const { store, written } = storeOn({ data: null, fails: new SyntaxError('Unexpected end of JSON input') });
  await store.load();
  expect(store.problem).toContain('data.json');
  await expect(store.set('port', 4000)).rejects.toThrow(/Repair or delete/);
  expect(written).toEqual([]);
});

it('keeps its values when the file is away for a moment', async () => {
  const file: { data: unknown } = { data: { port: 4000 } };
  const { store } = storeOn(file);
  await store.load();
  file.data = null;
  await store.set('humanName', 'Ada');
  expect(file.data).toEqual({ port: 4000, humanName: 'Ada' });
});

it('keeps its values when the file becomes unreadable before a change', async () => {
  const file: { data: unknown; fails?: Error } = { data: { port: 4000 } };
  const { store, written } = storeOn(file);
  await store.load();
  file.fails = new SyntaxError('Unexpected end of JSON input');
  await expect(store.set('port', 5000)).rejects.toThrow(/Unexpected end.*Repair or delete/);
  expect([store.saved, written]).toEqual([{ port: 4000 }, []]);
});

it('loses nothing when another device changes the file while a person changes a setting', async () => {
  const file: { data: unknown } = { data: { port: 4000 } };
  const reads: (() => void)[] = [];
  const store = new SettingsStore({
    loadData: async () => {
      const { data } = file;
      await new Promise<void>((resolve) => reads.push(resolve));
      return data;
    },
    saveData: async (data: unknown) => {
      file.data = data;
    },
  });
  const first = store.load();
  const next = (): void => reads.shift()?.();
  await new Promise(setImmediate);
  next();
  await first;
  file.data = { port: 4000, captureWing: 'inbox' };
  const elsewhere = store.load();
  const here = store.set('humanName', 'Ada');
  for (let read = 0; read < 2; read += 1) {
    await new Promise(setImmediate);
    next();
  }
  await Promise.all([elsewhere, here]);
  // The app has not told of this one yet.
  file.data = { ...Object(file.data), serverUrl: 'https://brain.example' };
  const last = store.set('rootNote', 'GUIDE.md');
  await new Promise(setImmediate);
  next();
  await last;
  expect(file.data).toEqual({
    port: 4000,
    captureWing: 'inbox',
    humanName: 'Ada',
    serverUrl: 'https://brain.example',
    rootNote: 'GUIDE.md',
  });
  expect(store.saved).toEqual(file.data);
});
