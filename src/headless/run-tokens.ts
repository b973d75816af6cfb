import type { TokenFile } from '../adapters/node/token-file';
import {
  ALL_SCOPES,
  createPageToken,
  findToken,
  hashToken,
  joinTokenStores,
  type TokenStore,
} from '../doors/auth';

/** The tokens of one run of the server. */
export interface RunTokens {
  readonly store: TokenStore;
  /** For this run's page alone: whoever sends it acts as the person. Kept in memory and shown to a terminal only. */
  readonly pageToken: string;
}

/** The saved tokens and a page token; an `ownerToken` from the environment takes the place of the saved owner's. */
export function runTokens(file: TokenFile, ownerToken: string | undefined): RunTokens {
  const { token: pageToken, store: page } = createPageToken();
  const saved = ownerToken === undefined ? file : withOwner(file, ownerToken);
  return { store: joinTokenStores(page, saved), pageToken };
}

function withOwner(file: TokenFile, ownerToken: string): TokenStore {
  const entry = { hash: hashToken(ownerToken), name: 'owner', scopes: ALL_SCOPES, page: false };
  return {
    async verify(token) {
      const owner = findToken(hashToken(token), [entry]);
      const saved = await file.verify(token);
      return owner ?? (saved?.name === 'owner' ? null : saved);
    },
  };
}
