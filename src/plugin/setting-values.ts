/** Settings that hold several texts; a person types them into one field, between commas. */
const LISTS: readonly string[] = ['allowedHosts', 'allowedOrigins', 'ingestRoots'];
/** Settings whose field, left empty, means that there is none, or the default. */
const MAY_BE_EMPTY: readonly string[] = [
  'embedUrl',
  'embedModel',
  'pgSchema',
  'llmUrl',
  'llmModel',
  'watchDir',
  'converterUrl',
];

/** The value of a setting as its field shows it. */
export function shownValue(value: unknown): unknown {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** What a person typed as the value of the setting. */
export function typedValue(key: string, typed: unknown): unknown {
  if (typeof typed !== 'string') return typed;
  if (MAY_BE_EMPTY.includes(key)) return typed.trim() === '' ? undefined : typed.trim();
  if (!LISTS.includes(key)) return typed;
  return typed
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
