import { SETTING_NAMES, SETTINGS } from '../../core/config/settings';

/** The names of the settings that the settings page offers, by their environment variables. */
const NAMES = new Map(
  SETTING_NAMES.flatMap((key): [string, string][] => {
    const { env, name, control, secretId } = SETTINGS[key];
    const isOffered = control !== undefined || secretId !== undefined;
    return env !== undefined && isOffered ? [[env[0], name]] : [];
  }),
);

/** Matches a variable, with the words around it that only repeat the name of its setting. */
const VARIABLE = /( \(| or )?\b([A-Z]+(?:_[A-Z]+)+)\b((?:=[\w.]+)?\))?/g;

/**
 * Names the settings of the app in a message of the service instead of their environment variables, which nobody sets there:
 * `Set BRAIN_READ_SCOPE` becomes `Set "What is read"`. A variable beside the name of its setting is left out. A variable of
 * no setting stays.
 */
export function inSettings(message: string): string {
  return message.replace(VARIABLE, (whole, before = '', variable: string, after = '') => {
    const name = NAMES.get(variable);
    if (name === undefined) return whole;
    const isNamed = message.includes(`"${name}"`);
    if (isNamed && (before === ' or ' || (before === ' (' && after !== ''))) return '';
    return `${before}"${name}"${after}`;
  });
}

/** Applies `inSettings` to every text of an answer but the paths of notes. */
export function answerInSettings(answer: unknown): unknown {
  if (typeof answer === 'string') return inSettings(answer);
  if (Array.isArray(answer)) return answer.map(answerInSettings);
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, key === 'path' ? value : answerInSettings(value)]),
  );
}
