import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { sectionSteps } from '../../../src/core/markdown/blocks';
import { parseBody } from '../../../src/ui/markdown/grammar';
import { hostileMarkdown, plainMarkdown } from '../../support/hostile-markdown';

const CODE: Readonly<Record<string, string>> = {
  FencedCode: 'fence',
  CodeBlock: 'indented',
  HTMLBlock: 'html',
  CommentBlock: 'html',
  ProcessingInstructionBlock: 'html',
  LinkReference: 'definition',
};

/** The blocks that the gate sees, other than prose and tables. */
function gateBlocks(body: string): string[] {
  const { sections } = finish(sectionSteps(body));
  return sections.flatMap(({ kind, level, from, to }) =>
    kind === 'heading'
      ? [`h${level} ${from}-${to}`]
      : ['fence', 'indented', 'html', 'definition'].includes(kind)
        ? [`${kind} ${from}-${to}`]
        : [],
  );
}

/** The same blocks as the preview draws them. */
function previewBlocks(body: string): string[] {
  const found: string[] = [];
  parseBody(body).iterate({
    enter: ({ name, from, to }) => {
      const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1];
      if (level !== undefined) found.push(`h${level} ${from}-${to}`);
      else if (CODE[name] !== undefined) found.push(`${CODE[name]} ${from}-${to}`);
    },
  });
  return found;
}

it('draws the code, HTML, headings and link definitions that the gate finds', () => {
  fc.assert(
    fc.property(fc.oneof(plainMarkdown, hostileMarkdown), (text) => {
      const body = text.replace(/\r(?!\n)/g, '\n');
      fc.pre(!/%%|\$\$/.test(body));
      expect(previewBlocks(body)).toEqual(gateBlocks(body));
    }),
    { numRuns: 1500 },
  );
});
