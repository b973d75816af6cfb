import type { Device } from '../core/device';
import { Events } from '../core/events';

/** Secrets of this vault on this device. Ids are lower-case letters and digits with dashes between. */
export class SecretStorage extends Events {
  readonly #secrets: Map<string, string>;

  constructor(device: Device) {
    super();
    this.#secrets = device.secrets;
  }

  setSecret(id: string, secret: string): void {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) {
      throw new Error(`Invalid secret ID "${id}": use lowercase letters, digits and dashes.`);
    }
    this.#secrets.set(id, secret);
    this.trigger('change', id);
  }

  getSecret(id: string): string | null {
    return this.#secrets.get(id) ?? null;
  }

  listSecrets(): string[] {
    return [...this.#secrets.keys()];
  }
}
