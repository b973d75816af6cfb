import type { Brain } from '../brain';
import { contentKeySteps } from '../catalog/content-key';
import { isCatalogued } from '../catalog/zones';
import type { Gated } from '../rules/gate';
import type { Sha } from '../rules/hash';
import type { LinkTargets } from '../rules/links';
import { factSteps, type MarkdownFacts } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { inSlices } from '../steps';
import { type BodyToGate, gateBody, noting } from './gate-body';

/**
 * The long work that one call does on a body: its way through the gate, its facts, and its content key. All of it is
 * remembered, so that a change that was planned before the writer was taken is planned again in a moment with the writer held.
 */
export class BodyWork {
  readonly #gated = new Map<string, { request: BodyToGate; gated: Gated; seen: ReadonlySet<VaultPath> }>();
  readonly #facts = new Map<string, MarkdownFacts>();
  readonly #keys = new Map<string, Sha>();

  constructor(private readonly brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>) {}

  /**
   * As `gateBody`. What the gate gave for the same request still counts as long as the files stand that the links may lead
   * to; it is then as if the call had come a moment earlier.
   */
  async gate(
    request: BodyToGate,
    beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
  ): Promise<Gated> {
    const { catalog } = this.brain;
    const place = request.from.path ?? '';
    const known = this.#gated.get(place);
    const stands = (path: VaultPath): boolean => !isCatalogued(path) || catalog.taken(path) === path;
    if (known !== undefined && isSame(known.request, request) && [...known.seen].every(stands))
      return known.gated;
    const seen = new Set<VaultPath>();
    const gated = await gateBody(this.brain, request, (targets) => noting(catalog, beside(targets), seen));
    this.#gated.set(place, { request, gated, seen });
    return gated;
  }

  async facts(body: string): Promise<MarkdownFacts> {
    const facts = this.#facts.get(body) ?? (await inSlices(factSteps(body), this.brain.pace));
    this.#facts.set(body, facts);
    return facts;
  }

  /** What notes with the same text share; see `contentKey`. */
  async key(body: string): Promise<Sha> {
    const { links } = await this.facts(body);
    const key = this.#keys.get(body) ?? (await inSlices(contentKeySteps(body, links), this.brain.pace));
    this.#keys.set(body, key);
    return key;
  }
}

function isSame(one: BodyToGate, other: BodyToGate): boolean {
  const rest = ({ from, mode, blind, choices }: BodyToGate): string =>
    JSON.stringify([from, mode, blind, ...(choices ?? [])]);
  return one.body === other.body && one.current === other.current && rest(one) === rest(other);
}
