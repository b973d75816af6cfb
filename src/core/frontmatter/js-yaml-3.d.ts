/**
 * js-yaml 3 under a name of its own: the pinned version that gray-matter uses, not one of other packages. Only the used part is
 * declared.
 */
declare module 'js-yaml-3' {
  /** The schema of strings, lists and maps, without numbers, times and code. */
  export const FAILSAFE_SCHEMA: object;
  /** The type of one tag. For an implicit type the parser calls `resolve` with each plain scalar. */
  export class Type {
    constructor(
      tag: string,
      options: { kind: 'scalar'; resolve(data: unknown): boolean; construct(data: unknown): unknown },
    );
  }
  export class Schema {
    constructor(definition: { include: readonly object[]; implicit: readonly Type[] });
  }
  /** Parses the single document in `text`. With `json` a repeated key is no error. @throws YAMLException. */
  export function load(text: string, options: { schema: object; json?: boolean }): unknown;
}
