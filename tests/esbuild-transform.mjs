import { transformSync } from 'esbuild';

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
    return { code };
  },
};
