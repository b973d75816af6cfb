import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../parts/words';

/** How much of a note is shown at first, and more of it with each press: about seven thousand words, or so many lines. */
export const PREVIEW_STEP = 40_000;
const LINES_STEP = 1000;

/**
 * The beginning of a text that may be very long, and a line that says how much is left and shows more of it; null when
 * all is shown. Another text starts from its beginning again.
 */
export function useParts(text: string): { readonly shown: string; readonly more: ComponentChildren } {
  const [steps, setSteps] = useState({ of: text, count: 1 });
  const number = steps.of === text ? steps.count : 1;
  const shown = beginning(text, number * PREVIEW_STEP, number * LINES_STEP);
  const rest = text.length - shown.length;
  if (rest === 0) return { shown, more: null };
  const more = (
    <p class="brain-more">
      {count(rest)} more characters.{' '}
      <button type="button" class="brain-plain" onClick={() => setSteps({ of: text, count: number + 1 })}>
        Show more
      </button>
    </p>
  );
  return { shown, more };
}

/**
 * The beginning of a text within a length and a number of lines, cut at the end of a line when one is near, and never
 * inside a character.
 */
export function beginning(text: string, length: number, lines: number): string {
  const most = Math.min(length, endOfLine(text, lines));
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most - 1);
  const end = line > most * 0.9 ? line + 1 : most;
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end);
}

/** Where so many lines end; infinity when there are fewer. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return Infinity;
  }
  return at + 1;
}
