import { jsonBytes } from '../rules/json-bytes';
import { utf8Text } from '../rules/utf8';

/** So many paths are in a group, but for the last one: a step of a few tenths of a millisecond. */
export const PATH_GROUP = 256;

/** Paths as a file of the index has them: in groups, each of them JSON, of which a host makes texts faster than any code. */
export class PathList {
  /** @param ends where each group ends in `bytes` */
  constructor(
    private readonly ends: Uint32Array,
    private readonly bytes: Uint8Array,
  ) {}

  /** Number of groups. */
  get groups(): number {
    return this.ends.length;
  }

  /** The paths of a group, in order. */
  group(at: number): readonly string[] {
    const group = this.bytes.subarray(at === 0 ? 0 : this.ends[at - 1], this.ends[at]);
    return JSON.parse(utf8Text(group)) as readonly string[]; // A checksum says that it is as it was written.
  }
}

/** The groups as bytes, of multiples of eight. Half a surrogate pair, as a file name on Windows may have it, stands as an escape. */
export function* packPaths(paths: readonly string[]): Generator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; from < paths.length; from += PATH_GROUP)
    yield jsonBytes(JSON.stringify(paths.slice(from, from + PATH_GROUP)));
}
