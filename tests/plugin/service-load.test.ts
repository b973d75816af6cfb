import { build } from 'esbuild';

/** What is evaluated when a module is loaded: files of ours, and the names of packages. */
async function loadedWith(entry: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const outputs = new Map(Object.entries(metafile.outputs));
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (name: string): void => {
    const output = outputs.get(name);
    if (output === undefined) return;
    outputs.delete(name);
    for (const file of Object.keys(output.inputs)) files.add(file);
    for (const { path, kind, external } of output.imports) {
      if (kind === 'dynamic-import') continue;
      if (external === true) packages.add(path);
      else visit(path);
    }
  };
  visit([...outputs].find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? '');
  return { files: [...files], packages: [...packages] };
}

it('loads nothing heavy with the service: that waits for the first start', async () => {
  const { files, packages } = await loadedWith('src/plugin/server/service.ts');
  expect(files).toContain('src/plugin/server/service.ts');
  expect(
    files.filter((file) => /^src\/(?:doors\/(?!auth)|core\/(?:open-brain|notes|search|catalog))/.test(file)),
  ).toEqual([]);
  expect(packages.filter((name) => !/^(?:obsidian|node:timers|@noble\/hashes\/.*)$/.test(name))).toEqual([]);
});
