import type { VaultPath } from '../rules/paths';
import { compareText } from '../rules/text';
import { type Link, MAX_TARGET, namesMeant } from './link-tables';

/** A link as it is written, whoever writes it, and the notes that do. */
interface SharedLink {
  readonly link: Link;
  readonly sources: ReadonlySet<VaultPath>;
}

/**
 * Which notes write which links, found by the names that a link may mean: whoever asks what leads to a note looks at the links
 * that have a name in common with it, and at no other link of the notes that write them.
 */
export class LinkSources {
  readonly #links = new Map<string, { readonly link: Link; readonly sources: Set<VaultPath> }>();
  readonly #named = new Map<string, Set<SharedLink>>();

  /** Takes note that the note at `source` writes the link. One that is too long to name a note is left out. */
  add(link: Link, source: VaultPath): void {
    if (link.target.length > MAX_TARGET) return;
    const key = keyOf(link);
    const known = this.#links.get(key);
    if (known !== undefined) {
      known.sources.add(source);
      return;
    }
    const shared = { link, sources: new Set([source]) };
    this.#links.set(key, shared);
    for (const name of namesMeant(link.target)) {
      const others = this.#named.get(name);
      if (others === undefined) this.#named.set(name, new Set([shared]));
      else others.add(shared);
    }
  }

  /** Takes note that the note at `source` writes the link no more; nothing when it did not. */
  delete(link: Link, source: VaultPath): void {
    const shared = this.#links.get(keyOf(link));
    if (shared === undefined || !shared.sources.delete(source) || shared.sources.size > 0) return;
    this.#links.delete(keyOf(link));
    for (const name of namesMeant(link.target)) {
      const others = this.#named.get(name);
      if (others?.delete(shared) === true && others.size === 0) this.#named.delete(name);
    }
  }

  /**
   * The notes that write a link which may mean one of the names and passes; by path. Of a note none is looked at after the
   * first that does.
   */
  linking(names: Iterable<string>, passes: (link: Link, source: VaultPath) => boolean): VaultPath[] {
    const links = new Set<SharedLink>();
    for (const name of names) for (const shared of this.#named.get(name) ?? []) links.add(shared);
    const found = new Set<VaultPath>();
    for (const { link, sources } of links) {
      for (const source of sources) if (!found.has(source) && passes(link, source)) found.add(source);
    }
    return [...found].sort(compareText);
  }
}

function keyOf({ target, relative }: Link): string {
  return `${relative ? 'from here' : 'from the root'}:${target}`;
}
