import * as z from 'zod';
import { BrainError } from '../base/errors';
import { MIB, sha256Steps } from '../base/hash';
import { inSlices } from '../base/steps';
import { pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { hashShape, pathShape } from '../operation/shapes';
import { zoneOf } from '../vocabulary/paths';
import { resolveInputPath } from './targets';

/** The largest image that is sent (bytes). */
const MAX_IMAGE = 16 * MIB;

const IMAGE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

const output = z.object({
  path: pathShape,
  content_type: z.enum(IMAGE_TYPES),
  content_hash: hashShape,
  bytes: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
});

/**
 * Reads an image of the vault, for the preview of a note: an attachment that a note may link to, by its exact path. The content
 * decides the type. Fails with `path_not_allowed` for a path outside the vault, `not_found` for anything that is no such image or
 * that the caller may not read, and `too_large` beyond 16 MiB.
 */
export const readImage = operation({
  name: 'file',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField.describe('Path of an image, such as Attachments/plan.png') }),
  output,
  async run(brain, { path: given }) {
    const path = resolveInputPath(brain, given);
    const isOpen =
      NAME.test(path) &&
      ['wiki', 'knowledge', 'processed', 'other'].includes(zoneOf(path)) &&
      !brain.catalog.scope.excludes(path);
    const bytes = isOpen ? await brain.vault.readBytes(path, MAX_IMAGE) : null;
    const type = bytes === null ? null : imageType(bytes, path);
    if (bytes === null || type === null) {
      throw new BrainError(
        'not_found',
        'There is no image at this path that can be read. Give the path of a PNG, JPEG, GIF, WebP, AVIF or SVG file that notes may link to.',
        { path },
      );
    }
    const hash = await inSlices(sha256Steps(bytes), brain.pace);
    return { path, content_type: type, content_hash: hash, bytes };
  },
});

const NAME = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** The beginnings of image files, as one character for each byte. */
const SIGNATURES: readonly (readonly [start: RegExp, type: ImageType])[] = [
  [/^\x89PNG\r\n[^]\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^[^]{4}ftyp(?:avif|avis)/, 'image/avif'],
];
/** The beginning of an SVG file, behind a byte order mark, a declaration, comments and a document type. */
const SVG =
  /^(?:\xef\xbb\xbf)?(?:\s|<\?xml[^<>]*\?>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE\s+svg[^<>[]*(?:\[[^\]]*\]\s*)?>)*<svg[\s>]/i;
/** The length in which an SVG file must begin (bytes). */
const HEAD = 4096;

/** Returns the type of an image by its content; null for anything else. Only a file with the name of one is an SVG file. */
function imageType(bytes: Uint8Array, path: string): ImageType | null {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD));
  const found = SIGNATURES.find(([start]) => start.test(head));
  if (found !== undefined) return found[1];
  return /\.svg$/i.test(path) && SVG.test(head) ? 'image/svg+xml' : null;
}
