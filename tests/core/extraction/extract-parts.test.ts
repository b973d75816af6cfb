import { StopController } from '../../../src/core/base/concurrency';
import { BrainError } from '../../../src/core/base/errors';
import type { Progress } from '../../../src/core/base/steps';
import { extractPages } from '../../../src/core/extraction/extract';
import { ingestText } from '../../../src/core/ingest/operations';
import type { LanguageModel } from '../../../src/core/ports/ports';
import { extract, long, page, says, TEXT } from '../../support/extract';
import { fakeModel, type FakeTurn } from '../../support/fake-model';
import { refusalOf } from '../../support/refusal';
import { openTestBrain } from '../../support/test-brain';

describe('without a page of the model', () => {
  it('the text is passed through when there is no model', async () => {
    const test = await openTestBrain();
    const source = {
      text: { markdown: TEXT, converted: false, warnings: [] },
      title: null,
      name: 'a.md',
      source: null,
    };
    expect(await extractPages(test.brain, source)).toEqual({
      by: 'passthrough',
      pages: [
        {
          title: 'Router notes',
          content: TEXT,
          hall: 'sources',
          page: undefined,
          verbatim: 'whole',
          unverified: false,
        },
      ],
      warnings: [],
    });
    const error = await refusalOf(extractPages(test.brain, source, { requireModel: true }));
    expect(error.code).toBe('llm_error');
    await test.close();
  });

  it.each([
    ['it fails', [{ fail: 500 }], /answered HTTP 500\. The text was taken as it is\./],
    ['it says nothing usable twice', ['no json', '{"pages": 1}'], /no usable reply/],
    [
      'it finds nothing',
      [says()],
      /found nothing in the text that is worth a page\. The text was taken as it is\./,
    ],
    ['its pages are empty', [says(page({ title: '', body: '', summary: '' }))], /found nothing/],
  ])('the text is passed through when %s', async (_, turns: readonly FakeTurn[], warning) => {
    const { result } = await extract(turns);
    expect(result).toMatchObject({ by: 'passthrough', pages: [{ content: TEXT, verbatim: 'whole' }] });
    expect(result).not.toHaveProperty('model');
    expect(result.warnings).toEqual([expect.stringMatching(warning)]);
    const refused = await refusalOf(extract(turns, { options: { requireModel: true } }));
    expect(refused.code).toBe('llm_error');
  });

  it('a page holds no NUL that the model has put into it, and is none when nothing of it can be seen', async () => {
    const { result } = await extract([
      says(
        page({ title: 'One', body: 'a\0b' }),
        page({ title: '\u00ad', body: '\u200b', summary: '\u2060' }),
      ),
    ]);
    expect(result.pages).toMatchObject([{ title: 'One', content: '# One\n\na\ufffdb\n' }]);
  });

  it('a reply that was cut off is asked for once more', async () => {
    const { result, asked } = await extract([
      { text: '{"pages": [{"title": "W', truncated: true },
      says(page()),
    ]);
    expect(result.by).toBe('llm');
    expect(asked[1]?.user).toContain('cut off before its end');
  });
});

it.each([
  ['no page', says()],
  ['pages in which nothing is', says(page({ title: '', body: '', summary: '' }))],
])('pages that were cut off behind their end are not given up for %s', async (_, second) => {
  const text = `${JSON.stringify({ pages: [page()] })} and`;
  const { result, asked } = await extract([{ text, truncated: true }, second, 'never']);
  expect([result.by, result.pages.map(({ title }) => title)]).toEqual(['llm', ['WireGuard MTU']]);
  expect(asked).toHaveLength(2);
});

