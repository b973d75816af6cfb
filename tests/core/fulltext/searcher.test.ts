import { type Doc, indexOf, randomFrom, seen } from './index-model';

const random = randomFrom(5);

function words(count: number): string {
  return Array.from({ length: count }, () => `word${Math.min(random(60), random(60))}`).join(' ');
}

/** Every third is long, so that its best passage is worth much of its score, or a multiple of it. */
const DOCS = Array.from({ length: 300 }, (_, n): Doc => ({
  path: `notes/${n}`,
  title: words(1 + random(3)),
  body: words(5 + random(n % 3 === 0 ? 900 : 60)),
  ...(n % 4 === 0 && { properties: words(1 + random(20)) }),
}));

/** Words in a row of some document. */
function quote(): string {
  const all = (DOCS[random(DOCS.length)]?.body ?? '').split(' ');
  const from = random(all.length);
  return all.slice(from, from + 3 + random(5)).join(' ');
}

describe('the best of many documents', () => {
  const index = indexOf(DOCS);

  // Of a long list every document is looked at again in full; of a short one only who may still be among the best.
  it.each<[string, () => string]>([
    ['words', () => words(1 + random(6))],
    ['words in a row of a document', quote],
  ])('are the same, with the same scores, whether few or many are asked for by %s', (_, query) => {
    for (let n = 0; n < 300; n += 1) {
      const text = query();
      const long = seen(index.search(text, { limit: 60 }));
      for (const limit of [1, 3, 10])
        expect([text, ...seen(index.search(text, { limit }))]).toEqual([text, ...long.slice(0, limit)]);
    }
  });
});
