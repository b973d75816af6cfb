import { BrainError } from '../base/errors';
import { apart, inSlices, type Steps } from '../base/steps';
import { type JudgedKind, judgedKind } from '../documents/formats';
import { ACTIVE_FILE, CANVAS_CARDS } from '../gate/active-file';
import { gateApart } from '../gate/apart';
import { isActiveRef } from '../gate/finding';
import { type LinkTargets, NOWHERE } from '../links/resolve';
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
  if (kind === 'canvas') return yield* activeCanvasSteps(text, targets);
  return yield* apart(ACTIVE_FILE, { kind, text });
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

/** A canvas shows cards as notes. */
function* activeCanvasSteps(text: string, targets: LinkTargets): Steps<boolean> {
  const cards = yield* apart(CANVAS_CARDS, text);
  if (cards === null) return true;
  for (const body of cards) {
    const input = { body, from: NOWHERE, targets, activeContent: true };
    if ((yield* gateApart({ ...input, mode: 'promote' })).refs.some(isActiveRef)) return true;
    yield;
  }
  return false;
}
