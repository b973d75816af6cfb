/**
 * Settings that are secrets. The file of the settings travels with the vault, so it holds only the id under which the app
 * keeps the secret on each device: setting → the key of that id.
 */
export const SECRET_SETTINGS = {
  pgDsn: 'pgDsnSecret',
  llmKey: 'llmKeySecret',
  converterToken: 'converterTokenSecret',
} as const;

export type SecretSetting = keyof typeof SECRET_SETTINGS;

const SETTINGS: readonly SecretSetting[] = ['pgDsn', 'llmKey', 'converterToken'];

/** Reads a secret of this device by its id; null when there is none. */
export type ReadSecret = (id: string) => string | null;

/** The secrets that the settings name and this device has. One that is missing or empty is left out. */
export function secretsOf(
  saved: Readonly<Record<string, unknown>>,
  read: ReadSecret,
): Partial<Record<SecretSetting, string>> {
  const found: Partial<Record<SecretSetting, string>> = {};
  for (const setting of SETTINGS) {
    const id = saved[SECRET_SETTINGS[setting]];
    const secret = typeof id === 'string' && id !== '' ? read(id) : null;
    if (secret !== null && secret !== '') found[setting] = secret;
  }
  return found;
}
