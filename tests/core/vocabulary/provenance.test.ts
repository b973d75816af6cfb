import * as fc from 'fast-check';
import { type Caller, cleanClient } from '../../../src/core/access/tokens';
import { oneLine, yamlScalar } from '../../../src/core/frontmatter/yaml';
import { isOfPipeline, PROTECTED_KEYS, stampOf } from '../../../src/core/vocabulary/envelope';

/** Like one that the server makes. */
const TOKEN = 'Zx9kQ2mV7tB4nL8pR1sW6yC3dF5gH0jK-aE_uIoT2Mq';

describe('cleanClient', () => {
  it.each<[name: unknown, version: unknown, client: string | undefined]>([
    ['claude-code', '2.1.300', 'claude-code 2.1.300'],
    ['claude-code', undefined, 'claude-code'],
    ['brain-cli/0.1.0', undefined, 'brain-cli/0.1.0'],
    ['claude-code', 7, 'claude-code'],
    [' Cursor ', '', 'Cursor'],
    ['a\nwing: evil', undefined, 'awing evil'],
    ['"quoted" (x)', undefined, 'quoted x'],
    ['东京', undefined, undefined],
    ['', '', undefined],
    ['', '1.0', '1.0'],
    [undefined, '1.0', undefined],
    [{ toString: () => 'x' }, undefined, undefined],
    ['x'.repeat(100), '1', 'x'.repeat(48)],
    [`${'x'.repeat(47)} y`, undefined, 'x'.repeat(47)],
    [TOKEN, '1.0', 'redacted 1.0'],
    [`laptop ${TOKEN}`, undefined, 'laptop redacted'],
    [`${TOKEN.slice(0, 20)}:${TOKEN.slice(20)}`, undefined, 'redacted'],
    ['agent', `Bearer ${'k'.repeat(20)}`, 'agent Bearer redacted'],
  ])('%j %j', (name, version, client) => {
    expect(cleanClient(name, version)).toBe(client);
  });

  it('has nothing to say for a very long blank name', () => {
    expect(cleanClient(' '.repeat(1_000_000))).toBeUndefined();
  });

  it('leaves nothing that needs quoting or shortening', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.option(fc.string(), { nil: undefined }),
        (name, version) => {
          const client = cleanClient(name, version);
          if (client === undefined) return;
          expect(client).toMatch(/^[A-Za-z0-9._/+-](?:[A-Za-z0-9 ._/+-]{0,46}[A-Za-z0-9._/+-])?$/);
          expect(cleanClient(client)).toBe(client);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('isOfPipeline', () => {
  const caller: Caller = { origin: 'mcp', name: 'laptop', human: false, scopes: new Set() };

  it.each<[caller: Caller, via: string]>([
    [caller, 'passthrough'],
    [{ ...caller, client: 'claude-code 2.1.300' }, 'qwen3:8b'],
    [{ ...caller, client: 'a via b' }, 'gpt (large)'],
    [{ ...caller, human: true }, 'passthrough'],
  ])('is true for what %j has put in by way of %s', (who, via) => {
    expect(isOfPipeline(stampOf(who, via))).toBe(true);
  });

  it('is false for what a caller writes by itself, whatever its client calls itself', () => {
    const words = fc.array(fc.constantFrom('via', ' via ', 'passthrough', ' ', '(', ')', 'x', '.'));
    fc.assert(
      fc.property(words, (parts) => {
        const client = cleanClient(parts.join(''));
        expect(isOfPipeline(stampOf({ ...caller, ...(client !== undefined && { client }) }))).toBe(false);
      }),
    );
  });

  it.each([{}, { written_by: null }, { written_by: ['a via b'] }, { extracted_by: 'llm' }])(
    'is false for %j',
    (frontmatter) => {
      expect(isOfPipeline(frontmatter)).toBe(false);
    },
  );
});

describe('stampOf', () => {
  const caller: Caller = { origin: 'mcp', name: 'laptop', human: false, scopes: new Set() };
  it.each<[caller: Caller, origin: string, writtenBy: string]>([
    [caller, 'mcp', 'laptop'],
    [{ ...caller, client: 'claude-code 2.1.300' }, 'mcp', 'laptop (claude-code 2.1.300)'],
    [{ ...caller, origin: 'http', name: 'local' }, 'http', 'local'],
    [{ ...caller, origin: 'web', name: 'me', human: true }, 'web', 'human:me'],
    [{ ...caller, origin: 'web', name: 'me', human: true, client: 'Firefox' }, 'web', 'human:me'],
  ])('%j', (who, origin, writtenBy) => {
    expect(stampOf(who)).toEqual({ origin, written_by: writtenBy });
    expect(yamlScalar(oneLine(writtenBy))).toBe(writtenBy);
  });
});

describe('PROTECTED_KEYS', () => {
  it('names who did what and when, and nothing that a writer may say', () => {
    expect([...PROTECTED_KEYS].sort()).toEqual([
      'created_at',
      'hall',
      'origin',
      'promoted_at',
      'promoted_by',
      'reject_reason',
      'rejected_at',
      'rejected_by',
      'supersede_reason',
      'supersedes',
      'updated_at',
      'verified_at',
      'verified_by',
      'wing',
      'withdrawn_at',
      'written_by',
    ]);
  });
});
