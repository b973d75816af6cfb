import { sectionSteps } from '../../../src/core/rules/markdown-blocks';
import { finish } from '../../../src/core/steps';
import { gated } from '../../support/gate-world';

/** Bodies of one-letter blocks, as many as fit into a note. */
const MANY = 1024 * 1024;
const BODIES: readonly (readonly [name: string, block: string])[] = [
  ['list items', '- a\n'],
  ['headings', '# a\n'],
  ['paragraphs', 'a\n\n'],
  ['definitions', '[a]: b\n\n'],
  ['fences', '```\na\n```\n'],
];

describe('a body of more blocks than are read', () => {
  it.each(BODIES)('is read as prose behind the first 30,000: %s', (_, block) => {
    const body = block.repeat(Math.floor(MANY / block.length));
    const { source, sections } = finish(sectionSteps(body));
    expect(sections.length).toBeLessThanOrEqual(30_001);
    const last = sections.at(-1);
    if (last !== undefined && sections.length > 30_000) {
      expect([last.kind, last.to]).toEqual(['prose', source.length]);
    }
    // Nothing is left out, and nothing is read twice.
    let end = 0;
    let faults = 0;
    for (const { from, to, text } of sections) {
      if (from < end || text.length !== to - from) faults += 1;
      end = to;
    }
    expect([faults, source.slice(end).trim()]).toEqual([0, '']);
  });

  it('is read as prose from a paragraph on that has too many lines', () => {
    const head = '# One\n\n| a | b |\n|---|---|\n| c | d |\n\n';
    const { sections } = finish(sectionSteps(`${head}${'a\n'.repeat(100_000)}\n# Two\n`));
    expect(sections.map(({ kind }) => kind)).toEqual(['heading', 'row', 'row', 'overlay', 'prose']);
    const { sections: fewer } = finish(sectionSteps(`${head}${'a\n'.repeat(50_000)}\n# Two\n`));
    expect(fewer.at(-1)).toMatchObject({ kind: 'heading' });
  });

  it('still has what is dangerous taken out of its last line', () => {
    const head = '- a\n'.repeat(100_000);
    const { body } = gated(`${head}![x](http://evil.example/?q=1) <script>x</script>`);
    expect(body.startsWith(head)).toBe(true);
    expect(body.slice(head.length)).not.toMatch(/!\[|<script/);
  });

  it('is read as ever when a note is as long as people write them', () => {
    const body = `# One\n\n${'A line of text.\n\n- item\n'.repeat(10_000)}\n## Two\n\n\`\`\`js\n[[x]]\n\`\`\`\n`;
    const { sections } = finish(sectionSteps(body));
    expect(sections.at(0)).toMatchObject({ kind: 'heading', level: 1 });
    expect(sections.at(-2)).toMatchObject({ kind: 'heading', level: 2 });
    expect(sections.at(-1)).toMatchObject({ kind: 'fence' });
  });
});
