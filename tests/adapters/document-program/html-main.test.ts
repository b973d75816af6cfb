import { readAs } from '../../support/read-document';

const sentence = (about: string) =>
  `The ${about} was measured in spring, and again in autumn, with the same result. `;
const story = (about: string, paragraphs = 6) => `<p>${sentence(about).repeat(3)}</p>`.repeat(paragraphs);
const menu = '<ul><li><a href=/a>Home</a><li><a href=/b>Shop now</a><li><a href=/c>Contact us</a></ul>';

describe('the story of a page', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'outside of an article',
      `<article><h2>Teaser</h2></article><div id=story>${story('river')}</div>`,
      ['river'],
    ],
    ['beside a part that loads', `<main><p>Loading…</p></main><div>${story('lake')}</div>`, ['lake']],
    [
      'below a main part of one short sentence',
      `<main><p>It is about a fjord.</p></main><section>${story('dale', 3)}</section>`,
      ['fjord', 'dale'],
    ],
    [
      'in a short main part and a section',
      `<main>${story('hill', 1)}</main><section>${story('dale', 2)}</section>`,
      ['hill', 'dale'],
    ],
    [
      'in several articles',
      `<article>${story('north', 4)}</article><article>${story('south', 1)}</article>`,
      ['north', 'south'],
    ],
    [
      'in articles after a role',
      `<div role=main><p>Hi</p></div><article>${story('west')}</article>`,
      ['west'],
    ],
    [
      'under names of boilerplate that hold it all',
      `<div class="page sidebar-left"><div class=content-with-newsletter>${story('moss')}</div></div>`,
      ['moss'],
    ],
    [
      'under an address that repeats its heading',
      `<div>${story('fern')}<section id=navigation><h2>Navigation</h2><p>${sentence('compass')}</p></section></div>`,
      ['fern', 'compass'],
    ],
    [
      'with its lead in a header',
      `<header><h1>Title</h1><p>${sentence('lead')}</p></header>${story('oak')}`,
      ['lead', 'oak'],
    ],
    [
      'with its lead in a teaser',
      `<div><div class=teaser-text><p>${sentence('lead').repeat(3)}</p></div>${story('elm')}</div>`,
      ['lead', 'elm'],
    ],
    [
      'with a list of links between paragraphs',
      `<div>${story('ash')}${menu}${story('yew')}</div>`,
      ['ash', 'Shop now', 'yew'],
    ],
    [
      'with code and a table',
      `<div>${story('pine')}<pre>make all</pre><table><tr><td>a<td>7041</table></div>`,
      ['make all', '7041'],
    ],
    [
      'in Chinese',
      `<div>${'<p>这是一篇关于河流的文章，介绍了它的历史和现状。</p>'.repeat(12)}</div>`,
      ['关于河流'],
    ],
  ])('is kept %s', async (_, html, kept) => {
    const { markdown } = await readAs('html', `<body>${html}</body>`);
    for (const words of kept) expect(markdown).toContain(words);
  });

  it.each<[string, string]>([
    ['a menu', `<nav>${menu}</nav>`],
    ['a list of links around it', `<div class=x>${menu}</div>`],
    ['a footer', '<footer><p>Shop now, pay later</p></footer>'],
    ['a box that its class names', '<div class="c-cookie-banner"><p>Shop now with cookies</p></div>'],
    ['a box that its role names', '<div role=complementary><p>Shop now</p></div>'],
    ['comments', `<div id=comments><h3>Comments</h3><p>${sentence('Shop now')}</p></div>`],
    [
      'teasers and their heading',
      '<div><h3>Shop now</h3><div class=related><h4><a href=/x>One</a></h4><p>Shop now</p></div></div>',
    ],
    ['cards', '<div><div><h3><a href=/1>Shop now</a></h3>x</div><div><h3><a href=/2>B</a></h3>y</div></div>'],
    ['an aside that is longer than it', `<aside>${story('Shop now', 16)}</aside>`],
    ['a long byline', `<div class=byline><p>${sentence('Shop now')}</p></div>`],
    ['a box with a German name', `<section class=kommentare><p>${sentence('Shop now')}</p></section>`],
    ['a form', '<form><label>Your mail</label> Shop now <input></form>'],
  ])('is taken without %s', async (_, html) => {
    const { markdown } = await readAs('html', `<body><div>${story('river')}</div>${html}</body>`);
    expect(markdown).toContain('river');
    expect(markdown).not.toContain('Shop now');
  });

  it.each([
    ['short', '<main>a</main><div>b</div><div class=related>c</div>'],
    ['nothing but cards', '<div><h2><a href=/1>a</a></h2>b</div><div><h2><a href=/2>c</a></h2></div>'],
    ['mostly comments', `<p>a, b and c</p><div class=comments>${story('comment', 9)}</div>`],
  ])('is all of a page that is %s', async (_, html) => {
    const { markdown } = await readAs('html', `<body>${html}</body>`);
    for (const word of ['a', 'b', 'c']) expect(markdown).toMatch(new RegExp(`\\b${word}\\b`));
    if (html.includes('comment')) expect(markdown).toContain('The comment was measured');
  });
});

