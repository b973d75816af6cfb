import { isLocked } from '../../../src/core/frontmatter/note-lock';

it.each<[string, boolean]>([
  ['locked: true', true],
  ['locked: True', true],
  ...['yes', 'Yes', 'YES', 'on', 'On', 'ON', 'y', 'Y', '1', '"yes"', "'on'"].map(
    (word): [string, boolean] => [`locked: ${word}`, true],
  ),
  ['locked: no', false],
  ['locked: 10', false],
  ['<%* tp %>\nlocked: Yes', true],
  ['<%* tp %>\n"locked": on', true],
  ['<%* tp %>\nLocked: true', false],
  ['locked: TRUE # mine', true],
  ['a: 1\r\nlocked: "true"\r', true],
  ['locked: true\nlocked: false', true],
  ['locked: false\nlocked: true', false],
  ['locked: false', false],
  ['locked:', false],
  ['locked: [true]', false],
  ['unlocked: true', false],
  ['  locked: true', false],
  ['a: |\n  locked: true', false],
  ['title: Tips: part 2\nlocked: true', true],
  ['title: Tips: part 2\nlocked: false', false],
  ['locked: true\n<%* tp %>', true],
  ['<%* tp %>\r\nlocked: True  # mine\r', true],
  ["<%* tp %>\nlocked: 'true'", true],
  ['<%* tp %>\nlocked: true#not', false],
  ['<%* tp %>\nlocked: trueish', false],
  ['<%* tp %>\nx: locked: true', false],
])('front matter %j: %p', (block, wanted) => expect(isLocked(`---\n${block}\n---\nBody\n`)).toBe(wanted));

it('is said by front matter alone', () => {
  for (const text of ['', 'locked: true', '---\nlocked: true\n', '---\na: 1\n---\nlocked: true'])
    expect(isLocked(text)).toBe(false);
});
