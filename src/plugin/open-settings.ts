import type { App } from 'obsidian';
import { isRecord } from '../core/rules/record';

/**
 * How to open the settings page of the plugin `id`; null where the app does not offer it. The app has the means for it and
 * does not document them, so what is not there as expected is left alone.
 */
export function settingsOpener(app: App, id: string): (() => void) | null {
  const settings: unknown = 'setting' in app ? app.setting : null;
  if (!isRecord(settings)) return null;
  const { open, openTabById } = settings;
  if (typeof open !== 'function' || typeof openTabById !== 'function') return null;
  return () => {
    Reflect.apply(open, settings, []);
    Reflect.apply(openTabById, settings, [id]);
  };
}
