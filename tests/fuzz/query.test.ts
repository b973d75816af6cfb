import * as fc from 'fast-check';
import { answerNotes } from '../../src/core/answer/operation';
import { BrainError } from '../../src/core/base/errors';
import { perform } from '../../src/core/operation/operation';
import { queryNotes } from '../../src/core/search/query';
import { hostileText } from '../support/hostile-text';
import { agent, openTestBrain, type TestBrain } from '../support/test-brain';
import { cpuMs } from '../support/cpu';
import { fuzz } from './fuzz';
import { repeated } from './mutations';
import { QUERIES } from './regressions';

const FILES = {
  'wiki/homelab/facts/mtu.md': '# WireGuard MTU\n\nThe tunnel needs 1420 bytes; PPPoE takes eight more.\n',
  'wiki/homelab/decisions/backup.md': '# Use restic\n\nBackups run at night. `restic prune` keeps 30 days.\n',
  'wiki/net/facts/größe.md': '# Größe & Maß\n\nStraße, ﬁne, naïve café, ΟΔΟΣ.\n',
  'wiki/net/facts/東京.md': '# 東京の天気\n\n東京は晴れです。気温は二十度。\n',
  'wiki/net/facts/thai.md': '# ภาษาไทย\n\nสวัสดีครับ ยินดีต้อนรับ\n',
  'raw/2026-11-01-dns.md': '# DNS\n\nUnbound listens on 5335.\n',
};
const WORDS = [
  ...[
    'wireguard',
    'MTU',
    'restic',
    'backup',
    '1420',
    '東京',
    '天気',
    'Straße',
    'strasse',
    'café',
    'ภาษา',
    'the',
    'der',
    'wireguad',
  ],
  ...[
    '"',
    '" ',
    '"restic prune"',
    '-',
    '- ',
    '+',
    'AND',
    'OR',
    'NOT',
    '(',
    ')',
    '*',
    '?',
    ':',
    'wing:homelab',
    'tag:x',
    '~',
    '^2',
    '\\',
    '/',
    '//',
    '[',
    ']',
  ],
  ...[
    '\0',
    '\n',
    '\u200b',
    '\u202e',
    '\ud800',
    '😀',
    'e\u0301',
    '%',
    '_',
    "'",
    ';--',
    '<b>',
    '{{',
    '$',
    '&&',
    '||',
    ' ',
    '  ',
    'a'.repeat(300),
    '\u0301'.repeat(50),
  ],
];
const queries = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((parts) => parts.join(' ')),
  hostileText,
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const cases = QUERIES.map((query): [string] => [query]);
/** A search in six notes takes less than a millisecond; this says only that it ends. */
const LIMIT_MS = 2000;

let world: TestBrain;
beforeAll(async () => {
  world = await openTestBrain(FILES);
});
afterAll(() => world.close());

async function timed<T>(work: () => Promise<T>): Promise<T | string> {
  const start = cpuMs();
  try {
    return await work();
  } catch (error) {
    if (error instanceof BrainError) return error.code;
    throw error;
  } finally {
    expect(cpuMs() - start).toBeLessThan(LIMIT_MS);
  }
}

fuzz(
  'any text finds notes or none, in their order, and the same again',
  800,
  fc.asyncProperty(queries, fc.boolean(), async (query, include_raw) => {
    const ask = () => timed(() => perform(world.brain, queryNotes, { query, include_raw }, agent));
    const answer = await ask();
    if (typeof answer === 'string') {
      expect(['empty_query', 'invalid_field']).toContain(answer);
      return;
    }
    expect(await ask()).toEqual(answer);
    const scores = answer.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { path, score, excerpt } of answer.results) {
      expect(Object.keys(FILES)).toContain(path);
      expect(include_raw || !path.startsWith('raw/')).toBe(true);
      expect(Number.isFinite(score) && score > 0).toBe(true);
      expect([...excerpt].length).toBeLessThanOrEqual(242);
    }
  }),
  cases.map(([query]): [string, boolean] => [query, true]),
);

fuzz(
  'a word of a note finds that note, whatever stands around the word',
  400,
  fc.asyncProperty(
    fc.constantFrom(
      ['wireguard', 'mtu.md'],
      ['1420', 'mtu.md'],
      ['restic', 'backup.md'],
      ['東京', '東京.md'],
      ['café', 'größe.md'],
    ),
    fc.constantFrom('', '? ', '... ', '(', '- ', '* ', '/', '"'),
    fc.constantFrom('', '?', ' !', ')', ' …', '"', ' \u200b'),
    async ([word = '', file = ''], before, after) => {
      const { results } = await perform(world.brain, queryNotes, { query: before + word + after }, agent);
      expect(results.map(({ path }) => path.split('/').at(-1))).toContain(file);
    },
  ),
);

fuzz(
  'any question is answered with quotes that stand in notes, or not at all',
  150,
  fc.asyncProperty(queries, async (query) => {
    const answer = await timed(() => perform(world.brain, answerNotes, { query }, agent));
    if (typeof answer === 'string') expect(['empty_query', 'invalid_field']).toContain(answer);
    else for (const { path } of answer.citations) expect(Object.keys(FILES)).toContain(path);
  }),
  cases,
);

fuzz(
  'the longest of queries ends soon, whatever it says over and over',
  60,
  fc.asyncProperty(repeated(WORDS, 2000), async (query) => {
    const answer = await timed(() => perform(world.brain, queryNotes, { query }, agent));
    if (typeof answer === 'string') expect(['empty_query', 'invalid_field']).toContain(answer);
  }),
);
