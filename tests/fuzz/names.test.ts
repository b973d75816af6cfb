import path from 'node:path';
import * as fc from 'fast-check';
import { BrainError } from '../../src/core/base/errors';
import {
  addressOf,
  fileStem,
  HALLS,
  notePath,
  rawPath,
  sanitiseWing,
  slugify,
} from '../../src/core/vocabulary/address';
import { sha256 } from '../../src/core/base/hash';
import { fold, inputPath, zoneOf } from '../../src/core/vocabulary/paths';
import { characters, hostileText } from '../support/hostile-text';
import { withVault } from '../support/node-vault-subject';
import { fuzz } from './fuzz';
import { NAMES } from './regressions';

const HASH = sha256('x');
const pieces = fc.constantFrom(
  ...[
    '/',
    '\\',
    '..',
    '.',
    ':',
    '~',
    '%2e',
    '%2f',
    '%00',
    '%c0%ae',
    '\u2025',
    '\uff0e',
    '\u2215',
    '\uff0f',
    '\uff3c',
    '\u29f5',
    '\u2024',
  ],
  ...[
    'CON',
    'nul',
    'COM1',
    'COM¹',
    'lpt9',
    'aux.md',
    'PRN ',
    'GIT~1',
    '.git',
    '.obsidian',
    '.brain',
    '_index',
    'index',
    '$DATA',
    '::$INDEX',
  ],
  ...[
    'C:',
    '//?/',
    'brain',
    'wiki',
    'raw',
    'inbox',
    'rejected',
    'AGENTS',
    '.md',
    '.MD',
    'é',
    'e\u0301',
    'ß',
    'SS',
    'ﬁ',
    'İ',
    'ı',
    'ſ',
    'K',
    'Å',
  ],
  ...[
    ' ',
    '\t',
    '\u00a0',
    '\u3000',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\u00ad',
    '\0',
    '\n',
    '\r',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ud800',
    '\udc00',
  ],
  ...[
    '#',
    '^',
    '[',
    ']',
    '|',
    '?',
    '*',
    '"',
    '<',
    '>',
    '-',
    'a'.repeat(130),
    'é'.repeat(120),
    '😀'.repeat(60),
  ],
);
const names = fc.oneof(
  fc
    .array(fc.oneof({ weight: 3, arbitrary: pieces }, { weight: 1, arbitrary: characters }), { maxLength: 8 })
    .map((parts) => parts.join('')),
  hostileText,
  fc.constantFrom(...NAMES, 'a'),
);
const cases = NAMES.map((name): [string] => [name]);

function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof BrainError && error.code !== 'internal') return null;
    throw error;
  }
}

const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

/** What makes a file of this name impossible, hidden or another one on some system; null when nothing does. */
function trouble(segment: string): string | null {
  if (segment === '' || segment === '.' || segment === '..') return 'it is no name';
  if (/[\\/:*?"<>|]/.test(segment)) return 'Windows has no such file';
  if (/[\p{Cc}\p{Cs}]/u.test(segment)) return 'it holds what no name may';
  if (/[ .]$/.test(segment)) return 'Windows drops its end';
  if (DEVICE.test(segment)) return 'it is a device';
  if (Buffer.byteLength(segment) > 240) return 'it is too long';
  if (segment.normalize('NFC') !== segment) return 'macOS gives it back in another form';
  if (segment.startsWith('.')) return 'it is hidden';
  return null;
}

fuzz(
  'what a caller supplies as a name is one file in its folder on every system, or is refused',
  3000,
  fc.property(names, (name) => {
    const stem = unlessRefused(() => fileStem(name, 'invalid_filename'));
    if (stem === null) return;
    expect([stem, trouble(`${stem}.md`)]).toEqual([stem, null]);
    expect(stem).toBe(name.normalize('NFC').replace(/\.md$/i, ''));
    expect(fileStem(`${stem}.md`, 'invalid_filename')).toBe(stem);
  }),
  cases,
);

fuzz(
  'what is derived from a title is always a good name, and the same when it is derived again',
  3000,
  fc.property(names, (title) => {
    const slug = slugify(title, HASH);
    expect([slug, trouble(`${slug}.md`)]).toEqual([slug, null]);
    expect(slugify(slug, HASH)).toBe(slug);
    expect(unlessRefused(() => fileStem(slug, 'invalid_slug'))).toBe(slug);
    expect(rawPath('2026-11-20', slug, 2)).toBe(`raw/2026-11-20-${slug}-2.md`);
  }),
  cases,
);

fuzz(
  'a wing is one folder on every system, and an address leads there and back',
  3000,
  fc.property(names, fc.constantFrom(...HALLS), names, (name, hall, title) => {
    const wing = unlessRefused(() => sanitiseWing(name));
    if (wing === null) return;
    expect([wing, trouble(wing)]).toEqual([wing, null]);
    expect(sanitiseWing(wing)).toBe(wing);
    const slug = slugify(title, HASH);
    const at = notePath({ wing, hall, slug });
    expect(addressOf(at)).toEqual({ wing, hall, slug });
    expect([inputPath(at), zoneOf(at)]).toEqual([at, 'wiki']);
  }),
  cases.map(([name]): [string, 'facts', string] => [name, 'facts', name]),
);

fuzz(
  'names that look the same, or are the same to Windows or macOS, fold to one',
  2000,
  fc.property(names, (name) => {
    for (const twin of [
      name.toUpperCase(),
      name.toLowerCase(),
      name.normalize('NFD'),
      name.normalize('NFC'),
    ]) {
      // Case is no matter of one letter for one: what two steps make of it is what is compared.
      if (twin.toLowerCase() === name.toLowerCase() || twin.normalize('NFC') === name.normalize('NFC'))
        expect(fold(twin)).toBe(fold(name));
    }
  }),
  cases,
);

fuzz(
  'no path from a caller leads out of the vault, whatever system reads it',
  4000,
  fc.property(names, (name) => {
    const found = unlessRefused(() => inputPath(name));
    if (found === null) return;
    for (const system of [path.posix, path.win32]) {
      const root = system === path.win32 ? 'C:\\vault' : '/vault';
      const resolved = system.resolve(root, found);
      expect(resolved.startsWith(root + system.sep)).toBe(true);
      expect(system.relative(root, resolved).replaceAll(system.sep, '/')).toBe(found);
    }
    expect(inputPath(found)).toBe(inputPath(inputPath(found)));
  }),
  cases,
);

it('no path reaches a file beside a vault on the real disk, through links neither', async () => {
  await withVault({ 'wiki/net/facts/mtu.md': '# MTU', 'raw/a.md': 'a' }, async ({ vault }) => {
    const parts = fc.array(
      fc.constantFrom(
        '..',
        '/',
        '//',
        '\\',
        'outside',
        'secret.md',
        'wiki',
        '.',
        '%2e%2e',
        '\u2025',
        ' ',
        'net',
        'facts',
        '~',
        '\uff0f',
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(parts, async (segments) => {
        const found = unlessRefused(() => inputPath(segments.join('')));
        if (found === null) return;
        const text = await vault.read(found).catch((error: unknown) => {
          if (error instanceof BrainError) return null;
          throw error;
        });
        expect(text).not.toBe('secret');
      }),
      { numRuns: 300 },
    );
  });
});
