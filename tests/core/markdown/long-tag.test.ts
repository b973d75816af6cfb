import { readTag } from '../../../src/core/markdown/html';
import { gated } from '../../support/gate-world';
import { cpuMs } from '../../support/cpu';

const LONG = 'a'.repeat(5000);
const EXACT = 'a'.repeat(1024);

describe('a tag with a name longer than any real one', () => {
  it.each([
    `<${LONG} onclick=x>`,
    `<b ${LONG}=1 onclick=x>`,
    `<${EXACT} onclick=x>`,
    `<b ${EXACT} onclick=x>`,
    `<x ! ${LONG} onfocus=x autofocus>`,
    `<x!${EXACT} onfocus=x autofocus>`,
  ])('is not left alone', (tag) => {
    expect(readTag(tag, 0)).toBeNull();
    for (const [before, after] of [
      ['before ', ' after\n'],
      ['<div>\n', '\n</div>\n'],
      [`${'>'.repeat(65)} <div>`, '\n'],
    ] as const) {
      expect(gated(`${before}${tag}${after}`).body).toBe(`${before}&lt;${tag.slice(1)}${after}`);
    }
  });

  it('hides no link between backticks that may stand in it', () => {
    const body = `<${LONG} t="\`"> [x](javascript:alert(1)) ![i](http://evil.example/p.png) <b t="\`">\n`;
    const { body: safe } = gated(body, { activeContent: false });
    expect(safe).not.toContain('](javascript:');
    expect(safe).not.toContain('![');
  });

  it('costs no more than its limit, however long a run of them is', () => {
    const start = cpuMs();
    gated('<a'.repeat(500_000));
    const alone = cpuMs() - start;
    expect(alone).toBeLessThan(20_000);
  });
});

it('a tag with more attributes than are read is not left alone where something may end it', () => {
  const tag = `<x ! ${'a '.repeat(300)} onfocus=x autofocus>`;
  const deep = `${'>'.repeat(65)} <div>${tag}\n`;
  expect(gated(deep).body).toContain('&lt;x !');
  const prose = `a <b, ${'c '.repeat(300)}\n`;
  expect(gated(prose).body).toBe(prose);
});
