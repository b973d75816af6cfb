import * as fc from 'fast-check';
import { gated, told } from '../../support/gate-world';

describe('a file name in pointed brackets that reads like a tag', () => {
  it.each([
    ['![a](<p one.png>)', 'image p one.png missing!'],
    ['![a](<style guide.png>)', 'image style guide.png missing!'],
    ['[a](<form 1.md> "t")', 'mdlink form 1.md missing!'],
    ['![a](</img/a b.png>) <b>x</b>', 'image /img/a b.png img/a b.png'],
  ])('is no active content: %j', (body, refs) => {
    expect(told(gated(body))).toBe(refs);
  });

  it.each([
    ['<style guide.png>', 'html style active_content!'],
    ['x](<style guide.png>)', 'html style active_content!'],
    ['`![a](` <style guide.png>)', 'html style active_content!'],
    ['![a](<p onload=x.png>)', 'html onload active_content!'],
    ['![a](<script x.png>)', 'html script active_content!'],
  ])('is one where it is no address, or has a value: %j', (body, ref) => {
    expect(told(gated(body)).split('; ')).toContain(ref);
  });
});

describe('what would be fetched becomes a plain link', () => {
  it.each([
    ['![a](http://x/p.png)', '[a](http://x/p.png)', 'image http://x/p.png'],
    ['![a](https://x "t")', '[a](https://x "t")', 'image https://x'],
    ['![a](HTTP://x)', '[a](HTTP://x)', 'image HTTP://x'],
    ['![](http://x)', '[image](http://x)', 'image http://x'],
    ['![](<http://x/a b>)', '[image](<http://x/a b>)', 'image <http://x/a b>'],
    ['![a]( http://x )', '[a]( http://x )', 'image http://x'],
    ['![a](\nhttp://x\n)', '[a](\nhttp://x\n)', 'image http://x'],
    ['![a](&#104;ttp://x)', '[a](&#104;ttp://x)', 'image &#104;ttp://x'],
    ['![a](http&colon;//x)', '[a](http&colon;//x)', 'image http&colon;//x'],
    ['![a](http\\://x)', '[a](http\\://x)', 'image http\\://x'],
    ['![a](http:x)', '[a](http:x)', 'image http:x'],
    ['![a](//x/p.png)', 'a', 'image //x/p.png'],
    ['![a](\\\\\\\\x\\p.png)', 'a', 'image \\\\\\\\x\\p.png'],
    ['![a](/\\x)', 'a', 'image /\\x'],
    ['![a][r]\n\n[r]: http://x', '[a][r]\n\n[r]: http://x', 'image http://x'],
    ['![r][]\n\n[R]: <http://x>', '[r][]\n\n[R]: <http://x>', 'image <http://x>'],
    ['![r]\n\n> [r]:\n> http://x', '[r]\n\n> [r]:\n> http://x', 'image http://x'],
    ['![a][r]\n[r]: http://x', '[a][r]\n[r]: http://x', 'image http://x'],
    // Behind a bracket what is left would be the address of what stands before it.
    ['![b]![r]\n\n[r]: http://x', '![b] [r]\n\n[r]: http://x', 'image http://x'],
    ['![b]![r](http://y)\n\n[r]: http://x', '![b] [r](http://y)\n\n[r]: http://x', 'image http://y'],
    ['[![badge](http://i)](http://p)', '[badge](http://p)', 'image http://i'],
    ['[![](http://i)](http://p)', '[image](http://p)', 'image http://i'],
    ['![a](http://x y)', '[a](http://x y)', 'image http://x'],
    ['![a](http://x', '[a](http://x', 'image http://x'],
    ['![[http://x/p.png]]', '[http://x/p.png](http://x/p.png)', 'embed http://x/p.png'],
    ['![[https://x|cat]]', '[cat](https://x)', 'embed https://x'],
    ['![[http: x@y/p.png]]', 'http: x@y/p.png', 'embed http: x@y/p.png'],
    ['![[//x/p.png]]', '//x/p.png', 'embed //x/p.png'],
    ['![[#a]](http://x)', '[[#a]](http://x)', 'image http://x'],
    ['# ![a](http://x)', '# [a](http://x)', 'image http://x'],
    ['| ![a](http://x) |\n|---|', '| [a](http://x) |\n|---|', 'image http://x'],
    ['- > ![a](http://x)', '- > [a](http://x)', 'image http://x'],
    ['%% ![a](http://x) %%', '%% [a](http://x) %%', 'image http://x'],
    ['$![a](http://x)$', '$[a](http://x)$', 'image http://x'],
    ['<!-- ![a](http://x) -->', '<!-- [a](http://x) -->', 'image http://x'],
    ['<div>\n![a](http://x)\n</div>', '<div>\n[a](http://x)\n</div>', 'image http://x'],
    ['- a\n\n      ![a](http://x)', '- a\n\n      [a](http://x)', 'image http://x'],
    // Backticks that do not hide it under every reading.
    ['<a title="`"> ![a](http://x) `', '<a title="`"> [a](http://x) `', 'image http://x'],
    ['$a`b$ c` ![a](http://x) `d`', '$a`b$ c` [a](http://x) `d`', 'image http://x'],
    ['[[#`]] ![a](http://x) `', '[[#`]] [a](http://x) `', 'image http://x'],
    [
      '| ` | ![a](http://x) | ` |\n|---|---|---|',
      '| ` | [a](http://x) | ` |\n|---|---|---|',
      'image http://x',
    ],
    ['<!-- ` --> ![a](http://x) `', '<!-- ` --> [a](http://x) `', 'image http://x'],
    ['\\```![a](http://x)``', '\\```[a](http://x)``', 'image http://x'],
    ['![<?]?>](http://x)', '[<?]?>](http://x)', 'image http://x'],
    ['~~~\r~~~\r![a](http://x)', '~~~\r~~~\r[a](http://x)', 'image http://x'],
    // Around a wikilink, for a reader who knows none.
    ['![[img/a b.png]][r]\n\n[r]: http://x', '[[img/a b.png|a b.png]][r]\n\n[r]: http://x', 'image http://x'],
    ['![[img/a b.png]](http://x)', '[[img/a b.png|a b.png]](http://x)', 'image http://x'],
    ['![[#a\\]] b](http://x)', '[[#a\\]] b](http://x)', 'image http://x'],
    ['![[#a|b [c] d]](http://x)', '[[#a|b [c] d]](http://x)', 'image http://x'],
    ['![[#a|b [c] d]][r]\n\n[r]: http://x', '[[#a|b [c] d]][r]\n\n[r]: http://x', 'image http://x'],
    ['[[#a|![b](http://x)]]', '[[#a|[b](http://x)]]', 'image http://x'],
    ['[[#a|![r]]]\n\n[r]: http://x', '[[#a|[r]]]\n\n[r]: http://x', 'image http://x'],
    [`${'> '.repeat(100)}![a](http://x)`, `${'> '.repeat(100)}[a](http://x)`, 'image http://x'],
  ])('%j becomes %j', (body, expected, refs) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(told(result).split('; ')[0]).toBe(`${refs} remote_embed!`);
  });

  it.each([
    '`![a](http://x)`',
    '```\n![a](http://x)\n```',
    'a\n\n    ![a](http://x)',
    '\\![a](http://x)',
    '!\\[a](http://x)',
  ])('leaves %j, which is no image', (body) => expect(gated(body).body).toBe(body));
});

