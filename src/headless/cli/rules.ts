import type { Command } from 'commander';
import type { listRules, setRule } from '../../core/rules/operations';
import { type Answer, clientFrom } from '../terminal/client';
import type { Io } from '../terminal/io';
import { counted, type Line, oneLine, show, styled } from '../terminal/output';
import { wholeNumber } from './arguments';
import { ask, fieldsOf, wantsJson } from './ask';

type Rule = Answer<typeof listRules>['rules'][number];
type Tried = Answer<typeof setRule>;

/** The timeout of a dry run (ms): the promotion of every note of the queue is tried. */
const TIMEOUT_MS = 600_000;

/** Adds `brain rules`: the rules that promote queued notes; `try`, `on`, `off` and `remove` are for the owner. */
export function addRulesCommands(program: Command, io: Io): void {
  const rules = program
    .command('rules')
    .description('list the rules that promote queued notes which nobody needs to look at')
    .addHelpText(
      'after',
      `
A rule promotes the notes of one writer that have no risk and no finding. Everything else waits for a person.
It acts on the device where it was switched on, and "${io.command} undo --by human:<you>/rule:<name>" takes it all back.

Examples:
  $ brain rules try ci --by ci-bot --hall facts
  $ brain rules on ci --tried <hash>`,
    )
    .action((_: unknown, command: Command) => ask(io, command, 'rules', {}, describeRules));

  rules
    .command('try')
    .description(
      'say which notes a rule would promote and why others are left; saves a new one, switched off',
    )
    .argument('<name>', 'the name of the rule, such as ci')
    .option('--by <writer>', 'the writer whose notes it promotes: a whole name of a token')
    .option('--wing <wing>', 'only notes that suggest this wing')
    .option('--hall <hall>', 'only notes that suggest this hall')
    .option('--per-day <n>', 'at most so many notes a day, 50 by default', wholeNumber)
    .action(async (name: string, _: unknown, command: Command) => {
      const client = await clientFrom(io);
      const rule = { name, ...fieldsOf(command) };
      const reply = await client.call('setRule', { ...rule, dry_run: true }, TIMEOUT_MS);
      const saved = (await client.call('rules')).value.rules.find((one) => one.name === name);
      if (saved === undefined || !isSame(saved, reply.value.rule)) await client.call('setRule', rule);
      show(io, wantsJson(command), reply, (tried) => describeTried(tried, io.command));
    });

  rules
    .command('on')
    .description('switch a rule on, on the device of the server; try it first')
    .argument('<name>', 'the name of the rule')
    .option('--tried <hash>', 'the hash that "rules try" has printed for this very rule')
    .action((name: string, _: unknown, command: Command) =>
      ask(io, command, 'setRule', { name, on: true, ...fieldsOf(command) }, ({ rule }) => describeRule(rule)),
    );

  for (const { name, does, fields, done } of [
    { name: 'off', does: 'switch a rule off', fields: {}, done: 'Switched off' },
    {
      name: 'remove',
      does: 'remove a rule; what it has promoted stays',
      fields: { remove: true },
      done: 'Removed',
    },
  ]) {
    rules
      .command(name)
      .description(does)
      .argument('<name>', 'the name of the rule')
      .action((rule: string, _: unknown, command: Command) =>
        ask(io, command, 'setRule', { name: rule, ...fields }, () => [`${done}: ${oneLine(rule)}`]),
      );
  }
}

function isSame(one: Rule, other: Rule): boolean {
  return (
    one.by === other.by && one.wing === other.wing && one.hall === other.hall && one.per_day === other.per_day
  );
}

function describeRules({ rules, problem }: Answer<typeof listRules>): Line[] {
  if (problem !== undefined) return [problem];
  if (rules.length === 0) return ['There are no rules: every note of the queue waits for a person.'];
  return rules.flatMap(describeRule);
}

function describeRule(rule: Rule): Line[] {
  const { name, by, wing, hall, on, here, device, per_day: perDay } = rule;
  const where = [wing, hall].filter((part) => part !== undefined).join('/');
  const state = on ? (here ? 'on' : `on, on another device (${device})`) : 'off';
  const last = rule.last_at === undefined ? '' : `, last ${rule.last_at}`;
  return [
    [styled('bold', oneLine(name)), `  ${oneLine(state)}`],
    `  promotes notes of ${oneLine(by)}${where === '' ? '' : ` in ${oneLine(where)}`}, at most ${perDay} a day`,
    `  ${counted(rule.promoted, 'note')} promoted, ${rule.promoted_today} today${last}`,
    ...(rule.stopped === undefined ? [] : [`  switched off by itself: ${oneLine(rule.stopped)}`]),
  ];
}

function describeTried(tried: Tried, program: string): Line[] {
  const { rule, ready = [], ready_count: readyCount = 0, left = [], left_count: leftCount = 0 } = tried;
  return [
    `Would promote ${counted(readyCount, 'note')}${readyCount === 0 ? '.' : ':'}`,
    ...ready.map(({ path, to }) => `  ${oneLine(path)} -> ${oneLine(to)}`),
    ...(readyCount > ready.length ? [`  and ${readyCount - ready.length} more`] : []),
    `Would leave ${counted(leftCount, 'note')} to you${leftCount === 0 ? '.' : ':'}`,
    ...left.flatMap(({ path, why }) => [`  ${oneLine(path)}`, `    ${oneLine(why)}`]),
    ...(leftCount > left.length ? [`  and ${leftCount - left.length} more`] : []),
    `Nothing was promoted. Switch it on with: ${program} rules on ${rule.name} --tried ${tried.tried ?? ''}`,
  ];
}
