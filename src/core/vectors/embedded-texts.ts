import * as z from 'zod';
import type { Pacing } from '../pace';
import type { Store } from '../ports';
import { type VaultPath, vaultPath } from '../rules/paths';

/** What this device embedded of a note. Derived: without it a note that was only touched is embedded once more. */
export interface EmbeddedText {
  /** Of the pieces as they were sent. */
  readonly hash: string;
  /** The time of the row that was made of it; when the row has another one by now, this says nothing. */
  readonly at: number;
  /** Of the file as it stood. */
  readonly mtime: number;
  readonly size: number;
}

const line = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number()]);

/** Lines that are read or written in one piece of work. */
const LINES = 200;

type Keeping = Pick<Store & Pacing, 'state' | 'device' | 'pace'>;

/** What was saved last; lines that cannot be read are left out. */
export async function loadEmbeddedTexts(brain: Keeping): Promise<Map<VaultPath, EmbeddedText>> {
  const lines = ((await brain.state.read(fileOf(brain))) ?? '').split('\n');
  const texts = new Map<VaultPath, EmbeddedText>();
  for (let from = 0; from < lines.length; from += LINES) {
    await brain.pace.run(() => {
      for (const text of lines.slice(from, from + LINES)) {
        const parsed = line.safeParse(json(text));
        if (!parsed.success) continue;
        const [path, hash, at, mtime, size] = parsed.data;
        texts.set(vaultPath(path), { hash, at, mtime, size });
      }
    });
  }
  return texts;
}

/** Saves them in place of those that were saved before. */
export async function saveEmbeddedTexts(
  brain: Keeping,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
): Promise<void> {
  const entries = [...texts];
  const parts: string[] = [];
  for (let from = 0; from < entries.length; from += LINES) {
    await brain.pace.run(() => {
      for (const [path, { hash, at, mtime, size }] of entries.slice(from, from + LINES)) {
        parts.push(`${JSON.stringify([path, hash, at, mtime, size])}\n`);
      }
    });
  }
  await brain.state.write(fileOf(brain), parts.join(''));
}

function fileOf({ device }: Pick<Store, 'device'>): string {
  return `local.${device}/embedded.jsonl`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Torn or damaged: the note is embedded once more.
  }
}
