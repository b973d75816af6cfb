import type { Command } from 'commander';
import type { answerNotes } from '../../core/answer/operation';
import { NOT_COVERED } from '../../core/answer/shapes';
import { type Answer, ANSWER_TIMEOUT_MS, clientFrom } from '../terminal/client';
import { FailedAnswer, type Io } from '../terminal/io';
import { type Line, oneLine, remarks, show, stamp, untoldLines } from '../terminal/output';
import { wholeNumber } from './arguments';
import { fieldsOf, wantsJson } from './ask';

/** Adds `brain answer`: it answers a question from the notes; with `--file` the answer goes into the review queue. */
export function addAnswerCommand(program: Command, io: Io): void {
  program
    .command('answer')
    .description('answer a question from the notes, with quotes')
    .argument('<question...>', 'the question')
    .option('--wing <wing>', 'only from this wing')
    .option('--hall <hall>', 'only from this hall')
    .option('--under <folder>', 'only from this folder of the vault')
    .option('--limit <n>', 'read at most <n> notes, up to 20', wholeNumber)
    .option('--file', 'put the answer into the review queue as a note')
    .addHelpText(
      'after',
      `
Examples:
  $ brain answer 'which MTU does the tunnel need?'
  $ brain answer 'why restic and not borg?' --wing homelab --file`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const { file, ...fields } = fieldsOf<{ readonly file?: boolean }>(command);
      const json = wantsJson(command);
      const client = await clientFrom(io);
      const asked = { query: words.join(' '), ...fields };
      const reply = await client.call('answer', asked, ANSWER_TIMEOUT_MS);
      if (file !== true) return show(io, json, reply, describeAnswer);
      const { query, answer, citations, model } = reply.value;
      if (answer === null || !json) show(io, json, reply, describeAnswer);
      if (answer === null) throw new FailedAnswer(`${NOT_COVERED}, so nothing was filed.`);
      const filed = await client.call('fileAnswer', {
        query,
        answer,
        citations: citations.map(({ n, path, quote }) => ({ n, path, quote })),
        model,
      });
      // One object: the answer with the note that was made of it.
      const both = { ...filed, text: JSON.stringify({ ...reply.value, filed: filed.value }) };
      show(io, json, both, (note) => ['', `Filed ${note.path}`, ...remarks(note)]);
    });
}

const REASONS: Readonly<Record<NonNullable<Answer<typeof answerNotes>['reason']>, string>> = {
  no_matches: 'no note holds any of these words',
  insufficient_evidence: 'the notes that come nearest say too little of it',
  no_valid_citations: 'the language model gave an answer that no note bears out',
};

function describeAnswer(reply: Answer<typeof answerNotes>): Line[] {
  const { answer, weak, reason, citations, nearest, warnings } = reply;
  const shown = answer ?? (reason === undefined ? `${NOT_COVERED}.` : `${NOT_COVERED}: ${REASONS[reason]}.`);
  const sources = citations.flatMap((cited) => [
    `[${cited.n}] ${oneLine(cited.title)}`,
    `    ${cited.path}`,
    ...(reply.mode === 'llm' ? [`    "${oneLine(cited.quote)}"`] : []),
    ...facts(cited),
  ]);
  const others = nearest.map(({ path, title }) => `  ${path}  ${oneLine(title)}`);
  return [
    ...(weak === true ? ['These passages may answer; they hold only a part of the question.', ''] : []),
    shown,
    ...(sources.length > 0 ? ['', ...sources] : []),
    ...(others.length > 0 ? ['', answer === null ? 'Nearest notes:' : 'See also:', ...others] : []),
    ...untoldLines(reply),
    ...remarks({ warnings }, ''),
  ];
}

function facts(cited: Answer<typeof answerNotes>['citations'][number]): string[] {
  const line = [cited.updated_at?.slice(0, 10) ?? '', stamp(cited), cited.stale ? 'stale' : ''];
  const text = oneLine(line.filter(Boolean).join(' · '));
  return text === '' ? [] : [`    ${text}`];
}