describe('links that could act become text', () => {
  it.each([
    ['[t](javascript:alert(1))', 't'],
    ['[t](JaVaScRiPt:x)', 't'],
    ['[t](java&#115;cript:x)', 't'],
    ['[t](java&#x73;cript:x)', 't'],
    ['[t](java&#115cript:x)', 't'],
    ['[t](javascript&colon;x)', 't'],
    ['[t](javascript&#58;x)', 't'],
    ['[t](javascript\\:x)', 't'],
    ['[t](%6aavascript:x)', 't'],
    ['[t](%256aavascript:x)', 't'],
    ['[t](javascript%3Ax)', 't'],
    ['[t](<java\tscript:x>)', 't'],
    ['[t](java&Tab;script:x)', 't'],
    ['[t](java&NewLine;script:x)', 't'],
    ['[t](java%0ascript:x)', 't'],
    ['[t](java\u200bscript:x)', 't'],
    ['[t](\u0001javascript:x)', 't'],
    ['[t](&#1;javascript:x)', 't'],
    ['[t](<  javascript:x>)', 't'],
    ['[t](vbscript:x)', 't'],
    ['[t](data:text/html;base64,PHNjcmlwdD4=)', 't'],
    ['![t](data:image/png;base64,AAAA)', 't'],
    ['[t](file:///etc/passwd)', 't'],
    ['[t](obsidian://open?vault=x)', 't'],
    ['[t](zotero://select/1)', 't'],
    ['[t](C:\\x)', 't'],
    ['[t](//host/share)', 't'],
    ['[t](\\\\\\\\host\\share)', 't'],
    ['[*t* `c`](javascript:x)', '*t* `c`'],
    ['[](javascript:x)', ''],
    ['[t](javascript:x "title")', 't'],
    ['[a [b](http://x) c](javascript:y)', 'a [b](http://x) c'],
    ['[t][s]\n\n[s]: javascript:x', 't\n\n\\[s]: javascript:x'],
    ['[t][s]\n\n[s]: mtu.md\n[s]: javascript:x', 't\n\n[s]: mtu.md\n\\[s]: javascript:x'],
    ['[s]\n[s]:\n  <javascript:x>', 's\n\\[s]:\n  &lt;javascript:x>'],
    ['> > [s]: obsidian://x', '> > \\[s]: obsidian\\://x'],
    ['<javascript:x>', '&lt;javascript:x>'],
    ['<file:///x>', '&lt;file:///x>'],
    ['<obsidian://x>', '&lt;obsidian\\://x>'],
    ['<std::string>', '&lt;std::string>'],
    ['[[obsidian://open]]', 'obsidian\\://open'],
    ['[[javascript:x|t]]', 't'],
    ['![[file:///x|t]]', 't'],
    // A title has a space around its colon, but some of these run or fetch with one as well.
    ['[[javascript: alert(1)]]', 'javascript: alert(1)'],
    ['[[java script: a=1|t]]', 't'],
    ['[[javascript : x()|t]]', 't'],
    ['[[data: text/html,x|t]]', 't'],
    ['[[vbscript:x y|t]]', 't'],
    ['[[data:a b|t]]', 't'],
    ['[[obsidian: //open|t]]', 't'],
    ['[[zotero: //select|t]]', 't'],
    ['[[zotero:select me|t]]', 't'],
    ['[[java\u200bscript: x()|t]]', 't'],
    ['[[javascript%3a x|t]]', 't'],
    ['[[C:\\x y|t]]', 't'],
    ['see obsidian://open?x and (OBSIDIAN://y)', 'see obsidian\\://open?x and (OBSIDIAN\\://y)'],
    ['[t](javascript:x y)', '[t]\\(javascript:x y)'],
    ['[[#a]](javascript:x)', '[[#a]]\\(javascript:x)'],
    ['![|---|\n](javascript:x)', '|---|\n'],
  ])('%j becomes %j', (body, expected) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(result.refs.some(({ reason, unlinked }) => reason === 'unsafe_scheme' && unlinked)).toBe(true);
  });

  it.each([
    '`[t](javascript:x)`',
    'javascript: the good parts',
    'http://x ftp://y',
    '[t](mailto:a@b.c)',
    '[Bob](see: that)',
    '`obsidian://x`',
  ])('leaves %j', (body) => expect(gated(body).body).toBe(body));
});

