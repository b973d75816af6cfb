import type { App } from 'obsidian';
import { configuredEmbedder } from '../../adapters/models/configured';
import { outgoingHttp } from '../../adapters/host/http';
import { lookForEmbedders } from '../../adapters/models/look';
import { obsidianHttp } from '../../adapters/obsidian/http';
import { BrainError } from '../../core/base/errors';
import { Pace } from '../../core/base/steps';
import { hostOf } from '../../core/base/redact';
import { type Config, ConfigError, LOCAL_DSN } from '../../core/config/config';
import { CallError } from '../../core/registry/client';
import { trySearch, USUAL_URLS } from '../../core/tryout/tryout';
import type { MeaningChoice, MeaningSettings } from '../../ui/meaning/setup';
import type { ServerControl } from '../server/control';
import type { SavedSettings, SettingsStore } from '../server/store';
import { setTimer } from '../server/timers';
import { settle } from './rules';

// This module is loaded on demand: few people set this up, and once.

interface MeaningDeps {
  readonly app: App;
  readonly control: Pick<ServerControl, 'client'>;
  readonly settings: Pick<SettingsStore, 'saved' | 'setAll'>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The variables that decide instead of the form. */
const VARIABLES = ['BRAIN_PG_DSN', 'BRAIN_EMBED_URL', 'BRAIN_EMBED_API', 'BRAIN_EMBED_MODEL'];

/**
 * Returns what the set-up of search by meaning asks of the app: the settings as they are, the embedders of this machine, a
 * try-out through the open vault, and the saving.
 * @throws ConfigError when another setting is invalid, Error when environment variables decide instead
 */
export function meaningSettings({ app, control, settings, env }: MeaningDeps): MeaningSettings {
  const given = VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (given !== undefined) {
    throw new Error(
      `The environment variable ${given} decides how this device searches by meaning. Unset it first.`,
    );
  }
  const http = obsidianHttp(after);
  const present = presentConfig(app, env, settings.saved);
  return {
    saved: savedChoice(settings.saved, present),
    hasDatabase: present.pgDsn !== LOCAL_DSN,
    notes: present.embedRoots === 'wiki' ? 'reviewed notes' : 'notes',
    look: () => lookForEmbedders(http),
    async tryOut({ api, url, model }, question, options) {
      const { client } = control;
      if (client === null)
        throw new CallError('unreachable', 'The vault is not open. Start the server first.');
      const { embedKey, ...others } = present;
      const key = keepsKey(settings.saved, url) && embedKey !== undefined ? { embedKey } : {};
      const chosen = { ...others, ...key, embedApi: api, embedModel: model };
      // The app's own client follows redirects, which would take the key elsewhere.
      const embedder = configuredEmbedder(url, chosen, 'embedKey' in key ? outgoingHttp : http);
      const pace = new Pace(() => after(0), { now: () => new Date() });
      try {
        return await trySearch({ client, embedder, pace, roots: present.embedRoots, ...options }, question);
      } catch (error) {
        throw error instanceof BrainError ? new CallError(error.code, error.message) : error;
      }
    },
    // The server restarts by itself after a change of settings.
    async save(choice) {
      const changes = changesFor(choice, settings.saved);
      refuseUnusable(app, env, { ...settings.saved, ...changes });
      await settings.setAll(changes);
    },
  };
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimer(milliseconds, resolve));
}

/** Returns the configuration as it would be with vectors and an embedder, since one of them alone is none. */
function presentConfig(app: App, env: MeaningDeps['env'], saved: SavedSettings): Config {
  const whole = { ...saved, embedUrl: USUAL_URLS.ollama, vectorStore: 'local' };
  return settle(env, whole, (id) => app.secretStorage.getSecret(id));
}

function savedChoice(saved: SavedSettings, { pgDsn, embedApi, embedModel, fusion }: Config): MeaningChoice {
  const url = typeof saved.embedUrl === 'string' ? saved.embedUrl : undefined;
  const kept = pgDsn === LOCAL_DSN ? 'local' : 'postgres';
  return {
    place: url === undefined ? 'off' : kept,
    embedder: { api: embedApi, url: url ?? USUAL_URLS.ollama, model: embedModel ?? '' },
    fusion,
  };
}

/** Returns true when the key of the settings is for the service at this address: no other one may get it. */
function keepsKey({ embedUrl }: SavedSettings, url: string): boolean {
  return typeof embedUrl !== 'string' || hostOf(embedUrl) === hostOf(url);
}

/** @throws CallError for settings with which the server would not start */
function refuseUnusable(app: App, env: MeaningDeps['env'], changed: SavedSettings): void {
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  try {
    const config = settle(env, given, (id) => app.secretStorage.getSecret(id));
    if (config.embedUrl !== undefined) configuredEmbedder(config.embedUrl, config, outgoingHttp);
  } catch (error) {
    throw error instanceof ConfigError ? new CallError('invalid_field', error.message) : error;
  }
}

/**
 * Returns the settings of a choice. An address of a database goes before files, so that choosing files removes its name; files are
 * what a device keeps that has no address of the database.
 */
function changesFor(
  { place, embedder, fusion }: MeaningChoice,
  saved: SavedSettings,
): Readonly<Record<string, unknown>> {
  if (place === 'off') return { vectorStore: undefined, embedUrl: undefined, pgDsnSecret: undefined };
  const { api, url, model } = embedder;
  return {
    vectorStore: 'local',
    ...(place === 'local' && { pgDsnSecret: undefined }),
    ...(!keepsKey(saved, url) && { embedKeySecret: undefined }),
    embedApi: api,
    embedUrl: url.trim().replace(/\/+$/, ''),
    embedModel: model.trim(),
    fusion: fusion === 'rrf' ? undefined : fusion,
  };
}
