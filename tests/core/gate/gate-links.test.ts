import { finish } from '../../../src/core/base/steps';
import { Catalog } from '../../../src/core/catalog/catalog';
import { retargetSteps } from '../../../src/core/gate/link-findings';
import { movesAmong } from '../../../src/core/links/follow';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { gated, told } from '../../support/gate-world';
import { linkTargets } from '../../support/link-targets';

const MTU = 'wiki/homelab/facts/mtu';
const DNS = 'wiki/net/facts/dns';

describe('links that lead to a note', () => {
  it.each([
    // As typed: exact path, with and without what callers put around it.
    ['[[wiki/homelab/facts/mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[wiki/homelab/facts/mtu.md|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[/wiki/homelab/facts/mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[brain/wiki/homelab/facts/mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[ wiki/homelab/facts/mtu | x ]]', '[[wiki/homelab/facts/mtu| x ]]'],
    // Tiers: end of the path, file name, folded name, title, alias, slug.
    ['[[net/facts/mtu|x]]', '[[wiki/net/facts/mtu|x]]'],
    ['[[mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[MTU|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[old note|x]]', '[[knowledge/Old Note|x]]'],
    ['[[Old_Note|x]]', '[[knowledge/Old Note|x]]'],
    ['[[wireguard mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[The Tunnel-Limit|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[.NET|x]]', '[[knowledge/dotnet|x]]'],
    // Words shown: the alias, the words typed, or the title when a slug or a path was typed.
    ['[[WireGuard MTU]]', '[[wiki/homelab/facts/mtu|WireGuard MTU]]'],
    ['[[the tunnel limit]]', '[[wiki/homelab/facts/mtu|the tunnel limit]]'],
    ['[[mtu]]', '[[wiki/homelab/facts/mtu|WireGuard MTU]]'],
    ['[[wiki/net/facts/mtu]]', '[[wiki/net/facts/mtu|Path MTU]]'],
    ['[[dns]]', '[[wiki/net/facts/dns|Größe / DNS (draft)]]'],
    ['[[Old Note]]', '[[knowledge/Old Note|Old Note]]'],
    ['[[mtu|]]', '[[wiki/homelab/facts/mtu|WireGuard MTU]]'],
    // Headings and blocks.
    ['[[mtu#How to set it]]', '[[wiki/homelab/facts/mtu#How to set it|WireGuard MTU]]'],
    ['[[mtu#how-to-set-it|x]]', '[[wiki/homelab/facts/mtu#how-to-set-it|x]]'],
    ['[[mtu#Ports 51820 UDP|x]]', '[[wiki/homelab/facts/mtu#Ports 51820 UDP|x]]'],
    ['[[mtu#^b1|x]]', '[[wiki/homelab/facts/mtu#^b1|x]]'],
    ['[[mtu#Nope|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[mtu#^nope|x]]', '[[wiki/homelab/facts/mtu|x]]'],
    ['[[#How to set it]]', '[[#How to set it]]'],
    ['[[#^b1|x]]', '[[#^b1|x]]'],
    ['[x](#part)', '[x](#part)'],
    // Markdown links: from the note's own folder, then from the root.
    ['[x](mtu.md)', '[[wiki/homelab/facts/mtu|x]]'],
    ['[x](../../net/facts/mtu.md)', '[[wiki/net/facts/mtu|x]]'],
    ['[x](./mtu.md#^b1)', '[[wiki/homelab/facts/mtu#^b1|x]]'],
    ['[x](/wiki/net/facts/dns.md)', '[[wiki/net/facts/dns|x]]'],
    ['[x](knowledge/Old%20Note.md)', '[[knowledge/Old Note|x]]'],
    ['[x](<knowledge/Old Note.md>)', '[[knowledge/Old Note|x]]'],
    ['[x](<../../../knowledge/Old Note> "title")', '[[knowledge/Old Note|x]]'],
    ['[](mtu.md)', '[[wiki/homelab/facts/mtu|WireGuard MTU]]'],
    ['[a **b**](mtu.md)', '[[wiki/homelab/facts/mtu|a **b**]]'],
    ['[a \\[b\\]\nc](mtu.md)', '[[wiki/homelab/facts/mtu|a (b) c]]'],
    ['[a\nc](mtu.md)', '[[wiki/homelab/facts/mtu|a c]]'],
    ['[`x`](mtu.md)', '[[wiki/homelab/facts/mtu|`x`]]'],
    ['[x][r]\n\n[r]: mtu.md', '[[wiki/homelab/facts/mtu|x]]\n\n[r]: mtu.md'],
    // A link that holds an image stays a Markdown link.
    ['[![[img/a b.png]]](mtu.md)', '[![[img/a b.png]]](wiki/homelab/facts/mtu.md)'],
    // Embeds.
    ['![[dns]]', '![[wiki/net/facts/dns]]'],
    ['![[mtu#How to set it]]', '![[wiki/homelab/facts/mtu#How to set it]]'],
    ['![[img/a b.png|300]]', '![[img/a b.png|300]]'],
    ['![[/img/a b.png|300x200]]', '![[img/a b.png|300x200]]'],
    ['![alt](/img/a%20b.png)', '![[img/a b.png|alt]]'],
    ['![](</img/a b.png>)', '![[img/a b.png]]'],
    ['![alt|300](/img/a%20b.png)', '![alt|300](img/a%20b.png)'],
    ['![alt|300x200](</img/a b.png>)', '![alt|300x200](img/a%20b.png)'],
    ['[![alt](/img/a%20b.png)](https://e.org/x)', '[![alt](img/a%20b.png)](https://e.org/x)'],
    [
      '[[inbox/processed/2026-01-02/report.pdf#page=3|p. 3]]',
      '[[inbox/processed/2026-01-02/report.pdf#page=3|p. 3]]',
    ],
    ['[[inbox/processed/2026-01-02/report.pdf]]', '[[inbox/processed/2026-01-02/report.pdf|report.pdf]]'],
    // Tables, headings, lists, quotes.
    [
      '| a | b |\n|---|---|\n| [[mtu]] | [x](dns.md) |',
      `| a | b |\n|---|---|\n| [[${MTU}\\|WireGuard MTU]] | [[${DNS}\\|x]] |`,
    ],
    ['| a |\n|---|\n| [[mtu|x]] |', `| a |\n|---|\n| [[${MTU}\\|x]] |`],
    ['| [[mtu\\|x]] |\n|---|', `| [[${MTU}\\|x]] |\n|---|`],
    ['[[mtu\\|x]]', `[[${MTU}|x]]`],
    // Brackets in the words or in the heading, which other readers could take for those of a link.
    ['[[mtu|a [b] c]]', `[[${MTU}|a (b) c]]`],
    ['[[mtu|[a]]]', `[[${MTU}|(a)]]`],
    ['[[mtu|a ]b]]', `[[${MTU}|a )b]]`],
    ['[[mtu|a \\[b\\]]]', `[[${MTU}|a (b)]]`],
    ['[[mtu|a [b] \\*c|d]]', `[[${MTU}|a (b) \\*c|d]]`],
    ['[[mtu|a\\]]', `[[${MTU}|a/]]`],
    ['![[mtu|a [b]]]', `![[${MTU}|a (b)]]`],
    ['[[mtu#Ports: 51820 [UDP]|x]]', `[[${MTU}#Ports: 51820 UDP|x]]`],
    ['[[mtu#Ports: 51820 [UDP]]]', `[[${MTU}#Ports: 51820 UDP|WireGuard MTU]]`],
    ['[x](<mtu.md#Ports: 51820 [UDP]>)', `[[${MTU}#Ports: 51820 UDP|x]]`],
    ['![[img/a b.png#a\\]]', '![[img/a b.png#a]]'],
    ['![[img/a b.png#[a]]]', '![[img/a b.png#a]]'],
    ['[[mtu|a [b]](see below)', `[[${MTU}|a (b]](see below)`],
    ['| a |\n|---|\n| [[mtu\\|a [b]]] |', `| a |\n|---|\n| [[${MTU}\\|a (b)]] |`],
    ['| [[mtu|a [b]|c]] |\n|---|', `| [[${MTU}\\|a (b)\\|c]] |\n|---|`],
    ['## On [[mtu|x]]', `## On [[${MTU}|x]]`],
    ['> - [ ] [[mtu|x]]\n>   [[dns|y]]', `> - [ ] [[${MTU}|x]]\n>   [[${DNS}|y]]`],
    ['> [!note] [[mtu|x]]', `> [!note] [[${MTU}|x]]`],
    [
      '*[[mtu|x]]*, [^1] and ==[[dns|y]]==\n\n[^1]: see [[mtu|x]]',
      `*[[${MTU}|x]]*, [^1] and ==[[${DNS}|y]]==\n\n[^1]: see [[${MTU}|x]]`,
    ],
    ['a\r\n[[mtu|x]]\r\n', `a\r\n[[${MTU}|x]]\r\n`],
  ])('%j becomes %j', (body, expected) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(result.unlinked).toEqual([]);
    expect(result.refs.every(({ resolved, reason }) => resolved !== undefined && reason === undefined)).toBe(
      true,
    );
  });

  it('tells which heading was dropped', () => {
    expect(gated('[[mtu#Nope]] [[dns#^x]]').warnings).toEqual([
      '"mtu#Nope": wiki/homelab/facts/mtu.md has no such heading; the link now leads to the whole note.',
      '"dns#^x": wiki/net/facts/dns.md has no such block; the link now leads to the whole note.',
    ]);
  });

  it('reports every one of them with its line', () => {
    expect(gated('a\n\n[[mtu]]\n- [x](dns.md)').refs).toEqual([
      { kind: 'wikilink', target: 'mtu', text: 'mtu', line: 3, resolved: `${MTU}.md`, unlinked: false },
      { kind: 'mdlink', target: 'dns.md', text: 'x', line: 4, resolved: `${DNS}.md`, unlinked: false },
    ]);
  });
});

