import { GFM, parser } from '@lezer/markdown';
import type { Tree } from '@lezer/common';
import { blockSyntax } from './block-syntax';
import { inlineSyntax } from './inline-syntax';

const noteParser = parser.configure([GFM, inlineSyntax, blockSyntax]);

/** Reads a body as Obsidian would, into a syntax tree. Takes time in proportion to its length, whatever it holds. */
export function parseBody(body: string): Tree {
  return noteParser.parse(body);
}
