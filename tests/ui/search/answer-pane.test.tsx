import { type Answer, type BrainClient, CallError } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import {
  type Answering,
  AnswerPane,
  authorWords,
  numbersIn,
  reasonWords,
} from '../../../src/ui/search/answer';
import { makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

type Result = Answer<'answer'>;

const HOSTILE = [
  '<script>window.ran = true</script>',
  '<img src="https://evil.example/a.png" onerror="window.ran=true">',
  '![remote](https://evil.example/b.png)',
  '[click](javascript:window.ran=true)',
  '[1](javascript:window.ran=true)',
  '![[https://evil.example/c.png]]',
  '<iframe src="https://evil.example"></iframe><style>* { display: none }</style>',
  '```dataviewjs\nwindow.ran = true\n```',
  '[1]: javascript:window.ran=true',
];

const CITATION: Result['citations'][number] = {
  n: 1,
  path: 'wiki/ops/facts/mtu.md',
  title: 'MTU <b>x</b>',
  quote: 'It is 1380.',
  content_hash: 'a'.repeat(64),
  written_by: 'human:me',
  status: 'wiki',
  stale: false,
};
const RESULT: Result = {
  query: 'Which MTU?',
  answer: 'It is 1380 [1][2]. `[1]` stays.',
  abstained: false,
  mode: 'extractive',
  citations: [CITATION],
  nearest: [],
  warnings: [],
};

function show(answer: Partial<Result>, client: BrainClient = scriptedClient({})) {
  const heard: unknown[] = [];
  const host = quietHost({
    openNote: (path, options) => heard.push([path, options]),
    go: (screen, params) => heard.push([screen, params]),
  });
  const answering: Answering = {
    question: null,
    show: () => undefined,
    again: () => undefined,
    close: () => undefined,
  };
  const dom = makeDom();
  dom.show(
    <UiProvider value={{ client, host }}>
      <AnswerPane
        answering={answering}
        question={{ ask: { query: 'Which MTU?' }, state: 'answered', answer: { ...RESULT, ...answer } }}
        isUnfiltered={false}
        onClose={() => heard.push('close')}
      />
    </UiProvider>,
  );
  const press = async (name: string): Promise<void> => {
    const button = [...dom.container.querySelectorAll<HTMLElement>('button, a')].find(
      (one) => one.getAttribute('aria-label') === name || one.textContent === name,
    );
    if (button === undefined) throw new Error(`There is no "${name}".`);
    button.click();
    await dom.settle();
  };
  return { dom, heard, press };
}

it('draws a number as a button only where a quote belongs to it, and none in code', () => {
  const { dom } = show({});
  const marks = [...dom.container.querySelectorAll('.brain-note .brain-mark')];
  expect(marks.map((mark) => mark.getAttribute('aria-label'))).toEqual(['Quote 1: MTU <b>x</b>']);
  expect(dom.container.querySelector('.brain-note')?.textContent).toBe('It is 1380 1[2]. [1] stays.');
  expect(dom.container.textContent).toContain('Word for word from the notes');
});

it("shows a mark of a note's own text as it stands there, and makes no button of it", () => {
  const { dom } = show({ answer: String.raw`[1] It is 1380, as measured in \[1\].` });
  expect(dom.container.querySelectorAll('.brain-note .brain-mark')).toHaveLength(1);
  expect(dom.container.querySelector('.brain-note')?.textContent).toBe('1 It is 1380, as measured in [1].');
});

it('opens a note at its quote', async () => {
  const { heard, press } = show({});
  await press('1: MTU <b>x</b>, open at the quote');
  await press('Open MTU <b>x</b> in a new pane');
  const path = 'wiki/ops/facts/mtu.md';
  expect(heard).toEqual([
    [path, { newPane: false, quote: 'It is 1380.' }],
    [path, { newPane: true, quote: 'It is 1380.' }],
  ]);
});

it('makes nothing of an answer or a quote that could run or load', () => {
  const text = HOSTILE.join('\n\n');
  const { dom } = show({ answer: text, citations: [{ ...CITATION, quote: text, title: text }] });
  expect(dom.container.querySelectorAll('img, script, iframe, object, embed, style, link')).toHaveLength(0);
  for (const link of dom.container.querySelectorAll('a')) {
    expect(link.getAttribute('href')).toMatch(/^(?:https?:|mailto:|#)/);
  }
  expect(dom.container.querySelector('blockquote')?.textContent).toBe(text);
});

it('files an answer with what bears it out, once, and leads to it', async () => {
  const asked: unknown[] = [];
  const client = scriptedClient({
    fileAnswer: (ask) => {
      asked.push(ask);
      return { path: 'raw/which-mtu.md' } as Answer<'fileAnswer'>; // All that is shown of it.
    },
  });
  const { dom, heard, press } = show({ mode: 'llm', model: 'qwen3:14b' }, client);
  await press('File this answer');
  expect(asked).toEqual([
    {
      query: 'Which MTU?',
      answer: RESULT.answer,
      citations: [{ n: 1, path: CITATION.path, quote: CITATION.quote }],
      model: 'qwen3:14b',
    },
  ]);
  expect(dom.container.textContent).toContain('Filed as raw/which-mtu.md.');
  expect(dom.container.textContent).not.toContain('File this answer');
  await press('review queue');
  expect(heard).toEqual([['queue', { path: 'raw/which-mtu.md' }]]);
});

it('says why an answer was not filed, and lets it be tried again', async () => {
  const client: BrainClient = {
    call: () => Promise.reject(new CallError('invalid_field', 'The quote does not stand in the note.')),
    changes: () => () => undefined,
  };
  const { dom, press } = show({}, client);
  await press('File this answer');
  expect(dom.container.querySelector('[role="alert"]')?.textContent).toContain('does not stand in the note');
  expect(dom.container.textContent).toContain('File this answer');
});

it('says that the notes do not cover it, never that it is not so', () => {
  const { dom } = show({ answer: null, abstained: true, reason: 'insufficient_evidence', citations: [] });
  expect(dom.container.textContent).toContain('The notes do not cover this.');
  expect(dom.container.textContent).not.toContain('File this answer');
});

it('puts makers, reasons and numbers into words', () => {
  expect(authorWords({ mode: 'llm', model: 'qwen3' })).toBe('Answered by qwen3');
  expect(authorWords({ mode: 'extractive' })).toBe('Word for word from the notes');
  for (const reason of ['no_matches', 'insufficient_evidence', 'no_valid_citations'] as const) {
    expect(reasonWords(reason)).toMatch(/^[A-Z].*\.$/);
  }
  expect(numbersIn('[1][12]')).toEqual([1, 12]);
});
