/** What stays on one device for one vault, over restarts of the app: local storage and secrets. Hand it to the next host. */
export interface Device {
  readonly localStorage: Map<string, string>;
  readonly secrets: Map<string, string>;
}

export function newDevice(): Device {
  return { localStorage: new Map(), secrets: new Map() };
}
