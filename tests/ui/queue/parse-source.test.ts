import { type Source, parseSource } from '../../../src/ui/queue/decide';

it.each<[string, Source]>([
  [
    '[[inbox/processed/2026-11-20/report.pdf#page=3|report.pdf]]',
    { kind: 'file', path: 'inbox/processed/2026-11-20/report.pdf', page: 3, words: 'report.pdf' },
  ],
  [
    '[[inbox/processed/2026-11-20/a note.md.txt|a note.md]]',
    { kind: 'file', path: 'inbox/processed/2026-11-20/a note.md.txt', words: 'a note.md' },
  ],
  ['[[inbox/x.pdf]]', { kind: 'file', path: 'inbox/x.pdf', words: 'x.pdf' }],
  ['[[wiki/net/sources/rfc-1.2|RFC]]', { kind: 'note', path: 'wiki/net/sources/rfc-1.2.md', words: 'RFC' }],
  ['[[papers/report.pdf|report.pdf]]', { kind: 'file', path: 'papers/report.pdf', words: 'report.pdf' }],
  [
    'https://www.example.org/a',
    { kind: 'address', href: 'https://www.example.org/a', words: 'example.org/a' },
  ],
  ['file:report.pdf', { kind: 'words', words: 'report.pdf' }],
  ['javascript:alert(1)', { kind: 'words', words: 'javascript:alert(1)' }],
  ['file:///etc/passwd', { kind: 'words', words: 'file:///etc/passwd' }],
  ['[[]]', { kind: 'words', words: '[[]]' }],
  ['a book', { kind: 'words', words: 'a book' }],
  ['[[a.pdf#page=99999999|a.pdf]]', { kind: 'file', path: 'a.pdf', words: 'a.pdf' }],
])('reads %s', (written, source) => expect(parseSource(written)).toEqual(source));
