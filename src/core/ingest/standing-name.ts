import { BrainError } from '../base/errors';
import { isRecord } from '../base/json';
import { inSlices, type Steps } from '../base/steps';
import { type JudgedKind, judgedKind } from '../documents/formats';
import { gateApart } from '../gate/apart';
import { isActiveRef } from '../gate/finding';
import { isActiveBase } from '../gate/languages';
import type { LinkTargets } from '../links/resolve';
import { decodeEntities } from '../markdown/html';
import type { Brain } from '../operation/context';

const MIB = 1024 * 1024;
/** The largest files that are looked at (bytes): archives are only searched, texts are read. */
const MAX_ARCHIVE = 32 * MIB;
const MAX_TEXT = 4 * MIB;

type Ports = Pick<Brain, 'catalog' | 'config' | 'pace'>;

/**
 * Returns the name under which a file is kept: its own, or with `.txt` behind it when what it holds would run or fetch something
 * once it is opened, and when it is too large to be looked at.
 * @param read reads the file: at most so many bytes of it, or null when it is gone; it may reject with `too_large`
 */
export async function standingName(
  brain: Ports,
  name: string,
  read: (maxBytes: number) => Promise<Uint8Array | null>,
): Promise<string> {
  const kind = judgedKind(name);
  if (kind === null || !brain.config.gateActiveContent) return name;
  const bytes = await readWhole(read, kind === 'office' ? MAX_ARCHIVE : MAX_TEXT);
  return bytes === null || (await isActive(brain, kind, bytes)) ? `${name}.txt` : name;
}

/** Returns true for a file that would act, and for one that is too entangled to be judged. */
async function isActive(brain: Ports, kind: JudgedKind, bytes: Uint8Array): Promise<boolean> {
  try {
    return await inSlices(activeSteps(kind, bytes, brain.catalog), brain.pace);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'too_entangled') return true;
    throw error;
  }
}

async function readWhole(
  read: (maxBytes: number) => Promise<Uint8Array | null>,
  most: number,
): Promise<Uint8Array | null> {
  try {
    const bytes = await read(most + 1);
    return bytes === null || bytes.length > most ? null : bytes;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'too_large') return null;
    throw error;
  }
}

function* activeSteps(kind: JudgedKind, bytes: Uint8Array, targets: LinkTargets): Steps<boolean> {
  if (kind === 'office') return yield* macroSteps(bytes);
  const text = plainUtf8(bytes);
  if (text === null) return true;
  if (kind === 'svg') return isActiveMarkup(text, HTTP_ADDRESS, SVG_ESCAPE);
  if (kind === 'html') return isActiveMarkup(text.replace(PAGE_WORDS, ''), PAGE_ADDRESS, STYLE_ESCAPE);
  if (kind === 'base') return isActiveBase(text);
  return yield* activeCanvasSteps(text, targets);
}

/** The names of parts of a document that are macros; a ZIP archive has them as they are. */
const MACROS = /vbaProject|macrosheets\/|activeX\/|(?:^|[^\w])(?:Basic|Scripts)\//;
/** The longest of these names with the character before it. */
const NAME_LENGTH = 12;

function* macroSteps(bytes: Uint8Array): Steps<boolean> {
  const decoder = new TextDecoder('latin1');
  for (let from = 0; from < bytes.length; from += MIB) {
    if (MACROS.test(decoder.decode(bytes.subarray(Math.max(0, from - NAME_LENGTH), from + MIB)))) return true;
    yield;
  }
  return false;
}

/** Decodes a file as UTF-8; null for another encoding, in which a reader may see another text. */
function plainUtf8(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const encoding = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)/i.exec(text)?.[1] ?? 'utf-8';
    return text.includes('\0') || !/^(?:utf-?8|us-ascii)$/i.test(encoding) ? null : text;
  } catch {
    return null;
  }
}

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
function isActiveMarkup(text: string, allowed: RegExp, escape: RegExp): boolean {
  // Runs of blanks would make the patterns below slow.
  const decoded = decodeEntities(text).replace(/\s+/g, ' ');
  const joined = decoded.replace(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, '');
  const withoutLinks = decoded.replace(SVG_LINK, (tag) => tag.replace(allowed, ''));
  return (
    SVG_ACTIVE.test(decoded) ||
    SVG_SCHEME.test(joined) ||
    SVG_FETCH.test(withoutLinks) ||
    escape.test(decoded) ||
    hasStyleEscape(decoded)
  );
}

/** Returns true for a style element with a backslash in it. */
function hasStyleEscape(text: string): boolean {
  const [, ...styles] = text.split(/<\s?(?:[\w-]{1,40}:)?style\b/i);
  return styles.some((style) => {
    const inside = /^[^]*<\/\s?(?:[\w-]{1,40}:)?style/i.exec(style)?.[0] ?? style;
    return inside.includes('\\');
  });
}

/** The cards are judged, not linked. */
const NOWHERE = { path: null, wing: null, hall: null };

/** A canvas shows cards as notes, and cards with an address as web pages. */
function* activeCanvasSteps(text: string, targets: LinkTargets): Steps<boolean> {
  let canvas: unknown;
  try {
    canvas = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return true;
  }
  const nodes: unknown = isRecord(canvas) ? (canvas.nodes ?? []) : null;
  if (!Array.isArray(nodes)) return true;
  for (const node of nodes) {
    const card: unknown = node;
    if (!isRecord(card)) return true;
    if (card.type === 'file' || card.type === 'group') continue;
    if (card.type !== 'text' || typeof card.text !== 'string') return true;
    const input = { body: card.text, from: NOWHERE, targets, activeContent: true };
    if ((yield* gateApart({ ...input, mode: 'promote' })).refs.some(isActiveRef)) return true;
    yield;
  }
  return false;
}
