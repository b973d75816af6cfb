import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { foldLatin } from '../../../src/core/base/text';
import { isIgnoredName, vaultPath } from '../../../src/core/vocabulary/paths';
import {
  dashed,
  fileStem,
  isDeviceName,
  numbered,
  prefixWithin,
  promoteSlug,
  slugify,
  withoutDatePrefix,
} from '../../../src/core/vocabulary/address';
import { assignedCharacters, hostileText } from '../../support/hostile-text';
import { refusal } from '../../support/refusal';
import { cpuMs } from '../../support/cpu';

const HASH = sha256('content');
const FALLBACK = `note-${HASH.slice(0, 8)}`;
const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*$/u;

describe('slugify', () => {
  it.each([
    ['WireGuard MTU', 'wireguard-mtu'],
    ['Größe & Maß', 'grosse-mass'],
    ['STRASSE und Straẞe', 'strasse-und-strasse'],
    ['东京 天气', '东京-天气'],
    ['Æsop, œuvre, Øre, Łódź, đ, ð, þorn, ılık', 'aesop-oeuvre-ore-lodz-d-d-thorn-ilik'],
    ['Ǽtna ǿre', 'aetna-ore'],
    ['İstanbul', 'istanbul'],
    ['Ὀδυσσεύς', 'οδυσσευς'],
    ['Новый край', 'новый-край'],
    ['हिन्दी', 'हिन्दी'],
    ['ภาษาไทย', 'ภาษาไทย'],
    ['한국어', '한국어'],
    ['ﬁle №５', 'file-no5'],
    ['  --a__b..c/d\\e  ', 'a-b-c-d-e'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\u0000b\u202ec\ud800d', 'a-b-c-d'],
    ['❤\ufe0f love', 'love'],
    ['葛\u{e0100}城', '葛城'],
    ['= \u0301a', 'a'],
    ['', FALLBACK],
    ['!!!', FALLBACK],
    ['❤\ufe0f', FALLBACK],
    ['\u3164', FALLBACK],
    ['\u0301', FALLBACK],
    ['Index', 'index-note'],
    ['_index', 'index-note'],
    ['CON', 'con-note'],
    ['com¹', 'com1-note'],
    ['lpt9', 'lpt9-note'],
    ['console', 'console'],
  ])('%j becomes %j', (text, slug) => {
    expect(slugify(text, HASH)).toBe(slug);
  });

  it.each([
    [
      'at the last dash within 80 characters',
      `${'a'.repeat(50)} ${'b'.repeat(29)} c`,
      `${'a'.repeat(50)}-${'b'.repeat(29)}`,
    ],
    ['before a word that does not fit', `${'a'.repeat(50)} ${'b'.repeat(30)}`, 'a'.repeat(50)],
    ['inside a word when there is no dash', 'a'.repeat(100), 'a'.repeat(80)],
    ['to 180 bytes', '東'.repeat(70), '東'.repeat(60)],
    ['to 180 bytes at a dash', `${'東'.repeat(40)} ${'京'.repeat(30)}`, '東'.repeat(40)],
    ['to 180 bytes of characters outside the BMP', '𠀀'.repeat(60), '𠀀'.repeat(45)],
  ])('cuts %s', (_, text, slug) => {
    expect(slugify(text, HASH)).toBe(slug);
  });

  it('gives a name that passes the rules for supplied names, and itself again', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: 'grapheme', maxLength: 200 })), (text) => {
        const slug = slugify(text, HASH);
        expect(slug).toMatch(SLUG);
        expect([...slug].length).toBeLessThanOrEqual(85);
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(185);
        expect(slugify(slug, HASH)).toBe(slug);
        expect(fileStem(slug, 'invalid_slug')).toBe(slug);
        expect(fileStem(numbered(slug, 999), 'invalid_slug')).toBe(`${slug}-999`);
      }),
      { numRuns: 5000 },
    );
  });

  it('is quick on a megabyte of anything', () => {
    for (const unit of ['-', '\u0301', 'a\u0301', '. ', 'Ⅷ', '\u200d', 'ß']) {
      const started = cpuMs();
      slugify(unit.repeat(1_000_000 / unit.length), HASH);
      expect(cpuMs() - started).toBeLessThan(5000);
    }
  });
});

describe('foldLatin', () => {
  it.each([
    ['é ü ç ñ ș', 'e u c n s'],
    ['ά ΐ', 'α ι'],
    ['й ё', 'й ё'],
    ['が', 'が'],
  ])('%j becomes %j', (text, folded) => {
    expect(foldLatin(text)).toBe(folded);
  });
});

describe('dashed', () => {
  it('is idempotent on every character of Unicode and lets nothing through but words and dashes', () => {
    const wrong: string[] = [];
    for (const character of assignedCharacters()) {
      const words = dashed(`x${character}\u0301`);
      if (dashed(words) !== words || !SLUG.test(words)) wrong.push(character);
    }
    expect(wrong).toEqual([]);
  });
});

describe('prefixWithin', () => {
  it.each([
    ['abc', 3, 3, 'abc'],
    ['abc', 2, 9, 'ab'],
    ['äbc', 9, 2, 'ä'],
    ['äbc', 9, 1, ''],
    ['😀😀', 1, 9, '😀'],
    ['😀😀', 9, 7, '😀'],
    ['', 0, 0, ''],
  ])('%j to %d code points and %d bytes is %j', (text, codePoints, bytes, prefix) => {
    expect(prefixWithin(text, codePoints, bytes)).toBe(prefix);
  });
});