it('takes nothing for a title that a browser would run or open', () => {
  const lead = fc.constantFrom('', '\u0001', '\u200b', 'a ');
  const scheme = fc.constantFrom(
    ...['javascript', 'JavaScript', 'java script', 'java\tscript', 'java\u200bscript', '%6aavascript'],
    ...['vbscript', 'data', 'file', 'obsidian', 'zotero', 'x-app', 'Docker', 'Home Assistant', 'tcp+ip'],
  );
  const colon = fc.constantFrom('%3Ax: ', ':', ': ', ' :', ' : ', ':\t', ':\u00a0', '%3a ', '\\: ', ':  ');
  const rest = fc.array(
    fc.constantFrom(
      'x',
      'alert(1)',
      'a=1',
      'text/html,<b>',
      '//x',
      '/',
      'x y',
      'a-b',
      '`x`',
      'a.b',
      'u@h',
      ':',
      'é',
    ),
    { minLength: 1, maxLength: 3 },
  );
  let [drawn, titles] = [0, 0];
  fc.assert(
    fc.property(lead, scheme, colon, rest, (before, name, between, after) => {
      drawn += 1;
      const target = `${before}${name}${between}${after.join(' ')}`;
      const [ref] = gated(`[[${target}|t]]`).refs;
      const protocol = URL.canParse(target) ? new URL(target).protocol : null;
      if (protocol === null || ref?.reason === 'unsafe_scheme') return;
      titles += 1;
      expect([target, ref?.reason]).toEqual([target, 'missing']);
      expect(target).toMatch(/^[^:]*: /);
      if (/^(?:javascript|vbscript|data|file|obsidian):$/.test(protocol))
        expect(target).toMatch(/: [\p{L}\p{N} -]+$/u);
    }),
    { numRuns: 3000 },
  );
  expect(titles).toBeGreaterThan(drawn / 100);
});

