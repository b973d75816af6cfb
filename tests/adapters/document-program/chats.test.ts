import * as fc from 'fast-check';
import { MAX_TEXT } from '../../../src/adapters/document-program/markup';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { readAs } from '../../support/read-document';

interface Said {
  readonly role?: string;
  readonly name?: string;
  readonly at?: number;
  readonly content: object | string;
  readonly files?: readonly string[];
  readonly parent?: number;
}

/** A conversation as ChatGPT exports it: each message answers the one before, unless it says which. */
function chatGpt(all: readonly Said[], facts: object = {}): object {
  const mapping: Record<string, unknown> = {
    root: { id: 'root', message: null, parent: null, children: [] },
  };
  all.forEach(({ role = 'user', name, at, content, files = [], parent }, index) => {
    const before = parent === undefined ? index - 1 : parent;
    mapping[`m${index}`] = {
      id: `m${index}`,
      parent: before < 0 ? 'root' : `m${before}`,
      children: [],
      message: {
        author: { role, name: name ?? null, metadata: {} },
        create_time: at ?? null,
        content: typeof content === 'string' ? { content_type: 'text', parts: [content] } : content,
        metadata: { attachments: files.map((file) => ({ name: file })) },
      },
    };
  });
  return { title: 'Pumps', create_time: 1714560000.5, mapping, current_node: `m${all.length - 1}`, ...facts };
}

const claude = (messages: readonly object[], facts: object = {}) => ({
  uuid: 'u',
  name: 'Pumps',
  created_at: '2024-05-01T12:34:56.789012Z',
  chat_messages: messages,
  ...facts,
});
const read = (value: unknown) => readAs('json', JSON.stringify(value));
const turn = (role: string, text: string) => `## ${role}\n\n${text}\n\n`;

