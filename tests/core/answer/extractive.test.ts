import fc from 'fast-check';
import { answerNotes } from '../../../src/core/answer/operation';
import { parseMarkdown, within } from '../../../src/core/markdown/parse';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const FILES = {
  'wiki/homelab/facts/wireguard-mtu.md':
    '---\nwing: homelab\nhall: facts\ncreated_at: 2026-10-01T00:00:00Z\norigin: mcp\nwritten_by: laptop\n---\n# WireGuard MTU\n\nThe tunnel needs an MTU of 1380 bytes, because the modem takes twenty.\n\nMeasured with ping.\n',
  'wiki/homelab/facts/ups.md':
    '---\nwing: homelab\nhall: facts\ncreated_at: 2026-01-01T00:00:00Z\nhalf_life: volatile\nclaim_provenance: asserted\n---\n# UPS\n\nThe battery holds the server for twelve minutes.\n',
  'wiki/homelab/facts/ups-2.md':
    '---\nwing: homelab\nhall: facts\ncreated_at: 2026-11-01T00:00:00Z\n---\n# UPS\n\nThe battery holds the server for nine minutes.\n',
  'wiki/household/facts/boiler.md': '# Boiler\n\nThe boiler is serviced every October by the installer.\n',
  'wiki/homelab/facts/jp.md': '# トンネル\n\nトンネルのMTUは1380バイトにします。\n',
  'raw/2026-11-01-zeppelin.md': '# Zeppelin hangar\n\nThe zeppelin hangar door is blue.\n',
};

const ask = async (query: string, more: object = {}, files: Record<string, string> = FILES) => {
  const { run } = await openTestBrain(files);
  return run(answerNotes, { query, ...more });
};

it('answers with the passage, word for word, and says where it stands', async () => {
  expect(await ask('What MTU does the WireGuard tunnel need?')).toEqual({
    query: 'What MTU does the WireGuard tunnel need?',
    answer:
      '[1] The tunnel needs an MTU of 1380 bytes, because the modem takes twenty.\n\nMeasured with ping.',
    abstained: false,
    mode: 'extractive',
    citations: [
      {
        n: 1,
        path: 'wiki/homelab/facts/wireguard-mtu.md',
        title: 'WireGuard MTU',
        quote:
          'The tunnel needs an MTU of 1380 bytes, because the modem takes twenty.\n\nMeasured with ping.',
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        wing: 'homelab',
        hall: 'facts',
        origin: 'mcp',
        written_by: 'laptop',
        updated_at: '2026-10-01T00:00:00Z',
        date: '2026-10-01T00:00:00Z',
        status: 'wiki',
        stale: false,
        reviewed: null,
      },
    ],
    nearest: expect.any(Array),
    warnings: [],
  });
});

it.each([
  ['a typing error', 'wiregaurd mtu', ['wiki/homelab/facts/wireguard-mtu.md']],
  ['the title alone', 'boiler', ['wiki/household/facts/boiler.md']],
  ['Japanese with its particles', 'トンネルのMTUはいくつですか', ['wiki/homelab/facts/jp.md']],
])('finds its way with %s', async (_, query, paths) => {
  expect((await ask(query)).citations.map(({ path }) => path)).toEqual(paths);
});

it.each([
  ['homelab power', 'The power of my home lab comes from two cables.'],
  ['home lab power', 'The power of my homelab comes from two cables.'],
  ['wi-fi password', 'The password of the wifi hangs at the door.'],
  ['wifi password', 'The password of the Wi-Fi hangs at the door.'],
])('answers %j from a text that joins the words otherwise', async (query, text) => {
  const note = 'wiki/home/facts/note.md';
  // Words of the query occur elsewhere too, and tell less there.
  const others = {
    'wiki/home/facts/a.md': '# A\n\nThe home of Wi is far.\n',
    'wiki/home/facts/b.md': '# B\n\nA lab.\n',
  };
  const { citations } = await ask(query, {}, { ...others, [note]: `# Notes\n\n${text}\n` });
  expect(citations[0]).toMatchObject({ path: note, quote: text });
});

it('does not answer from half of a word that the search takes apart', async () => {
  const files = {
    'wiki/a/facts/a.md': '# A\n\nA home lab.\n',
    'wiki/a/facts/b.md': '# B\n\nMy home is warm.\n',
  };
  const { citations } = await ask('homelab', {}, files);
  expect(citations.map(({ path }) => path)).toEqual(['wiki/a/facts/a.md']);
});

it.each([
  ['What MTU does it want?', 'wiki/homelab/facts/wireguard-mtu.md'],
  ['Tell me how much time the battery holds the server', 'wiki/homelab/facts/ups-2.md'],
  ['Do you know what happens to the boiler every October?', 'wiki/household/facts/boiler.md'],
])('needs no word of the question in the answer that tells nothing: %s', async (query, path) => {
  expect((await ask(query)).citations[0]?.path).toBe(path);
});

