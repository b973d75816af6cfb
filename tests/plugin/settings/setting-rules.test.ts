import fc from 'fast-check';
import { ConfigError } from '../../../src/core/config/config';
import { sizeIn, sizeWords } from '../../../src/core/config/settings';
import { effectiveSetting, settingProblem, settle } from '../../../src/plugin/settings/rules';

describe('what can be used for a setting', () => {
  it.each([
    ['port', 27246],
    ['port', 0],
    ['rateLimit', 0],
    ['rateBytes', 0],
    ['humanName', 'Ada Lovelace'],
    ['captureWing', 'Home lab'],
    ['rootNote', 'AGENTS.md'],
    ['rootNote', 'meta/guide.md'],
    ['allowedHosts', []],
    ['allowedHosts', ['brain.local', 'brain.local:27246']],
    ['allowedOrigins', ['https://notes.example', 'chrome-extension://abc']],
    ['rootEdit', 'propose'],
    ['gateActiveContent', false],
    ['no such setting', 'anything'],
  ])('%s takes %p', (key, value) => {
    expect(settingProblem(key, value)).toBeNull();
  });

  it.each([
    ['port', 65536],
    ['port', -1],
    ['port', 27246.5],
    ['rateLimit', -1],
    ['rateBytes', 1.5],
    ['humanName', ''],
    ['humanName', 'x'.repeat(49)],
    ['captureWing', ''],
    ['captureWing', '../x'],
    ['rootNote', '../AGENTS.md'],
    ['rootNote', '/AGENTS.md'],
    ['rootNote', 'AGENTS'],
    ['rootNote', '.md'],
    ['allowedHosts', ['http://brain.local']],
    ['allowedOrigins', ['notes.example']],
    ['allowedOrigins', ['https://notes.example/path']],
  ])('%s refuses %p in one plain sentence', (key, value) => {
    const problem = settingProblem(key, value);
    expect(problem).toMatch(/^[A-Z].*\.$/);
    expect(problem).not.toMatch(/expected|invalid input|regex/i);
  });
});

describe('what is in force', () => {
  it('is the default, then the setting, then the environment', () => {
    expect(effectiveSetting('port', {}, {})).toEqual({ value: 27246 });
    expect(effectiveSetting('port', {}, { port: 4000 })).toEqual({ value: 4000 });
    expect(effectiveSetting('port', { BRAIN_PORT: '5000' }, { port: 4000 })).toEqual({
      value: 5000,
      variable: 'BRAIN_PORT',
    });
  });

  it('takes an empty variable for none', () => {
    expect(effectiveSetting('port', { BRAIN_PORT: '' }, { port: 4000 })).toEqual({ value: 4000 });
  });

  it('is shown as the service takes it', () => {
    const variable = 'BRAIN_EMBED_SYNC_INTERVAL';
    expect(effectiveSetting('embedSyncInterval', { [variable]: '5' }, {})).toEqual({ value: 30, variable });
    expect(effectiveSetting('embedSyncInterval', {}, { embedSyncInterval: 5 })).toEqual({ value: 30 });
    // What cannot be used is shown for the person to mend.
    expect(effectiveSetting('embedSyncInterval', {}, { embedSyncInterval: 0 })).toEqual({ value: 0 });
  });

  it('is what the service is given', () => {
    const saved = { port: 4000, humanName: 'Ada' };
    expect(settle({ BRAIN_RATE_LIMIT: '7' }, saved)).toMatchObject({
      port: 4000,
      humanName: 'Ada',
      rateLimit: 7,
    });
  });

  it('leaves out what another version has saved', () => {
    expect(settle({}, { port: 4000, notYetInvented: true }).port).toBe(4000);
  });

  it.each([
    ['host', '0.0.0.0'],
    ['auth', false],
    ['pgDsn', 'postgres://x'],
    ['llmKey', 'secret'],
    ['embedKey', 'secret'],
  ])('never takes %s from a file that travels between devices', (key, value) => {
    expect(settle({}, { [key]: value })).toEqual(settle({}, {}));
    expect(effectiveSetting(key, {}, { [key]: value }).value).not.toBe(value);
  });

  it('says which saved setting cannot be used', () => {
    expect(() => settle({}, { port: 'many' })).toThrow(ConfigError);
    expect(() => settle({}, { port: 'many' })).toThrow(
      'The setting "Port" is "many". Use a whole number from 1 to 65535, or 0 for any free port.',
    );
    expect(() => settle({}, { tools: 'some' })).toThrow(
      'The setting "Tools for agents" is "some". Use core or full.',
    );
    expect(() => settle({ BRAIN_PORT: 'many' }, {})).toThrow(/BRAIN_PORT/);
    expect(settle({ BRAIN_PORT: '1234' }, { port: 'many' }).port).toBe(1234);
  });
});

describe('a size', () => {
  it.each([
    ['64 MiB', 67_108_864],
    ['1.5GiB', 1_610_612_736],
    ['512 kib', 524_288],
    ['1000', 1000],
    [' 0 ', 0],
    ['64 MB', '64 MB'],
    ['many', 'many'],
    ['-1 MiB', '-1 MiB'],
  ])('is read from %p', (text, bytes) => {
    expect(sizeIn(text)).toBe(bytes);
  });

  it('is shown in the largest unit that has it whole, and read back as it was', () => {
    expect([0, 1000, 1536, 67_108_864, 1_610_612_736].map(sizeWords)).toEqual([
      '0',
      '1000 B',
      '1536 B',
      '64 MiB',
      '1536 MiB',
    ]);
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(sizeIn(sizeWords(bytes))).toBe(bytes);
      }),
    );
  });
});
