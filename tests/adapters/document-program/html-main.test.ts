import { readHtml } from '../../../src/adapters/document-program/html';

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
  ])('is kept %s', (_, html, kept) => {
    const { markdown } = readHtml(`<body>${html}</body>`);
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
  ])('is taken without %s', (_, html) => {
    const { markdown } = readHtml(`<body><div>${story('river')}</div>${html}</body>`);
    expect(markdown).toContain('river');
    expect(markdown).not.toContain('Shop now');
  });

  it.each([
    ['short', '<main>a</main><div>b</div><div class=related>c</div>'],
    ['nothing but cards', '<div><h2><a href=/1>a</a></h2>b</div><div><h2><a href=/2>c</a></h2></div>'],
    ['mostly comments', `<p>a, b and c</p><div class=comments>${story('comment', 9)}</div>`],
  ])('is all of a page that is %s', (_, html) => {
    const { markdown } = readHtml(`<body>${html}</body>`);
    for (const word of ['a', 'b', 'c']) expect(markdown).toMatch(new RegExp(`\\b${word}\\b`));
    if (html.includes('comment')) expect(markdown).toContain('The comment was measured');
  });
});
