import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** What an image says of the container that runs it. */
export interface Image {
  /** The folder that is `/` in the container. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly health: readonly string[];
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
}

/** Returns the instructions of a Dockerfile, with continued lines joined and comments left out. */
function instructions(text: string): [name: string, rest: string][] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [name = '', rest = ''] = line.split(/ (.*)/s);
    return [name, rest.trim()];
  });
}

/** Returns true when `.dockerignore` (`*`, then `!name` for each exception) lets a path into the build. */
function isSent(context: string, at: string): boolean {
  const [all, ...exceptions] = readFileSync(path.join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || !exceptions.every((line) => line.startsWith('!'))) {
    throw new Error('.dockerignore must leave out everything, and then name what is sent.');
  }
  return exceptions.some((line) => at === line.slice(1) || at.startsWith(`${line.slice(1)}/`));
}

/**
 * Carries out the steps of a Dockerfile in folders below `into` instead of a container: every COPY, and every RUN with its
 * absolute paths moved there. `npm ci` becomes a link to the packages that are installed here; what needs another user is
 * left out.
 * @throws Error for a step that names what is not there, fails or is not known.
 */
export class Builder {
  readonly #stages = new Map<string, string>();

  constructor(
    private readonly context: string,
    private readonly into: string,
  ) {}

  build(): Image {
    const image = { env: {} as Record<string, string>, user: 'root', volumes: [''], health: [''] };
    let [root, folder] = ['', '/'];
    let [entry, command]: string[][] = [[], []];
    for (const [name, rest] of instructions(readFileSync(path.join(this.context, 'Dockerfile'), 'utf8'))) {
      switch (name) {
        case 'FROM':
          root = path.join(this.into, `stage-${this.#stages.size}`);
          this.#stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', root);
          mkdirSync(path.join(root, 'usr/local/bin'), { recursive: true });
          break;
        case 'WORKDIR':
          folder = rest;
          mkdirSync(path.join(root, folder), { recursive: true });
          break;
        case 'COPY':
          this.#copy(rest.split(/\s+/), path.join(root, folder));
          break;
        case 'RUN':
          for (const step of rest.split(' && ')) this.#run(step, root, path.join(root, folder));
          break;
        case 'ENV':
          for (const pair of rest.split(/\s+/)) {
            const [key = '', value = ''] = pair.split(/=(.*)/s);
            image.env[key] = value;
          }
          break;
        case 'USER':
          image.user = rest;
          break;
        case 'VOLUME':
          image.volumes = JSON.parse(rest);
          break;
        case 'HEALTHCHECK':
          image.health = JSON.parse(rest.replace(/^.*? CMD (?=\[)/, ''));
          break;
        case 'ENTRYPOINT':
          entry = JSON.parse(rest);
          break;
        case 'CMD':
          command = JSON.parse(rest);
          break;
        case 'EXPOSE':
          break;
        default:
          throw new Error(`The Dockerfile has a step that this test does not know: ${name} ${rest}`);
      }
    }
    return { ...image, root, command: [...(entry ?? []), ...(command ?? [])] };
  }

  #copy(words: readonly string[], folder: string): void {
    const stage = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const paths = words.filter((word) => !word.startsWith('--'));
    const target = paths.at(-1) ?? '';
    for (const source of paths.slice(0, -1)) {
      if (stage === undefined && !isSent(this.context, source)) {
        throw new Error(`.dockerignore leaves out ${source}, which the Dockerfile copies.`);
      }
      const from = path.join(stage === undefined ? this.context : (this.#stages.get(stage) ?? ''), source);
      if (!existsSync(from)) throw new Error(`The Dockerfile copies ${source}, which is not there.`);
      const into = path.resolve(folder, target);
      // Docker copies the contents of a folder, and a file into a target that ends in a slash.
      cpSync(from, statSync(from).isDirectory() ? into : path.join(into, path.basename(source)), {
        recursive: true,
      });
    }
  }

  #run(step: string, root: string, folder: string): void {
    if (step === 'npm ci') {
      for (const file of ['package.json', 'package-lock.json']) readFileSync(path.join(folder, file));
      symlinkSync(path.join(this.context, 'node_modules'), path.join(folder, 'node_modules'));
      return;
    }
    if (step.startsWith('chown ')) return;
    const moved = step.replaceAll(/(?<= )\//g, `${root}/`);
    const { status, stderr } = spawnSync('sh', ['-c', moved], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The step "${step}" of the Dockerfile has failed: ${stderr}`);
  }
}
