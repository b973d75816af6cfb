import { finish, type Steps } from '../steps';

/** So much of a text is brought onto one line in one step, in UTF-16 units. */
const UNITS = 1 << 14;

/** A text on one line: every run of white space is one space, and none stands at its ends. */
export function collapsed(text: string): string {
  return finish(collapseSteps([text]));
}

/** The texts on one line, a space between them, a part of them a step. */
export function* collapseSteps(texts: readonly string[]): Steps<string> {
  const done: string[] = [];
  let endsOpen = true;
  let next = '';
  const take = (): void => {
    // A single space, which is most of them, is right as it is.
    const line = next.replace(/ \s+|[^\S ]\s*/g, ' ');
    const added = endsOpen && line.startsWith(' ') ? line.slice(1) : line;
    if (added !== '') endsOpen = added.endsWith(' ');
    done.push(added);
    next = '';
  };
  for (const [place, text] of texts.entries()) {
    if (place > 0) next += '\n';
    for (let from = 0; from < text.length; from += UNITS) {
      next += text.length <= UNITS ? text : text.slice(from, from + UNITS);
      if (next.length < UNITS) continue;
      take();
      yield;
    }
  }
  take();
  return done.join('').trimEnd();
}
