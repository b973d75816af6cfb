import { CallerLimits, readPaths, storedLimits, wingNames } from '../../../src/core/vocabulary/token-limits';
import { refusal } from '../../support/refusal';

describe('readPaths', () => {
  it.each([
    [
      ['wiki/homelab', 'knowledge'],
      ['wiki/homelab', 'knowledge'],
    ],
    [
      ['/wiki/homelab/', './knowledge/', 'brain/wiki/net'],
      ['wiki/homelab', 'knowledge', 'wiki/net'],
    ],
    [
      ['AGENTS.md', ' Projects/my plan.md ', 'AGENTS.md'],
      ['AGENTS.md', 'Projects/my plan.md'],
    ],
    [['Proj\u0065\u0301'], ['Proj\u00e9']],
  ])('reads %j', (given, paths) => expect(readPaths(given)).toEqual(paths));

  it.each([
    [[], /Name at least one/],
    [['/'], /is empty/],
    [['.'], /"\." cannot be read/],
    [['wiki/../secret'], /contains "\." or "\.\."/],
    [['a//b'], /has an empty segment/],
    [['C:\\notes'], /contains a backslash/],
    [['.obsidian/plugins'], /is hidden/],
    [['wiki/.trash'], /is hidden/],
    [Array.from({ length: 101 }, (_, n) => `a${n}`), /at most 100/],
  ])('refuses %j', (given, message) => {
    expect(refusal(() => readPaths(given))).toMatchObject({
      code: 'invalid_field',
      message: expect.stringMatching(message),
      details: { field: 'read' },
    });
  });
});

describe('wingNames', () => {
  it('reads wings in any spelling', () => {
    expect(wingNames(['Home Lab', 'home-lab', 'net'])).toEqual(['home-lab', 'net']);
  });

  it.each([[[]], [['']], [['wiki/homelab']], [['_archive']], [['con']]])('refuses %j', (given) => {
    expect(refusal(() => wingNames(given))).toMatchObject({
      code: 'invalid_field',
      details: { field: 'write_wings' },
    });
  });
});

it.each([
  ['wiki/homelab', null],
  [['wiki/homelab', 7], null],
  [[], null],
  [['../x'], null],
])('never reads damaged limits as none: %j', (read, limits) => {
  expect(storedLimits(read, undefined)).toEqual(limits);
  expect(storedLimits(undefined, ['net', '_x'])).toBeNull();
});

describe('a caller with read paths', () => {
  const limits = new CallerLimits({ read: ['wiki/homelab', 'Projects/plan.md', 'knowledge'] }, 'intern');

  it.each([
    'wiki/homelab/facts/mtu.md',
    'wiki/homelab/_index.md',
    'wiki/HomeLab/facts/mtu.md',
    'wiki/homelab',
    'Projects/plan.md',
    'projects/PLAN.md',
    'knowledge/deep/er/note.md',
  ])('sees %s', (path) => expect(limits.sees(path)).toBe(true));

  it.each([
    'wiki/homelab-private/facts/mtu.md',
    'wiki/_homelab/facts/mtu.md',
    'wiki/home/facts/mtu.md',
    'wiki/homelab.md',
    'knowledge.md',
    'knowledge-base.md',
    'Projects/plan.md.bak',
    'Projects/other.md',
    'raw/2026-11-20-mtu.md',
    'AGENTS.md',
    '',
  ])('does not see %j', (path) => expect(limits.sees(path)).toBe(false));

  it('sees a wing in all spellings of its folder', () => {
    expect(new CallerLimits({ read: ['wiki/home-lab'] }, 'a').sees('wiki/Home Lab/facts/x.md')).toBe(true);
    expect(new CallerLimits({ read: ['wiki/Home Lab'] }, 'a').sees('wiki/home-lab/facts/x.md')).toBe(true);
  });

  it.each([
    ['', true],
    ['wiki', true],
    ['Projects', true],
    ['wiki/homelab/facts', true],
    ['wiki/secret', false],
    ['raw', false],
  ])('looks into the folder %j: %s', (folder, expected) => expect(limits.seesInto(folder)).toBe(expected));

  it('writes into every wing', () => expect(limits.writesInto('secret')).toBe(true));
});

it('writes into its wings alone, in any spelling', () => {
  const limits = new CallerLimits({ writeWings: ['home-lab'] }, 'intern');
  expect(['home-lab', 'Home Lab', 'HOME-LAB'].every((wing) => limits.writesInto(wing))).toBe(true);
  expect(['home', 'home-lab-2', '_home-lab', ''].some((wing) => limits.writesInto(wing))).toBe(false);
  expect(limits.sees('anything.md')).toBe(true);
});
