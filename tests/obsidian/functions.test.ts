import { debounce, normalizePath, requestUrl, requireApiVersion } from 'obsidian';
import { withHost } from './world';

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
      expect(host.requests.map(({ url, method }) => [url, method])).toEqual([
        ['http://127.0.0.1:1/', 'POST'],
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
