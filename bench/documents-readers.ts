import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { documentProgram } from '../tests/support/document-program';
import { nodeReader } from '../tests/support/document-readers';
import { BrainError } from '../src/core/base/errors';
import { peerFile, peerVersion, requirePeer } from './peer-packages';

/** A reader of documents; `read` resolves with Markdown or plain text, or null when it refuses the file. */
export interface BenchReader {
  readonly name: string;
  read(path: string): Promise<string | null>;
  /** Reads the file in another order, where the program has a choice of two. */
  readonly readOtherwise?: (path: string) => Promise<string | null>;
}

/** Our reader with its thread, as the server has it. `refusals` holds the code for each file that it refused. */
export interface OwnReader extends BenchReader {
  readonly refusals: ReadonlyMap<string, string>;
  close(): void;
}

export function ownReader(): OwnReader {
  // The build puts the program of the thread into the server; here it is made for the run.
  Reflect.set(globalThis, 'DOCUMENT_PROGRAM', documentProgram());
  const reader = nodeReader();
  const refusals = new Map<string, string>();
  return {
    name: 'ours, with its thread',
    refusals,
    async read(path) {
      try {
        const bytes = new Uint8Array(readFileSync(path));
        return (await reader.read({ name: basename(path), bytes })).markdown;
      } catch (error) {
        if (!(error instanceof BrainError)) throw error;
        refusals.set(path, error.code);
        return null;
      }
    },
    close: () => reader.close(),
  };
}

/** The members of the peers that the bench uses. */
interface Readability {
  Readability: new (document: unknown) => { parse(): { content?: string | null } | null };
}
interface Turndown {
  new (options: object): { turndown(html: string): string };
}
interface Jsdom {
  JSDOM: new (html: string, options: object) => { window: { document: unknown; close(): void } };
  VirtualConsole: new () => object;
}
interface Linkedom {
  parseHTML(html: string): { document: unknown };
}
interface Defuddle {
  Defuddle(document: unknown, url: string | undefined, options: object): Promise<{ content: string }>;
}

const TURNDOWN = { headingStyle: 'atx', codeBlockStyle: 'fenced' };

/** The readers of HTML in `bench/peers` that are installed. */
export function htmlPeers(addressOf: (path: string) => string | undefined): BenchReader[] {
  const readability = peerVersion('@mozilla/readability');
  const defuddle = peerVersion('defuddle');
  return [
    ...(readability === undefined ? [] : [readabilityReader(readability, addressOf)]),
    ...(defuddle === undefined ? [] : [defuddleReader(defuddle, addressOf)]),
  ];
}

function readabilityReader(version: string, addressOf: (path: string) => string | undefined): BenchReader {
  const { Readability }: Readability = requirePeer('@mozilla/readability');
  const { JSDOM, VirtualConsole }: Jsdom = requirePeer('jsdom');
  const TurndownService: Turndown = requirePeer('turndown');
  const service = new TurndownService(TURNDOWN);
  // It drops what jsdom says about style sheets.
  const virtualConsole = new VirtualConsole();
  return {
    name: `readability ${version} on jsdom, with turndown`,
    async read(path) {
      const url = addressOf(path);
      const { window } = new JSDOM(readFileSync(path, 'utf8'), {
        virtualConsole,
        ...(url !== undefined && { url }),
      });
      try {
        const article = new Readability(window.document).parse();
        return typeof article?.content === 'string' ? service.turndown(article.content) : null;
      } finally {
        window.close();
      }
    },
  };
}

function defuddleReader(version: string, addressOf: (path: string) => string | undefined): BenchReader {
  const { Defuddle }: Defuddle = requirePeer(peerFile('defuddle', 'dist/node.js'));
  const { parseHTML }: Linkedom = requirePeer('linkedom');
  return {
    name: `defuddle ${version} on linkedom`,
    async read(path) {
      const { document } = parseHTML(readFileSync(path, 'utf8'));
      // Without `useAsync: false` it asks services of the network about pages that it cannot read.
      const { content } = await Defuddle(document, addressOf(path), { markdown: true, useAsync: false });
      return content;
    },
  };
}

/** pdftotext, with its process; null where it is not installed. */
export function pdftotext(): BenchReader | null {
  const version = /pdftotext version (\S+)/.exec(
    spawnSync('pdftotext', ['-v'], { encoding: 'utf8' }).stderr ?? '',
  )?.[1];
  if (version === undefined) return null;
  return {
    name: `pdftotext ${version}, with its process`,
    read: async (path) => outputOf('pdftotext', ['-enc', 'UTF-8', path, '-']),
    readOtherwise: async (path) => outputOf('pdftotext', ['-layout', '-enc', 'UTF-8', path, '-']),
  };
}

/**
 * pandoc with plain output, with its process; null where it is not installed. It opens no other file. The numbers are removed that
 * it gives to items and to deep headings.
 */
export function pandoc(from: string): BenchReader | null {
  const version = /pandoc (\S+)/.exec(
    spawnSync('pandoc', ['--version'], { encoding: 'utf8' }).stdout ?? '',
  )?.[1];
  if (version === undefined) return null;
  return {
    name: `pandoc ${version}, with its process`,
    async read(path) {
      const text = outputOf('pandoc', ['--sandbox', '--from', from, '--to', 'plain', '--wrap=none', path]);
      return text === null ? null : withoutRepeatedNotes(text.replace(/^\s*\d+\.\s{2}/gm, ''));
    },
  };
}

/** Removes copies of footnotes: pandoc prints one for each reference, with a number of its own. */
function withoutRepeatedNotes(text: string): string {
  const seen = new Set<string>();
  const parts = text.split(/^(?=\[\d+\] )/m).filter((part) => {
    const note = part.replace(/^\[\d+\] /, '').trim();
    if (note === part.trim() || !seen.has(note)) {
      seen.add(note);
      return true;
    }
    return false;
  });
  return parts.join('');
}

function outputOf(program: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return status === 0 ? stdout : null;
}
