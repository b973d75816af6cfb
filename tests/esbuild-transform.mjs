import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';

/** What a module exports is read through two getters for each use, which hot loops feel, until this makes plain properties of them. */
const SETTLED = `module.exports = Object.defineProperty({ ...module.exports }, '__esModule', { value: true });`;

const OWN_TEXT = readFileSync(import.meta.filename);

/** Jest transformer: TypeScript and ES modules to CommonJS through esbuild, with inline source maps. */
export default {
  process(source, filename) {
    const loader = /\.(m|c)?ts$/.test(filename) ? 'ts' : filename.endsWith('x') ? 'tsx' : 'js';
    const { code } = transformSync(source, {
      loader,
      format: 'cjs',
      target: 'node20',
      sourcemap: 'inline',
      sourcefile: filename,
      supported: { 'dynamic-import': false },
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    return { code: code.includes('__toCommonJS(') ? `${code}\n${SETTLED}` : code };
  },
  /** A change of this file makes what Jest keeps of earlier runs stale. */
  getCacheKey(source, filename, { configString }) {
    const hash = createHash('sha256');
    for (const part of [source, filename, configString, OWN_TEXT]) hash.update(part).update('\0');
    return hash.digest('hex');
  },
};
