import { ORIGINS } from '../../../src/core/access/tokens';
import { stampOf } from '../../../src/core/vocabulary/envelope';
import { isOwners } from '../../../src/core/vocabulary/ownership';
import { agent, callerWith, person } from '../../support/test-brain';

const WIKI = 'wiki/net/facts/mtu.md';
const OURS = { origin: 'mcp', written_by: 'claude' };

it.each<[path: string, frontmatter: Record<string, unknown>, owners: boolean]>([
  ['Projects/plan.md', OURS, true],
  ['Wiki/net/facts/mtu.md', OURS, true],
  [WIKI, {}, true],
  ['wiki/page.md', {}, true],
  ['knowledge/sub/deep.md', { title: 'Deep' }, true],
  [WIKI, { written_by: 'Jane' }, true],
  [WIKI, { origin: 'mcp', written_by: 'Jane' }, true],
  [WIKI, { origin: 'mcp', written_by: 'jane doe' }, true],
  [WIKI, { written_by: 'claude' }, true],
  [WIKI, { origin: 'mcp' }, true],
  [WIKI, { origin: 'email', written_by: 'claude' }, true],
  [WIKI, { origin: ['mcp'], written_by: ['claude'] }, true],
  [WIKI, { origin: 'MCP', written_by: 'claude' }, true],
  [WIKI, { Origin: 'mcp', Written_by: 'claude' }, true],
  [WIKI, { origin: 'obsidian', written_by: 'human:me' }, true],
  [WIKI, { origin: 'web', written_by: 'human:me via passthrough' }, true],
  [WIKI, { origin: 'watcher', written_by: 'human:me/rule:ci' }, true],
  // An adoption stamps who decided, and no writer.
  [WIKI, { wing: 'net', hall: 'facts', promoted_at: '2026-11-20T10:32:00Z', promoted_by: 'human:me' }, true],
  [WIKI, OURS, false],
  [WIKI, { origin: 'http', written_by: 'claude (claude-code 2.1.300)' }, false],
  [WIKI, { origin: 'watcher', written_by: 'watcher via passthrough' }, false],
  [WIKI, { origin: 'http', written_by: 'laptop (ci 1.0) via llama3.2:3b' }, false],
  [WIKI, { origin: 'http', written_by: 'local' }, false],
  [WIKI, { ...OURS, verified_by: 'human:me', promoted_by: 'human:me' }, false],
  ['raw/2026-11-20-idea.md', {}, true],
  ['raw/2026-11-20-idea.md', OURS, false],
])('%s with %j is the owner’s: %s', (path, frontmatter, owners) => {
  expect(isOwners({ path, frontmatter })).toBe(owners);
});

it('tells every stamp that the service makes', () => {
  for (const origin of ORIGINS)
    for (const caller of [agent, callerWith([], 'owner'), { ...agent, client: 'a b/1.0+x_y' }])
      for (const via of [undefined, 'passthrough', 'gpt-4o: 2024 (x)'])
        expect(isOwners({ path: WIKI, frontmatter: stampOf({ ...caller, origin }, via) })).toBe(false);
  expect(isOwners({ path: WIKI, frontmatter: stampOf(person) })).toBe(true);
});
