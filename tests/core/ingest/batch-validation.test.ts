import { ingestPages } from '../../../src/core/ingest/ingest-pages';
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

  it('names the fields that a page may have when it has another one', async () => {
    const world = await openTestBrain();
    const pages = [{ title: 'One', content: 'Words.', colour: 'red' }];
    const error = await world.refusal(ingestPages, { pages });
    expect(error.details).toMatchObject({ pages: [{ index: 0, code: 'unknown_field' }] });
    expect(error.message).toContain('Unknown field "colour"');
    expect(error.message).not.toContain('Allowed: .');
  });
});
