/**
 * js-yaml under a name of its own: the line 3 that gray-matter reads with, pinned, and not the line that other
 * packages may bring. Only what is used of it is declared.
 */
declare module 'js-yaml-3' {
  /** Strings, lists and maps: nothing is read as a number, a time or code. */
  export const FAILSAFE_SCHEMA: object;
  /** How values of one tag are known and made. `resolve` is asked of plain scalars when the type is implicit. */
  export class Type {
    constructor(
      tag: string,
      options: { kind: 'scalar'; resolve(data: unknown): boolean; construct(data: unknown): unknown },
    );
  }
  export class Schema {
    constructor(definition: { include: readonly object[]; implicit: readonly Type[] });
  }
  /** The one document in `text`. With `json` a repeated key is no error. @throws YAMLException. */
  export function load(text: string, options: { schema: object; json?: boolean }): unknown;
}
