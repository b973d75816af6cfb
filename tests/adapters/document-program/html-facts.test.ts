import { readAs } from '../../support/read-document';

const link = '<p><a href="notes/b.html">b</a>';

it.each<[string, string, string, string]>([
  [
    'a canonical link',
    '<link rel=canonical href="https://e.org/a/x">',
    'https://e.org/a/x',
    'https://e.org/a/notes/b.html',
  ],
  [
    'a canonical link among relations',
    '<link rel="shortlink Canonical" href="HTTPS://E.org/a/">',
    'https://e.org/a/',
    'https://e.org/a/notes/b.html',
  ],
  [
    'og:url',
    '<meta property="og:url" content="https://e.org/a/x?y=1">',
    'https://e.org/a/x?y=1',
    'https://e.org/a/notes/b.html',
  ],
  [
    'a note of Internet Explorer',
    '<!-- saved from url=(0019)https://e.org/a/x -->',
    'https://e.org/a/x',
    'https://e.org/a/notes/b.html',
  ],
  [
    'a note of SingleFile',
    '<!--\n Page saved with SingleFile \n url: https://e.org/a/x \n saved date: Mon\n-->',
    'https://e.org/a/x',
    'https://e.org/a/notes/b.html',
  ],
  [
    'a note of monolith',
    '<!-- Saved from https://e.org/a/x at 2026-01-02T03:04:05Z using monolith v2.8.1 -->',
    'https://e.org/a/x',
    'https://e.org/a/notes/b.html',
  ],
  [
    'Save Page WE',
    '<meta name="savepage-url" content="https://e.org/a/x">',
    'https://e.org/a/x',
    'https://e.org/a/notes/b.html',
  ],
  [
    'a relative canonical link and a base',
    '<base href="https://e.org/"><link rel=canonical href="/a/x">',
    'https://e.org/a/x',
    'https://e.org/notes/b.html',
  ],
  [
    'a base below its address',
    '<base href="v2/"><link rel=canonical href="https://e.org/a/x">',
    'https://e.org/a/x',
    'https://e.org/a/v2/notes/b.html',
  ],
  [
    'an address and another where it was saved',
    '<!-- saved from url=(0019)https://m.e.org/a/x --><link rel=canonical href="https://e.org/c">',
    'https://e.org/c',
    'https://m.e.org/a/notes/b.html',
  ],
])('a page tells its address by %s', async (_, head, address, target) => {
  const read = await readAs('html', `${head}${link}`);
  expect(read.address).toBe(address);
  expect(read.markdown).toBe(`[b](${target})`);
});

it.each([
  ['none', ''],
  ['one of another scheme', '<link rel=canonical href="javascript:x">'],
  ['the address of no place', '<!-- saved from url=(0014)about:internet -->'],
  ['a file', '<meta property="og:url" content="file:///home/x/a.html">'],
  ['an empty one', '<link rel=canonical href=" ">'],
])('a page has no address with %s', async (_, head) => {
  const read = await readAs('html', `${head}${link}`);
  expect(read).not.toHaveProperty('address');
  expect(read.markdown).toBe('[b](notes/b.html)');
});

it.each<[string, string, object]>([
  [
    'meta elements',
    '<meta name=author content="A. B"><meta property="article:published_time" content="2024-03-05T10:00:00+01:00"><meta property="og:site_name" content="The Site">',
    { author: 'A. B', date: '2024-03-05', site: 'The Site' },
  ],
  [
    'linked data',
    '<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"A"},{"name":"B"}],"datePublished":"2024-03-05","publisher":{"name":"P"}}</script>',
    { author: 'A, B', date: '2024-03-05', site: 'P' },
  ],
  [
    'a graph of linked data',
    '<script type="application/ld+json">{"@graph":[{"@type":"WebSite","name":"x"},{"@type":["BlogPosting"],"author":"C"}]}</script>',
    { author: 'C' },
  ],
  [
    'citations',
    '<meta name=citation_author content="Doe, J."><meta name=citation_author content="Roe, R."><meta name=citation_publication_date content="2019/7/1">',
    { author: 'Doe, J., Roe, R.', date: '2019-7-1' },
  ],
  [
    'Dublin Core',
    '<meta name="DC.creator" content="D"><meta name="DC.date" content="1999">',
    { author: 'D', date: '1999' },
  ],
  [
    'microdata',
    '<div><span itemprop=author itemscope><b itemprop=name>E F</b></span><time itemprop=datePublished datetime="2020-02-03">x</time>',
    { author: 'E F', date: '2020-02-03' },
  ],
  [
    'a byline',
    '<p><a rel=author href=/g>By G H</a> <time pubdate datetime="2021-01-01T00:00">x</time>',
    { author: 'G H', date: '2021-01-01' },
  ],
  [
    'broken linked data',
    '<script type="application/ld+json">{"author":</script><meta name=author content=I>',
    { author: 'I' },
  ],
  [
    'an address as author',
    '<meta property="article:author" content="https://e.org/j"><meta name="dc.creator" content=J>',
    { author: 'J' },
  ],
])('a page tells of itself by %s', async (_, html, properties) =>
  expect((await readAs('html', `${html}<p>text`)).properties).toEqual(properties),
);

it.each([
  ['<title>Story | Site</title><meta property="og:title" content="Story">', 'Story'],
  ['<title>Story - Site</title><meta property="og:title" content="Other">', 'Story - Site'],
  ['<title>Story: the end</title>', 'Story: the end'],
  ['<meta property="og:title" content="Story">', 'Story'],
  ['<title>Stories</title><meta property="og:title" content="Story">', 'Stories'],
])('the title of %s is %s', async (head, title) =>
  expect((await readAs('html', `${head}<p>x`)).title).toBe(title),
);