describe('fileStem', () => {
  it.each([
    ['wireguard-mtu', 'wireguard-mtu'],
    ['wireguard-mtu.md', 'wireguard-mtu'],
    ['Wire Guard.MD', 'Wire Guard'],
    ['a.md.md', 'a.md'],
    ['v1.2', 'v1.2'],
    ['Größe', 'Größe'],
    ['cafe\u0301', 'café'],
    ['東京', '東京'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['\uff0e\uff0e', '\uff0e\uff0e'],
    ['_private', '_private'],
    ['console', 'console'],
    ['index', 'index'],
    ['com10', 'com10'],
    [' a', ' a'],
    ['%2e%2e%2f', '%2e%2e%2f'],
    ['a'.repeat(120), 'a'.repeat(120)],
    ['東'.repeat(66), '東'.repeat(66)],
  ])('keeps %j', (supplied, stem) => {
    expect(fileStem(supplied, 'invalid_filename')).toBe(stem);
  });

  it.each([
    ['', 'empty'],
    ['.md', 'empty'],
    ['   ', 'empty'],
    ['\u200b', 'empty'],
    ['a/b', 'separator'],
    ['/a', 'separator'],
    ['../a', 'separator'],
    ['a\\b', 'separator'],
    ['..', '".."'],
    ['a..b', '".."'],
    ['a\0b', 'control'],
    ['a\nb', 'control'],
    ['a\u0085b', 'control'],
    ['a\u2028b', 'control'],
    ['a\u202eb', 'control'],
    ['a\ud800b', 'control'],
    ['a:b', 'contains :'],
    ['a*', 'contains *'],
    ['a?', 'contains ?'],
    ['a"b', 'contains "'],
    ['<a', 'contains <'],
    ['a>', 'contains >'],
    ['a|b', 'contains |'],
    ['a#b', 'contains #'],
    ['a^b', 'contains ^'],
    ['[a', 'contains ['],
    ['a]', 'contains ]'],
    ['.hidden', 'starts'],
    ['.', 'starts'],
    ['-rf', 'starts'],
    ['a.', 'ends'],
    ['a ', 'ends'],
    ['a .md', 'ends'],
    ['con', 'device'],
    ['NUL.md', 'device'],
    ['aux.txt', 'device'],
    ['Com1', 'device'],
    ['com²', 'device'],
    ['LPT0', 'device'],
    ['prn .a', 'device'],
    ['conin$', 'device'],
    ['_index', '"_index"'],
    ['_INDEX.md', '"_index"'],
    ['~$plan', 'conflict copies'],
    ['plan.sync-conflict-20261120-1', 'conflict copies'],
    ['plan (conflicted copy 2026-11-20)', 'conflict copies'],
    ['a'.repeat(121), 'longer'],
    ['東'.repeat(67), 'longer'],
  ])('refuses %j', (supplied, words) => {
    const { code, message } = refusal(() => fileStem(supplied, 'invalid_filename'));
    expect(code).toBe('invalid_filename');
    expect(message).toContain(words);
  });

  it('phrases the fault for the field that was given', () => {
    const slug = refusal(() => fileStem('a/b', 'invalid_slug'));
    expect(slug.code).toBe('invalid_slug');
    expect(slug.message).toMatch(/^The slug contains/);
    expect(() => fileStem('a/b', 'invalid_filename')).toThrow(/^The filename contains/);
  });

  it('lets no name through that leaves its folder, hides or breaks a link', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        let stem: string;
        try {
          stem = fileStem(text, 'invalid_filename');
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_filename' });
          return;
        }
        expect(stem).not.toMatch(/[/\\:*?"<>|#^[\]\p{Cc}\p{Cs}]|\.\.|^[.-]|[. ]$|^$/u);
        expect(Buffer.byteLength(stem)).toBeLessThanOrEqual(200);
        expect(fileStem(`${stem}.md`, 'invalid_filename')).toBe(stem);
        // What no listing tells of would be lost with the next start.
        expect(isIgnoredName(`${stem}.md`)).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('isDeviceName', () => {
  it.each(['con', 'CON', 'aux', 'nul.md', 'com1', 'lpt³.x', 'con .md', 'CONOUT$'])('%s', (name) => {
    expect(isDeviceName(name)).toBe(true);
  });
  it.each(['icon', 'cons', 'com', 'com10', 'nul-1', 'auxiliary', ''])('not %j', (name) => {
    expect(isDeviceName(name)).toBe(false);
  });
});

describe('numbered', () => {
  it.each([
    [1, 'mtu'],
    [2, 'mtu-2'],
    [10, 'mtu-10'],
  ])('%d', (n, name) => {
    expect(numbered('mtu', n)).toBe(name);
  });
});

describe('withoutDatePrefix', () => {
  it.each([
    ['2026-11-20-mtu', 'mtu'],
    ['2026-11-20-2026-11-21-mtu', '2026-11-21-mtu'],
    ['2026-11-20', '2026-11-20'],
    ['2026-11-20-', ''],
    ['x2026-11-20-mtu', 'x2026-11-20-mtu'],
    ['20261120-mtu', '20261120-mtu'],
  ])('%s', (stem, rest) => {
    expect(withoutDatePrefix(stem)).toBe(rest);
  });
});

describe('promoteSlug', () => {
  it.each([
    ['raw/2026-11-20-wireguard-mtu.md', 'wireguard-mtu'],
    ['raw/Clipped Page.md', 'Clipped Page'],
    ['raw/sub/2026-11-20-Größe.md', 'Größe'],
  ])('%s', (path, slug) => {
    expect(promoteSlug(vaultPath(path))).toBe(slug);
  });

  it.each(['raw/2026-11-20-.md', 'raw/2026-11-20-con.md', 'raw/2026-11-20-_index.md', 'raw/a#b.md'])(
    'asks for a slug in place of %s',
    (path) => {
      expect(refusal(() => promoteSlug(vaultPath(path))).code).toBe('invalid_slug');
    },
  );
});