it.each([
  ['javascript%3Aalert(1): x', 'unsafe_scheme'],
  ['obsidian%3A//run?x=1: y', 'unsafe_scheme'],
  ['file%3A///etc/passwd: y', 'unsafe_scheme'],
  ['data%253Atext/html,x: y', 'unsafe_scheme'],
])('%s is no title, though words follow a colon', (target, reason) => {
  expect(gated(`[[${target}|t]]`).refs).toMatchObject([{ reason }]);
});

describe('raw HTML that is active becomes text', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['<SCRIPT src=x>', '&lt;SCRIPT src=x>'],
    ['<script\n>x</script\n>', '&lt;script\n>x&lt;/script\n>'],
    ['a <iframe src="https://x"></iframe> b', 'a &lt;iframe src="https://x">&lt;/iframe> b'],
    [
      '<object data=x><embed><form><base><link><meta><style>',
      '&lt;object data=x>&lt;embed>&lt;form>&lt;base>&lt;link>&lt;meta>&lt;style>',
    ],
    ['<style>@import "//x"</style>', '&lt;style>@import "//x"&lt;/style>'],
    ['<b onclick=x>t</b>', '&lt;b onclick=x>t</b>'],
    ['<b ONCLICK = "x">', '&lt;b ONCLICK = "x">'],
    ['<svg onload>', '&lt;svg onload>'],
    ['<svg/onload=x>', '&lt;svg/onload=x>'],
    ['<b\nonclick=x>', '&lt;b\nonclick=x>'],
    ['<b a="1"onclick=x>', '&lt;b a="1"onclick=x>'],
    ['<img src=http://x>', '&lt;img src=http://x>'],
    ["<img src='//x'>", "&lt;img src='//x'>"],
    ['<img src="&#104;ttps://x">', '&lt;img src="&#104;ttps://x">'],
    ['<img src="\nhttps://x">', '&lt;img src="\nhttps://x">'],
    ['<img src="/\\x">', '&lt;img src="/\\x">'],
    ['<img alt=">" src=http://x>', '&lt;img alt=">" src=http://x>'],
    ['<img src=http://x ', '&lt;img src=http://x '],
    ['<div>\n<img src=http://x\n\ntext >', '<div>\n&lt;img src=http://x\n\ntext >'],
    ['<img srcset="a.png 1x, https://x 2x">', '&lt;img srcset="a.png 1x, https://x 2x">'],
    ['<video poster="http://x">', '&lt;video poster="http://x">'],
    ['<audio><source src=//x></audio>', '<audio>&lt;source src=//x></audio>'],
    ['<table background="http://x">', '&lt;table background="http://x">'],
    ['<svg><image href="http://x"/></svg>', '<svg>&lt;image href="http://x"/></svg>'],
    ['<svg><use xlink:href="//x#a"/></svg>', '<svg>&lt;use xlink:href="//x#a"/></svg>'],
    ['<rect fill="url(http://x)">', '&lt;rect fill="url(http://x)">'],
    ['<a ping="http://x" href="http://y">', '&lt;a ping="http://x" href="http://y">'],
    ['<p style="background:url(x)">', '&lt;p style="background:url(x)">'],
    ['<p style="background:u\\72l(x)">', '&lt;p style="background:u\\72l(x)">'],
    ['<p style=\'a:URL ("x")\'>', '&lt;p style=\'a:URL ("x")\'>'],
    ['<p style="&#117;rl(x)">', '&lt;p style="&#117;rl(x)">'],
    ['<a href="javascript:x">', '&lt;a href="javascript:x">'],
    ['<a href=" &#106;avascript:x">', '&lt;a href=" &#106;avascript:x">'],
    ['<button formaction="javascript:x">', '&lt;button formaction="javascript:x">'],
    [
      '<svg><set attributeName=href to=javascript:x></svg>',
      '<svg>&lt;set attributeName=href to=javascript:x></svg>',
    ],
    [
      '<pre><code class="language-dataviewjs">x</code></pre>',
      '<pre>&lt;code class="language-dataviewjs">x</code></pre>',
    ],
    ['<code>$= x</code>', '&lt;code>$= x</code>'],
    ['<code>&#36;= x</code>', '&lt;code>&#36;= x</code>'],
    ['| <b onclick=x> |\n|---|', '| &lt;b onclick=x> |\n|---|'],
    ['<div>\n`<img src=http://x>`\n</div>', '<div>\n`&lt;img src=http://x>`\n</div>'],
    ['<div>\n\\<script>', '<div>\n\\&lt;script>'],
    ['<!-- <script> -->', '<!-- &lt;script> -->'],
    ['<!-- --!> `<img src=//x>` -->', '<!-- --!> `&lt;img src=//x>` -->'],
    ['<? > \\<img src=//x> ?>', '<? > \\&lt;img src=//x> ?>'],
    ['[r]: x\n<code>\n```\n<script>', '[r]: x\n<code>\n```\n&lt;script>'],
    ['[r]: x\n"t\nu"\n<code>\n```\n<script>', '[r]: x\n"t\nu"\n<code>\n```\n&lt;script>'],
    ['<!-- unclosed <script>', '<!-- unclosed &lt;script>'],
    ['<!--> <script> -->', '<!--> &lt;script> -->'],
    ['<a =title="<img alt=">" src=http://x>', '<a =title="&lt;img alt=">" src=http://x>'],
    ['<a title="<script>">', '<a title="&lt;script>">'],
    ['[[#a|<b onclick=x>]]', '[[#a|&lt;b onclick=x>]]'],
    ['[<b onclick=x>](http://x)', '[&lt;b onclick=x>](http://x)'],
    ['<scr[](javascript:1)ipt>', '&lt;script>'],
    ['<scr<scr[](javascript:1)ipt>ipt>', '<scr&lt;script>ipt>'],
    ['<scr\u200bipt>', '&lt;script>'],
    [`<b ${'a '.repeat(300)}onclick=x>`, `&lt;b ${'a '.repeat(300)}onclick=x>`],
  ])('%j becomes %j', (body, expected) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(result.refs.some(({ kind, unlinked }) => kind === 'html' && unlinked)).toBe(true);
  });

  it.each([
    'a <b>c</b> <br/> x<sub>2</sub> <kbd>k</kbd>',
    '<details><summary>s</summary>\n\ntext\n</details>',
    '<img src="local.png" width=300>',
    '<a href="https://x">t</a> <a href="note">t</a> <a href="mailto:a@b">t</a>',
    '<p style="color:red" title="on sale = now" data-x=1>',
    '<blockquote cite="https://x">',
    '<rect fill="url(#a)">',
    '`<script>` and ``<b onclick=x>``',
    '```html\n<script>\n```',
    'a < b and c > d, x<y',
    'if a <b then c, http://x',
    '\\<script>',
    '<code>x</code> costs $5',
  ])('leaves %j', (body) => {
    expect(gated(body)).toEqual({ body, refs: [], unlinked: [], warnings: [], changes: [] });
  });
});

