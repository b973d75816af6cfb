import type { DocumentText } from '../../src/core/documents/ports';
import { type ExtractOptions, extractPages } from '../../src/core/extraction/extract';
import type { ModelPage } from '../../src/core/extraction/model-page';
import type { Extraction } from '../../src/core/extraction/page';
import type { ModelRequest } from '../../src/core/ports/ports';
import { fakeModel, type FakeTurn } from './fake-model';
import { modelPage } from './model-page';
import { openTestBrain } from './test-brain';

export const TEXT = `# Router notes

The tunnel needs an MTU of 1380 bytes, because PPPoE takes twenty.

## DNS

The resolver listens on port 5335.
`;

/** A page as a model makes it of that text. */
export const page = (more: Partial<ModelPage> = {}): ModelPage =>
  modelPage({ title: 'WireGuard MTU', wing: 'Home Lab', ...more });
export const says = (...pages: readonly ModelPage[]): FakeTurn => ({ say: { pages } });

/** Has the pages of a text made by a model that replies like this. */
export async function extract(
  turns: readonly FakeTurn[],
  {
    markdown = TEXT,
    options = {},
    files = {},
    ...more
  }: {
    markdown?: string;
    options?: ExtractOptions;
    files?: Record<string, string>;
    title?: string;
    source?: string;
    pages?: DocumentText['pages'];
  } = {},
): Promise<{ result: Extraction; asked: ModelRequest[] }> {
  const model = fakeModel(...turns);
  const { brain, close } = await openTestBrain(files, {}, undefined, { model });
  const text = { markdown, converted: false, warnings: [], ...(more.pages && { pages: more.pages }) };
  const source = { text, title: more.title ?? null, name: 'router.md', source: more.source ?? null };
  try {
    return { result: await extractPages(brain, source, options), asked: model.asked };
  } finally {
    await close();
  }
}

/** Parts of a document that are cut between them, each with a word of its own. */
export const long = (...words: readonly string[]) =>
  words
    .map((word) => `## ${word}\n\n${`Here is ${word} and nothing else. `.repeat(320)}`.slice(0, 11_000))
    .join('\n\n');
