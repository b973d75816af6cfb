import { readTag } from '../../../src/core/rules/markdown-html';
import { gated } from '../../support/gate-world';

const LONG = 'a'.repeat(5000);

describe('a tag with a name longer than any real one', () => {
  it.each([`<${LONG} onclick=x>`, `<b ${LONG}=1 onclick=x>`])(
    'is not read to its end, and not left alone',
    (tag) => {
      expect(readTag(tag, 0)).toMatchObject({ complete: false, wellFormed: true });
      expect(gated(`before ${tag} after\n`).body).toBe(`before &lt;${tag.slice(1)} after\n`);
      expect(gated(`<div>\n${tag}\n</div>\n`).body).toBe(`<div>\n&lt;${tag.slice(1)}\n</div>\n`);
    },
  );

  it('is read in a step of its own length however long a run of them is', () => {
    expect(readTag('<a'.repeat(100_000), 0).to).toBeLessThan(2048);
  });
});
