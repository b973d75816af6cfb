import * as fc from 'fast-check';
import { gate } from '../../../src/core/gate/gate';
import { findHeading, headingKey } from '../../../src/core/links/headings';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { linkTargets } from '../../support/link-targets';
import { cpuMs } from '../../support/cpu';

const placesIn = (body: string) => markdownFacts(body).headings;

describe('a link names a heading', () => {
  it.each([
    ['## What is X?', 'What is X'],
    ['## What is X?', 'what is x'],
    ['## What is X?', 'What  is X ?'],
    ['## What is X?', 'what-is-x'],
    ['## **Bold** move', 'Bold move'],
    ['## **Bold** move', '**Bold** move'],
    ['## **Bo**ld move', 'Bold move'],
    ['## **Bo**ld move', 'Bo ld move'],
    ['## `code` call', 'code call'],
    ['## `code` call', '`code` call'],
    ['## The `a.b()` call', 'The a.b() call'],
    ['## See [the docs](https://e.x/y) now', 'See the docs now'],
    ['## See [the docs](https://e.x/y) now', 'See the docs https e.x y now'],
    ['## See [[mtu|the limit]] now', 'See the limit now'],
    ['## See [[mtu|the limit]] now', 'See mtu the limit now'],
    ['## A ![map](a.png) b', 'A map b'],
    ['## <b>Bold</b> tag', 'Bold tag'],
    ['## <b>Bold</b> tag', 'b Bold b tag'],
    ['## ==Marked== and ~~gone~~', 'Marked and gone'],
    ['## On #tags', 'On tags'],
    ['## C#', 'C#'],
    ['## C# basics', 'C# basics'],
    ['## C# basics', 'C basics'],
    ['## 1.2 Setup', '1.2 Setup'],
    ['## 1.2 Setup', '1 2 setup'],
    ['## 1.2 Setup', '12-setup'],
    ['## 1,000 users', '1,000 users'],
    ['## 1,000 users', '1000-users'],
    ['## 🎉 Party time', '🎉 Party time'],
    ['## 🎉 Party time', '-party-time'],
    ['## ❤️ Care', '❤ Care'],
    ['## Closed ##', 'Closed'],
    ['## R&amp;D', 'R&D'],
    ['## R&amp;D', 'R&amp;D'],
    ['## Don’t panic', "Don't panic"],
    ['## Größe: groß', 'größe groß'],
    ['## Note: A | B', 'Note A B'],
    ['## Title ^id', 'Title'],
    ['Set\nby lines\n---', 'Set by lines'],
    ['> ## In a quote', 'In a quote'],
    ['## ???', '???'],
    ['# Part\n\n## Same\n\n## Same', 'same-1'],
    ['# A\n\n## B', 'A#B'],
    ['# A\n\n## B?\n\n### C', 'a#b#c'],
    ['# A\n\n## B\n\n### C', 'A#C'],
    ['# A\n\n## X\n\n# A\n\n## B', 'A#B'],
  ])('%j by %j', (body, fragment) => {
    expect(findHeading(placesIn(body), fragment)).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['## What is X?', 'What is Y'],
    ['## What is X?', 'What'],
    ['## What is X?', ''],
    ['## What is X?', '#'],
    ['## ???', '!!!'],
    ['# Same\n\n# Same', 'same-2'],
    ['# A\n\n## B', 'B#A'],
    ['# A\n\n# B', 'A#B'],
    ['# A\n\n## X\n\n# C\n\n## B', 'A#B'],
    ['# A\n\n## B', 'A#B#C'],
    ['# A', 'A#A'],
    ['# A\n\n## A b', 'A b#A'],
  ])('in %j, but not by %j', (body, fragment) => {
    expect(findHeading(placesIn(body), fragment)).toBe(-1);
  });

  it('means the one that lies there', () => {
    const places = placesIn('# A\n\n## Same\n\n# B\n\n## Same\n\n## Same\n');
    expect(['Same', 'B#Same', 'same-1', 'same-2', 'b'].map((name) => findHeading(places, name))).toEqual([
      1, 3, 3, 4, 2,
    ]);
  });
});

const words = fc
  .array(fc.constantFrom('what', 'Is', ' ', 'X', '?', '.', '1', '🎉', 'é', '-', '_', '&', '+', '(', ')'), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join('').trim())
  .filter((text) => /[\p{L}\p{N}]/u.test(text) && !/^[-+\d]/.test(text));

it('keeps the anchor of any heading through the gate, as it is written, once and again', () => {
  fc.assert(
    fc.property(words, words, (above, below) => {
      const note = { path: 'knowledge/n.md', headings: placesIn(`# ${above}\n\n## ${below}\n`) };
      const targets = linkTargets([note]);
      const body = `[[n#${above}|x]] [[n#${above}#${below}|y]]`;
      const gated = (text: string) =>
        gate({
          body: text,
          from: { path: null, wing: null, hall: null },
          targets,
          mode: 'full',
          activeContent: true,
        });
      const once = gated(body);
      expect(once.warnings).toEqual([]);
      expect(once.body).toBe(body.replaceAll('[[n#', '[[knowledge/n#'));
      expect(gated(once.body).body).toBe(once.body);
    }),
    { numRuns: 500 },
  );
});

it('has keys that are their own keys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const key = headingKey(text);
      if (!key.startsWith('=')) expect(headingKey(key)).toBe(key);
    }),
  );
});

it('finds steps among many equal headings in no time', () => {
  const places = Array.from({ length: 5000 }, (_, at) => ({ level: 1 + (at % 6), text: 'a' }));
  const started = cpuMs();
  for (let n = 0; n < 200; n += 1) findHeading(places, `a#${n}#a#a`);
  expect(cpuMs() - started).toBeLessThan(3_000);
});