describe('links that lead nowhere', () => {
  it.each([
    ['a [[Nope]] b', 'a Nope b', 'wikilink Nope missing!'],
    ['a [[Nope|words]] b', 'a words b', 'wikilink Nope missing!'],
    ['[[Nope#Part]]', 'Nope', 'wikilink Nope missing!'],
    ['[[ Nope ]]', 'Nope', 'wikilink Nope missing!'],
    ['![[Nope]]', 'Nope', 'embed Nope missing!'],
    ['![[nope.png|300]]', 'nope.png', 'embed nope.png missing!'],
    ['![[nope.png|a cat]]', 'a cat', 'embed nope.png missing!'],
    ['[t](nope.md)', 't', 'mdlink nope.md missing!'],
    ['[t](www.example.org)', 't', 'mdlink www.example.org missing!'],
    ['[](nope.md)', 'nope.md', 'mdlink nope.md missing!'],
    ['[t **b**](nope.md "title")', 't **b**', 'mdlink nope.md missing!'],
    ['![alt](nope.png)', 'alt', 'image nope.png missing!'],
    ['![](nope.png)', 'nope.png', 'image nope.png missing!'],
    ['[t][r]\n\n[r]: nope.md', 't\n\n[r]: nope.md', 'mdlink nope.md missing!'],
    ['[vlan](vlan.md) [[vlan]]', 'vlan vlan', 'mdlink vlan.md ambiguous!; wikilink vlan ambiguous!'],
    ['[[Self]] [[self|me]]', 'Self me', 'wikilink Self self!; wikilink self self!'],
    ['| [[Nope\\|w]] |\n|---|', '| w |\n|---|', 'wikilink Nope missing!'],
    ['[[a b.png]]', 'a b.png', 'wikilink a b.png missing!'],
    // Words before a colon are no scheme.
    ['[[Docker: volumes]]', 'Docker: volumes', 'wikilink Docker: volumes missing!'],
    ['![[Docker: volumes|v]]', 'v', 'embed Docker: volumes missing!'],
    [
      '[[Home Assistant: what (not) to do, 2/3|t]]',
      't',
      'wikilink Home Assistant: what (not) to do, 2/3 missing!',
    ],
    ['[[Standup 10:30]]', 'Standup 10:30', 'wikilink Standup 10:30 missing!'],
    [
      '[[JavaScript: The Good Parts]]',
      'JavaScript: The Good Parts',
      'wikilink JavaScript: The Good Parts missing!',
    ],
    ['[[Obsidian: tips]]', 'Obsidian: tips', 'wikilink Obsidian: tips missing!'],
    ['%% [[Docker: volumes]] %%', '%% [[Docker: volumes]] %%', ''],
    ['[[[[Nope]]]]', 'Nope', 'wikilink Nope missing!; wikilink Nope missing!'],
    // Only two brackets end a wikilink; the first of three closes one that opened inside.
    ['[[raw/2026-01-01-q|see [1] here]]', 'see [1] here', 'wikilink raw/2026-01-01-q unreviewed!'],
    ['[[.obsidian/app.json|a [b] c]]', 'a [b] c', 'wikilink .obsidian/app.json protected!'],
    ['[[x|a [b] c]]', 'a [b] c', 'wikilink x missing!'],
    ['[[x|[a]]]', '[a]', 'wikilink x missing!'],
    ['![[raw/q|a [b]]]', 'a [b]', 'embed raw/q unreviewed!'],
    ['[[[x|a [b]]]]', '[a [b]]', 'wikilink x missing!'],
    ['[[Nested [[Inner]] x]]', 'Nested Inner x', 'wikilink Inner missing!; wikilink Nested Inner x missing!'],
    ['[[raw/q\\]]', 'raw/q\\', 'wikilink raw/q\\ unreviewed!'],
    ['[[raw/q|a \\[[b]]', 'a \\[[b', 'wikilink raw/q unreviewed!'],
    ['[[x|a [b]](raw/q.md)', 'a [b(raw/q.md)', 'wikilink x missing!; mdlink raw/q.md unreviewed!'],
    ['| [[x|a [b]]] |\n|---|', '| a [b] |\n|---|', 'wikilink x missing!'],
    // What its words hold for another reader.
    ['[[x|[t](raw/q.md)]]', 't', 'wikilink x missing!; mdlink raw/q.md unreviewed!'],
    [
      '[[x|![a](http://e/x.png)]]',
      '[a](http://e/x.png)',
      'wikilink x missing!; image http://e/x.png remote_embed!',
    ],
    ['[[x|[a](javascript:alert(1))]]', 'a', 'wikilink x missing!; mdlink javascript:alert(1) unsafe_scheme!'],
    ['[[x|[r]]]\n\n[r]: nope.md', 'r\n\n[r]: nope.md', 'wikilink x missing!; mdlink nope.md missing!'],
    // Files outside the vault, such as those of a program.
    [
      '[invoice.ts](src/billing/invoice.ts#L40-L66)',
      'invoice.ts (`src/billing/invoice.ts#L40-L66`)',
      'mdlink src/billing/invoice.ts missing!',
    ],
    ['[a `b`](../x`y.py)', 'a `b` (``../x`y.py``)', 'mdlink ../x`y.py missing!'],
    ['[Makefile.am](Makefile.am)', 'Makefile.am', 'mdlink Makefile.am missing!'],
    ['[t](nope.md)', 't', 'mdlink nope.md missing!'],
    ['[t](inbox/x.py)', 't', 'mdlink inbox/x.py unreviewed!'],
    // The queue, the inbox, records and hidden folders.
    ['[[raw/2026-01-02-x|t]]', 't', 'wikilink raw/2026-01-02-x unreviewed!'],
    ['[[raw/rejected/x]]', 'raw/rejected/x', 'wikilink raw/rejected/x unreviewed!'],
    ['[[RAW/x|t]]', 't', 'wikilink RAW/x unreviewed!'],
    ['[t](../../../raw/x.md)', 't', 'mdlink ../../../raw/x.md unreviewed!'],
    ['[t](wiki/../raw/x.md)', 't', 'mdlink wiki/../raw/x.md unreviewed!'],
    ['[t](%72aw/x.md)', 't', 'mdlink raw/x.md unreviewed!'],
    ['![[inbox/drop.png]]', 'inbox/drop.png', 'embed inbox/drop.png unreviewed!'],
    ['[[inbox/quarantine/2026-01-02/x|t]]', 't', 'wikilink inbox/quarantine/2026-01-02/x unreviewed!'],
    ['[[sessions/2026-01.jsonl|t]]', 't', 'wikilink sessions/2026-01.jsonl protected!'],
    ['[[.obsidian/app.json|t]]', 't', 'wikilink .obsidian/app.json protected!'],
    ['[t](/.brain/tokens)', 't', 'mdlink /.brain/tokens protected!'],
  ])('%j becomes %j', (body, expected, refs) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(told(result)).toBe(refs);
  });

  it.each([
    'np.array([[1, 2], [3, 4]])',
    '| [[1,2],[3,4]] | x |\n|---|---|',
    '[[ $a =~ ^[0-9]+$ ]] && echo',
    'See [[1] Smith 2020](http://x.com/p) and arr[idx[0]] end',
    '- [[x] done](https://a.b/c), then a[b[1]]',
    '[[http://example.com][Example]]',
    '[[wiki [link]]] [[Sq]uare]] [[a [b#c]]]',
  ])('leaves what is hardly meant as one: %j', (body) => {
    expect(gated(body)).toMatchObject({ body, refs: [] });
  });

  it('names what an ambiguous link could mean', () => {
    const [ref] = gated('[[vlan]]').refs;
    expect(ref).toEqual({
      kind: 'wikilink',
      target: 'vlan',
      text: 'vlan',
      line: 1,
      unlinked: true,
      reason: 'ambiguous',
      candidates: ['wiki/lab/facts/vlan.md', 'wiki/net/decisions/vlan.md'],
    });
  });

  it('names what a title with a colon could mean', () => {
    const [ref] = gated('[[VLAN: which]]', {
      targets: linkTargets([
        { path: 'wiki/lab/facts/a.md', title: 'VLAN: which' },
        { path: 'wiki/net/facts/b.md', title: 'VLAN: which' },
      ]),
    }).refs;
    expect(ref).toMatchObject({
      reason: 'ambiguous',
      candidates: ['wiki/lab/facts/a.md', 'wiki/net/facts/b.md'],
    });
  });

  it('lists each target once', () => {
    expect(gated('[[a]] [[b|x]] [[a|y]] [[mtu]]').unlinked).toEqual(['a', 'b']);
  });

  it('reports at most 200, those with a fault first', () => {
    const result = gated(`${'[[mtu]] '.repeat(150)}${'[[Nope]] '.repeat(100)}`);
    expect(result.refs).toHaveLength(200);
    expect(result.refs.filter(({ reason }) => reason === 'missing')).toHaveLength(100);
    expect(result.body).not.toContain('[[Nope');
  });
});

