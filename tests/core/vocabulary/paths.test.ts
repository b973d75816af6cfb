import * as fc from 'fast-check';
import {
  fileName,
  fold,
  foldedTwins,
  folderOf,
  inputPath,
  linkPath,
  stemOf,
  vaultPath,
  zoneOf,
} from '../../../src/core/vocabulary/paths';
import { assignedCharacters, characters, hostileText } from '../../support/hostile-text';
import { refusal } from '../../support/refusal';

describe('vaultPath', () => {
  it('composes what macOS hands out decomposed', () => {
    expect(vaultPath('wiki/cafe\u0301/facts/a.md')).toBe('wiki/café/facts/a.md');
  });
});

describe('inputPath', () => {
  it.each([
    ['wiki/homelab/facts/mtu.md', 'wiki/homelab/facts/mtu.md'],
    ['/wiki/homelab/facts/mtu.md', 'wiki/homelab/facts/mtu.md'],
    ['brain/wiki/homelab/facts/mtu.md', 'wiki/homelab/facts/mtu.md'],
    ['/brain/wiki/homelab/facts/mtu.md', 'wiki/homelab/facts/mtu.md'],
    ['brain/knowledge/a.md', 'knowledge/a.md'],
    ['brain/raw/rejected/a.md', 'raw/rejected/a.md'],
    ['brain/inbox/processed/a.pdf', 'inbox/processed/a.pdf'],
    ['brain/sessions/2026-11.jsonl', 'sessions/2026-11.jsonl'],
    ['brain/AGENTS.md', 'AGENTS.md'],
    ['AGENTS.md', 'AGENTS.md'],
    ['brain/brain/wiki/x/facts/a.md', 'brain/brain/wiki/x/facts/a.md'],
    ['brain/notes/a.md', 'brain/notes/a.md'],
    ['brain/wikis/a.md', 'brain/wikis/a.md'],
    ['wiki/brain/facts/a.md', 'wiki/brain/facts/a.md'],
    ['brain', 'brain'],
    ['wiki/cafe\u0301/facts/a.md', 'wiki/café/facts/a.md'],
    ['wiki/x/facts/a..b.md', 'wiki/x/facts/a..b.md'],
    ['wiki/x/facts/%2e%2e%2fa.md', 'wiki/x/facts/%2e%2e%2fa.md'],
    ['.trash/a.md', '.trash/a.md'],
  ])('%j is %j', (text, path) => {
    expect(inputPath(text)).toBe(path);
  });

  it('knows the root note of the settings behind the name of the vault', () => {
    expect(inputPath('/brain/docs/AGENTS.md', 'docs/AGENTS.md')).toBe('docs/AGENTS.md');
    expect(inputPath('brain/docs/other.md', 'docs/AGENTS.md')).toBe('brain/docs/other.md');
    expect(inputPath('brain/wiki/a.md', 'docs/AGENTS.md')).toBe('wiki/a.md');
    expect(inputPath('brain/undefined')).toBe('brain/undefined');
  });

  it.each([
    ['', 'empty'],
    ['/', 'empty'],
    ['//etc/passwd', 'empty segment'],
    ['brain/', 'empty segment'],
    ['wiki//a.md', 'empty segment'],
    ['wiki/x/', 'empty segment'],
    ['/brain//wiki/a.md', 'empty segment'],
    ['..', '".."'],
    ['../a.md', '".."'],
    ['wiki/../../a.md', '".."'],
    ['/brain/../a.md', '".."'],
    ['brain/wiki/../../../etc/passwd', '".."'],
    ['./a.md', '"."'],
    ['wiki/./a.md', '"."'],
    ['wiki/x/..', '".."'],
    ['wiki\\x\\a.md', 'backslash'],
    ['..\\a.md', 'backslash'],
    ['\\\\?\\C:\\a.md', 'backslash'],
    ['C:/a.md', 'colon'],
    ['wiki/a.md:stream', 'colon'],
    ['wiki/a\u0000.md', 'control'],
    ['wiki/a\n.md', 'control'],
    ['wiki/a\u001b[31m.md', 'control'],
    ['wiki/a\u0085.md', 'control'],
    ['wiki/\ud800.md', 'control'],
    ['wiki/x./a.md', 'ends in'],
    ['wiki/x /a.md', 'ends in'],
    ['wiki/.../a.md', 'ends in'],
    ['wiki/a.md.', 'ends in'],
    ['wiki/a.md ', 'ends in'],
    [`wiki/${'a'.repeat(996)}`, 'longer'],
  ])('refuses %j', (text, words) => {
    const { code, message } = refusal(() => inputPath(text));
    expect(code).toBe('path_not_allowed');
    expect(message).toContain(words);
  });

  it('never leaves the vault', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          '/',
          '\\',
          '..',
          '.',
          ':',
          'brain',
          'wiki',
          'raw',
          'a',
          '.md',
          ' ',
          '\0',
          '\u2025',
          '\uff0f',
          '\ud800',
        ),
        characters,
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        pieces.map((parts) => parts.join('')),
        (text) => {
          let path: string;
          try {
            path = inputPath(text);
          } catch (error) {
            expect(error).toMatchObject({ code: 'path_not_allowed' });
            return;
          }
          expect(path).not.toMatch(/^\/|[\\:\p{Cc}\p{Cs}]|\/\/|\/$/u);
          for (const segment of path.split('/')) expect(segment).not.toMatch(/^\.{0,2}$|[ .]$/);
          expect(path.normalize('NFC')).toBe(path);
          expect(path.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('zoneOf', () => {
  it.each([
    ['wiki/homelab/facts/mtu.md', 'wiki'],
    ['wiki/homelab/_index.md', 'wiki'],
    ['wiki', 'wiki'],
    ['knowledge/a.md', 'knowledge'],
    ['raw/2026-11-20-a.md', 'raw'],
    ['raw/sub/a.md', 'raw'],
    ['raw/rejected.md', 'raw'],
    ['raw/rejected/a.md', 'rejected'],
    ['raw/rejected/deep/a.md', 'rejected'],
    ['raw/Rejected/a.md', 'rejected'],
    ['inbox/a.pdf', 'inbox'],
    ['inbox/processed.md', 'inbox'],
    ['inbox/processed/2026-11-20/a.pdf', 'processed'],
    ['inbox/Processed/a.pdf', 'inbox'],
    ['inbox/quarantine/2026-11-20/a.pdf', 'quarantine'],
    ['inbox/QUARANTINE/a.pdf', 'quarantine'],
    ['sessions/2026-11.0123abcd.jsonl', 'sessions'],
    ['.brain/audit/2026-11.jsonl', 'hidden'],
    ['.trash/a.md', 'hidden'],
    ['wiki/.trash/facts/a.md', 'hidden'],
    ['raw/rejected/.a.md', 'hidden'],
    ['AGENTS.md', 'other'],
    ['Wiki/x/facts/a.md', 'other'],
    ['RAW/rejected/a.md', 'other'],
    ['wikis/a.md', 'other'],
    ['Templates/daily.md', 'other'],
    ['', 'other'],
  ])('%s is %s', (path, zone) => {
    expect(zoneOf(path)).toBe(zone);
  });
});

describe('fold', () => {
  it.each([
    ['Note.md', 'note.md'],
    ['Straße', 'STRASSE'],
    ['café', 'CAFE\u0301'],
    ['ß\u0301', 'sś'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ﬁle', 'FILE'],
    ['Ａ', 'a'],
    ['a\u200bb', 'AB'],
    ['a\u200d\u0301', 'á'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['❤\ufe0f', '❤'],
  ])('takes %j and %j for one name', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  it.each([
    ['é', 'e'],
    ['й', 'и'],
    ['a b', 'a-b'],
  ])('keeps %j and %j apart', (one, other) => {
    expect(fold(one)).not.toBe(fold(other));
  });

  it('is idempotent on every character of Unicode, alone and beside an accent', () => {
    const moved: string[] = [];
    for (const character of assignedCharacters()) {
      for (const text of [character, `${character}\u0301`])
        if (fold(fold(text)) !== fold(text)) moved.push(text);
    }
    expect(moved).toEqual([]);
  });

  it('is idempotent on texts', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('has a quick way for plain ASCII that gives the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(fold(text)).toBe(fold(`${text}ä`).slice(0, -1));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parts of a path', () => {
  it.each([
    ['wiki/homelab/facts/mtu.md', 'mtu.md', 'mtu', 'wiki/homelab/facts', 'wiki/homelab/facts/mtu'],
    ['AGENTS.md', 'AGENTS.md', 'AGENTS', '', 'AGENTS'],
    ['knowledge/v1.2.md', 'v1.2.md', 'v1.2', 'knowledge', 'knowledge/v1.2'],
    ['inbox/processed/a.pdf', 'a.pdf', 'a', 'inbox/processed', 'inbox/processed/a.pdf'],
    ['raw/Note.MD', 'Note.MD', 'Note', 'raw', 'raw/Note'],
    ['raw/plain', 'plain', 'plain', 'raw', 'raw/plain'],
    ['.hidden', '.hidden', '.hidden', '', '.hidden'],
  ])('of %s', (path, name, stem, folder, link) => {
    expect([fileName(path), stemOf(path), folderOf(path), linkPath(path)]).toEqual([
      name,
      stem,
      folder,
      link,
    ]);
  });
});

describe('foldedTwins', () => {
  const ALL = ['inbox', 'knowledge', 'raw', 'sessions', 'wiki'];

  it('names the folders that a disk takes for those of the service', () => {
    expect(foldedTwins(['Wiki', 'INBOX', 'knowledge', 'raw', 'Notes'])).toEqual([
      { name: 'Wiki', of: 'wiki' },
      { name: 'INBOX', of: 'inbox' },
    ]);
  });

  it('leaves a disk alone that tells the two apart', () => {
    expect(foldedTwins(['Raw', 'INBOX', ...ALL, 'Notes'])).toEqual([]);
  });
});
