import type { IconName } from '../kit/icons';

/** The first line of a callout, `[!kind|metadata]- title`: its mark, kind, sign of folding and title. */
export const CALLOUT = /^(\[!([^\]\n|]{1,40})(?:\|[^\]\n]{0,40})?\]([+-]?)[ \t]*)([^\n]{0,300})\n?/;

/** The look of a callout: accent, or the colour that warns of something or says that it is well. */
const NEUTRAL = 'brain-callout';
const AMBER = 'brain-callout mod-amber';
const RED = 'brain-callout mod-red';
const GREEN = 'brain-callout mod-green';
const MUTED = 'brain-callout mod-muted';

const LOOKS: readonly (readonly [kinds: string, icon: IconName, look: string])[] = [
  ['note', 'pencil', NEUTRAL],
  ['abstract summary tldr', 'clipboard', NEUTRAL],
  ['info', 'info', NEUTRAL],
  ['todo', 'circle-check', NEUTRAL],
  ['tip hint important', 'flame', NEUTRAL],
  ['success check done', 'check', GREEN],
  ['question help faq', 'circle-question-mark', AMBER],
  ['warning caution attention', 'triangle-alert', AMBER],
  ['failure fail missing', 'x', RED],
  ['danger error', 'zap', RED],
  ['bug', 'bug', RED],
  ['example', 'list', NEUTRAL],
  ['quote cite', 'quote', MUTED],
];
const BY_KIND = new Map(
  LOOKS.flatMap(([kinds, icon, look]) => kinds.split(' ').map((kind) => [kind, { icon, look }] as const)),
);

/** Returns the icon, class and default title of a callout of a kind, as written. An unknown kind looks like a note. */
export function calloutLook(kind: string): {
  readonly icon: IconName;
  readonly class: string;
  readonly title: string;
} {
  const name = kind.trim().toLowerCase();
  const { icon, look } = BY_KIND.get(name) ?? { icon: 'pencil', look: NEUTRAL };
  return { icon, class: look, title: `${name.charAt(0).toUpperCase()}${name.slice(1)}` };
}
