import { closeWorlds, MANIFEST, openWorld, type World } from './plugin-world';

afterEach(closeWorlds);

/** Rewrites the root note as an agent does. */
async function rewrite(world: World, content: string): Promise<void> {
  const { ownerToken, url } = await world.owner();
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${ownerToken}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const read = await call('GET', '/note?path=AGENTS.md');
  const { content_hash }: { content_hash: string } = JSON.parse(await read.text());
  const edited = await call('POST', '/edit-root', {
    content,
    reason: 'shorter',
    expected_hash: content_hash,
  });
  expect(edited.status).toBe(200);
}

const shown = (world: World) =>
  world.host.notices.filter(({ open, text }) => open && text.startsWith('AGENTS.md, which guides'));

it('tells that an agent has rewritten the root note, and leads to the changes', async () => {
  const world = await openWorld();
  await world.start();
  await rewrite(world, '# New guide\n');
  await world.until('the notice', () =>
    world.told().some((text) => text.startsWith('AGENTS.md, which guides')),
  );
  expect(await world.host.textOf('AGENTS.md')).toBe('# New guide\n');
  await world.press('Show changes');
  const { workspace } = world.host.app;
  await world.until('the history', () => workspace.getLeavesOfType('brain-server-history').length === 1);
  expect(workspace.getLeavesOfType('brain-server-history')[0]?.view.getState()).toEqual({
    params: { path: 'AGENTS.md' },
  });
});

it('tells once of several edits, and nothing any more when the plugin is gone', async () => {
  const world = await openWorld();
  await world.start();
  await rewrite(world, '# New guide\n');
  await rewrite(world, '# Newer guide\n');
  await world.until(
    'the notices',
    () => world.host.notices.filter(({ text }) => text.startsWith('AGENTS.md, which')).length === 2,
  );
  expect(shown(world)).toHaveLength(1);
  world.host.unloadPlugin(MANIFEST.id);
  expect(shown(world)).toEqual([]);
});
