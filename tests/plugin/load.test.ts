import { build } from 'esbuild';

/** The modules that run when the app loads the plugin: those that are reached without an `import()`. */
async function eagerModules(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ['main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    external: ['obsidian'],
    logLevel: 'silent',
  });
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: target, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && external !== true) visit(target);
    }
  };
  visit('main.ts');
  return [...seen];
}

it('loads nothing but the shell at the start of the app', async () => {
  const modules = await eagerModules();
  expect(modules.length).toBeGreaterThan(10);
  // The settings tab stands from the start, with the words that the core has for settings; what goes wrong is written without
  // credentials from the start.
  const shell =
    /^(?:main\.ts|src\/plugin\/\w+\/[\w-]+\.ts|src\/ui\/client\/screens\.ts|src\/core\/(?:config\/settings|base\/(?:json|redact))\.ts)$/;
  expect(modules.filter((path) => !shell.test(path))).toEqual([]);
  for (const heavy of [
    'server/service',
    'server/open-vault',
    'server/tokens',
    'settings/rules',
    'screens/screens',
    'screens/host',
  ]) {
    expect(modules.filter((path) => path.startsWith(`src/plugin/${heavy}.`))).toEqual([]);
  }
});
