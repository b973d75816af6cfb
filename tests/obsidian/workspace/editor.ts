import type { EditorPosition, EditorRange, EditorSelection, EditorSelectionOrCaret } from 'obsidian';

/** The text of an open note with one selection in it. No undo, no scrolling, no key commands. */
export class Editor {
  #text = '';
  #anchor = 0;
  #head = 0;
  #focused = false;
  readonly #changed: () => void;

  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  getDoc(): this {
    return this;
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

  setLine(n: number, text: string): void {
    this.replaceRange(text, { line: n, ch: 0 }, { line: n, ch: this.getLine(n).length });
  }

  lineCount(): number {
    return this.#text.split('\n').length;
  }

  lastLine(): number {
    return this.lineCount() - 1;
  }

  getSelection(): string {
    return this.#text.slice(...this.#span());
  }

  somethingSelected(): boolean {
    return this.#anchor !== this.#head;
  }

  getRange(from: EditorPosition, to: EditorPosition): string {
    return this.#text.slice(this.posToOffset(from), this.posToOffset(to));
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

  listSelections(): EditorSelection[] {
    return [{ anchor: this.getCursor('anchor'), head: this.getCursor('head') }];
  }

  setCursor(pos: EditorPosition | number, ch = 0): void {
    this.setSelection(typeof pos === 'number' ? { line: pos, ch } : pos);
  }

  setSelection(anchor: EditorPosition, head: EditorPosition = anchor): void {
    this.#anchor = this.posToOffset(anchor);
    this.#head = this.posToOffset(head);
  }

  setSelections(ranges: EditorSelectionOrCaret[], main = 0): void {
    const range = ranges[main];
    if (range !== undefined) this.setSelection(range.anchor, range.head ?? range.anchor);
  }

  focus(): void {
    this.#focused = true;
  }

  blur(): void {
    this.#focused = false;
  }

  hasFocus(): boolean {
    return this.#focused;
  }

  getScrollInfo(): { top: number; left: number } {
    return { top: 0, left: 0 };
  }

  scrollTo(): void {
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
