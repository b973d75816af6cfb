import { finish } from '../../src/core/base/steps';
import type { LinkUse } from '../../src/core/markdown/address';
import { internalLinkSteps, parseMarkdown, within } from '../../src/core/markdown/parse';
import type { Range } from '../../src/core/markdown/spans';

/** Returns every internal link of a body in order, with its place. */
export function linksIn(body: string): (LinkUse & Range)[] {
  const links: (LinkUse & Range)[] = [];
  const markdown = parseMarkdown(body);
  finish(
    internalLinkSteps(markdown, within(markdown.quiet), (link, { from, to }) =>
      links.push({ ...link, from, to }),
    ),
  );
  return links;
}
