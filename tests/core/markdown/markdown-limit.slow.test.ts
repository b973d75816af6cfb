import { finish } from '../../../src/core/base/steps';
import { sectionSteps } from '../../../src/core/markdown/blocks';
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

  const HIDDEN: readonly (readonly [name: string, text: string, danger: RegExp])[] = [
    ['across blank lines', '`\n\n<script>x</script>\n\n`\n', /<script/],
    ['across items', '- `\n- <img src=x onerror=y>\n- `\n', /<img/],
    ['across headings', '# `\n# [a](javascript:x)\n# `\n', /\]\(javascript/],
    ['over lines of a quote', '> <img\n> src=x onerror=y>\n', /<img/],
    ['over lines of a quoted link', '> [a](\n> javascript:x)\n', /\[a/],
    ['as a picture', '`\n\n![x](http://evil.example/p.png)\n\n`\n', /!\[/],
    ['in a fence', '```dataviewjs\nx\n```\n', /```/],
  ];
  const HEADS = [
    ['too many blocks', '- a\n'.repeat(30_001)],
    ['too many lines', `${'a\n'.repeat(60_010)}\n`],
    ['indented lines', `a\n${'    b\n'.repeat(60_010)}\n`],
    ['both', `${'a\n'.repeat(35_000)}\n${'b\n\n'.repeat(30_001)}`],
  ] as const;
  it.each(HEADS.flatMap(([what, head]) => HIDDEN.map((hidden) => [what, head, ...hidden] as const)))(
    'has what is dangerous taken out behind %s',
    (_what, head, _name, text, danger) => {
      const once = gated(head + text);
      expect(once.body.slice(-text.length - 200)).not.toMatch(danger);
      expect(once.warnings).toContainEqual(
        expect.stringContaining('more blocks, lines or marks than are read'),
      );
      expect(gated(once.body).body === once.body).toBe(true);
    },
  );

  it('leaves nothing behind for the text that is read next', () => {
    const evil = 'one\ntwo\n\n`\n\n<script>alert(1)</script>\n\n`\n';
    for (let round = 0; round < 3; round += 1) {
      gated('a\n'.repeat(59_000));
      gated('a\n'.repeat(60_010));
      expect(gated(evil).body).not.toContain('<script');
    }
  });

  it('is read as ever when a note is as long as people write them', () => {
    const body = `# One\n\n${'A line of text.\n\n- item\n'.repeat(10_000)}\n## Two\n\n\`\`\`js\n[[x]]\n\`\`\`\n`;
    const { sections } = finish(sectionSteps(body));
    expect(sections.at(0)).toMatchObject({ kind: 'heading', level: 1 });
    expect(sections.at(-2)).toMatchObject({ kind: 'heading', level: 2 });
    expect(sections.at(-1)).toMatchObject({ kind: 'fence' });
  });
});
