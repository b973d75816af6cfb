import path from 'node:path';
import { build, type Plugin } from 'esbuild';

const FOLDER = 'tests/browser/item-view';

/** Node's modules of which the page has a stand-in. */
const STANDS_IN = /^node:(timers|crypto|os|util|diagnostics_channel)$/;
/** All others: to be imported, and never called. */
const ABSENT = /^(node:.+|fs)$/;

/** Puts stand-ins in the place of what a page cannot have: Node's modules, and the doors that listen. */
const forPage: Plugin = {
  name: 'for-page',
  setup(builder) {
    const standIn = { path: path.resolve(FOLDER, 'node-stand-ins.ts') };
    builder.onResolve({ filter: STANDS_IN }, () => standIn);
    builder.onResolve({ filter: ABSENT }, ({ path: name }) => ({ path: name, namespace: 'absent' }));
    builder.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path: name }) => ({
      contents: `module.exports = Object.create(new Proxy({}, {
        get: (_, key) => key === '__esModule' || typeof key === 'symbol' ? undefined : () => {
          throw new Error(key + ' of ${name} was called in a page');
        },
      }));`,
    }));
    // A database is reached over sockets, which a page has not.
    builder.onResolve({ filter: /\/postgres\/pg$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'absent',
    }));
    builder.onResolve({ filter: /^\.\/remote-fetch$/ }, () => ({
      path: path.resolve(FOLDER, 'ask-server.ts'),
    }));
    builder.onResolve({ filter: /^\.\/doors$/ }, () => ({ path: path.resolve(FOLDER, 'no-doors.ts') }));
  },
};

let bundle: Promise<string> | undefined;

/** The script of the page: the plugin and the fake app that it runs in. Made once. */
export function bundlePage(): Promise<string> {
  bundle ??= build({
    entryPoints: [`${FOLDER}/page-entry.ts`],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { obsidian: path.resolve('tests/obsidian/index.ts') },
    plugins: [forPage],
    logLevel: 'silent',
  }).then(({ outputFiles }) => outputFiles.map(({ text }) => text).join(''));
  return bundle;
}
