/** Notes that once got through, or broke something; every property on front matter tries them first. */
export const FRONT_MATTER: readonly string[] = [];

/** Bodies that once got past the gate, or that it did not settle; every property on the gate tries them first. */
export const BODIES: readonly string[] = [
  // A whole block of code that begins like an inline script is run like one.
  '\n```\n$=',
  '```js\n\n  $= dv.x\n```',
  'a\n\n    $= x\n',
  '> ```\n> $= x',
  '<div>\n```\n$= x\n```',
  // What looks like a definition is none when its parentheses do not pair: the line goes on.
  '\n[a]: a](javascript:x)[![x](y](\njavascript:x)',
  // With a control character it is no autolink, and what stands in it is read.
  '[a](<https://x:x)[![c](http://x)](\u0001javascript:x:x>',
  // The end of a wikilink stands in code, so that its brackets are those of an image.
  '![[`]]javascript:x)<script src=`http://x/p`>[x](y](<javascript:x)](http://y)',
  // The destination of a link holds the backtick that would open a code span.
  '[a](< javascript:x:x)[`](javascript:x>)[a](javascript:x)<script src=`http://x/p`>',
  // The label of a reference is the text of a link for those who see no definition.
  '[a][a](javascript:x)\n[a]: a](javascript:x)',
];

/** Names that were once taken for good; every property on names and paths tries them first. */
export const NAMES: readonly string[] = [];

/** Queries that once failed or never ended; every property on searches tries them first. */
export const QUERIES: readonly string[] = [];
