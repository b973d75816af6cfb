import { sha256 } from '../../../src/core/base/hash';
import { writeNote } from '../../../src/core/notes/write';
import { runRules } from '../../../src/core/rules/run';
import { setRule } from '../../../src/core/rules/operations';
import type { TextThreads } from '../../../src/core/ports/ports';
import { callerWith, openTestBrain, person } from '../../support/test-brain';

export const bot = callerWith(['read', 'propose'], 'ci-bot');
export const RULE = { name: 'ci', by: 'ci-bot', hall: 'facts' } as const;
const NEVER = { stopped: false, onStop: () => () => undefined };

const WIKI = {
  'wiki/net/facts/dns.md':
    '---\nwing: net\nhall: facts\npromoted_at: 2026-11-02T00:00:00Z\n---\n# DNS\n\nNames.\n',
};

/** A vault with a wing, into whose queue "ci-bot" writes. */
export async function rulesWorld(files: Readonly<Record<string, string>> = {}, textThreads?: TextThreads) {
  const test = await openTestBrain({ ...WIKI, ...files }, {}, undefined, textThreads && { textThreads });
  const { run, brain, vault, state } = test;
  /** Lets an agent propose a note; returns its path in the queue. */
  async function propose(slug: string, content: string, more: Record<string, unknown> = {}, by = bot) {
    const note = { wing: 'net', hall: 'facts', slug, content, ...more };
    return (await run(writeNote, note, by)).path;
  }
  async function dryRun(rule: Record<string, unknown> = RULE) {
    const {
      tried,
      ready = [],
      left = [],
      ...counts
    } = await run(setRule, { ...rule, dry_run: true }, person);
    return { tried, ready, left, ...counts };
  }
  return {
    ...test,
    propose,
    /** Puts a text into the queue that no gate has cleaned, as an earlier version of the service may have written it. */
    async queued(slug: string, body: string, front = 'written_by: ci-bot'): Promise<string> {
      const path = `raw/2026-11-19-${slug}.md`;
      const text = `---\nwing: net\nhall: facts\n${front}\n---\n${body}`;
      vault.outside(path, text);
      const line = { ts: '2026-11-19T00:00:00Z', op: 'write', notes: [[path, null, sha256(text)]] };
      await state.append('changes/2026-11.testtest.jsonl', `${JSON.stringify(line)}\n`, false);
      return path;
    },
    dryRun,
    /** Tries a rule and switches it on. */
    async switchOn(rule: Record<string, unknown> = RULE) {
      const { tried } = await dryRun(rule);
      return run(setRule, { ...rule, on: true, tried }, person);
    },
    /** One run of all rules. */
    act: () => runRules(brain, NEVER),
  };
}

/** A text that is like no other of these. */
export function about(topic: string): string {
  return `# ${topic}\n\n${`The ${topic} has its own words about ${topic}, told in ${topic} terms. `.repeat(3)}\n`;
}
