import type { Steps } from '../base/steps';
import { asCode, isUnsafeAddress, schemeOf } from '../markdown/address';
import { decodeEntities } from '../markdown/html';
import { NO_TARGETS, NOWHERE } from '../links/resolve';
import { fold } from '../vocabulary/paths';
import { gateApart } from './apart';
import { type FoundRef, isActiveRef } from './finding';

/**
 * Keys by which the app and its plugins run, fetch, restyle or publish a note: drawings with scripts, other views, banners and
 * covers, classes of CSS, style sheets and scripts, annotated files, instructions for all queries of a note, publishing.
 */
const ACTING_KEY =
  /^(?:excalidraw-.*|.+-plugin|(?:.+-)?banner(?:-.*)?|cover(?:-?(?:image|img|url|photo))?|css-?class(?:es)?|(?:remote-)?css|scripts|annotation-target|tq-.*|dg-.*|publish)$/;
/** Keys that keep a note private when their value is `false`. */
const PRIVACY_KEY = /^(?:dg-)?publish$/;
/** Keys whose value is shown as a picture. */
const PICTURE_KEY =
  /^(?:.+-)?(?:image|img|thumbnail|thumb|poster|avatar|logo|photo|picture|icon|portrait|artwork)s?(?:-?url)?$/;
/** What a value has when it may hold a link, a picture, an embed, a tag with attributes, an inline script or a fence. */
const MAY_ACT = /\]\s*[([:]|\[\[|<[^>]*[=:]|obsidian:|`\s*(?:\$=|BUTTON\[)|`{3}|~{3}/i;

/** A property that would act, and the key and value of the text that it becomes. */
export interface PropertyFinding {
  readonly becomes: { readonly key: string; readonly value: unknown };
  readonly ref: FoundRef;
}

/**
 * Returns what is found in a property, in steps; null when it is harmless. A key on which a plugin acts becomes Markdown code, and
 * so does an address that opens a program. Links and pictures in a text are treated as in a body.
 */
export function* propertySteps(
  key: string,
  value: unknown,
  activeContent: boolean,
): Steps<PropertyFinding | null> {
  // `bannerImage` is `banner-image`.
  const folded = fold(key.replace(/([a-z])(?=[A-Z])/g, '$1-'))
    .trim()
    .replace(/[_\s]+/g, '-');
  const found = yield* valueSteps(value, PICTURE_KEY.test(folded), activeContent);
  const isPrivate = PRIVACY_KEY.test(folded) && String(value).trim().toLowerCase() === 'false';
  const isActing = activeContent && ACTING_KEY.test(folded) && !isPrivate;
  if (!isActing && found.reason === null) return null;
  return {
    becomes: { key: isActing ? asCode(key) : key, value: found.value },
    ref: {
      kind: 'property',
      target: key,
      text: typeof value === 'string' ? value : JSON.stringify(value ?? ''),
      reason: found.reason ?? 'active_content',
    },
  };
}

interface Judged {
  readonly value: unknown;
  readonly reason: FoundRef['reason'] | null;
}

function* valueSteps(value: unknown, isPicture: boolean, activeContent: boolean): Steps<Judged> {
  if (typeof value === 'string') return yield* textSteps(value, isPicture, activeContent);
  if (typeof value !== 'object' || value === null) return { value, reason: null };
  let reason: Judged['reason'] = null;
  const entries: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const judged = yield* valueSteps(each, isPicture, activeContent);
    reason ??= judged.reason;
    entries.push([name, judged.value]);
    yield;
  }
  if (reason === null) return { value, reason };
  return {
    value: Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries),
    reason,
  };
}

function* textSteps(text: string, isPicture: boolean, activeContent: boolean): Steps<Judged> {
  if (isUnsafeAddress(text)) return { value: asCode(text.trim()), reason: 'unsafe_scheme' };
  if (isPicture && !/\s/.test(text.trim())) {
    const scheme = schemeOf(decodeEntities(text));
    const isWeb = scheme === 'http' || scheme === 'https';
    const link = text.trim();
    const isPlain = isWeb && !/[()[\]<>]/.test(link);
    if (isWeb || scheme === '//')
      return { value: isPlain ? `[${link}](${link})` : asCode(link), reason: 'remote_embed' };
  }
  if (!MAY_ACT.test(text)) return { value: text, reason: null };
  const gated = yield* gateApart({
    body: text,
    from: NOWHERE,
    targets: NO_TARGETS,
    mode: 'property',
    activeContent,
  });
  // A tag without attributes in a title is a word.
  const acting = gated.refs.find(
    (ref) => ref.unlinked && isActiveRef(ref) && (ref.kind !== 'html' || /[=:]/.test(ref.text)),
  );
  return acting === undefined
    ? { value: text, reason: null }
    : { value: gated.body, reason: acting.reason ?? null };
}
