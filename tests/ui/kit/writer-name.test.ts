import { doorOf, parseWriter, writerTitle } from '../../../src/ui/kit/writer';
import { cpuMs } from '../../support/cpu';

it.each([
  ['laptop (claude-code 2.1.300)', { name: 'laptop', person: false, client: 'claude-code 2.1.300' }],
  ['ci-bot', { name: 'ci-bot', person: false }],
  ['watcher via qwen3:14b', { name: 'watcher', person: false, via: 'qwen3:14b' }],
  ['laptop (a 1) via m', { name: 'laptop', person: false, client: 'a 1', via: 'm' }],
  ['human:me', { name: 'me', person: true }],
  ['human:', { name: 'human:', person: true }],
  ['', { name: '', person: false }],
])('reads %j', (stamp, parts) => {
  expect(parseWriter(stamp)).toEqual(parts);
});

it('never takes a claim for the verified name', () => {
  expect(parseWriter('laptop (root) (admin)').name).toBe('laptop (root)');
  expect(parseWriter('laptop (human:me)').person).toBe(false);
});

it('reads an endless stamp in no time', () => {
  const start = cpuMs();
  parseWriter(' via ('.repeat(200_000));
  expect(cpuMs() - start).toBeLessThan(5_000);
});

it('names every door, also one that it does not know', () => {
  expect(doorOf('mcp')).toEqual({ words: 'by MCP', icon: 'plug' });
  expect(doorOf('toString').words).toBe('by toString');
  expect(doorOf(undefined).words).toBe('as a file');
});

it('tells the whole story', () => {
  expect(writerTitle({ origin: 'mcp', writtenBy: 'laptop (claude-code 2.1)' })).toBe(
    'Came in by MCP. Token: laptop, verified. Client: claude-code 2.1, as it says of itself.',
  );
  expect(writerTitle({ origin: 'obsidian', writtenBy: 'human:me' })).toBe(
    'Came in by Obsidian. Written by a person: me.',
  );
});
