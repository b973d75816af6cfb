import type { Command } from 'commander';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { outgoingHttp } from '../../adapters/host/http';
import { configuredEmbedder } from '../../adapters/models/configured';
import { lookForEmbedders } from '../../adapters/models/look';
import { StopController } from '../../core/base/concurrency';
import { BrainError } from '../../core/base/errors';
import { holdsKey, hostOf, staysHere } from '../../core/base/redact';
import { Pace } from '../../core/base/steps';
import { ConfigError, LOCAL_DSN, settleConfig } from '../../core/config/config';
import type { BrainClient } from '../../core/registry/client';
import {
  type EmbedderChoice,
  type FoundEmbedder,
  isEmbedderUrl,
  measuredWords,
  PULL_COMMAND,
  type TriedSearch,
  trySearch,
} from '../../core/tryout/tryout';
import { clientFrom } from '../terminal/client';
import { CommandError, Interrupted, interruptible, type Io, UsageError } from '../terminal/io';
import { columns, counted, type Line, oneLine, print, progressBar, styled } from '../terminal/output';
import { inArguments } from '../terminal/secrets';

interface SetupOptions {
  readonly api?: EmbedderChoice['api'];
  readonly url?: string;
  readonly model?: string;
  readonly try?: string;
  readonly json?: boolean;
}

/** The widest title in a list beside two others (columns). */
const MAX_TITLE = 36;

/** Adds `brain embed setup`: it finds an embedder, tries a question, and says how the server is started with it. */
export function addEmbedSetupCommand(program: Command, io: Io): void {
  program
    .command('embed')
    .description('set up search by meaning')
    .command('setup')
    .description(
      'look for embedders on this machine, try a question, and say how to turn search by meaning on',
    )
    .option('--api <interface>', 'the interface of the embedder: ollama or openai')
    .option('--url <address>', 'the address of an embedder; by default what is found on this machine')
    .option('--model <name>', 'the embedding model')
    .option('--try <question>', 'show what a question finds by words, by meaning and by both; keeps nothing')
    .addHelpText(
      'after',
      `
It asks this machine alone, at ports 11434 (Ollama) and 1234 (LM Studio), and changes nothing. --try sends the text of up to
200 notes and the question to the embedder; the running server says what the notes are.

Examples:
  $ brain embed setup
  $ brain embed setup --model nomic-embed-text --try "why does the tunnel drop packets"`,
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetupOptions>();
      if (options.api !== undefined && !['ollama', 'openai'].includes(options.api))
        throw new UsageError(
          `"${options.api}" is no interface of an embedder. Use --api ollama or --api openai.`,
        );
      const embedders = options.url === undefined ? await lookForEmbedders(outgoingHttp) : [];
      const choice = choiceOf(options, embedders);
      if (choice === null && options.try !== undefined) throw new CommandError(NOTHING_TO_TRY);
      const tried =
        choice === null || options.try === undefined ? undefined : await tryOut(io, choice, options.try);
      const variables =
        choice === null
          ? undefined
          : { ...variablesOf(choice), ...(tried?.isHarmful === true && { BRAIN_FUSION: 'measured' }) };
      if (options.json === true)
        io.stdout.write(`${JSON.stringify({ embedders, tried, environment: variables })}\n`);
      else print(io, [...embedderLines(embedders), ...triedLines(tried), ...startLines(io, variables)]);
    });
}

const NOTHING_TO_TRY = `No embedder was found on this machine, so nothing can be tried. Start Ollama and run "${PULL_COMMAND}", or name an embedder with --url and --model.`;

/** Returns the embedder that the options name, else the first model that was found; null for none. */
function choiceOf({ api, url, model }: SetupOptions, found: readonly FoundEmbedder[]): EmbedderChoice | null {
  if (url !== undefined) {
    if (holdsKey(url)) throw inArguments('--url', 'BRAIN_EMBED_URL');
    if (!isEmbedderUrl(url) || !URL.canParse(url))
      throw new UsageError(`"${url}" is no web address. Use one such as http://127.0.0.1:11434.`);
    const chosen = api ?? 'ollama';
    const name = model ?? (chosen === 'ollama' ? 'nomic-embed-text' : undefined);
    if (name === undefined)
      throw new UsageError('An OpenAI-compatible service needs the name of its model. Give it with --model.');
    return { api: chosen, url, model: name };
  }
  const own = found.filter((server) => server.runs && (api === undefined || server.api === api));
  const [server] =
    model === undefined
      ? own.filter(({ models }) => models.length > 0)
      : own.filter((each) => each.models.includes(model));
  const name = model ?? server?.models[0];
  if (model !== undefined && server === undefined)
    throw new CommandError(
      `No embedder of this machine has the model "${model}". Run "brain embed setup" to see which there are.`,
    );
  return server === undefined || name === undefined
    ? null
    : { api: server.api, url: server.url, model: name };
}

