import {
  arrayBufferToBase64,
  arrayBufferToHex,
  base64ToArrayBuffer,
  debounce,
  getAllTags,
  getFrontMatterInfo,
  getIcon,
  getLinkpath,
  hexToArrayBuffer,
  Keymap,
  normalizePath,
  parseFrontMatterAliases,
  parseFrontMatterEntry,
  parseLinktext,
  parseYaml,
  prepareFuzzySearch,
  prepareSimpleSearch,
  request,
  requestUrl,
  requireApiVersion,
  resolveSubpath,
  sanitizeHTMLToDom,
  setIcon,
  setTooltip,
  stringifyYaml,
  stripHeadingForLink,
} from 'obsidian';
import { withHost, withWindow } from './world';

test.each([
  ['/a//b\\c/', 'a/b/c'],
  ['', '/'],
  ['/', '/'],
  ['cafe\u0301.md', 'caf\u00e9.md'],
  ['a\u00A0b\u202Fc', 'a b c'],
  ['../a', '../a'],
])('normalizePath makes %j %j', (path, clean) => {
  expect(normalizePath(path)).toBe(clean);
});

test('YAML goes both ways', () => {
  expect(parseYaml('a: 1\nday: 2026-11-20\nlist: [x, y]\n')).toEqual({
    a: 1,
    day: '2026-11-20',
    list: ['x', 'y'],
  });
  expect(stringifyYaml({ a: 1, none: null, list: ['x'] })).toBe('a: 1\nnone:\nlist:\n  - x\n');
  expect(() => parseYaml('a: [')).toThrow();
});

test('getFrontMatterInfo says where the front matter lies', () => {
  const text = '---\na: 1\n---\nBody';
  const info = getFrontMatterInfo(text);
  expect(info).toEqual({ exists: true, frontmatter: 'a: 1\n', from: 4, to: 9, contentStart: 13 });
  expect(text.slice(info.contentStart)).toBe('Body');
  expect(getFrontMatterInfo('---\n---\n')).toMatchObject({ exists: true, frontmatter: '', contentStart: 8 });
  expect(getFrontMatterInfo('\n---\na: 1\n---\n')).toMatchObject({ exists: false, contentStart: 0 });
});

test('links and headings are taken apart', () => {
  expect(parseLinktext('a/b#c#d')).toEqual({ path: 'a/b', subpath: '#c#d' });
  expect(getLinkpath('a#b')).toBe('a');
  expect(stripHeadingForLink('A: [[b]] | c#d')).toBe('A b c d');
  const loc = { line: 0, col: 0, offset: 0 };
  const heading = (text: string, level: number, offset: number) => ({
    heading: text,
    level,
    position: { start: { ...loc, offset }, end: loc },
  });
  const cache = { headings: [heading('One', 1, 0), heading('Sub', 2, 5), heading('Two', 1, 9)] };
  expect(resolveSubpath(cache, '#one')).toMatchObject({
    type: 'heading',
    start: { offset: 0 },
    end: { offset: 9 },
  });
  expect(resolveSubpath(cache, '#none')).toBeNull();
});

test('front matter values are found in any case', () => {
  expect(parseFrontMatterEntry({ Title: 'x' }, 'title')).toBe('x');
  expect(parseFrontMatterEntry(null, 'title')).toBeNull();
  expect(parseFrontMatterAliases({ aliases: ['a', ' b '] })).toEqual(['a', 'b']);
  expect(getAllTags({ frontmatter: { tags: 'x, #y' } })).toEqual(['#x', '#y']);
});

test('debounce counts from the first call, or from each', () => {
  jest.useFakeTimers();
  try {
    const got: string[] = [];
    const first = debounce((text: string) => got.push(`first ${text}`), 100);
    const last = debounce((text: string) => got.push(`last ${text}`), 100, true);
    for (const text of ['a', 'b', 'c']) {
      first(text);
      last(text);
      jest.advanceTimersByTime(40);
    }
    expect(got).toEqual(['first c']);
    jest.advanceTimersByTime(60);
    expect(got).toEqual(['first c', 'last c']);
    last('d');
    last.cancel();
    jest.advanceTimersByTime(100);
    last('e');
    last.run();
    last.run();
    expect(got).toEqual(['first c', 'last c', 'last e']);
  } finally {
    jest.useRealTimers();
  }
});