describe('what is no link', () => {
  it.each([
    '`[[Nope]]`',
    '`` [[Nope]] ` [t](nope.md) ``',
    '```\n[[Nope]]\n```',
    '```md\n[[Nope]]',
    '~~~\n[[Nope]]\n~~~',
    '> ```\n> [[Nope]]\n> ```',
    '- ```\n  [[Nope]]\n  ```',
    '````\n```\n[[Nope]]\n```\n````',
    'a\n\n    [[Nope]]',
    '- a\n\n      [[Nope]]',
    '$[[1]]$ and $$[[2]]$$',
    '$$\n[[1]]\n$$',
    '%% [[Nope]] %%',
    '%%\n\n[[Nope]]\n\n- [t](nope.md)\n\n%%',
    '<!-- [[Nope]] -->',
    '<!--\n[[Nope]]\n-->',
    '\\[[Nope\\]]',
    '\\[t](nope.md)',
    '[t]\\(nope.md)',
    '[ ] task [x] done [1] see',
    '[t](my note.md)',
    '[]()',
    '[[]] [[|x]]',
    '[[No\npe]]',
    '[[No [p\ne]]',
    '$[[a [b]]]$',
    '%% [[No [pe]]] %%',
    '`[[No [pe]]]`',
    '[[#a [b]]]',
    '[Alice]: hello there\n\n[Alice] said',
    '[t](https://example.org/a_(b)?c=d#e "t") <https://example.org> https://example.org <me@example.org> [m](mailto:me@example.org)',
  ])('leaves %j as it is', (body) => {
    expect(gated(body)).toEqual({ body, refs: [], unlinked: [], warnings: [], changes: [] });
  });
});

