import { ingestPages } from '../../../src/core/ingest/operations';
import { openTestBrain } from '../../support/test-brain';

const half = { half_life: 'durable' };

describe('a batch in which one page cannot be used', () => {
  it.each([
    ['says what an earlier page says', [{ title: 'One', content: 'Same words.' }], 1],
    ['says what a note says already', [], 0],
  ])('is refused whole, also when that page %s', async (_, earlier, index) => {
    const world = await openTestBrain({ 'wiki/net/facts/known.md': '# Known\n\nSame words, known.\n' });
    const content = earlier.length > 0 ? 'Same words.' : 'Same words, known.';
    const pages = [...earlier, { title: 'Two', content, ...half }, { title: 'Three', content: 'Others.' }];
    expect(await world.refusal(ingestPages, { pages })).toMatchObject({
      code: 'invalid_field',
      details: { pages: [{ index, code: 'invalid_envelope' }] },
    });
  });

  it('names every bad page with its first fault, whatever is wrong with each', async () => {
    const world = await openTestBrain({ 'wiki/net/facts/known.md': '# Known\n\nWords of its own.\n' });
    const pages = [
      { title: 'E', content: 'e', ...half },
      { title: 'F', content: 'f', wing: '../x' },
      { title: 'Fine', content: 'fine' },
      { title: 'G', content: 'g', slug: 'a/b' },
      { title: 'H', content: 'h', wing: 'net', hall: 'facts', slug: 'known', ...half },
      { title: 'I', content: '\u200b' },
      { title: 'J', content: 'Words of its own.', ...half },
    ];
    const error = await world.refusal(ingestPages, { pages, destination: 'wiki' });
    expect(error).toMatchObject({
      code: 'invalid_field',
      message: expect.stringMatching(
        /^6 pages of the batch cannot be used, so none was written\. pages\[0\]: /,
      ),
    });
    expect(error.details).toMatchObject({
      pages: [
        [0, 'invalid_envelope'],
        [1, 'invalid_wing'],
        [3, 'invalid_slug'],
        [4, 'note_exists'],
        [5, 'empty_content'],
        [6, 'invalid_envelope'],
      ].map(([index, code]) => ({ index, code, message: expect.stringMatching(/.{10}/) })),
    });
    expect([...world.files.keys()]).toEqual(['wiki/net/facts/known.md']);
  });

  it('names the fields that a page may have when it has another one', async () => {
    const world = await openTestBrain();
    const pages = [{ title: 'One', content: 'Words.', colour: 'red' }];
    const error = await world.refusal(ingestPages, { pages });
    expect(error.details).toMatchObject({ pages: [{ index: 0, code: 'unknown_field' }] });
    expect(error.message).toContain('Unknown field "colour"');
    expect(error.message).not.toContain('Allowed: .');
  });
});