describe('requestUrl', () => {
  test('asks the handler of the test, and records it', () =>
    withHost({ requests: () => ({ status: 200, body: '{"a":1}', headers: { x: 'y' } }) }, async (host) => {
      const response = await requestUrl({ url: 'http://127.0.0.1:1/', method: 'POST', body: 'b' });
      expect(response).toMatchObject({ status: 200, text: '{"a":1}', headers: { x: 'y' } });
      expect(response.json).toEqual({ a: 1 });
      expect(await requestUrl('http://127.0.0.1:1/').json).toEqual({ a: 1 });
      expect(await request('http://127.0.0.1:1/')).toBe('{"a":1}');
      expect(host.requests.map(({ url, method }) => [url, method])).toEqual([
        ['http://127.0.0.1:1/', 'POST'],
        ['http://127.0.0.1:1/', undefined],
        ['http://127.0.0.1:1/', undefined],
      ]);
    }));

  test('rejects a failed status unless it is told not to', () =>
    withHost({ requests: () => ({ status: 404, body: 'no' }) }, async () => {
      await expect(requestUrl('http://127.0.0.1:1/')).rejects.toMatchObject({ status: 404 });
      const answer = await requestUrl({ url: 'http://127.0.0.1:1/', throw: false });
      expect(answer.status).toBe(404);
      expect(() => {
        void answer.json;
      }).toThrow(SyntaxError);
    }));

  test('reaches no network', () =>
    withHost({}, async () => {
      await expect(requestUrl('http://127.0.0.1:1/')).rejects.toThrow('ERR_INTERNET_DISCONNECTED');
    }));
});

test.each([
  ['1.13.1', true],
  ['1.13.0', true],
  ['1.9.12', true],
  ['1.13.2', false],
  ['1.14', false],
  ['2.0.0', false],
])('requireApiVersion(%s) is %s', (version, met) => {
  expect(requireApiVersion(version)).toBe(met);
});

test('bytes as text', () => {
  const buffer = new Uint8Array([0, 127, 255]).buffer;
  expect(arrayBufferToBase64(buffer)).toBe('AH//');
  expect(new Uint8Array(base64ToArrayBuffer('AH//'))).toEqual(new Uint8Array(buffer));
  expect(arrayBufferToHex(buffer)).toBe('007fff');
  expect(new Uint8Array(hexToArrayBuffer('007fff'))).toEqual(new Uint8Array(buffer));
});

test('searching', () => {
  expect(prepareFuzzySearch('nt')('Network')).toEqual({
    score: -1,
    matches: [
      [0, 1],
      [2, 3],
    ],
  });
  expect(prepareFuzzySearch('xyz')('Network')).toBeNull();
  expect(prepareSimpleSearch('two one')('one two')?.matches).toEqual([
    [0, 3],
    [4, 7],
  ]);
  expect(prepareSimpleSearch('three')('one two')).toBeNull();
});

test('icons, tooltips and cleaned HTML', () =>
  withWindow({}, async (_, { document }) => {
    const el = document.body.createDiv({ text: 'old' });
    setIcon(el, 'lucide-inbox');
    setTooltip(el, 'Inbox', { placement: 'top' });
    expect(el.querySelector('svg')?.getAttribute('data-icon')).toBe('inbox');
    expect(el.textContent).toBe('');
    expect(el.getAttribute('aria-label')).toBe('Inbox');
    expect(getIcon('x')?.getAttribute('data-icon')).toBe('x');
    const clean = document.body.createDiv();
    clean.appendChild(
      sanitizeHTMLToDom(
        '<b onclick="x()">b</b><script>1</script><a href="javascript:1">a</a><iframe></iframe>',
      ),
    );
    expect(clean.outerHTML).toBe('<div><b>b</b><a>a</a></div>');
  }));

test('keys say where a note opens', () =>
  withWindow({}, async () => {
    const click = (init: MouseEventInit): MouseEvent => new MouseEvent('click', init);
    expect(Keymap.isModEvent(null)).toBe(false);
    expect(Keymap.isModEvent(click({}))).toBe(false);
    expect(Keymap.isModEvent(click({ button: 1 }))).toBe('tab');
    expect(Keymap.isModEvent(click({ ctrlKey: true }))).toBe('tab');
    expect(Keymap.isModEvent(click({ ctrlKey: true, altKey: true }))).toBe('split');
    expect(Keymap.isModEvent(click({ ctrlKey: true, altKey: true, shiftKey: true }))).toBe('window');
    expect(Keymap.isModifier(click({ shiftKey: true }), 'Shift')).toBe(true);
  }));
