import { fenceAround } from '../../../core/rules/code-fence';
import { MAX_TEXT, within } from './limits';

/** Colours and the like, which programs write into logs for terminals (ECMA-48). */
const TERMINAL = new RegExp(
  ['\\u001b\\[[0-?]*[ -/]*[@-~]', '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?', '\\u001b'].join(
    '|',
  ),
  'g',
);

/** Text as a block of code that shows it letter by letter, whatever stands in it. Its end is cut to keep the block whole. */
export function fenced(text: string, language: string): { markdown: string; isCut: boolean } {
  const whole = text.replace(/^\n+/, '').trimEnd();
  const [ticks, tildes] = [fenceAround(whole), fenceAround(whole, '~')];
  const fence = ticks.length <= tildes.length ? ticks : tildes;
  const room = MAX_TEXT - 2 * fence.length - language.length - '\n\n\n'.length;
  const taken = within(whole, Math.max(0, room));
  return { markdown: `${fence}${language}\n${taken}\n${fence}\n`, isCut: taken.length < whole.length };
}

/** Takes out what only a terminal understands. */
export function withoutTerminalCodes(text: string): string {
  return text.replace(TERMINAL, '');
}
