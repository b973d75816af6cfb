/** Rows of the settings page that speak of this device alone; what they turn is no setting of the service. */
export const DEVICE_KEYS = {
  start: 'startHere',
  letters: 'singleLetterKeys',
  watch: 'watchHere',
} as const;
