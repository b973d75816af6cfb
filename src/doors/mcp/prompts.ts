import * as z from 'zod';
import { missingScope } from '../../core/operation/operation';
import { context } from '../../core/context/context';
import { contextText } from '../../core/context/text';
import { MAX_QUERY } from '../../core/operation/fields';
import type { Exchange, Method } from './exchange';
import { parse, performFor, recorded } from './resources';
import { INVALID_PARAMS, RpcError } from './rpc-error';
import { toolsFor } from './tools';

type Values = Readonly<Record<string, string>>;

/** A prompt: a message that a person has the client send. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The arguments, all of which may be left out, each with its description. */
  readonly takes: Readonly<Record<string, string>>;
  /** Returns true when a caller with these tools can use it. */
  suits(exchange: Exchange, tools: ReadonlySet<string>): boolean;
  /** Resolves with the text of the message, and with the answer whose notes it names, for the log. */
  text(
    exchange: Exchange,
    given: Values,
    tools: ReadonlySet<string>,
  ): Promise<{ text: string; answer?: object }>;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'resume',
    title: 'Resume a task',
    description:
      'What the notes know of a task: guidance, progress, open items, decisions, failures and facts.',
    takes: { task: 'What is to be done, in a sentence', wing: 'Only notes of this wing' },
    suits: ({ caller }) => missingScope(context, caller) === null,
    async text(exchange, given) {
      const answer = await performFor(exchange, context, given);
      const next =
        'Go on from here: say in a sentence or two where things stand, then take up what is open. Look up what is missing, and read a note in full before you rely on more than its line.';
      return { text: `${contextText(answer)}\n\n${next}`, answer };
    },
  },
  {
    name: 'remember',
    title: 'Remember this conversation',
    description:
      'Has the agent store what will matter again: decisions, failures, open items and corrections.',
    takes: { topic: 'Only what has to do with this' },
    suits: (_, tools) => tools.has('brain_write') || tools.has('capture'),
    text: async (_, { topic }, tools) => ({ text: rememberText(topic, tools) }),
  },
];

/** Returns what asks an agent to store what it found out, in the words of the tools that it may call. */
function rememberText(topic: string | undefined, tools: ReadonlySet<string>): string {
  const has = (name: string, words: string): string[] => (tools.has(name) ? [words] : []);
  const about = topic === undefined ? '' : ` about ${JSON.stringify(topic)}`;
  const steps = [
    ...has('brain_query', 'Look with brain_query what the notes say of it already.'),
    ...has('brain_edit', 'Where a note is wrong or incomplete, correct it with brain_edit.'),
    ...has(
      'brain_write',
      'Write what is new with brain_write, one note for one thing, in the hall that it belongs to.',
    ),
    ...has('capture', 'Use capture where you do not know the place.'),
  ];
  return [
    `Store what this conversation has found out${about} and what will matter again: decisions with their reasons and what was not chosen, what failed and why, what is open (as "- [ ] …" items), and what the user corrected.`,
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    'Store no passwords, tokens or keys, and nothing that anyone could look up elsewhere. Then tell the user in a sentence what you stored, with the paths.',
  ].join('\n');
}

function offered(exchange: Exchange): { prompts: Prompt[]; tools: ReadonlySet<string> } {
  const tools = new Set(toolsFor(exchange.door.context.tools, exchange.caller).map(({ name }) => name));
  return { prompts: PROMPTS.filter((prompt) => prompt.suits(exchange, tools)), tools };
}

/** Lists the prompts that the caller can use. */
export const listPrompts: Method = async (exchange) => ({
  prompts: offered(exchange).prompts.map(({ name, title, description, takes }) => ({
    name,
    title,
    description,
    arguments: Object.entries(takes).map(([argument, words]) => ({
      name: argument,
      description: words,
      required: false,
    })),
  })),
});

const getParams = z.object({
  name: z.string().max(100),
  arguments: z.record(z.string().max(100), z.string().max(MAX_QUERY)).default({}),
});

/** Returns the message of a prompt. What it reads is recorded as resources are. */
export const getPrompt: Method = async (exchange, asked) => {
  const { name, arguments: args } = parse(
    getParams,
    asked.params,
    '"name" and the values of "arguments" must be strings',
  );
  // Many clients send an empty text for an argument without a value.
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value.trim() !== ''));
  const found = await recorded(exchange, asked, { ...given, name }, async () => {
    const { prompts, tools } = offered(exchange);
    const prompt = prompts.find((each) => each.name === name);
    const unknown = prompt && Object.keys(given).find((argument) => !Object.hasOwn(prompt.takes, argument));
    if (prompt === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown prompt. See prompts/list.');
    if (unknown !== undefined)
      throw new RpcError(
        INVALID_PARAMS,
        `Invalid params: ${name} takes ${Object.keys(prompt.takes).join(' and ')}.`,
      );
    const { text, answer } = await prompt.text(exchange, given, tools);
    return { description: prompt.description, text, ...answer };
  });
  return {
    description: found.description,
    messages: [{ role: 'user', content: { type: 'text', text: found.text } }],
  };
};