describe('code that would run becomes text', () => {
  it.each([
    ['```dataviewjs\nx\n```', 'dataviewjs\n```text\nx\n```', 'code dataviewjs'],
    ['```dataviewjs foo\nx', 'dataviewjs\n```text foo\nx', 'code dataviewjs'],
    ['``` DataviewJS\nx\n```', 'DataviewJS\n``` text\nx\n```', 'code DataviewJS'],
    ['~~~js-engine\nx\n~~~', 'js-engine\n~~~text\nx\n~~~', 'code js-engine'],
    ['``` {.dataviewjs}\nx\n```', '\\{\\.dataviewjs\\}\n``` text\nx\n```', 'code dataviewjs'],
    ['```{#a .dataviewjs}\nx\n```', '\\{\\#a \\.dataviewjs\\}\n```text\nx\n```', 'code dataviewjs'],
    ['```dataview&#106;s\nx\n```', 'dataview\\&\\#106\\;s\n```text\nx\n```', 'code dataviewjs'],
    ['```run-python {a=1}\nx\n```', 'run-python\n```text {a=1}\nx\n```', 'code run-python'],
    ['```templater\nx\n```', 'templater\n```text\nx\n```', 'code templater'],
    ['```button\r\nx\r\n```', 'button\r\n```text\r\nx\r\n```', 'code button'],
    ['```button\rx\r```', 'button\r```text\rx\r```', 'code button'],
    ['a\n```x_y\nb\n```\nc', 'a\nx\\_y\n```text\nb\n```\nc', 'code x_y'],
    ['```-\nb\n```', '\\-\n```text\nb\n```', 'code -'],
    ['```<b>\nb\n```', '\\<b\\>\n```text\nb\n```', 'code <b>'],
    [
      '```tasks\nfilter by function task.x\n```',
      'tasks\n```text\nfilter by function task.x\n```',
      'code tasks',
    ],
    ['> ```dataviewjs\n> x\n> ```', '> dataviewjs\n> ```text\n> x\n> ```', 'code dataviewjs'],
    ['- ```jsx-live\n  x', '- jsx-live\n  ```text\n  x', 'code jsx-live'],
    ['> - ~~~ x-y\n>   x', '> - x-y\n>   ~~~ text\n>   x', 'code x-y'],
    ['- a\n  1. ```dataviewjs\n     x', '- a\n  1. dataviewjs\n     ```text\n     x', 'code dataviewjs'],
    [
      '```\na\n```\n````dataviewjs\n```\n````',
      '```\na\n```\ndataviewjs\n````text\n```\n````',
      'code dataviewjs',
    ],
    ['<div>\n```dataviewjs\nx', '<div>\ndataviewjs\n```text\nx', 'code dataviewjs'],
    ['<!--\n```dataviewjs\nx', '<!--\ndataviewjs\n```text\nx', 'code dataviewjs'],
    ['a\n\n    ```dataviewjs\n    x', 'a\n\n    dataviewjs\n    ```text\n    x', 'code dataviewjs'],
    ['a\n     ```dataviewjs\nx', 'a\n     dataviewjs\n     ```text\nx', 'code dataviewjs'],
    [
      `${'> '.repeat(100)}\`\`\`dataviewjs`,
      `${'> '.repeat(100)}dataviewjs\n${'> '.repeat(100)}\`\`\`text`,
      'code dataviewjs',
    ],
    ['`$= dv.x`', '`\\$= dv.x`', 'code $='],
    ['`` $= ` ``', '`` \\$= ` ``', 'code $='],
    ['```$= x ``` y', '```\\$= x ``` y', 'code $='],
    ['`\n$= x`', '`\n\\$= x`', 'code $='],
    ['`$= x', '`\\$= x', 'code $='],
    ['```\n$= x\n```', '```\n\\$= x\n```', 'code $='],
    ['> ~~~ js\n>\n>   $= x', '> ~~~ js\n>\n>   \\$= x', 'code $='],
    ['a\n\n    $= x', 'a\n\n    \\$= x', 'code $='],
    ['| `$= x` |\n|---|', '| `\\$= x` |\n|---|', 'code $='],
    ['\\<% a %>', '&lt;% a %>', 'template <%'],
    ['\\\\<% a %>', '\\\\&lt;% a %>', 'template <%'],
    ['<% tp.x %>', '&lt;% tp.x %>', 'template <%'],
    ['a `BUTTON[x]`', 'a `\\BUTTON[x]`', 'code BUTTON['],
    ['<code>BUTTON[x]</code>', '&lt;code>BUTTON[x]</code>', 'html $='],
    ['<%* await\nx\n%>', '&lt;%* await\nx\n%>', 'template <%'],
    ['<%+ <% x', '&lt;%+ &lt;% x', 'template <%'],
    ['`<% x %>`', '`<\\% x %>`', 'template <%'],
    ['```\n<% x %>\n```', '```\n<\\% x %>\n```', 'template <%'],
    ['a\n\n    <% x', 'a\n\n    <\\% x', 'template <%'],
    ['$a<%b$', '$a<\\%b$', 'template <%'],
    ['<\u200b% x', '&lt;% x', 'template <%'],
    ['[t](http://x/<%a%>)', '[t](http://x/&lt;%a%>)', 'template <%'],
  ])('%j becomes %j', (body, expected, ref) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(told(result).split('; ')[0]).toBe(`${ref} active_content!`);
  });

  it.each([
    '```dataview\nLIST\n```',
    '```query\nx\n```\n\n```tasks\nx\n```\n\n```mermaid\nx\n```',
    '```js\ndataviewjs\n```',
    '```npm i``` and ```x-y``` stay inline',
    '```\nno language\n```',
    '````md\n```dataviewjs\nx\n```\n````',
    '`= this.x` `x $= y` a$=b',
    '```text button\nx\n```',
  ])('leaves %j', (body) =>
    expect(gated(body)).toEqual({ body, refs: [], unlinked: [], warnings: [], changes: [] }),
  );

  it('leaves active content where the owner wants it, but not what lies about its address', () => {
    const body = '```dataviewjs\nx\n```\n<script> <% x %> `$= x` <img src=http://x>\n<a href="javascript:x">';
    expect(gated(body, { activeContent: false }).body).toBe(body.replace('<a href', '&lt;a href'));
  });
});

