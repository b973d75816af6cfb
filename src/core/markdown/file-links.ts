import type { Steps, TextTask } from '../base/steps';
import type { LinkUse } from './address';
import { internalLinkSteps, markdownSteps, within } from './parse';

type FileLink = Pick<LinkUse, 'target' | 'kind'>;

/** Returns true for a link that ends like the name of a file. */
export function namesFile({ target }: Pick<FileLink, 'target'>): boolean {
  return /\.\w+$/.test(target);
}

/** The internal links of a body that end like the name of a file, each once, as a task for a thread. */
export const FILE_LINKS: TextTask<string, FileLink[]> = {
  name: 'file_links',
  *steps(body): Steps<FileLink[]> {
    const found = new Map<string, FileLink>();
    const markdown = yield* markdownSteps(body);
    yield* internalLinkSteps(markdown, within(markdown.quiet), ({ target, kind }) => {
      if (namesFile({ target })) found.set(`${kind} ${target}`, { target, kind });
    });
    return [...found.values()];
  },
  textOf: (body) => body,
};
