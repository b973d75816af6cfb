import fc from 'fast-check';
import { contentKey } from '../../../src/core/catalog/content-key';

describe('contentKey', () => {
  it.each([
    ['letter case', 'WireGuard needs an MTU.', 'wireguard needs an mtu.'],
    ['punctuation of sentences', 'Set it, then restart!', 'Set it: then restart'],
    ['quotes and brackets', "“Set it” (then) 'restart'…", 'Set it then restart'],
    ['dashes of sentences', 'Set it—then – restart', 'Set it then - restart'],
    ['punctuation between characters without spaces', '你好，世界。「完」', '你好世界完'],
    ['white space', 'one  two\n\nthree\r\n', 'one two three'],
    ['emphasis and bullets', '- **one** _two_ ~~three~~ ==four== `five`', '* one two three four five'],
    ['emphasis with punctuation', '**one.** *(two)* "_three_", **four**.', 'one two three four'],
    ['emphasis over several words', '**one two** three', 'one two three'],
    ['nested emphasis', '**_one_ two** ***three***', 'one two three'],
    ['heading marks and rules', '## One\n\n---\n\ntwo', 'One two'],
    ['escapes', '\\*.txt and 2 \\< 3', '*.txt and 2 < 3'],
    ['the brackets of a link without text', 'see [[mtu]] now', 'see mtu now'],
    ['dashes, quotes and rules between lines', '> - one\n\n* * *\n> two\n===', 'one\n\ntwo'],
    ['the day on which a target was queued', 'see [[raw/2026-01-01-mtu|x]]', 'see [[raw/2026-02-02-mtu|x]]'],
    ['the number of a name with a number', 'see [[w/a/beta-1|beta--1]]', 'see [[w/a/beta-1-2|beta--1]]'],
    ['a second number', 'see [[w/a/beta-3|Beta 3]]', 'see [[w/a/beta-3-2|Beta 3]]'],
    ['the number of a link', 'see [[raw/2026-01-01-mtu-2|MTU]]', 'see [[raw/2026-01-01-mtu|MTU]]'],
    ['compatibility forms', 'ｆｕｌｌ ﬁle', 'full file'],
    ['composition', 'Cafe\u0301', 'Café'],
    ['the kind of dash in a range', '10–20 and −5', '10-20 and -5'],
  ])('is the same whatever the %s', (_, a, b) => {
    expect(contentKey(a)).toBe(contentKey(b));
  });

  it.each([
    ['a word', 'the MTU is 1420', 'the MTU is 1280'],
    ['a sign that is no punctuation', 'x < 5', 'x > 5'],
    ['an accent', 'resume', 'résumé'],
    ['a later heading', 'text\n\n## One', 'text\n\n## Two'],
    ['the title of a note that is nothing else', '# One', '# Two'],
    ['the title', '# Router A\n\nIt has two ports.', '# Router B\n\nIt has two ports.'],
    ['the sign of a number', 'the offset is -5', 'the offset is 5'],
    ['another sign of a number', 'the offset is +5', 'the offset is 5'],
    ['a sign with another dash', 'the offset is −5', 'the offset is 5'],
    ['the name of a language', 'write it in C#', 'write it in C'],
    ['the name of another language', 'write it in C++.', 'write it in C.'],
    ['a power', 'x²', 'x2'],
    ['an index', 'H₂O', 'H2O'],
    ['the slashes of a path', 'see /etc/hosts', 'see etc hosts'],
    ['the end of a path', 'copy dir/ to b', 'copy dir to b'],
    ['per cent', 'it grew 5%', 'it grew 5'],
    ['a point in a number', 'version 1.2', 'version 12'],
    ['a comma in a number', 'it costs 1,5', 'it costs 15'],
    ['a hidden file', 'read .env', 'read env'],
    ['a pattern', 'delete *.txt', 'delete .txt'],
    ['a flag', 'run it with -v', 'run it with v'],
    ['a hyphen', 're-sign the form', 'resign the form'],
    ['an underline in a name', 'call read_file', 'call read file'],
    ['an underline before a name', 'set _id', 'set id'],
    ['a star before a name', 'give it *args', 'give it args'],
    ['a call', 'call f(x)', 'call f x'],
    ['a tag', 'a #todo for us', 'a todo for us'],
    ['a variable', 'echo $HOME', 'echo HOME'],
    ['a box', '- [x] paid', '- [ ] paid'],
    ['the target of a link', 'see [[a|it]]', 'see [[b|it]]'],
    ['the folder of a link', 'see [[wiki/net/setup|it]]', 'see [[wiki/office/setup|it]]'],
    ['the folder of a link without text', 'see [[wiki/net/setup]]', 'see [[wiki/office/setup]]'],
    ['the day in a link', 'see [[2026-11-26|it]]', 'see [[2026-11-25|it]]'],
    ['the date in a link', 'see [[2026-01-01-outage|it]]', 'see [[2026-02-02-outage|it]]'],
    ['a comparison', 'The limit is > 5 ms.', 'The limit is = 5 ms.'],
    ['a sign before a number with a space', 'latency >= 5', 'latency 5'],
    ['an operator', 'a == b', 'a > b'],
    ['another operator', 'price * tax', 'price - tax'],
    ['a minus', '5 - 3', '5 3'],
    ['an arrow', 'a -> b', 'a => b'],
    ['a line that begins with an operator', '= 5', '5'],
    ['the heading of a link', 'see [[a#One|it]]', 'see [[a#Two|it]]'],
    ['the address of a link', 'see [it](https://a.example/1)', 'see [it](https://a.example/2)'],
  ])('differs by %s', (_, a, b) => {
    expect(contentKey(a)).not.toBe(contentKey(b));
  });

  it('counts the title of the front matter where the body does not begin with it', () => {
    expect(contentKey('It has two ports.', 'Router A')).not.toBe(contentKey('It has two ports.', 'Router B'));
    expect(contentKey('# Router A\n\nIt has two ports.', 'Router A')).toBe(
      contentKey('It has two ports.', 'Router A'),
    );
  });

  it('does not depend on white space between words, wherever a step ends', () => {
    const word = fc.constantFrom('a', '-5', 'C#', '/etc/hosts', '**b**', 'x²', '…', 'é'.repeat(5000));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        expect(contentKey(words.join('\n\t '))).toBe(contentKey(words.join(' ')));
      }),
    );
  });

  it('is quick on a megabyte of accents, of brackets and of marks', () => {
    for (const mix of [
      '\u0301\u0316',
      '](',
      '[[',
      '[[a ',
      '[[a|b]]',
      '＊＊a b*c ',
      '- ',
      '5 - 5 ',
      '*_',
      '`',
      '—',
      '²',
      '\\',
      '中，',
      `${'!'.repeat(4000)}a `,
      `a${'*'.repeat(4000)} `,
    ])
      expect(contentKey(`a${mix.repeat(500_000 / mix.length)}`)).toMatch(/^[0-9a-f]{64}$/);
  });
});
