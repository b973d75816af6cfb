import {
  createTheme,
  NEXT_THEME,
  parseToken,
  takeToken,
  type ThemeChoice,
  tokenStorage,
} from '../../../src/ui/web/browser';
import { createLayerStack, formatRoute, parseRoute, titleOf } from '../../../src/ui/web/frame';

describe('the route', () => {
  it.each([
    ['#/queue?path=raw%2Fa+b.md', { screen: 'queue', params: { path: 'raw/a b.md' } }],
    ['#/home', { screen: 'home', params: {} }],
    ['#/pass-rates?skill=a%26b%3D%23', { screen: 'pass-rates', params: { skill: 'a&b=#' } }],
    ['#/note?path=wiki%2F%C3%BC.md', { screen: 'note', params: { path: 'wiki/ü.md' } }],
  ] as const)('%s comes back as it was', (fragment, route) => {
    expect(parseRoute(fragment)).toEqual(route);
    expect(formatRoute(route)).toBe(fragment);
  });

  it.each(['', '#', '#/', '#/nothing', '#/constructor', '#/__proto__', '#token=x', '#/QUEUE'])(
    '%p is home',
    (fragment) => expect(parseRoute(fragment)).toEqual({ screen: 'home', params: {} }),
  );

  it('has a title', () => {
    expect(titleOf(parseRoute('#/pass-rates'))).toBe('Pass rates');
    expect(titleOf(parseRoute('#/note'))).toBe('Note');
  });
});

describe('the token of an address', () => {
  const opened = (hash: string) => {
    const shown: string[] = [];
    const taken = takeToken({ hash, replace: (fragment) => void shown.push(fragment) }, '#/home');
    return [taken?.token, ...shown];
  };

  it.each([
    ['#token=abc-_123', 'abc-_123', '#/home'],
    ['#token=p@ss!', 'p@ss!', '#/home'],
    ['#token=abc&x=1', 'abc', '#/home'],
    ['#token=abc&', 'abc', '#/home'],
    ['#token=abc&/queue?path=raw%2Fa.md&act=reject', 'abc', '#/queue?path=raw%2Fa.md&act=reject'],
    ['#token=abc&#/queue', 'abc', '#/queue'],
    ['#token=', null, '#/home'],
    ['#token=a b', null, '#/home'],
    ['#token=ü&/queue', null, '#/queue'],
  ])('%j is taken out whatever it is and whatever follows', (hash, token, rest) => {
    expect(opened(hash)).toEqual([token, rest]);
  });

  it.each(['', '#/home', '#/search?token=x', '#/search?q=#token=x'])('%j has none', (hash) =>
    expect(opened(hash)).toEqual([undefined]),
  );
});

describe('the token that a person types', () => {
  it.each([
    'abc-_123',
    '  abc-_123\n',
    '#token=abc-_123',
    'http://127.0.0.1:27246/#token=abc-_123',
    'http://127.0.0.1:27246/#token=abc-_123&/queue',
  ])('is found in %p', (text) => expect(parseToken(text)).toBe('abc-_123'));

  it('may hold what its owner chose', () => expect(parseToken('p@ss&!')).toBe('p@ss&!'));

  it.each(['', 'two words', 'ünïcode', '😀', 'http://127.0.0.1:27246/#token=ü'])('%p can be none', (text) =>
    expect(parseToken(text)).toBeNull(),
  );
});

describe('the theme', () => {
  const system = (saved: string | null) => {
    const state = { dark: false, painted: [] as boolean[], saved, listener: (): void => undefined };
    const theme = createTheme({
      load: () => state.saved,
      save: (choice: ThemeChoice) => (state.saved = choice),
      systemIsDark: () => state.dark,
      onSystem: (listener) => (state.listener = listener),
      paint: (dark) => void state.painted.push(dark),
    });
    return { state, theme };
  };

  it.each([null, 'system', 'nonsense'])('follows the system after %p', (saved) => {
    const { state, theme } = system(saved);
    state.dark = true;
    state.listener();
    expect([theme.choice(), state.painted]).toEqual(['system', [false, true]]);
  });

  it('keeps to what was chosen', () => {
    const { state, theme } = system('dark');
    state.listener();
    expect(state.painted).toEqual([true, true]);
    theme.choose('light');
    expect([state.saved, state.painted.at(-1)]).toEqual(['light', false]);
  });

  it('goes round by its button', () => {
    expect(NEXT_THEME).toEqual({ system: 'light', light: 'dark', dark: 'system' });
  });
});

describe('a token that is kept without a choice', () => {
  function storage(start?: string) {
    const texts = new Map(start === undefined ? [] : [['brain.token', start]]);
    return {
      getItem: (key: string) => texts.get(key) ?? null,
      setItem: (key: string, text: string) => void texts.set(key, text),
      removeItem: (key: string) => void texts.delete(key),
      clear: () => texts.clear(),
    };
  }

  it.each([
    ['of a tab beside another one of the device stays in the tab', 'T1', 'T2', 'T1', 'T2'],
    ['takes the place of the one that tab and device hold', 'T1', 'T1', 'T3', 'T3'],
    ['of a new tab takes the place of that of the device', undefined, 'T2', 'T3', 'T3'],
    ['gets on no device that holds none', 'T1', undefined, 'T1', null],
  ] as const)('%s', (_, ofTab, ofDevice, set, left) => {
    const [tab, device] = [storage(ofTab), storage(ofDevice)];
    tokenStorage(tab, device, () => undefined).set(set);
    expect([tab.getItem('brain.token'), device.getItem('brain.token')]).toEqual([set, left]);
  });
});

it('shows layers until they are closed, and tells each once', () => {
  const stack = createLayerStack();
  const said: string[] = [];
  const stop = stack.listen(() =>
    said.push(
      stack
        .layers()
        .map(({ title }) => title)
        .join('+'),
    ),
  );
  const closeOne = stack.open('one', 'text', () => said.push('one closed'));
  const closeTwo = stack.open('two', 'text');
  closeOne();
  closeOne();
  closeTwo();
  expect(said).toEqual(['one', 'one+two', 'two', 'one closed', '']);
  stop();
  stack.open('three', 'text');
  expect(said).toHaveLength(5);
});

it('closes all layers at once, the last one first, and each as if it had been closed alone', () => {
  const stack = createLayerStack();
  const closed: string[] = [];
  for (const title of ['one', 'two', 'three']) stack.open(title, 'text', () => closed.push(title));
  const closeFour = stack.open('four', 'text', () => closed.push('four'));
  closeFour();
  stack.closeAll();
  stack.closeAll();
  closeFour();
  expect(closed).toEqual(['four', 'three', 'two', 'one']);
  expect(stack.layers()).toEqual([]);
});