/** Tries a question through the running server. Ctrl-C ends it. */
async function tryOut(io: Io, choice: EmbedderChoice, question: string): Promise<TriedSearch> {
  if (question.trim() === '') throw new UsageError('The question is empty. Give one with --try.');
  const client = await clientFrom(io);
  const { BRAIN_EMBED_KEY: key, BRAIN_EMBED_URL: own = choice.url, ...env } = io.env;
  // A key is for the service that it was given with.
  const isItsKey = hostOf(own) === hostOf(choice.url);
  const config = settleConfig({ ...env, ...variablesOf(choice), ...(isItsKey && { BRAIN_EMBED_KEY: key }) });
  const embedder = configuredEmbedder(choice.url, config, outgoingHttp);
  const through = {
    call: async (name, ask) => (await client.call(name, ask)).value,
  } as Pick<BrainClient, 'call'>; // The answers of both are those of the operation.
  const { stderr } = io;
  const draw = (done: number, total: number): void => {
    if (stderr.isTTY === true) stderr.write(`\r${progressBar('embedding', { done, total })}\u001b[K`);
  };
  try {
    return await interruptible(async (signal) => {
      const stop = new StopController();
      signal.addEventListener('abort', () => stop.stop());
      const pace = new Pace(() => nextTurn(), { now: () => new Date() });
      const parts = {
        client: through,
        embedder,
        pace,
        roots: config.embedRoots,
        signal: stop,
        onProgress: draw,
      };
      return await trySearch(parts, question).catch((error: unknown) => {
        if (signal.aborted) throw new Interrupted('Stopped. Nothing was kept.', true);
        throw error;
      });
    });
  } catch (error) {
    if (error instanceof BrainError || error instanceof ConfigError) throw new CommandError(error.message);
    throw error;
  } finally {
    if (stderr.isTTY === true) stderr.write('\r\u001b[K');
  }
}

function variablesOf({ api, url, model }: EmbedderChoice): Readonly<Record<string, string>> {
  return {
    BRAIN_PG_DSN: LOCAL_DSN,
    BRAIN_EMBED_API: api,
    BRAIN_EMBED_URL: url,
    BRAIN_EMBED_MODEL: model,
  };
}

function embedderLines(embedders: readonly FoundEmbedder[]): Line[] {
  if (embedders.length === 0) return [];
  const rows = embedders.map(({ name, url, runs, models }) => {
    const none = name === 'Ollama' ? `has no model that embeds: ${PULL_COMMAND}` : 'has no model that embeds';
    return [name, url, runs ? models.map(oneLine).join(', ') || none : 'does not run'];
  });
  return [[styled('bold', 'Embedders of this machine')], ...columns(rows).map((row) => `  ${row}`), ''];
}

function triedLines(tried: TriedSearch | undefined): Line[] {
  if (tried === undefined) return [];
  const { words, meaning, both, looked, of, measured } = tried;
  const cell = (title: string | undefined) => {
    const line = oneLine(title ?? '');
    return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
  };
  const longest = Math.max(words.length, meaning.length, both.length);
  const rows = Array.from({ length: longest }, (_, at) =>
    [words, meaning, both].map((hits) => cell(hits[at]?.title)),
  );
  const read =
    looked < of
      ? `The embedder read ${looked} of ${counted(of, 'note')}; the others are found by their words alone.`
      : `The embedder read all ${counted(of, 'note')}.`;
  const lists = columns([['By words', 'By meaning', 'By both'], ...rows]).map((row) => `  ${row}`);
  return [read, ...lists, ...(measured === null ? [] : [measuredWords(measured)]), ''];
}

function startLines(io: Io, variables: Readonly<Record<string, string>> | undefined): Line[] {
  if (variables === undefined) {
    return [
      `No embedder is ready. Install Ollama (https://ollama.com), run "${PULL_COMMAND}", then this again.`,
    ];
  }
  const url = variables.BRAIN_EMBED_URL ?? '';
  const given = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [
    staysHere(url)
      ? 'The text of your notes, and what you search for, goes to a program on this machine. Nothing leaves it.'
      : `The text of your notes, and what you search for, is sent to ${hostOf(url)}.`,
    'To turn it on, start the server with these (the vectors are kept in files of this device):',
    `  ${given.join(' ')} ${io.command} serve`,
  ];
}

/** Quotes a word for a POSIX shell where it needs that. */
function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
