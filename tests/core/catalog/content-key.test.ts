import { contentKey } from '../../../src/core/catalog/record';
import { markdownFacts } from '../../../src/core/markdown/facts';

function key(body: string): string {
  return contentKey(body, markdownFacts(body).links);
}

describe('contentKey', () => {
  it.each([
    ['letter case', 'WireGuard needs an MTU.', 'wireguard needs an mtu.'],
    ['punctuation', 'Set it, then restart!', 'Set it: then restart'],
    ['white space', 'one  two\n\nthree\r\n', 'one two three'],
    ['emphasis and lists', '- **one** _two_', '* one two'],
    ['the title in front', '# WireGuard\n\nSet the MTU.', 'Set the MTU.'],
    ['another title in front', '# A\n\nSet the MTU.', '\n# B\nSet the MTU.'],
    ['wikilink syntax', 'see [[wiki/net/facts/mtu|the MTU]] now', 'see the MTU now'],
    ['a wikilink without text', 'see [[mtu]] now', 'see mtu now'],
    ['Markdown links to notes', 'see [the MTU](mtu.md) now', 'see the MTU now'],
    ['the address of a link to the outside', 'see [docs](https://a.example/b) now', 'see docs now'],
    ['compatibility forms', 'ｆｕｌｌ ﬁle', 'full file'],
    ['composition', 'Cafe\u0301', 'Café'],
  ])('is the same whatever the %s', (_, a, b) => {
    expect(key(a)).toBe(key(b));
  });

  it.each([
    ['a word', 'the MTU is 1420', 'the MTU is 1280'],
    ['a sign that is no punctuation', 'x < 5', 'x > 5'],
    ['an accent', 'resume', 'résumé'],
    ['a later heading', 'text\n\n## One', 'text\n\n## Two'],
    ['the title of a note that is nothing else', '# One', '# Two'],
  ])('differs by %s', (_, a, b) => {
    expect(key(a)).not.toBe(key(b));
  });

  it('is quick on a megabyte of accents and of brackets', () => {
    expect(key(`a${'\u0301\u0316'.repeat(250_000)}`)).toMatch(/^[0-9a-f]{64}$/);
    expect(contentKey(']('.repeat(500_000), [])).toMatch(/^[0-9a-f]{64}$/);
  });
});