describe('a dialog that is longer than the story', () => {
  const asks = `<p>${'This website uses cookies to improve your experience. We also use third-party cookies, stored in your browser only with your consent. '.repeat(9)}</p>`;
  const german = `<p>${'Wir verwenden Cookies und verarbeiten Daten nur mit Ihrer Einwilligung; mehr steht in der Datenschutzerklärung. '.repeat(9)}</p>`;
  const japanese = `<p>${'当サイトではクッキーを使用しています。詳しくはプライバシーポリシーをご覧ください。同意しますか。'.repeat(9)}</p>`;
  it.each<[string, string]>([
    ['cookie-law-info', `<div class="cli-modal-body"><div class="cli-container-fluid">${asks}</div></div>`],
    ['OneTrust', `<div id="onetrust-consent-sdk"><div>${asks}</div></div>`],
    ['Cookiebot', `<div id="CybotCookiebotDialog">${asks}</div>`],
    ['Complianz', `<div class="cmplz-cookiebanner">${asks}</div>`],
    ['Quantcast', `<div class="qc-cmp2-container">${asks}</div>`],
    ['Borlabs', `<div id="BorlabsCookieBox">${german}</div>`],
    ['a role', `<div role="dialog">${german}</div>`],
    ['aria-modal', `<div aria-modal="true">${japanese}</div>`],
    ['an open dialog', `<dialog open>${asks}</dialog>`],
    ['a name', `<section class="privacy-popup">${japanese}</section>`],
    [
      'a newsletter',
      '<div class="modal"><p>Shop now! Get our newsletter, once a week, to your inbox. Your e-mail:</p></div>',
    ],
  ])('is left out: %s', async (_, dialog) => {
    const text = `<h1>A title</h1><p>${sentence('river')}</p><p>It is short.</p>`;
    for (const html of [`${dialog}<div>${text}</div>`, `<div>${text}</div>${dialog}`]) {
      const { markdown } = await readAs('html', `<body>${html}</body>`);
      expect(markdown).toBe(`# A title\n\n${sentence('river').trim()}\n\nIt is short.`);
    }
  });

  it.each([
    [
      'a page about cookies',
      `<h1>Cookie policy</h1><div class="cookie-notice-text">${asks}</div><p>${sentence('river')}</p>`,
    ],
    ['a page that is nothing else', `<div role="dialog">${asks}</div>`],
    [
      'a box with the story',
      `<div class="overlay"><article>${asks}</article></div><p>${sentence('river')}</p>`,
    ],
    [
      'a line of a story',
      `<p class="dialog">"I sent you an email about cookies," she said.</p>${story('oak')}`,
    ],
    ['a part of a page', `<div class="cmp-text cmp">Write an email on cookies.</div>${story('oak')}`],
    ['a box with the heading', `<div class="modal"><h1>On cookies</h1><p>Subscribe to cookies.</p></div>`],
    ['a word with a stem in it', `<div class="dialog">Descriscribe cookies</div>${story('oak')}`],
    ['a lightbox with a story', `<div class="lightbox">${story('cookies')}</div><p>${sentence('river')}</p>`],
  ])('is kept: %s', async (_, html) =>
    expect((await readAs('html', `<body>${html}</body>`)).markdown).toMatch(/cookies/),
  );
});

describe('a page of which less than a quarter is kept', () => {
  const links = (count: number) => `<ul>${'<li><a href=/a>Shop now or later</a>'.repeat(count)}</ul>`;
  it('is told of, with what to do', async () => {
    const { markdown, warnings } = await readAs(
      'html',
      `<body><nav>${links(120)}</nav><div>${story('river', 2)}</div>`,
    );
    expect(markdown).not.toContain('Shop');
    expect(warnings).toEqual([
      expect.stringMatching(/^Only 84 of 564 words of the page were kept; .* ingest that\.$/),
    ]);
  });
  it.each([
    ['more is kept', `<nav>${links(20)}</nav><div>${story('river', 2)}</div>`],
    [
      'the rest is hidden or code',
      `<script>${'go now '.repeat(500)}</script><p hidden>${'x y '.repeat(500)}</p>${story('river', 2)}`,
    ],
    ['the page has but a few words', `<nav>${links(5)}</nav><p>Hi</p>`],
  ])('is the only one: %s', async (_, html) =>
    expect((await readAs('html', `<body>${html}`)).warnings).toEqual([]),
  );
});