describe('modes', () => {
  it.each([
    ['[[mtu|x]] [[Nope]] [[vlan]] [[raw/x|r]] [[Self]]', 'promote', `[[${MTU}|x]] [[Nope]] [[vlan]] r Self`],
    [
      '[[mtu|a [b]]] [[Nope|a [b]]] [[raw/x|[r]]] [[Self|[s]]]',
      'promote',
      `[[${MTU}|a (b)]] [[Nope|a [b]]] [r] [s]`,
    ],
    ['[[Nope|a [b] c]](raw/x.md)', 'promote', '[Nope|a [b] c]'],
    ['[[Nope|![a](http://x)]]', 'promote', '[[Nope|[a](http://x)]]'],
    ['[[mtu|![a](http://x)]]', 'promote', `[[${MTU}|!(a)(http://x)]]`],
    ['![a](http://x) <script>', 'promote', '[a](http://x) &lt;script>'],
  ] as const)('%j in mode %s becomes %j', (body, mode, expected) => {
    expect(gated(body, { mode }).body).toBe(expected);
  });
});

describe('retargetSteps', () => {
  const old = 'raw/2026-01-02-x.md';
  const now = 'wiki/home lab/facts/x.md';
  /** The body of the note at `at` after a move, and whether each link opens then what it opened before. */
  const retargeted = (body: string, at: string, others: readonly string[] = [], from = old, to = now) => {
    const before = new Catalog();
    for (const path of [from, at, ...others]) before.addPath(vaultPath(path));
    const moves = movesAmong(before, new Map([[vaultPath(from), vaultPath(to)]]));
    return finish(retargetSteps(body, vaultPath(at), moves));
  };

  it.each([
    ['a [[raw/2026-01-02-x]] b', 'a [[wiki/home lab/facts/x|raw/2026-01-02-x]] b'],
    [
      '[[raw/2026-01-02-x.md#h|t]] ![[/raw/2026-01-02-x]]',
      '[[wiki/home lab/facts/x.md#h|t]] ![[/wiki/home lab/facts/x]]',
    ],
    ['[t](/raw/2026-01-02-x.md "y")', '[t](/wiki/home%20lab/facts/x.md "y")'],
    ['[t](raw/2026-01-02-x.md "y")', '[t](wiki/home%20lab/facts/x.md "y")'],
    ['[t](<../raw/2026-01-02-x.md#h>)', '[t](<../wiki/home%20lab/facts/x.md#h>)'],
    ['| [[raw/2026-01-02-x\\|t]] |\n|---|', '| [[wiki/home lab/facts/x\\|t]] |\n|---|'],
    ['| [[2026-01-02-x]] |\n|---|', '| [[x\\|2026-01-02-x]] |\n|---|'],
    ['[[raw/2026-01-02-x|a [b]]]', '[[wiki/home lab/facts/x|a [b]]]'],
    [
      '[[2026-01-02-x#Part]] [[2026-01-02-x#^b|]]',
      '[[x#Part|2026-01-02-x > Part]] [[x#^b|2026-01-02-x > ^b]]',
    ],
    [
      '[![[raw/2026-01-02-x]]](../raw/2026-01-02-x.md)',
      '[![[wiki/home lab/facts/x]]](../wiki/home%20lab/facts/x.md)',
    ],
    ['`[[raw/2026-01-02-x]]` [[raw/2026-01-02-xy]]', '`[[raw/2026-01-02-x]]` [[raw/2026-01-02-xy]]'],
  ])('%j becomes %j', (body, expected) => {
    expect(retargeted(body, 'knowledge/here.md')).toBe(expected);
  });

  it.each([
    ['wiki/lab/facts/here.md', '[t](../../../raw/2026-01-02-x.md#h)', '[t](../../home%20lab/facts/x.md#h)'],
    ['wiki/lab/facts/here.md', '[[../../../raw/2026-01-02-x|y]]', '[[../../home lab/facts/x|y]]'],
    [
      'raw/mate.md',
      '[t](2026-01-02-x.md) [t](<./2026-01-02-x>)',
      '[t](../wiki/home%20lab/facts/x.md) [t](<../wiki/home%20lab/facts/x>)',
    ],
    ['raw/mate.md', '[t](sub/2026-01-02-x.md)', '[t](sub/2026-01-02-x.md)'],
    [
      'raw/mate.md',
      '[[brain/raw/2026-01-02-x|t]] [[brain/2026-01-02-x]]',
      '[[wiki/home lab/facts/x|t]] [[brain/2026-01-02-x]]',
    ],
    ['wiki/home lab/facts/near.md', '[[2026-01-02-x|t]] [[./x]]', '[[x|t]] [[./x]]'],
  ])('in %s %j becomes %j', (at, body, expected) => {
    expect(retargeted(body, at)).toBe(expected);
  });

  it('leaves a link alone that opens what stands nearer, and leads it there when the move would come between', () => {
    const near = 'knowledge/raw/2026-01-02-x.md';
    expect(
      retargeted('[t](raw/2026-01-02-x.md) [t](/raw/2026-01-02-x.md)', 'knowledge/here.md', [near]),
    ).toBe('[t](raw/2026-01-02-x.md) [t](/wiki/home%20lab/facts/x.md)');
    expect(retargeted('[[Terms]] [[Y]]', 'A/i.md', ['Deep/er/Terms.md'], 'B/Y.md', 'Z/Terms.md')).toBe(
      '[[er/Terms|Terms]] [[Terms|Y]]',
    );
    expect(retargeted('[[Y]] [[y]]', 'A/i.md', ['Long/er/Y.md'], 'B/Y.md', 'Longer/still/Y.md')).toBe(
      '[[still/Y|Y]] [[still/Y|y]]',
    );
  });

  it('leaves the name of a note that keeps it, and takes the links of a note that moves along', () => {
    expect(retargeted('[[X]] [x](X.md)', 'A/i.md', [], 'A/X.md', 'wiki/w/facts/X.md')).toBe(
      '[[X]] [x](../wiki/w/facts/X.md)',
    );
    const own = retargeted(
      '[[Self#a]] [s](Self.md) [[Terms]] [o](Other.md) [p](../p.png)',
      'A/Self.md',
      ['A/Terms.md', 'A/Other.md', 'B/Terms.md', 'T/Terms.md', 'p.png'],
      'A/Self.md',
      'T/u/Self.md',
    );
    expect(own).toBe('[[Self#a]] [s](Self.md) [[Terms]] [o](../../A/Other.md) [p](../../p.png)');
  });
});
