import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/**
 * Who may import what. A file belongs to the first room that its path starts with; it may import its own room's list
 * and nothing else. Type-only imports count: knowing a type is knowing its module.
 */
const ROOMS: readonly (readonly [room: string, allowed: readonly string[]])[] = [
  ['src/core/rules/frontmatter/read.ts', ['src/core/rules', 'src/core/errors', 'gray-matter', 'js-yaml-3']],
  [
    'src/core/rules',
    [
      'src/core/rules',
      'src/core/errors',
      'src/core/caller',
      'src/core/steps',
      'zod',
      '@noble/hashes',
      '@lezer',
    ],
  ],
  ['src/core', ['src/core', 'zod', 'lunr', '@noble/hashes']],
  [
    'src/doors/mcp',
    [
      'src/core',
      'src/doors',
      'zod',
      'express',
      '@modelcontextprotocol/sdk',
      '@modelcontextprotocol/server',
      '@noble/hashes',
    ],
  ],
  ...['listen', 'listen-refusals', 'listen-room', 'listen-turns'].map((name): [string, string[]] => [
    `src/doors/${name}.ts`,
    ['src/core', 'src/doors', 'express', 'node:http', 'node:https', 'node:net', 'node:stream', 'node:timers'],
  ]),
  ['src/doors', ['src/core', 'src/doors', 'zod', 'express']],
  [
    'src/adapters/obsidian/durable.ts',
    [
      'obsidian',
      'src/core/rules/paths',
      'src/adapters/node/file-system',
      'src/adapters/node/folders',
      'src/adapters/node/whole-file',
    ],
  ],
  [
    'src/adapters/obsidian/storage.ts',
    [
      'obsidian',
      'src/core/ports',
      'src/adapters/node/device',
      'src/adapters/node/digest',
      'src/adapters/node/file-system',
      'src/adapters/node/lock',
      'src/adapters/node/sync-recent',
      'src/adapters/obsidian',
    ],
  ],
  ['src/adapters/obsidian', ['src/core', 'src/adapters/obsidian', 'src/adapters/node/device', 'obsidian']],
  ['src/adapters/llm', ['src/core', 'src/adapters/llm', 'zod']],
  ['src/adapters/ollama', ['src/core', 'src/adapters/ollama']],
  // The embedded database is the headless server's alone; the plugin has the rest, which knows no Node.
  ['src/adapters/postgres/pglite.ts', ['src/adapters/postgres', 'node:path', 'node:worker_threads']],
  ['src/adapters/postgres/pglite-worker.ts', ['node:worker_threads']],
  ['src/adapters/postgres', ['src/core', 'src/adapters/postgres', 'pg']],
  // The thread's own program knows neither host; the two files that start it know one each.
  ['src/adapters/documents/node-thread.ts', ['src/adapters/documents', 'node:path', 'node:worker_threads']],
  [
    'src/adapters/documents',
    [
      'src/core',
      'src/adapters/documents',
      'zod',
      'pdfjs-dist',
      'turndown',
      '@mixmark-io/domino',
      'postal-mime',
      'papaparse',
    ],
  ],
  ['src/adapters', ['src/core', 'src/doors/auth', 'src/adapters', 'node:', 'chokidar', 'pino', 'zod']],
  ['src/ui', ['src/ui', 'src/core', 'preact', 'lucide', 'diff', '@lezer', 'zod']],
  [
    'src/plugin',
    [
      'src/core',
      'src/doors',
      'src/ui',
      'src/plugin',
      'src/adapters/documents',
      'src/adapters/llm',
      'src/adapters/node/outgoing-http',
      'src/adapters/node/source-files',
      'src/adapters/obsidian',
      'src/adapters/ollama',
      'src/adapters/postgres',
      'obsidian',
      'preact',
      'node:diagnostics_channel',
      'node:timers',
    ],
  ],
  ['src/headless/page', ['src/ui', 'src/core', 'src/headless/page', 'preact']],
  [
    'src/headless',
    [
      'src/core',
      'src/doors',
      'src/adapters/documents',
      'src/adapters/llm',
      'src/adapters/node',
      'src/adapters/ollama',
      'src/adapters/postgres',
      'src/headless',
      'node:',
      'commander',
      'zod',
    ],
  ],
  ['main.ts', ['src', 'obsidian']],
];

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

function sourceFiles(): string[] {
  const inSrc = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
  return ['main.ts', ...inSrc].filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(IMPORT)].map(([, a, b, c]) => {
    const target = a ?? b ?? c ?? '';
    return target.startsWith('.') ? posix.normalize(posix.join(dirname(path), target)) : target;
  });
}

function allows(allowed: readonly string[], target: string): boolean {
  return allowed.some(
    (prefix) => target === prefix || target.startsWith(prefix.endsWith(':') ? prefix : `${prefix}/`),
  );
}

const files = sourceFiles();
const graph = new Map(files.map((path) => [path, importsOf(path)] as const));

it.each(files)('%s imports only what its room may', (path) => {
  const room = ROOMS.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  expect(room).toBeDefined();
  const foreign = (graph.get(path) ?? []).filter((target) => !allows(room?.[1] ?? [], target));
  expect(foreign).toEqual([]);
});

it('finds imports at all, type-only ones included', () => {
  expect(importsOf('src/core/operation.ts')).toEqual(
    expect.arrayContaining(['zod', 'src/core/brain', 'src/core/errors']),
  );
});

it('has no import cycles, type-only imports included', () => {
  const resolve = (target: string) => [`${target}.ts`, `${target}.tsx`].find((path) => graph.has(path));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) {
      const found = resolve(target);
      if (found !== undefined) visit(found, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(cycles).toEqual([]);
});

it('names the host only where the host is spoken to', () => {
  const speaking = files.filter((path) => /from 'obsidian'/.test(readFileSync(path, 'utf8')));
  const rooms = speaking.filter(
    (path) => !/^(?:main\.ts|src\/plugin\/|src\/adapters\/obsidian\/)/.test(path),
  );
  expect(rooms).toEqual([]);
});