describe('a conversation of ChatGPT', () => {
  const time = 'Begun 2024-05-01 10:40 UTC.\n\n';
  const begun = `# Pumps\n\n${time}`;

  it('is read in its order, with roles and times', async () => {
    const one = chatGpt([
      { role: 'system', content: '' },
      { content: 'How?\n\n- *a*', at: 1714560001, files: ['a_b.pdf'] },
      { role: 'assistant', content: { content_type: 'code', language: 'python', text: 'x = 1' } },
      { role: 'tool', name: 'python', content: { content_type: 'execution_output', text: '42' } },
      { role: 'assistant', content: '**So.**', at: 1714563600 },
    ]);
    expect(await read(one)).toEqual({
      markdown:
        begun +
        turn('User, 2024-05-01 10:40 UTC', 'How?\n\n- *a*\n\nAttached: a_b.pdf') +
        turn('Assistant', '```python\nx = 1\n```') +
        turn('Tool (python)', '```text\n42\n```') +
        turn('Assistant, 2024-05-01 11:40 UTC', '**So.**'),
      title: 'Pumps',
      warnings: [],
    });
  });

  it.each<[string, object, string]>([
    [
      'pictures',
      {
        content_type: 'multimodal_text',
        parts: [
          {
            content_type: 'image_asset_pointer',
            asset_pointer: 'file-1',
            metadata: { dalle: { prompt: 'a *tree*' } },
          },
          'What?',
        ],
      },
      'Picture: file-1\n\na \\*tree\\*\n\nWhat?',
    ],
    [
      'speech',
      { content_type: 'multimodal_text', parts: [{ content_type: 'audio_transcription', text: 'hello' }] },
      'hello',
    ],
    [
      'thoughts',
      { content_type: 'thoughts', thoughts: [{ summary: 'S', content: 'T' }] },
      'Thinking:\n\nS\n\nT',
    ],
    [
      'instructions',
      { content_type: 'user_editable_context', user_profile: 'P', user_instructions: 'I' },
      'P\n\nI',
    ],
    [
      'quotes of pages',
      { content_type: 'tether_quote', title: 'T', url: 'https://e.org/a', text: 'q' },
      'T\n\nhttps://e.org/a\n\nq',
    ],
    [
      'content of a kind to come',
      { content_type: 'new', words: 'ä' },
      '```json\n{\n  "content_type": "new",\n  "words": "ä"\n}\n```',
    ],
  ])('keeps %s', async (_, content, shown) => {
    expect((await read(chatGpt([{ content }], { create_time: null })))?.markdown).toBe(
      `# Pumps\n\n${turn('User', shown)}`,
    );
  });

  it('has the messages that others have replaced at its end', async () => {
    const one = chatGpt([
      { content: 'a' },
      { role: 'assistant', content: 'old' },
      { role: 'assistant', content: 'new', parent: 0 },
    ]);
    expect((await read(one))?.markdown).toBe(
      `${begun}${turn('User', 'a')}${turn('Assistant', 'new')}## Replaced messages\n\n${turn('Assistant', 'old')}`,
    );
  });

  it('shows its sources as links', async () => {
    const one = chatGpt([{ content: 'So.\ue200cite\ue202turn0\ue201 Or.\ue200cite\ue202turn1\ue201' }], {
      create_time: null,
    }) as {
      mapping: { m0: { message: { metadata: object } } };
    };
    one.mapping.m0.message.metadata = {
      content_references: [{ matched_text: '\ue200cite\ue202turn0\ue201', alt: '([E](https://e.org/a))' }],
    };
    expect((await read(one))?.markdown).toBe('# Pumps\n\n' + turn('User', 'So.([E](https://e.org/a)) Or.'));
  });

  it('that is a circle, or has no current message, is read', async () => {
    const messages = [{ content: 'a' }, { role: 'assistant', content: 'b' }];
    const circle = chatGpt(messages) as { mapping: Record<string, { parent: string }> };
    circle.mapping.root = { parent: 'm1', message: null, children: [] } as never;
    expect((await read(circle))?.markdown).toContain(turn('User', 'a') + turn('Assistant', 'b'));
    expect((await read(chatGpt(messages, { current_node: undefined })))?.markdown).toContain(
      turn('User', 'a') + turn('Assistant', 'b'),
    );
  });

  it('is one of many under its title', async () => {
    expect(
      await read([chatGpt([{ content: 'a' }]), chatGpt([{ content: 'b' }], { title: 'B *x*' })]),
    ).toEqual({
      markdown: `# 2 conversations with ChatGPT\n\n## Pumps\n\n${time}#${turn('User', 'a')}## B \\*x\\*\n\n${time}#${turn('User', 'b')}`,
      title: '2 conversations with ChatGPT',
      warnings: [],
    });
  });

  it('is cut with a warning that says where, and with its code closed', async () => {
    const long = chatGpt([{ content: `\`\`\`js\n${'x'.repeat(1_500_000)}` }]);
    const { markdown = '', warnings } = (await read([long, long, long])) ?? {};
    expect(markdown.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(markdown).toMatch(/x\n```$/);
    expect(warnings).toEqual([
      expect.stringMatching(/only the first 2,000,000/),
      expect.stringMatching(/has 3 conversations, of which the first 2 were taken/),
    ]);
  });
});

describe('a conversation of Claude', () => {
  it('is read in its order, with what is attached', async () => {
    const one = claude([
      {
        sender: 'human',
        text: 'hi',
        content: [{ type: 'text', text: 'hi *you*' }],
        created_at: '2024-05-01T12:35:00Z',
        attachments: [
          { file_name: 'x.txt', extracted_content: 'rm *.txt' },
          { file_name: 'y.md', extracted_content: '*y*' },
        ],
        files: [{ file_name: 'p.png' }],
      },
      {
        sender: 'assistant',
        text: '',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'ok', citations: [{ details: { url: 'https://e.org/a' } }] },
          { type: 'tool_use', name: 'artifacts', input: { id: 'x', content: 'a\nb' } },
          { type: 'tool_result', name: 'artifacts', content: [{ type: 'text', text: 'OK' }] },
        ],
      },
      { sender: 'human', text: 'only text' },
    ]);
    expect(await read([one])).toEqual({
      markdown:
        '# Pumps\n\nBegun 2024-05-01 12:34 UTC.\n\n' +
        turn(
          'User, 2024-05-01 12:35 UTC',
          'hi *you*\n\nAttached: x.txt\n\nrm \\*.txt\n\nAttached: y.md\n\n*y*\n\nAttached: p.png',
        ) +
        turn(
          'Assistant',
          'Thinking:\n\nhm\n\nok\n\nSources: https://e.org/a\n\nTool: artifacts\n\n- id: x\n\ncontent:\n\n```\na\nb\n```\n\nResult: artifacts\n\nOK',
        ) +
        turn('User', 'only text'),
      title: 'Pumps',
      warnings: [],
    });
  });

  it('without a name has its day', async () => {
    expect((await read(claude([{ sender: 'human', text: 'a' }], { name: '' })))?.title).toBe(
      'Conversation of 2024-05-01',
    );
  });
});

it.each([
  [
    'ssh <username>@<server> `<b>` <https://e.org/a> <a@e.org> a < b',
    'ssh \\<username>@\\<server> `<b>` <https://e.org/a> <a@e.org> a < b',
  ],
  ['<!-- a -->\n\n<pre>\nb', '\\<!-- a -->\n\n\\<pre>\nb'],
  ['```html\n<b>\n%%\n```\n<b>', '```html\n<b>\n%%\n```\n\\<b>'],
  ['a %% b %% `%%c` %%%', 'a \\%\\% b \\%\\% `%%c` \\%\\%\\%'],
  ['- ```\n  <b>\n<i>', '- ```\n  <b>\n\\<i>'],
  ['$$x$$ costs $$', '$$x$$ costs \\$\\$'],
])('shows %j letter by letter where the programs do', async (text, shown) => {
  expect((await read(claude([{ sender: 'human', text }], { created_at: null })))?.markdown).toBe(
    `# Pumps\n\n${turn('User', shown)}`,
  );
});

it('what is no conversation among some is kept', async () => {
  expect((await read([{ a: 1 }, claude([{ sender: 'human', text: 'a' }])]))?.markdown).toBe(
    '# 2 conversations with Claude\n\n## Conversation\n\n### Other\n\n```json\n{\n  "a": 1\n}\n```\n\n## Pumps\n\nBegun 2024-05-01 12:34 UTC.\n\n### User\n\na\n\n',
  );
});

it('other JSON is no conversation', async () => {
  for (const value of [
    { mapping: { a: 1 } },
    { chat_messages: 1 },
    [{ mapping: [] }],
    { chat_messages: [] },
    [],
  ])
    expect((await read(value)).markdown).toMatch(/^```json/);
  expect((await readAs('json', '{"mapping":')).markdown).toMatch(/^```text/);
});

it('every message has its heading, whatever the ones before leave open', async () => {
  const text = fc.constantFrom(
    '```',
    '~~~\na',
    '- ```\n  a',
    '<!-- x',
    '<pre>',
    '%%',
    '$$',
    '`a',
    '> ```',
    '1. x\n   ```js',
    'a',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), async (texts) => {
      const gpt = (await read(chatGpt([...texts, 'z'].map((content) => ({ content, at: 0 }))))).markdown;
      const other = (await read(claude([...texts, 'z'].map((one) => ({ sender: 'human', text: one })))))
        .markdown;
      for (const [shown, heading] of [
        [gpt, 'User, 1970-01-01 00:00 UTC'],
        [other, 'User'],
      ] as const) {
        const found = markdownFacts(shown).headings.filter((each) => each.text === heading);
        expect(found).toHaveLength(texts.length + 1);
      }
    }),
    { numRuns: 1000 },
  );
});
