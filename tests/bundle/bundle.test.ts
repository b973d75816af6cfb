import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInThisContext } from 'node:vm';
import manifest from '../../manifest.json';
import packageJson from '../../package.json';
import versions from '../../versions.json';
import { VERSION } from '../../src/headless/terminal/program';

const FILES = ['main.js', 'dist/brain.mjs'] as const;
type Built = Record<(typeof FILES)[number], string>;

let folder: string;
let printed: string;
let first: Built;
let second: Built;

function buildInto(name: string): Built {
  const out = path.join(folder, name);
  printed = execFileSync(process.execPath, ['esbuild.config.mjs', '--out', out], { encoding: 'utf8' });
  const read = (file: string) => readFileSync(path.join(out, file), 'utf8');
  return { 'main.js': read('main.js'), 'dist/brain.mjs': read('dist/brain.mjs') };
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'brain-bundle-'));
  first = buildInto('first');
  second = buildInto('second');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(FILES)('%s is the same, byte for byte, whenever it is built', (file) => {
  expect(second[file] === first[file]).toBe(true);
});

it('prints the sizes', () => {
  for (const file of FILES) expect(printed).toMatch(new RegExp(`${file.replace('.', '\\.')} +\\d+\\.\\d kB`));
});

describe('the plugin', () => {
  it('is small enough', () => {
    expect(Buffer.byteLength(first['main.js'])).toBeLessThan(3.76e6);
  });

  it("loads nothing but the app and Node's own modules", () => {
    // Not what stands in quotes: a validator of schemas keeps such lines as text for code that it would write to files.
    const loaded = [...first['main.js'].matchAll(/(?<!['"`])\brequire\("([^"]+)"\)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(loaded).toContain('obsidian');
    const known = (name: string) =>
      ['obsidian', 'electron', ...builtinModules].includes(name.replace(/^node:/, ''));
    expect(loaded.filter((name) => !known(name))).toEqual([]);
  });

  it('can be evaluated where there is no import.meta', () => {
    expect(first['main.js']).not.toContain('import.meta');
  });

  it('gives the app one class by default', () => {
    class Base {}
    const host = {
      Plugin: Base,
      PluginSettingTab: Base,
      ItemView: Base,
      Modal: Base,
      FuzzySuggestModal: Base,
    };
    const module: { exports: { default?: unknown } } = { exports: {} };
    const load: unknown = runInThisContext(`(function (module, exports, require) {${first['main.js']}\n})`);
    if (typeof load !== 'function') throw new Error('The bundle is no function body.');
    const nodeRequire = createRequire(__filename);
    load(module, module.exports, (name: string): unknown => (name === 'obsidian' ? host : nodeRequire(name)));
    expect(typeof module.exports.default).toBe('function');
  });
});

describe('the server', () => {
  it('starts by itself', () => {
    expect(first['dist/brain.mjs'].split('\n')[0]).toBe('#!/usr/bin/env node');
    expect(statSync(path.join(folder, 'first/dist/brain.mjs')).mode & 0o111).toBe(0o111);
    const brain = path.join(folder, 'first/dist/brain.mjs');
    expect(execFileSync(brain, ['--version'], { encoding: 'utf8' })).toBe(`${VERSION}\n`);
  });

  it('knows nothing of the app', () => {
    expect(first['dist/brain.mjs']).not.toMatch(/(?:from|require\() ?"obsidian"/);
    expect(first['dist/brain.mjs']).not.toContain('src/plugin/');
  });
});

describe('the web page inside the server', () => {
  it('goes wherever the one file goes', async () => {
    const alone = path.join(folder, 'alone.mjs');
    copyFileSync(path.join(folder, 'first/dist/brain.mjs'), alone);
    const vault = path.join(folder, 'vault');
    const env = { PATH: process.env.PATH, HOME: folder, BRAIN_CONFIG_DIR: path.join(folder, 'config') };
    const child = spawn(process.execPath, [alone, 'serve', '--create', '--vault', vault, '--port', '0'], {
      env,
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const said = / on (http:\S+)\n/.exec(text)?.[1];
          if (said !== undefined) resolve(said);
        });
        child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
      });
      const html = await (await fetch(`${url}/`)).text();
      expect(html).toMatch(/<script src="page\.js" defer><\/script>/);
      expect(html).not.toMatch(/<style|\sstyle=|<script>/);
      const script = await (await fetch(`${url}/page.js`)).text();
      expect(script).not.toMatch(/\beval\(|\bnew Function\(|dangerouslySetInnerHTML:\{|\.innerHTML=(?!\w)/);
      expect(script.length).toBeLessThan(600_000);
      const style = await (await fetch(`${url}/page.css`)).text();
      expect(style).toContain('.brain-web-nav');
      expect(style).not.toMatch(/\.mock-|@import|url\(/);
      expect((await fetch(`${url}/favicon.svg`)).headers.get('content-type')).toMatch('image/svg+xml');
    } finally {
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
    }
  });
});

it.each(FILES)('%s cannot run front matter as code', (file) => {
  // gray-matter's JavaScript engine, and js-yaml's type for functions, which esprima parses.
  expect(first[file]).not.toMatch(/\beval\(/);
  expect(first[file]).not.toContain('tag:yaml.org,2002:js/');
  expect(first[file]).not.toContain('esprima');
});

it.each(FILES)('%s hides nothing and trusts no false certificate', (file) => {
  expect(first[file]).not.toMatch(/rejectUnauthorized["']?:\s*(?:false|!1)/);
  expect(first[file]).not.toMatch(/[A-Za-z0-9+/]{1000}/);
});

it('has one version, and a manifest that the app takes', () => {
  expect(new Set([VERSION, manifest.version, packageJson.version])).toEqual(new Set([VERSION]));
  expect(versions).toHaveProperty([VERSION], manifest.minAppVersion);
  expect(manifest).toMatchObject({
    id: 'brain-server',
    name: 'Brain Server',
    minAppVersion: '1.13.0',
    isDesktopOnly: true,
  });
  expect(manifest.description.length).toBeLessThanOrEqual(250);
  expect(manifest.description).toMatch(/^(?!.*obsidian).*\.$/i);
});
