import fc from 'fast-check';
import { configSchema } from '../../../src/core/config/config';
import { parseServerUrl } from '../../../src/core/config/server-url';
import { crossesOpenly } from '../../../src/core/base/redact';

const urlOf = (text: string): string | null => {
  const parsed = parseServerUrl(text);
  return 'url' in parsed ? parsed.url : null;
};

it.each([
  ['https://brain.example', 'https://brain.example'],
  [' https://brain.example/ ', 'https://brain.example'],
  ['HTTPS://Brain.Example:8443', 'https://brain.example:8443'],
  ['https://brain.example:443', 'https://brain.example'],
  ['https://example.org/team/brain/', 'https://example.org/team/brain'],
  ['http://127.0.0.1:27246', 'http://127.0.0.1:27246'],
  ['http://[::1]:27246/', 'http://[::1]:27246'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
])('%s is the server at %s', (text, url) => {
  expect(urlOf(text)).toBe(url);
});

it.each([
  ['', 'missing'],
  ['brain.example', 'does not start'],
  ['brain.example:8443', 'does not start'],
  ['ftp://brain.example', 'does not start'],
  ['file:///etc/passwd', 'does not start'],
  ['javascript:alert(1)', 'does not start'],
  ['https:///brain.example', 'does not start'],
  ['https://', 'does not start'],
  ['https://me:secret@brain.example', 'name or password'],
  ['https://secret@brain.example', 'name or password'],
  ['https://brain.example@evil.example', 'name or password'],
  ['https://brain.example\\@evil.example', 'a space or another character'],
  ['https://brain.example\\evil', 'a space or another character'],
  ['https://brain .example', 'a space or another character'],
  ['https://brain\n.example', 'a space or another character'],
  ['https://brain\u200b.example', 'a space or another character'],
  ['https://brain.example/#token=abc', 'goes on after'],
  ['https://brain.example?token=abc', 'goes on after'],
  ['https://brain.example/a/../b', 'The path'],
  ['https://brain.example/./b', 'The path'],
  ['https://brain.example//b', 'The path'],
  ['https://brain.example/%2e%2e/b', 'The path'],
  ['https://brain.example/a;b', 'The path'],
  ['https://brain.example/mcp', 'for agents'],
  ['https://brain.example/team/mcp/', 'for agents'],
  ['https://brain.example:99999', 'cannot be read'],
  ['https://[::1', 'cannot be read'],
])('%j is no address of a server', (text, part) => {
  const parsed = parseServerUrl(text);
  expect('fault' in parsed && parsed.fault).toContain(part);
  // What is wrong, then what to do; never the text, which may hold a password.
  expect('fault' in parsed && parsed.fault).not.toMatch(/secret|abc/);
  expect(configSchema.shape.serverUrl.safeParse(text).success).toBe(false);
});

it('sees a machine elsewhere behind every spelling of its address', () => {
  for (const text of [
    'http://10.0.0.5',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://0.0.0.0',
  ])
    expect([text, crossesOpenly(urlOf(text) ?? '')]).toEqual([text, true]);
  for (const text of ['http://127.1', 'http://0x7f.0.0.1', 'http://LOCALHOST', 'https://10.0.0.5'])
    expect([text, crossesOpenly(urlOf(text) ?? '')]).toEqual([text, false]);
});

it('gives an address that parses to itself and holds nothing but a server and a path', () => {
  const part = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string(),
    fc.webAuthority(),
  );
  const made = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTPS://', ''),
      part,
      fc.constantFrom('', '/', '/..', '/mcp', '@x', '//y'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(made, (text) => {
      const url = urlOf(text);
      if (url === null) return;
      expect(urlOf(url)).toBe(url);
      const { protocol, username, password, search, hash, pathname, origin } = new URL(url);
      expect(['http:', 'https:']).toContain(protocol);
      expect([username, password, search, hash]).toEqual(['', '', '', '']);
      // A route is joined to it as text and stays on that server.
      expect(new URL(`${url}/query`).href).toBe(`${origin}${pathname.replace(/\/$/, '')}/query`);
    }),
    { numRuns: 2000 },
  );
});
