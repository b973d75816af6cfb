import type { ExpandedFile, ExportFile, LeftOut } from '../../core/documents/ports';

/** What the thread asks of its host while it expands an export: bytes of a file, and the files that it makes. */
type Asking =
  | { readonly op: 'read'; readonly id: number; readonly from: number; readonly to: number }
  | { readonly op: 'create'; readonly place: string; readonly modified?: number }
  | { readonly op: 'append'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly op: 'progress'; readonly done: number; readonly total: number };

/** What the host answers: bytes for `read`, the number of the file for `create`. */
export type Reply = Uint8Array<ArrayBuffer> | number | null;

/** A job of the thread: to expand an export; its questions come first, each answered by a reply. */
export type ExpandJob = { readonly expand: readonly ExportFile[] } | { readonly reply: Reply };

export type ExpandAnswer =
  | { readonly ask: Asking }
  | {
      readonly expanded: readonly ExpandedFile[];
      readonly left: readonly LeftOut[];
      readonly told: readonly string[];
    };

/** The host, as the program that expands sees it. One question is open at a time. */
export interface Host {
  read(id: number, from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  create(place: string, modified?: number): Promise<number>;
  append(id: number, bytes: Uint8Array): Promise<void>;
  progress(done: number, total: number): Promise<void>;
}