describe('a document of several parts', () => {
  const answer: FakeTurn = ({ user }) => {
    const word = /Here is (\w+)/.exec(user.slice(user.lastIndexOf('## ')))?.[1] ?? '';
    return says(page({ title: word, evidence: [`Here is ${word} and nothing else`] }));
  };
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  const markdown = long(...words);

  it('is read part by part, and progress is told', async () => {
    const seen: Progress[] = [];
    const { result } = await extract([answer], { markdown, options: { progress: (now) => seen.push(now) } });
    expect(result.pages.map(({ title }) => title)).toEqual(words);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((done) => ({ done, total: 5 })));
  });

  it('keeps the text of a part that no pages could be made of', async () => {
    const failing: FakeTurn = (request) =>
      request.user.includes('## gamma') && !request.user.includes('## delta') ? 'sorry' : answer;
    const { result } = await extract([failing], {
      markdown,
      pages: [
        { page: 1, from: 0 },
        { page: 9, from: markdown.indexOf('## gamma') - 5 },
      ],
    });
    expect(result.by).toBe('llm');
    expect(result.pages.map(({ title }) => title)).toEqual([
      'alpha',
      'beta',
      'delta',
      'epsilon',
      'router (part 3 of 5)',
    ]);
    const kept = result.pages.at(-1);
    expect(kept).toMatchObject({
      hall: 'sources',
      verbatim: 'part',
      unverified: false,
      page: 9,
      frontmatter: { extracted_part: '3 of 5' },
    });
    expect(kept?.content).toBe(markdown.slice(markdown.indexOf('## gamma'), markdown.indexOf('## delta')));
    expect(result.warnings).toEqual([
      expect.stringMatching(/no usable reply.* The text stands as it is in "router \(part 3 of 5\)"\.$/),
    ]);
    const error = await refusalOf(extract([failing], { markdown, options: { requireModel: true } }));
    expect(error.code).toBe('llm_error');
  });

  it('is not asked on when the model fails twice in a row, and keeps what is left as one page', async () => {
    const { result, asked } = await extract([answer, { fail: 503 }], { markdown });
    expect(asked).toHaveLength(3);
    expect(result.pages.map(({ title }) => title)).toEqual(['alpha', 'router (parts 2 to 5 of 5)']);
    expect(result.pages[1]?.frontmatter).toEqual({ extracted_part: '2 to 5 of 5' });
    expect(result.pages[1]?.content).toBe(markdown.slice(markdown.indexOf('## beta')));
    expect(result.warnings).toHaveLength(1);
  });

  it('says how much of it was not read', async () => {
    const endless = 'Here is alpha and nothing else. '.repeat(10_000);
    const { result, asked } = await extract([says(page({ title: 'A' }))], { markdown: endless });
    expect(asked).toHaveLength(20);
    expect(result.warnings).toEqual([expect.stringMatching(/it read the first 7\d %/)]);
  });

  it('stops when it is called off, also while the model works', async () => {
    const signal = new StopController();
    const stopping: FakeTurn = (request) => {
      if (request.user.includes('part: 2')) signal.stop();
      return answer;
    };
    const error = await refusalOf(extract([stopping], { markdown, options: { signal } }));
    expect(error.code).toBe('busy');
    const before = new StopController();
    before.stop();
    expect((await refusalOf(extract([answer], { markdown, options: { signal: before } }))).code).toBe('busy');
  });
});

describe('a model that many ask at once', () => {
  it('is waited for by every one of them', async () => {
    const model = fakeModel(({ user }) => says(page({ title: `On ${/thing-\d+/.exec(user)?.[0]}` })));
    const { run, close } = await openTestBrain({}, {}, undefined, { model });
    const texts = Array.from({ length: 60 }, (_, n) => `# T${n}\n\nAll that is known of thing-${n}.\n`);
    const answers = await Promise.all(texts.map((text) => run(ingestText, { text })));
    for (const answer of answers) expect(answer).toMatchObject({ extraction: 'llm', warnings: [] });
    await close();
  });

  it('is no reason to take a text as it is when it has no room for one more', async () => {
    const busy: LanguageModel = {
      name: 'm',
      complete: () => Promise.reject(new BrainError('busy', 'Too many wait.', { retry_after: 60 })),
    };
    const { refusal, close } = await openTestBrain({}, {}, undefined, { model: busy });
    expect((await refusal(ingestText, { text: TEXT })).code).toBe('busy');
    await close();
  });
});
