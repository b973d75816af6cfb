import { BrainError } from '../../src/core/base/errors';
import type { Embedder, EmbedKind } from '../../src/core/ports/ports';
import type { StopSignal } from '../../src/core/base/host';
import { meaningOf } from './word-vectors';

export interface FakeEmbedder extends Embedder {
  maker: string;
  /** Every call: what was asked, and as what. */
  readonly calls: { readonly texts: readonly string[]; readonly kind: EmbedKind }[];
  /** Runs before a call is answered; what it rejects with, the call rejects with. */
  before: (texts: readonly string[], kind: EmbedKind, signal?: StopSignal) => Promise<void>;
  /** Texts longer than this are refused as too long. */
  limit: number;
}

/** An embedder that knows a few words, in this process. */
export function fakeEmbedder(): FakeEmbedder {
  const embedder: FakeEmbedder = {
    maker: 'fake-model',
    calls: [],
    before: async () => undefined,
    limit: Infinity,
    async embed(texts, kind, signal) {
      if (texts.some((text) => text.trim() === ''))
        throw new BrainError('empty_content', 'There is no text to embed.');
      if (texts.length === 0) return [];
      embedder.calls.push({ texts, kind });
      await embedder.before(texts, kind, signal);
      if (signal?.stopped === true) throw embedError('was no longer waited for');
      if (texts.some((text) => text.length > embedder.limit)) {
        throw embedError('a text is longer than the model reads', { status: 400, too_long: true });
      }
      return texts.map(meaningOf);
    },
  };
  return embedder;
}

/** As the adapters reject; without a status nobody answered. */
export function embedError(message: string, details: Readonly<Record<string, unknown>> = {}): BrainError {
  return new BrainError('embed_error', `The embedder at fake: ${message}.`, { host: 'fake', ...details });
}
