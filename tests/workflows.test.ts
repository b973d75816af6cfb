import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly permissions?: object;
  readonly strategy?: { readonly matrix: Record<string, readonly unknown[]> };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

interface Workflow {
  readonly permissions?: object;
  readonly jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';

/** Every job with its workflow, and the text of the workflow's file. */
const JOBS = readdirSync(FOLDER).flatMap((file) => {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const workflow: Workflow = parse(text);
  return Object.entries(workflow.jobs).map(([name, job]) => ({
    title: `${file}: ${name}`,
    text,
    workflow,
    job,
  }));
});

/** The commands of a job, those with a value of its matrix once for each value of the list. */
function commandsOf({ steps, strategy }: Job): string[] {
  return steps.flatMap(({ run = '' }) => {
    const [, key] = /\$\{\{ matrix\.(\w+) \}\}/.exec(run) ?? [];
    const values = key === undefined ? undefined : strategy?.matrix[key];
    return values?.map((value) => run.replace(/\$\{\{ matrix\.\w+ \}\}/, String(value))) ?? [run];
  });
}

/** The scripts of npm in a command, each with the folder of its package. */
function scriptsIn(command: string): { name: string; folder: string }[] {
  return command.split(/\n|&&|\|/).flatMap((line) => {
    const name = /\bnpm (?:run (\S+)|(test)\b)/.exec(line)?.slice(1).find(Boolean);
    return name === undefined ? [] : [{ name, folder: /--prefix (\S+)/.exec(line)?.[1] ?? '.' }];
  });
}

function scriptsOf(folder: string): object {
  const about: { scripts?: object } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return about.scripts ?? {};
}

describe.each(JOBS)('the job $title', ({ text, workflow, job }) => {
  it('ends after a time of its own, and has no permission that nobody has named', () => {
    expect(job['timeout-minutes']).toBeGreaterThan(0);
    expect(job.permissions ?? workflow.permissions).toBeDefined();
  });

  it('names every action by its commit, and the version beside it', () => {
    for (const { uses } of job.steps) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
      expect(text).toMatch(new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\n`));
    }
  });

  it('runs scripts and files that are there', () => {
    for (const command of commandsOf(job)) {
      for (const { name, folder } of scriptsIn(command)) expect(scriptsOf(folder)).toHaveProperty([name]);
      for (const file of command.match(/(?<=\b(?:bash|node) )[\w./-]+/g) ?? [])
        expect([file, existsSync(file)]).toEqual([file, true]);
    }
  });
});

it.each([
  ...new Set(
    JOBS.map(({ text }) => text)
      .join('')
      .match(/\btests\/[\w/-]+/g),
  ),
])('the place %s, which a workflow names, is there', (place) => {
  const beside = readdirSync(path.dirname(place));
  expect(beside.some((name) => name.startsWith(path.basename(place)))).toBe(true);
});

it.each(readdirSync('.github/ISSUE_TEMPLATE'))('the form %s is YAML', (file) => {
  expect(parse(readFileSync(path.join('.github/ISSUE_TEMPLATE', file), 'utf8'))).toBeInstanceOf(Object);
});

it('updates are looked for in folders with a package', () => {
  const dependabot: { updates: { directories?: string[] }[] } = parse(
    readFileSync('.github/dependabot.yml', 'utf8'),
  );
  const folders = dependabot.updates.flatMap(({ directories = [] }) => directories);
  expect(folders.filter((folder) => !existsSync(path.join('.', folder, 'package-lock.json')))).toEqual([]);
  expect(folders).not.toEqual([]);
});