describe('a question in any language', () => {
  const files = {
    'a.md': 'Der Fahrkartenautomat dient dem Verkauf von Fahrkarten.\n',
    'b.md': 'Der Bahnhof wurde 1906 eröffnet. Die Gleise liegen im Norden der Stadt.\n',
    'c.md': 'Panthers savunması ligde altıncı sırada 308 sayı bıraktı.\n',
    'd.md': '黑豹队的防守只丢了三百分，在联赛中排名第六。\n',
    'e.md': 'Команда выиграла последний матч в Казани.\n',
    'f.md': 'The kitchen has a red door and a window to the garden.\n',
  };

  it.each([
    ['Wozu dient der Fahrkartenautomat?', 'a.md'],
    ['Wann wurde der Bahnhof eröffnet?', 'b.md'],
    ['Panthers savunması kaç sayı bırakmıştır?', 'c.md'],
    ['黑豹队的防守丢了多少分？', 'd.md'],
    ['Где команда выиграла матч?', 'e.md'],
    ['Where does the window of the kitchen lead to?', 'f.md'],
  ])('%s', async (query, path) => {
    const { citations } = await ask(query, {}, files);
    expect(citations[0]?.path).toBe(path);
  });

  it.each([
    'Wozu dient der Leuchtturm?',
    'Wann wurde der Hafen von Bremen gebaut?',
    'Galatasaray kaç maç kazanmıştır?',
    '红牛队的进攻得了多少分？',
    'Где живёт Пушкин?',
    'Who won the war in Norway?',
  ])('nothing answers %s', async (query) => {
    expect(await ask(query, {}, files)).toMatchObject({ abstained: true, answer: null });
  });
});

it('takes a number for the evidence of a question that asks for one', async () => {
  const files = {
    'a.md': 'The checkout times out and the basket is lost.\n',
    'b.md': 'The checkout times out after 14 seconds.\n',
  };
  const { citations } = await ask('How long until the checkout times out?', {}, files);
  expect(citations[0]?.path).toBe('b.md');
});

it('shows as weak what holds only a part of the question, and then nothing else', async () => {
  const files = {
    'a.md': 'The harbour of Bergen has a lighthouse with seven windows.\n',
    'b.md': 'The station has a clock.\n',
  };
  const weak = await ask('Which keeper painted the lighthouse of Bergen yesterday?', {}, files);
  expect(weak).toMatchObject({ abstained: false, weak: true });
  expect(weak.citations.map(({ path }) => path)).toEqual(['a.md']);
  const sure = await ask('How many windows has the lighthouse of Bergen?', {}, files);
  expect(sure).not.toHaveProperty('weak');
});

it('counts a name that stands nowhere for more than a verb that does', async () => {
  const files = { 'a.md': 'Anna repaired the old boat in the garden.\n', 'b.md': 'The sky is blue.\n' };
  expect(await ask('When did Sebastian repair the boat?', {}, files)).toMatchObject({ weak: true });
  expect(await ask('When did Anna fix the boat?', {}, files)).not.toHaveProperty('weak');
});

it('prefers of equal passages the one that is not stale', async () => {
  const { citations } = await ask('How long does the battery hold the server?');
  expect(citations.map(({ n, path, stale }) => [n, path, stale])).toEqual([
    [1, 'wiki/homelab/facts/ups-2.md', false],
    [2, 'wiki/homelab/facts/ups.md', true],
  ]);
});

it.each([
  ['no word of it', 'zeppelin', 'no_matches', []],
  ['nothing', '?!', 'no_matches', []],
  [
    'too little of it',
    'Does the tunnel of the zeppelin hangar have a blue door?',
    'insufficient_evidence',
    ['wiki/homelab/facts/wireguard-mtu.md'],
  ],
])('abstains when the notes hold %s', async (_, query, reason, nearest) => {
  const answer = await ask(query);
  expect(answer).toMatchObject({ answer: null, abstained: true, reason, mode: 'extractive', citations: [] });
  expect(answer.nearest.map(({ path }) => path)).toEqual(nearest);
});

