// What the bundles carry instead of files of libraries. Most of them are large and never reached from here; each says so
// in an error if it ever is. A file that a build does not meet any more fails that build, so that no update of a library
// brings back silently what was taken out.
import { readFile } from 'node:fs/promises';

/** An expression for a function that cannot be called without being told why it is not there. */
function absent(what) {
  return `function () { throw new Error(${JSON.stringify(`${what} is not part of this bundle: see scripts/bundle-swaps.mjs.`)}); }`;
}

/** Front matter is YAML and nothing else: gray-matter would run `---js` as code, and js-yaml `!!js/function`. */
const YAML_ONLY = {
  'gray-matter/lib/engines.js': `const yaml = require('js-yaml-3');
    exports.yaml = { parse: yaml.safeLoad, stringify: yaml.safeDump };`,
  'js-yaml-3/lib/js-yaml/schema/default_full.js': `const Schema = require('../schema');
    module.exports = Schema.DEFAULT = new Schema({ include: [require('./default_safe')] });`,
};

/** Only the address of a database may say that its certificate is not checked; no variable of the environment may. */
const CHECKED_CERTIFICATES = {
  'pg/lib/connection-parameters.js': (text) => text.replaceAll('{ rejectUnauthorized: false }', 'true'),
};

/** Types that Express looks up by a short name. A type that is named in full needs no entry. */
const MIME_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/** Our doors read bodies, queries and files themselves, so Express never needs its own readers. */
const PLAIN_EXPRESS = {
  'body-parser/index.js': `module.exports = ${absent('body-parser')};`,
  'qs/lib/index.js': `exports.parse = exports.stringify = ${absent('qs')};`,
  'send/index.js': `module.exports = ${absent('send')};`,
  'serve-static/index.js': `module.exports = ${absent('serve-static')};`,
  'mime-db/db.json': (text) => {
    const known = JSON.parse(text);
    const missing = MIME_TYPES.filter((type) => known[type] === undefined);
    if (missing.length > 0) throw new Error(`mime-db does not know ${missing.join(', ')}.`);
    return JSON.stringify(Object.fromEntries(MIME_TYPES.map((type) => [type, known[type]])));
  },
};

/** Tools describe themselves in JSON Schema of ours and check their input with zod 4, so the SDK need not know other ways. */
const PLAIN_MCP = {
  '@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js': `export class AjvJsonSchemaValidator {
    constructor() { (${absent('ajv')})(); }
  }`,
  '@modelcontextprotocol/server/dist/shimsNode.mjs': `export const DefaultJsonSchemaValidator = ${absent('ajv')};`,
  'zod-to-json-schema/dist/esm/index.js': `export const zodToJsonSchema = ${absent('zod-to-json-schema')};`,
  'zod/v3/index.js': `export const object = ${absent('zod/v3')};`,
};

/** The driver of Postgres has another one over a native library, which no bundle carries. */
const PLAIN_POSTGRES = {
  'pg/lib/native/index.js': `module.exports = ${absent('pg-native')};`,
};

const SWAPS = { ...YAML_ONLY, ...CHECKED_CERTIFICATES, ...PLAIN_POSTGRES, ...PLAIN_EXPRESS, ...PLAIN_MCP };

/** Puts the texts above in the place of the libraries' files; an esbuild plugin. */
export const bundleSwaps = {
  name: 'bundle-swaps',
  setup(builder) {
    const unmet = new Set(Object.keys(SWAPS));
    for (const [file, swap] of Object.entries(SWAPS)) {
      const filter = new RegExp(
        `[\\\\/]node_modules[\\\\/]${file.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]')}$`,
      );
      builder.onLoad({ filter }, async ({ path }) => {
        unmet.delete(file);
        if (typeof swap === 'string') return { contents: swap };
        const text = await readFile(path, 'utf8');
        const contents = swap(text);
        if (contents === text)
          return { errors: [{ text: `${file} no longer holds what is replaced in it.` }] };
        return { contents, loader: file.endsWith('.json') ? 'json' : 'js' };
      });
    }
    builder.onEnd(() => ({
      errors: [...unmet].map((file) => ({
        text: `The bundle does not load ${file} any more. Look what takes its place, and mend scripts/bundle-swaps.mjs.`,
      })),
    }));
  },
};

/** The driver of Postgres would take what it needs at Cloudflare, which is nowhere. */
export const noOtherPostgres = {
  name: 'no-other-postgres',
  setup(builder) {
    builder.onResolve({ filter: /^pg-cloudflare$/ }, ({ path: absentModule }) => ({
      path: absentModule,
      namespace: 'absent',
    }));
    builder.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The logger writes to the stream it is given; its threads for other ways would need files beside the bundle. */
export const noLogThreads = {
  name: 'no-log-threads',
  setup(builder) {
    let isMet = false;
    builder.onLoad({ filter: /[\\/]node_modules[\\/]pino[\\/]lib[\\/]transport\.js$/ }, () => {
      isMet = true;
      return { contents: `module.exports = ${absent("pino's transport")};` };
    });
    builder.onEnd(() => ({
      errors: isMet ? [] : [{ text: 'The bundle does not load pino/lib/transport.js any more.' }],
    }));
  },
};
