import { INVISIBLE, belongs, pointBefore, pointAt } from './invisible';
import { type Steps, Tally } from '../steps';
import type { Finding } from './gate-finding';
import { ITEMS_PER_STEP, sortSteps } from './markdown-order';
import { isProse, type Markdown, mergeSteps, within } from './markdown-parse';
import type { Range } from './markdown-section';

/** Findings for invisible characters outside code, one for each run, some of them a step. */
export function* invisibleFindingSteps({ body, sections, spans }: Markdown): Steps<Finding[]> {
  if (body.search(INVISIBLE) < 0) return [];
  const tally = new Tally(ITEMS_PER_STEP);
  const code: Range[] = [];
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section)) code.push(section.code);
  }
  for (const span of spans) {
    if (tally.isFull()) yield;
    if (span.kind === 'code') code.push({ from: span.textFrom, to: span.textTo });
  }
  const inCode = within(yield* mergeSteps(yield* sortSteps(code, (a, b) => a.from - b.from)));
  const findings: Finding[] = [];
  for (const { 0: run, index } of body.matchAll(INVISIBLE)) {
    if (tally.isFull()) yield;
    const end = index + run.length;
    if (inCode(index) || belongs(run, pointBefore(body, index), pointAt(body, end))) continue;
    findings.push({
      rule: 'danger',
      from: index,
      to: end,
      key: wordAround(body, index, end),
      ref: null,
      edits: [{ from: index, to: end, text: '' }],
    });
  }
  return findings;
}

/** The run with what stands directly around it: enough to tell it from another one, little enough to stay linear. */
function wordAround(text: string, from: number, to: number): string {
  const before = /\S{0,16}$/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? '';
  const after = /^\S{0,16}/.exec(text.slice(to, to + 16))?.[0] ?? '';
  return before + text.slice(from, to) + after;
}
