import { DeviceStore, ServerToken, StartChoice } from '../../../src/plugin/server/store';

function device() {
  const kept = new Map<string, unknown>();
  const store = new DeviceStore({
    loadLocalStorage: (key) => kept.get(key) ?? null,
    saveLocalStorage: (key, data) => void (data === null ? kept.delete(key) : kept.set(key, data)),
  });
  return { kept, store, choice: new StartChoice(store) };
}

it('keeps its texts apart from those of other plugins', () => {
  const { kept, store } = device();
  store.set('a', 'x');
  expect([...kept.keys()]).toEqual(['brain-server:a']);
  store.set('a', null);
  expect(kept.size).toBe(0);
});

it('takes something that is not text for nothing', () => {
  const { kept, store } = device();
  kept.set('brain-server:a', { odd: true });
  expect(store.get('a')).toBeNull();
});

it('neither starts nor counts as agreed before the person was asked', () => {
  const { choice } = device();
  expect([choice.asked, choice.confirmed, choice.starts]).toEqual([false, false, false]);
});

it('remembers "Not now": asked, but not agreed', () => {
  const { choice } = device();
  choice.postpone();
  expect([choice.asked, choice.confirmed, choice.starts]).toEqual([true, false, false]);
});

it('starts from then on once the person has agreed, unless that is switched off', () => {
  const { choice } = device();
  choice.postpone();
  choice.confirm();
  expect([choice.confirmed, choice.starts]).toEqual([true, true]);
  choice.setStarts(false);
  expect([choice.confirmed, choice.starts]).toEqual([true, false]);
  choice.postpone();
  expect(choice.confirmed).toBe(true);
  choice.setStarts(true);
  expect(choice.starts).toBe(true);
});

it('does not start without agreement, whatever the switch says', () => {
  const { choice } = device();
  choice.setStarts(true);
  expect(choice.starts).toBe(false);
});

it('hands the token for a server out for its own address alone', () => {
  const secrets = new Map<string, string>();
  const token = new ServerToken({
    getSecret: (id) => secrets.get(id) ?? null,
    setSecret: (id, secret) => void secrets.set(id, secret),
  });
  expect(token.get('https://a.example')).toBeNull();
  token.set('https://a.example', 'secret');
  expect(token.get('https://a.example')).toBe('secret');
  for (const other of [
    'https://a.example.evil',
    'https://a.exampl',
    'http://a.example',
    '',
    'https://a.example secret',
  ])
    expect(token.get(other)).toBeNull();
  token.set('http://127.0.0.1:1', '');
  expect(token.get('http://127.0.0.1:1')).toBe('');
  expect(token.get('https://a.example')).toBeNull();
  token.forget();
  expect([token.get('http://127.0.0.1:1'), token.get('')]).toEqual([null, null]);
});