describe('a text that holds no word of the question', () => {
  const files = {
    'wiki/household/facts/schedule.md':
      '---\nwing: household\nhall: facts\ntags: [winter]\naliases: [Furnace plan]\n---\n# Boiler service schedule\n\nAsk Ann.\n\nShe has the calendar.\n',
    'wiki/household/facts/bins.md': '---\ntags: [winter]\n---\n# Bins\n\nOut on Mondays.\n',
  };

  it.each([
    ['the title', 'boiler service schedule'],
    ['most of the title', 'When is the boiler service?'],
    ['an alias', 'furnace plan'],
  ])('answers with its beginning when %s names what is asked', async (_, query) => {
    const { answer, citations } = await ask(query, {}, files);
    expect(answer).toBe('[1] Ask Ann.\n\nShe has the calendar.');
    expect(citations.map(({ title }) => title)).toEqual(['Boiler service schedule']);
  });

  it.each([
    ['its wing and hall', 'household facts'],
    ['a tag', 'winter'],
    ['its wing, with too little of the title', 'household winter facts schedule'],
  ])('is no answer when %s do', async (_, query) => {
    const { answer, reason, nearest } = await ask(query, {}, files);
    expect([answer, reason]).toEqual([null, 'insufficient_evidence']);
    expect(nearest.map(({ path }) => path)).toContain('wiki/household/facts/schedule.md');
  });

  it('lets tags, wing and hall count where the text holds some of the question itself', async () => {
    const { citations } = await ask('household winter calendar', {}, files);
    expect(citations.map(({ title }) => title)).toEqual(['Boiler service schedule']);
  });
});

it('keeps to the wing and the hall, and away from what nobody has reviewed', async () => {
  expect((await ask('mtu tunnel', { wing: 'household' })).reason).toBe('no_matches');
  expect((await ask('mtu tunnel', { hall: 'decisions' })).reason).toBe('no_matches');
  expect((await ask('mtu tunnel', { wing: 'Home Lab' })).reason).toBe('no_matches');
  expect((await ask('mtu tunnel', { wing: 'HomeLab', hall: 'facts' })).abstained).toBe(false);
});

it.each([
  ['an empty question', { query: ' \n' }, 'empty_query'],
  ['no question', {}, 'missing_field'],
  ['a wing that is a path', { query: 'x', wing: '../x' }, 'invalid_wing'],
  ['too high a limit', { query: 'x', limit: 21 }, 'invalid_field'],
  ['what it does not know', { query: 'x', include_raw: true }, 'unknown_field'],
])('refuses %s', async (_, raw, code) => {
  const { refusal } = await openTestBrain(FILES);
  expect((await refusal(answerNotes, raw)).code).toBe(code);
});

it('takes what would fetch or run out of the answer, and shows the quote as the note has it', async () => {
  const evil =
    'The secret door ![x](https://evil.example/a.png) <script>go()</script> [a](javascript:b) opens.';
  const { answer, citations, warnings } = await ask(
    'secret door',
    {},
    { 'wiki/a/facts/b.md': `# D\n\n${evil}\n` },
  );
  expect(answer).not.toMatch(/!\[|<script|\(javascript/);
  expect(citations[0]?.quote).toBe(evil);
  expect(warnings).toEqual([expect.stringMatching(/were taken out of the answer: \d places/)]);
});

it.each([
  ['a mark', 'The gauge reads green as measured in [2].', 'The gauge reads green as measured in \\[2\\].'],
  ['several', 'The gauge reads green [1][2] [1, 2].', 'The gauge reads green \\[1\\]\\[2\\] \\[1, 2\\].'],
  ['one that is escaped', 'The gauge reads green \\[2].', 'The gauge reads green \\[2\\].'],
  ['an index in code', 'The gauge reads `green[2]`.', 'The gauge reads `green[2]`.'],
  ['one in the words of a link to nowhere', 'The gauge reads green [[[no/such|2]]].', null],
])("takes no citation from a note's own text: %s", async (_, own, shown) => {
  const files = {
    'wiki/a/facts/b.md': `# B\n\n${own}\n`,
    'wiki/a/facts/c.md': '# C\n\nThe gauge reads green on Sundays too.\n',
  };
  const { answer, citations } = await ask('gauge reads green', {}, files);
  const cited = citations.find(({ path }) => path === 'wiki/a/facts/b.md');
  expect(citations).toHaveLength(2);
  expect(cited?.quote).toBe(own);
  if (shown !== null) expect(answer).toContain(`[${cited?.n}] ${shown}`);
  expect(answer?.replace(/`[^`]*`/g, '').match(/\[\d+\]/g)).toEqual(['[1]', '[2]']);
});

it('puts a list or a heading on a line of its own, where it is one', async () => {
  const { answer } = await ask('apples pears', {}, { 'wiki/a/facts/b.md': '- apples\n- pears\n' });
  expect(answer).toBe('[1]\n\n- apples\n- pears');
});

describe('a passage that is cut within a block is shown whole, and what follows it is text', () => {
  const asked = 'restic restore snapshot command';
  const lines = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `echo "step ${n}: copy the disk to the other host and wait"\n`,
    ).join('');
  const prose = 'Some words here about nothing in particular at all. '.repeat(11);
  const formulas = 'x^2 + y^2 = z^2 + long formula of many signs\n'.repeat(14);

  it.each([
    ['the beginning of a fence', `\`\`\`sh\n# ${asked}\n${lines(16)}\`\`\`\n`, '```sh\n', '\n```'],
    ['the end of a fence', `${prose}\n\n\`\`\`sh\n${lines(10)}\n# ${asked}\n\`\`\`\n`, '```sh\n', '\n```'],
    [
      'the middle of a fence',
      `${prose}\n\n~~~~\n${lines(10)}\n# ${asked}\n${lines(9)}\n${lines(9)}~~~~\n`,
      '~~~~\n',
      '\n~~~~',
    ],
    ['the beginning of math', `$$\n${asked}\n\n${formulas}$$\n`, '$$\n', '\n$$'],
    ['the end of math', `${prose}\n\n$$\n${formulas}\n${asked}\n$$\n`, '$$\n', '\n$$'],
    ['half of a comment', `%% ${asked}\n`, '%% ', '\n%%'],
  ])('%s', async (_, body, opening, closing) => {
    const files = {
      'wiki/h/facts/a.md': `# A\n\n${body}`,
      'wiki/h/facts/b.md': `# B\n\nThe ${asked} is run by hand.\n`,
      'wiki/h/facts/c.md': `# C\n\nThe ${asked} is also run by night.\n`,
    };
    const { answer, citations } = await ask(asked, {}, files);
    const shown = answer ?? '';
    expect(citations).toHaveLength(3);
    const cut = citations.find(({ path }) => path === 'wiki/h/facts/a.md');
    expect(files['wiki/h/facts/a.md']).toContain(cut?.quote);
    const [, own = ''] = shown.split(`[${cut?.n}]`);
    const passage = own.split(/\n\n\[\d\]/)[0]?.trim() ?? '';
    expect([passage.startsWith(opening), passage.endsWith(closing)]).toEqual([true, true]);
    const markdown = parseMarkdown(`${shown}\n\n$$\n\n%%`);
    for (const { n } of citations) {
      const at = shown.indexOf(`[${n}]`);
      expect(markdown.sections.find(({ from }) => from === at)?.kind).toBe('prose');
      expect(within(markdown.quiet)(at)).toBe(false);
    }
  });
});

