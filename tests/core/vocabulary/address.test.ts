import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import {
  addressOf,
  HALLS,
  notePath,
  rawPath,
  requireBothOrNone,
  sanitiseWing,
  slugify,
  type Wing,
  wingIndexPath,
  wingOfPath,
} from '../../../src/core/vocabulary/address';
import { inputPath, zoneOf } from '../../../src/core/vocabulary/paths';
import { hostileText } from '../../support/hostile-text';
import { refusal } from '../../support/refusal';

/** The wing, or null when the name is refused with the code for it; anything else fails the test. */
function wingOrNull(name: string): Wing | null {
  try {
    return sanitiseWing(name);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_wing' });
    return null;
  }
}

describe('sanitiseWing', () => {
  it.each([
    ['homelab', 'homelab'],
    ['Home Lab', 'home-lab'],
    ['home_lab', 'home-lab'],
    ['  home -- lab!  ', 'home-lab'],
    ['-homelab-', 'homelab'],
    ['Küche', 'kuche'],
    ['Straße', 'strasse'],
    ['Новый', 'новый'],
    ['東京', '東京'],
    ['हिन्दी', 'हिन्दी'],
    ['C:', 'c'],
    ['a..b', 'a-b'],
    ['2024-01-02', '2024-01-02'],
    ['yes', 'yes'],
    ['a\nwing: b', 'a-wing-b'],
    ['a\u202eb', 'a-b'],
    ['%2e%2e%2f', '2e-2e-2f'],
    ['½', '1-2'],
    ['icon', 'icon'],
    ['x'.repeat(70), 'x'.repeat(64)],
    [`${'x'.repeat(63)} yz`, 'x'.repeat(63)],
    ['𠀀'.repeat(64), '𠀀'.repeat(45)],
  ])('%j is %j', (name, wing) => {
    expect(sanitiseWing(name)).toBe(wing);
  });

  it.each([
    ['a/b', '"/"'],
    ['../etc', '"/"'],
    ['/etc', '"/"'],
    ['a\\b', '"/"'],
    ['a\0', 'NUL'],
    ['．．／etc', '"/"'],
    ['a／b', '"/"'],
    ['a＼b', '"/"'],
    ['℀', '"/"'],
    ['.', 'start'],
    ['..', 'start'],
    ['‥', 'start'],
    ['…', 'start'],
    ['.git', 'start'],
    [' .git', 'start'],
    ['_index', 'start'],
    ['＿x', 'start'],
    ['', 'letter or a number'],
    ['   ', 'letter or a number'],
    ['---', 'letter or a number'],
    ['❤\ufe0f', 'letter or a number'],
    ['\u3164', 'letter or a number'],
    ['con', 'device'],
    ['NUL', 'device'],
    ['-com1-', 'device'],
    ['LPT¹', 'device'],
  ])('refuses %j', (name, words) => {
    const { code, message } = refusal(() => sanitiseWing(name));
    expect(code).toBe('invalid_wing');
    expect(message).toContain(words);
  });

  it('lets nothing through but words and single dashes, and gives the same name again', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: 'grapheme', maxLength: 120 })), (name) => {
        const wing = wingOrNull(name);
        if (wing === null) return;
        expect(wing).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*$/u);
        expect([...wing].length).toBeLessThanOrEqual(64);
        expect(Buffer.byteLength(wing)).toBeLessThanOrEqual(180);
        expect(sanitiseWing(wing)).toBe(wing);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses every name that holds a path, whatever stands around it', () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.constantFrom('/', '\\', '\0', '／', '＼'),
        hostileText,
        (before, path, after) => {
          expect(wingOrNull(before + path + after)).toBeNull();
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('addresses', () => {
  it.each([
    ['wiki/homelab/facts/mtu.md', { wing: 'homelab', hall: 'facts', slug: 'mtu' }],
    ['wiki/Home Lab/sources/v1.2.md', { wing: 'Home Lab', hall: 'sources', slug: 'v1.2' }],
  ])('%s', (path, address) => {
    expect(addressOf(path)).toEqual(address);
  });

  it.each([
    ...[
      'wiki/homelab/_index.md',
      'wiki/homelab/facts/_index.md',
      'wiki/homelab/facts/_INDEX.md',
      'wiki/homelab/mtu.md',
    ],
    ...[
      'wiki/homelab/facts/deep/mtu.md',
      'wiki/homelab/facts/deep.md/mtu.md',
      'wiki/homelab/facts/mtu.pdf',
      'wiki/homelab/facts/mtu',
      'wiki/homelab/facts/',
    ],
    ...[
      'wiki/homelab/notes/mtu.md',
      'wiki/homelab/Facts/mtu.md',
      'wiki/homelab/facts/.md',
      'wiki/homelab/facts/.a.md',
    ],
    ...[
      'wiki//facts/mtu.md',
      'wiki/.trash/facts/mtu.md',
      'knowledge/mtu.md',
      'raw/homelab/facts/mtu.md',
      '',
      'wiki',
    ],
    'x/wiki/homelab/facts/mtu.md',
  ])('%j has none', (path) => {
    expect(addressOf(path)).toBeNull();
  });

  it('stay below wiki/ and come back from their path', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(...HALLS), hostileText, (name, hall, title) => {
        const wing = wingOrNull(name);
        if (wing === null) return;
        const address = { wing, hall, slug: slugify(title, sha256(title)) };
        const path = notePath(address);
        expect(path.split('/')).toEqual(['wiki', wing, hall, `${address.slug}.md`]);
        expect(zoneOf(path)).toBe('wiki');
        expect(inputPath(path)).toBe(path);
        expect(addressOf(path)).toEqual(address);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('wingOfPath', () => {
  it.each([
    ['wiki/homelab/facts/mtu.md', 'homelab'],
    ['wiki/homelab/_index.md', 'homelab'],
    ['wiki/homelab/deep/er/mtu.md', 'homelab'],
    ['wiki/Home Lab/x.md', 'Home Lab'],
    ['wiki/readme.md', null],
    ['wiki/homelab/', null],
    ['wiki/.trash/facts/a.md', null],
    ['wiki//a.md', null],
    ['raw/homelab/a.md', null],
    ['Wiki/homelab/a.md', null],
  ])('%s: %s', (path, wing) => {
    expect(wingOfPath(path)).toBe(wing);
  });
});

it('an index stands in the folder of its wing', () => {
  expect(wingIndexPath(sanitiseWing('Home Lab'))).toBe('wiki/home-lab/_index.md');
});

describe('requireBothOrNone', () => {
  it('accepts a whole address and none', () => {
    expect(() => requireBothOrNone('homelab', 'facts')).not.toThrow();
    expect(() => requireBothOrNone(undefined, undefined)).not.toThrow();
  });

  it('names the half that is missing', () => {
    const { code, message } = refusal(() => requireBothOrNone('homelab', undefined));
    expect(code).toBe('wing_and_hall_required_together');
    expect(message).toContain('"hall" is not');
    expect(() => requireBothOrNone('', undefined)).toThrow('"hall" is not');
    expect(() => requireBothOrNone(undefined, 'facts')).toThrow('"wing" is not');
  });
});

describe('rawPath', () => {
  it.each([
    [1, 'raw/2026-11-20-mtu.md'],
    [2, 'raw/2026-11-20-mtu-2.md'],
  ])('%d', (n, path) => {
    expect(rawPath('2026-11-20', 'mtu', n)).toBe(path);
  });
});
