import type * as Real from 'obsidian';
import type { EditorPosition, EditorRange } from 'obsidian';

/** The text of an open note with one selection in it. No undo, no scrolling, no key commands. */
export class Editor {
  declare getDoc: Real.Editor['getDoc'];
  declare setLine: Real.Editor['setLine'];
  declare lastLine: Real.Editor['lastLine'];
  declare getSelection: Real.Editor['getSelection'];
  declare somethingSelected: Real.Editor['somethingSelected'];
  declare getRange: Real.Editor['getRange'];
  declare listSelections: Real.Editor['listSelections'];
  declare setSelections: Real.Editor['setSelections'];
  declare hasFocus: Real.Editor['hasFocus'];
  declare getScrollInfo: Real.Editor['getScrollInfo'];
  declare scrollTo: Real.Editor['scrollTo'];
  #text = '';
  #anchor = 0;
  #head = 0;
  readonly #changed: () => void;

  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  refresh(): void {
    return undefined;
  }

  getValue(): string {
    return this.#text;
  }

  setValue(content: string): void {
    this.#put(0, this.#text.length, content);
  }

  getLine(line: number): string {
    return this.#text.split('\n')[line] ?? '';
  }

  lineCount(): number {
    return this.#text.split('\n').length;
  }

  replaceSelection(replacement: string): void {
    const [from, to] = this.#span();
    this.#put(from, to, replacement);
  }

  replaceRange(replacement: string, from: EditorPosition, to: EditorPosition = from): void {
    this.#put(this.posToOffset(from), this.posToOffset(to), replacement);
  }

  getCursor(side: 'from' | 'to' | 'head' | 'anchor' = 'head'): EditorPosition {
    const [from, to] = this.#span();
    return this.offsetToPos({ from, to, head: this.#head, anchor: this.#anchor }[side]);
  }

  setCursor(pos: EditorPosition | number, ch = 0): void {
    this.setSelection(typeof pos === 'number' ? { line: pos, ch } : pos);
  }

  setSelection(anchor: EditorPosition, head: EditorPosition = anchor): void {
    this.#anchor = this.posToOffset(anchor);
    this.#head = this.posToOffset(head);
  }

  focus(): void {
    return undefined;
  }

  blur(): void {
    return undefined;
  }

  scrollIntoView(_: EditorRange): void {
    return undefined;
  }

  undo(): void {
    throw lacking('undo');
  }

  redo(): void {
    throw lacking('redo');
  }

  exec(): void {
    throw lacking('exec');
  }

  transaction(): void {
    throw lacking('transaction');
  }

  wordAt(): EditorRange | null {
    throw lacking('wordAt');
  }

  processLines(): void {
    throw lacking('processLines');
  }

  posToOffset({ line, ch }: EditorPosition): number {
    const lines = this.#text.split('\n');
    const before = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
    return Math.min(before + ch, this.#text.length);
  }

  offsetToPos(offset: number): EditorPosition {
    const before = this.#text.slice(0, offset).split('\n');
    return { line: before.length - 1, ch: before.at(-1)?.length ?? 0 };
  }

  #span(): [number, number] {
    return [Math.min(this.#anchor, this.#head), Math.max(this.#anchor, this.#head)];
  }

  #put(from: number, to: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
    this.#anchor = this.#head = from + text.length;
    this.#changed();
  }
}

function lacking(name: string): Error {
  return new Error(`The editor of the fake host has no ${name}.`);
}