it('does not show what a reader of the note does not see', async () => {
  const files = {
    'wiki/a/facts/b.md': '# B\n\nThe code is green.\n\n%%the code is 1234%%\n\n<!-- the code is 5678 -->\n',
  };
  const { citations } = await ask('code', {}, files);
  expect(citations.map(({ quote }) => quote)).toEqual(['The code is green.']);
});

it('passes over a note that has gone or is no text any more since it was indexed', async () => {
  const { run, files } = await openTestBrain(FILES);
  files.delete('wiki/household/facts/boiler.md');
  expect((await run(answerNotes, { query: 'boiler installer' })).reason).toBe('insufficient_evidence');
});

it('gives the same answer, byte for byte, for the same notes and question', async () => {
  const words = fc.constantFrom('mtu', 'tunnel', 'battery', 'boiler', 'modem', 'October', 'zeppelin', 'the');
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 5 }), async (query) => {
      const [a, b] = [await ask(query.join(' ')), await ask(query.join(' '))];
      expect(JSON.stringify(a)).toBe(JSON.stringify(b));
      for (const { path, quote } of a.citations) {
        expect(Object.entries(FILES).find(([file]) => file === path)?.[1]).toContain(quote);
      }
    }),
    { numRuns: 40 },
  );
});

it('answers from the other notes when the disk does not give one of them', async () => {
  const { run, vault } = await openTestBrain({
    'wiki/a/facts/one.md': '# Tunnel\n\nThe tunnel wants an MTU of 1420.',
    'wiki/a/facts/two.md': '# Tunnel two\n\nThe tunnel MTU of the office is 1380.',
  });
  const read = vault.read.bind(vault);
  vault.read = async (path) => {
    if (path.endsWith('two.md')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    return read(path);
  };
  const { answer } = await run(answerNotes, { query: 'Which MTU does the tunnel want?' });
  expect(answer).toBe('[1] The tunnel wants an MTU of 1420.');
});

it('answers from far back in a long note, and shows that place of it', async () => {
  const { run } = await openTestBrain({
    'wiki/a/facts/long.md': `# Log\n\n${'Nothing happened on this day. \n\n'.repeat(10_000)}The zeppelin landed at noon.\n\n${'More of the same. '.repeat(9_000)}`,
  });
  const { answer } = await run(answerNotes, { query: 'When did the zeppelin land?' });
  expect(answer).toContain('The zeppelin landed at noon.');
  const { results } = await run(queryNotes, { query: 'zeppelin' });
  expect(results[0]?.excerpt).toContain('zeppelin landed at noon');
});
