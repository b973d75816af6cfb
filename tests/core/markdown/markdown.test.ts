import * as fc from 'fast-check';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { hostileMarkdown } from '../../support/hostile-markdown';
import { linksIn } from '../../support/links-in';

describe('markdownFacts', () => {
  it('reads a whole note', () => {
    const body = [
      '# WireGuard *MTU*',
      '',
      'The tunnel drops **big** packets, see [[wiki/net/facts/mtu|path MTU]] and [docs](https://x.example). #net/wg ^intro',
      '',
      '> [!warning] Mind the [[dns#Split]]',
      '> `wg show` tells.',
      '',
      '| a | b |',
      '|---|---|',
      '| [[x\\|y]] | 2 |',
      '',
      '```sh',
      'ip link # [[no]]',
      '```',
      '',
      'Limits',
      '---',
      '- [ ] measure ![[plot.png|300]] ^task-1',
      '',
    ].join('\n');
    expect(markdownFacts(body)).toEqual({
      links: [
        { kind: 'wikilink', target: 'wiki/net/facts/mtu' },
        { kind: 'wikilink', target: 'dns' },
        { kind: 'wikilink', target: 'x' },
        { kind: 'embed', target: 'plot.png' },
      ],
      addresses: ['x.example'],
      headings: [
        { level: 1, text: 'WireGuard MTU', source: 'WireGuard *MTU*' },
        { level: 2, text: 'Limits', source: 'Limits' },
      ],
      blockIds: ['intro', 'task-1'],
      h1: 'WireGuard MTU',
      title: 'WireGuard MTU',
      isWhole: true,
      tags: ['net/wg'],
      blocks: expect.any(Array),
      comments: '',
      plain:
        'The tunnel drops big packets, see path MTU and docs. #net/wg Mind the dns wg show tells. a b y 2 measure',
      searchText:
        'WireGuard MTU The tunnel drops big packets, see path MTU and docs. #net/wg Mind the dns wg show tells. a b y 2 ' +
        'ip link # [[no]] Limits measure',
    });
  });

  it('names what a thousand links lead to once', () => {
    const body = Array.from({ length: 1000 }, (_, n) => `[[t#${n}|${n}]] ![[t]] [${n}](t)`).join(' ');
    expect(markdownFacts(body).links.map(({ kind }) => kind)).toEqual(['wikilink', 'embed', 'mdlink']);
  });

  it.each([
    ['a *b* **c** ***d*** ~~e~~ ==f== _g_', 'a b c d e f g'],
    ['snake_case 2 * 3 a_b_c', 'snake_case 2 * 3 a_b_c'],
    ['\\*a\\* &amp; &lt;b&gt; &#65;', '*a* & <b> A'],
    ['`a*b` ``c`d``', 'a*b c`d'],
    ['[t](x "y") [t][r] <https://x>\n\n[r]: https://y "z"', 't t https://x'],
    ['![alt](x.png) ![300](y.png) ![[z]]', 'alt'],
    ['[[a]] [[a#b]] [[#b]] [[a|b *c*]]', 'a a #b b c'],
    ['[[a [b]]] [[a|b [c]]] [[a|[b](c.md) d]]', 'a [b] b [c] b d'],
    ['a <b>c</b> <!-- d --> %% e [[f]] %% g', 'a c g'],
    ['%%\nhidden\n\nmore\n%%\nshown', 'shown'],
    ['<div>\nhtml\n</div>\n\ntext', 'text'],
    ['$x^2$ and\n\n$$\ny\n$$', '$x^2$ and $$ y $$'],
    ['text[^1] more\n\n[^1]: the note', 'text more the note'],
    [
      'a[^1] b[^n]\n\n[^1]: https://x.example/y.pdf\n[^n]: word\n\n[r]: word',
      'a b https://x.example/y.pdf word',
    ],
    ['# h\n\n## h2\ntext', 'text'],
    ['    code\n\ntext', 'text'],
    ['> a\n> b\n\n1. c\n2. d', 'a b c d'],
    ['a\r\nb\r\n\r\nc', 'a b c'],
    ['', ''],
  ])('the prose of %j is %j', (body, plain) => {
    expect(markdownFacts(body).plain).toBe(plain);
  });

  it.each([
    ['<details>\n<summary>Restore</summary>\nStop it &amp; wait.\n</details>', 'Restore Stop it & wait.'],
    ['<div>note</div>\nIt is in the safe. #no ^no', 'note It is in the safe. #no'],
    ['<table><tr><td>a</td><td>b|c</td></tr></table>', 'a b|c'],
    ['- item\n  <p title="no">x</p>\n\n> <div class=no>y</div>', 'item x y'],
    ['<!-- no --> shown\n\n<div><!-- no\nno --> yes</div>', 'shown yes'],
    ['<div>a <!-- no\nno', 'a'],
    ['<!--> a\n\n<!-- no\n\nno', 'a'],
    ['<style>\nno {}\n\nno\n</style> a\n\n<div>b <script>no < no</script> c</div>', 'a b c'],
    ['<div>a <template>no <b>no</b>\n</div>\n\nb', 'a b'],
    ['<?php no ?>\n\n<!DOCTYPE no>\n\na', 'a'],
    ['<div %no a>b</div>\n\nc', 'b c'],
  ])('what is searched of %j is %j', (body, searchText) => {
    const facts = markdownFacts(body);
    expect(facts.searchText).toBe(searchText);
    expect(facts.tags).toEqual([]);
    expect(facts.blockIds).toEqual([]);
  });

  it.each([
    [
      '[t](https://docs.example.com/guide/a_b.html#top "t") again [u](<http://docs.example.com/guide/a_b.html>)',
      ['docs.example.com/guide/a_b.html'],
    ],
    ['[t][r] [r]\n\n[r]: https://x.example/?v=1&amp;w=2', ['x.example/?v=1&w=2']],
    [
      '[t](https://de.example/wiki/Gr%C3%B6%C3%9Fe) [m](mailto:a@b.example)',
      ['de.example/wiki/Größe', 'a@b.example'],
    ],
    ['[t](note.md) [[n]] [t](#h) [t](javascript:x) [t](//host/x) [t](data:x) [t](https://)', []],
    [
      '![a](https://no.example/x.png) <https://no.example> `[t](https://no.example)` %%[t](https://no.example)%%',
      [],
    ],
    ['<!-- [t](https://no.example) -->\n\n```\n[t](https://no.example)\n```', []],
    ['[![a](https://no.example/x.png)](https://yes.example)', ['yes.example']],
  ])('the addresses that %j leads to are %j', (body, addresses) => {
    expect(markdownFacts(body).addresses).toEqual(addresses);
  });

  it.each([
    ['# A\n# B', 'A'],
    ['```\n# no\n```\n\n# yes', 'yes'],
    ['    # no\n\ntext\n# yes #', 'yes'],
    ['#\n# b', 'b'],
    ['A\n===', 'A'],
    ['## only two', null],
    ['#no', null],
  ])('the title heading of %j is %j', (body, h1) => {
    expect(markdownFacts(body).h1).toBe(h1);
  });

  it.each([
    ['#a #b/c, (#d) #1 #2a x#no `#no` [#no](x) \\#no ##no', ['a', 'b/c', 'd', '2a']],
    ['#größe #東京 #a-b_c #a', ['größe', '東京', 'a-b_c', 'a']],
    ['# heading #h', ['h']],
    ['<a title="#no"> https://x/#no', []],
  ])('the tags of %j are %j', (body, tags) => {
    expect(markdownFacts(body).tags).toEqual(tags);
  });

  it.each([
    ['a ^one\n\n- b ^two\n  - c ^3\n\n^four', ['one', 'two', '3', 'four']],
    ['a ^one b\n\n`^two`', []],
  ])('the block ids of %j are %j', (body, ids) => {
    expect(markdownFacts(body).blockIds).toEqual(ids);
  });

  it.each([
    [
      '[t](my%20note.md#a%20b) [t](<my note.md>) ![p](img/x.png)',
      ['mdlink my note.md a b', 'mdlink my note.md null', 'image img/x.png null'],
    ],
    ['[t](https://x) <https://x> ![a](http://x) [[#h]] [t](#h) [t]()', []],
    ['[t][r] [r]\n\n[r]: note.md', ['mdlink note.md null', 'mdlink note.md null']],
    ['`[[a]]` $[[b]]$ <!-- [[c]] --> [[d]]', ['wikilink d null']],
    ['[![[a]]](b.md)', ['mdlink b.md null', 'embed a null']],
    [
      '[[a|b [c] d]] [[a [b#c [d]]] ![[Sq]uare]] [[a\\]]',
      ['wikilink a null', 'wikilink a [b c [d]', 'embed Sq]uare null', 'wikilink a\\ null'],
    ],
    ['[[Nested [[Inner]] x]] [[No [p\ne]] `[[a [b]]]` \\[[a [b]]]', ['wikilink Inner null']],
    ['[[a|[t](b.md)]]', ['wikilink a null', 'mdlink b.md null']],
    ['| [[a [b]|c]] | d |\n|---|---|', ['wikilink a [b] null']],
  ])('the links of %j are %j', (body, links) => {
    expect(linksIn(body).map(({ kind, target, fragment }) => `${kind} ${target} ${fragment}`)).toEqual(links);
  });

  it('gives offsets that cut out the links', () => {
    fc.assert(
      fc.property(hostileMarkdown, (body) => {
        for (const { kind, from, to } of linksIn(body)) {
          const source = body.slice(from, to);
          expect(source).toMatch(
            kind === 'wikilink' ? /^\[\[[^]*\]\]$/ : kind === 'embed' ? /^!\[\[[^]*\]\]$/ : /^!?\[[^]*[\])]$/,
          );
        }
      }),
      { numRuns: 1000 },
    );
  });
});

it.each([
  ['Open **[[Settings]]**. Go', 'Open Settings. Go'],
  ['a **[b](c.md)** d', 'a b d'],
  ['x **`c`** y', 'x c y'],
  ['*[[a|b]]* * [[c]]', 'b * c'],
])('shows %j without the emphasis around a link or code', (body, plain) => {
  expect(markdownFacts(body).plain).toBe(plain);
});

it('reads a body once for the write and for the catalog', () => {
  const body = '# One\n\nText of a note.';
  const facts = markdownFacts(body);
  expect(markdownFacts(`${body.slice(0, 5)}${body.slice(5)}`)).toBe(facts);
  expect(markdownFacts('# Two').title).toBe('Two');
  expect(markdownFacts(body)).toEqual(facts);
});