describe('characters that nobody sees are removed', () => {
  it.each([
    ['a\u200bb\u200cc\u200dd\u2060e\ufeff', 'abcde'],
    ['a\u202eb\u2066c\u2069\u200e\u200f\u061c', 'abc'],
    ['a\u{e0041}\u{e0042}b', 'ab'],
    ['a\ufe00\ufe01\ufe02b', 'ab'],
    ['a\u{e0101}b', 'ab'],
    ['```\u200bjs\na\u200bb\n```', '```js\na\u200bb\n```'],
    ['`a\u200bb` c\u200bd', '`a\u200bb` cd'],
  ])('%j becomes %j', (body, expected) => {
    const result = gated(body);
    expect(result.body).toBe(expected);
    expect(result.warnings[0]).toMatch(/^Invisible characters were removed in (one place|\d places)\.$/);
  });

  it.each(['👩‍👩‍👧 ❤️ 👨🏽‍💻 🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'می‌خواهم', 'क्‍ष', '葛\u{e0100}', 'a\u00adb'])(
    'leaves %j, where they belong to the spelling',
    (body) => {
      expect(gated(body)).toEqual({ body, refs: [], unlinked: [], warnings: [], changes: [] });
    },
  );
});

describe('what stands in the current body stays', () => {
  it.each([
    ['[[Nope]] [[Other]]', 'a [[Nope]] b', '[[Nope]] Other'],
    ['[[Nope]] [[Nope]]', '[[Nope]]', '[[Nope]] Nope'],
    ['[[mtu]]', 'see [[mtu]]', '[[mtu]]'],
    ['[[Nope|y]]', '[[Nope|x]]', 'y'],
    ['![a](http://x) ![b](http://x)', '![a](http://x)', '![a](http://x) [b](http://x)'],
    ['![a](http://x)', '`![a](http://x)`', '[a](http://x)'],
    ['![a][r]\n\n[r]: http://evil', '![a][r]\n\n[r]: http://good', '[a][r]\n\n[r]: http://evil'],
    ['![a][r]\n\n[r]: http://good', 'x ![a][r]\n\n[r]: http://good', '![a][r]\n\n[r]: http://good'],
    ['[t](obsidian://x) obsidian://x', '[t](obsidian://x)', '[t](obsidian://x) obsidian\\://x'],
    ['<script>a</script> [[mtu|x]]', '<script>a</script>', '<script>a</script> [[wiki/homelab/facts/mtu|x]]'],
    ['<script>b</script>', '<script>a</script>', '&lt;script>b&lt;/script>'],
    ['```dataviewjs\na\n```', '```dataviewjs\na\n```\nmore', '```dataviewjs\na\n```'],
    ['```dataviewjs\nb\n```', '```dataviewjs\na\n```', 'dataviewjs\n```text\nb\n```'],
    ['`$= a` `$= b`', '`$= a`', '`$= a` `\\$= b`'],
    ['<% a %> <% b %>', 'x <% a %>', '<% a %> &lt;% b %>'],
    ['<code>$= evil</code>', '<code>x</code> $= y', '&lt;code>$= evil</code>'],
    ['caf\u200be \u200bx', 'a caf\u200be', 'caf\u200be x'],
  ])('%j over %j becomes %j', (body, current, expected) => {
    expect(gated(body, { current }).body).toBe(expected);
  });

  it('reports what it leaves', () => {
    const result = gated('[[Nope]] ![a](http://x)', { current: '[[Nope]] ![a](http://x)' });
    expect(told(result)).toBe('wikilink Nope missing; image http://x remote_embed');
    expect(result.unlinked).toEqual([]);
  });
});
