import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { runTheirs, theirs } from './others';

const SUITE = theirs('@modelcontextprotocol', 'conformance');

/** Longest time for one scenario, in milliseconds. Some of them wait for what never comes. */
const PATIENCE_MS = 15_000;

const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));
const requirements = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })),
});

/** A check that did not pass. */
export interface Failure {
  readonly scenario: string;
  readonly check: string;
  readonly message: string;
}

export interface Report {
  /** Every scenario that was run, sorted. */
  readonly scenarios: readonly string[];
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** All that the suite has for a server of a revision, what it scores and what it only reports, sorted. */
export function scenariosOf(revision: string): string[] {
  const text = readFileSync(path.join(SUITE, 'requirements', `${revision}.yaml`), 'utf8');
  const { server, not_scored } = requirements.parse(parse(text));
  const others = not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario);
  return [...server, ...others].sort();
}

/** Runs everything that the suite has for a revision against a server that asks for no token. */
export async function runSuite(url: string, revision: string, folder: string): Promise<Report> {
  const out = mkdtempSync(path.join(folder, `results-${revision}-`));
  const args = [
    'server',
    '--url',
    `${url}/mcp`,
    '--requirements',
    revision,
    '--timeout',
    String(PATIENCE_MS),
  ];
  const program = path.join(SUITE, 'dist', 'index.js');
  const ran = await runTheirs([program, ...args, '-o', out], folder, { seconds: 400 });
  if (!ran.stdout.includes('=== SUMMARY ==='))
    throw new Error(`The suite broke off.\n${ran.stdout}${ran.stderr}`);
  const scenarios: string[] = [];
  const failures: Failure[] = [];
  let passed = 0;
  for (const name of readdirSync(out).sort()) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
    if (scenario === undefined) throw new Error(`The suite left ${name}, which is no result.`);
    scenarios.push(scenario);
    for (const check of checks.parse(JSON.parse(readFileSync(path.join(out, name, 'checks.json'), 'utf8')))) {
      if (check.status === 'SUCCESS') passed += 1;
      if (check.status === 'FAILURE') {
        failures.push({ scenario, check: check.id, message: check.errorMessage ?? '' });
      }
    }
  }
  return { scenarios: scenarios.sort(), passed, failures };
}
