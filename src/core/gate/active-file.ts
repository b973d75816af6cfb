import { isRecord, parsedJson } from '../base/json';
import type { Steps, TextTask } from '../base/steps';
import { decodeEntities } from '../markdown/html';
import { isActiveBase } from './languages';

interface TextFile {
  readonly kind: 'svg' | 'html' | 'base';
  readonly text: string;
}

/** Tells whether a file would run or fetch something once it is opened. Each pattern looks at the whole text in one step. */
export const ACTIVE_FILE: TextTask<TextFile, boolean> = {
  name: 'active-file',
  *steps({ kind, text }) {
    if (kind === 'base') return isActiveBase(text);
    yield;
    if (kind === 'svg') return yield* markupSteps(text, HTTP_ADDRESS, SVG_ESCAPE);
    return yield* markupSteps(text.replace(PAGE_WORDS, ''), PAGE_ADDRESS, STYLE_ESCAPE);
  },
  textOf: ({ text }) => text,
};

/**
 * Returns the texts of the cards of a canvas; null for a canvas that shows anything else than texts and files, such as a web
 * page. One step reads the whole file: a hostile one of 4 MiB takes a second, a real one 30 ms.
 */
export const CANVAS_CARDS: TextTask<string, readonly string[] | null> = {
  name: 'canvas-cards',
  *steps(text) {
    yield;
    const canvas = text.trim() === '' ? {} : parsedJson(text);
    const nodes: unknown = isRecord(canvas) ? (canvas.nodes ?? []) : null;
    if (!Array.isArray(nodes)) return null;
    const texts: string[] = [];
    for (const card of nodes as readonly unknown[]) {
      if (!isRecord(card)) return null;
      if (card.type === 'file' || card.type === 'group') continue;
      if (card.type !== 'text' || typeof card.text !== 'string') return null;
      texts.push(card.text);
    }
    return texts;
  },
  textOf: (text) => text,
};

/** What an SVG picture runs or fetches: elements, handlers, entities and style sheets, and animations that set an address. */
const SVG_ACTIVE =
  /<\s*(?:[\w-]+:)?(?:script|iframe|object|embed|audio|video|handler|listener|link|meta|base|form)\b|[ "'/]on[a-z]{1,40} ?=|<!entity|<\?xml-stylesheet|xml:base\s*=|attributename\s*=\s*["']?\s*(?:on|(?:xlink:)?href)|@import|image-set ?\(|\bsrc ?\(/i;
const SVG_SCHEME =
  /["'(=;](?:(?:java|vb|live)script:|data:(?!image\/(?:png|jpe?g|gif|webp)[;,]|font\/|application\/(?:x-)?font))/i;
/** A backslash in a style, or in an attribute of a picture: CSS can spell an address with it. */
const STYLE_ESCAPE = /[ "'/]style ?= ?(?:"[^"]*\\|'[^']*\\)| style ?= ?[^ "'>]*\\/i;
const SVG_ESCAPE = /= ?(?:"[^"<]*\\|'[^'<]*\\)/;
/** An address in CSS, or of another element than a link, that is no place in the picture and no picture in itself. */
const SVG_FETCH =
  /url\(\s*["']?\s*(?!["']?\s*(?:#|data:(?:image\/|font\/|application\/(?:x-)?font)))[^\s)]|[\s"'/](?:[\w-]+:)?(?:href|src|(?:image)?srcset|lowsrc|dynsrc|background|poster|ping)\s*=\s*["']?\s*(?!["']?\s*(?:#|data:image\/))[^\s"'>]/i;
const SVG_LINK = /<(?:svg:)?a\s[^<>]*>/gi;
const HTTP_ADDRESS = /(?:xlink:)?href\s*=\s*(?:"https?:\/\/[^"]*"|'https?:\/\/[^']*')/gi;

/** What a page says of itself. */
const PAGE_WORDS = /<meta\s(?![^<>]*http-equiv\s*=\s*["']?\s*(?!content-type))[^<>]*>/gi;
/** The address of a link, which acts on a click only: of the web, of mail, or of a file beside the page. */
const PAGE_ADDRESS =
  /href\s*=\s*(?:"(?:https?:\/\/[^"]*|mailto:[^"]*|[^":]*)"|'(?:https?:\/\/[^']*|mailto:[^']*|[^':]*)')/gi;

/**
 * @param allowed the addresses that a link may have
 * @param escape what spells an address in an attribute
 */
function* markupSteps(text: string, allowed: RegExp, escape: RegExp): Steps<boolean> {
  // Runs of blanks would make the patterns below slow.
  const decoded = decodeEntities(text).replace(/\s+/g, ' ');
  const joined = decoded.replace(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, '');
  const withoutLinks = decoded.replace(SVG_LINK, (tag) => tag.replace(allowed, ''));
  for (const acts of [
    () => SVG_ACTIVE.test(decoded),
    () => SVG_SCHEME.test(joined),
    () => SVG_FETCH.test(withoutLinks),
    () => escape.test(decoded),
    () => hasStyleEscape(decoded),
  ]) {
    yield;
    if (acts()) return true;
  }
  return false;
}

/** Returns true for a style element with a backslash in it. */
function hasStyleEscape(text: string): boolean {
  const [, ...styles] = text.split(/<\s?(?:[\w-]{1,40}:)?style\b/i);
  return styles.some((style) => {
    const inside = /^[^]*<\/\s?(?:[\w-]{1,40}:)?style/i.exec(style)?.[0] ?? style;
    return inside.includes('\\');
  });
}
