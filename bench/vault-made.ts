import { posix } from 'node:path';
import { randomFrom } from './support';

const FOLDERS = [
  '',
  'Projects',
  'Projects/Alpha',
  'Projects/Beta',
  'Areas',
  'Areas/Home',
  'Films',
  'Deep/Er/Est',
];
/** Names that stand in many folders of one vault. */
const SHARED = ['README', 'Index', 'Terms', 'Projects', 'Alpha'];
const SYLLABLES = 'ka lo mi ren tas vo zu per dim gal sho net wir bat cor fil hum jan lek mor'.split(' ');

/** Returns a vault of a hundred notes with equal names, properties, canvases, pictures, and links in every form. */
export function madeVault(seed: number): Map<string, string> {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const word = (): string => [0, 1, 2, 3].map(() => pick(SYLLABLES)).join('');
  const paths: string[] = [];
  for (const folder of FOLDERS) {
    for (const name of SHARED) if (random() < 0.6) paths.push(posix.join(folder, `${name}.md`));
    for (let n = 0; n < 9; n += 1)
      paths.push(posix.join(folder, `${pick(['Note', 'Über', 'a b', '7 -'])} ${word()}.md`));
  }
  const pictures = FOLDERS.map((folder) => posix.join(folder, 'img', 'plan one.png'));
  const files = new Map<string, string>(pictures.map((path) => [path, '']));
  for (const path of paths) files.set(path, noteAt(path));
  for (let n = 0; n < 6; n += 1) {
    const nodes = [0, 1, 2].map((id) => ({
      id: `${id}`,
      type: 'file',
      file: pick(paths),
      x: 0,
      y: id,
      width: 1,
      height: 1,
    }));
    const text = {
      id: 't',
      type: 'text',
      text: `Card ${word()} [[${stem(pick(paths))}]]`,
      x: 9,
      y: 9,
      width: 1,
      height: 1,
    };
    files.set(
      posix.join(pick(FOLDERS), `Board ${n}.canvas`),
      JSON.stringify({ nodes: [...nodes, text], edges: [] }, null, n % 2 ? '\t' : 0),
    );
  }
  return files;

  function noteAt(path: string): string {
    const lines = [`Opening ${word()} ${word()}.`, ''];
    for (let n = Math.floor(random() * 6); n > 0; n -= 1)
      lines.push(`Text ${word()} ${linkFrom(path)} ${word()}.`, '');
    if (random() < 0.3) lines.push(`%% remark ${word()} %%`, '');
    lines.push('## Part', '', `Last ${word()}.`, '');
    const heading = random() < 0.3 ? [`# Called ${word()}`, ''] : [];
    return `${blockAt()}${[...heading, ...lines].join('\n')}`;
  }

  function blockAt(): string {
    const kind = random();
    if (kind < 0.3) return '';
    if (kind < 0.4) return '---\n{}\n---\n';
    if (kind < 0.45) return `---\n# only a remark\n---\n`;
    if (kind < 0.5) return `---\n{ "maker": "${word()}", "parts": 3 }\n---\n`;
    const link = `"[[${stem(pick(paths))}]]"`;
    return `---\ndirector: ${word()} ${word()}\ngenre: [${word()}, ${word()}]\nrelated: ${random() < 0.5 ? link : `[${link}]`}\nyear: 1972\n---\n`;
  }

  /** A link in one of the forms that the app makes and people type. */
  function linkFrom(path: string): string {
    const to = random() < 0.1 ? path : pick(paths);
    const near = posix.relative(posix.dirname(path), to);
    const picture = pick(pictures);
    const encoded = near.replace(/ /g, '%20');
    return pick([
      `[[${stem(to)}]]`,
      `[[${stem(to)}|words]]`,
      `[[${to.replace(/\.md$/, '')}]]`,
      `[[${to.replace(/\.md$/, '')}#Part|words]]`,
      `[[${stem(to)}#Part]]`,
      `![[${stem(to)}#Part]]`,
      `[words](${encoded})`,
      `[words](<${near}>)`,
      `[words](${encoded}#part)`,
      `![[plan one.png|100]]`,
      `![alt|100](<${posix.relative(posix.dirname(path), picture)}>)`,
      `[![alt](<${posix.relative(posix.dirname(path), picture)}>)](https://example.org/)`,
      '[[#Part]]',
    ]);
  }
}

const stem = (path: string): string => posix.basename(path).replace(/\.md$/, '');
