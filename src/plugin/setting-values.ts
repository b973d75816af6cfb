/** Settings that hold several texts; a person types them into one field, between commas. */
const LISTS: readonly string[] = ['allowedHosts', 'allowedOrigins'];

/** The value of a setting as its field shows it. */
export function shownValue(value: unknown): unknown {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** What a person typed as the value of the setting. */
export function typedValue(key: string, typed: unknown): unknown {
  if (!LISTS.includes(key) || typeof typed !== 'string') return typed;
  return typed
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
