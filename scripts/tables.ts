// Writes the tables that follow from data: the modules in ARCHITECTURE.md from src/modules.json, and the settings in docs/settings.md
// from src/core/config. With --check it only says which table is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { type Config, configSchema } from '../src/core/config/config';
import { SETTING_NAMES, type SettingName, SETTINGS } from '../src/core/config/settings';
import modules from '../src/modules.json';

function moduleTable(): string {
  const rows = Object.entries(modules).map(([name, { knows }]) => `| ${name} | ${knows} |\n`);
  return `| Module | What it knows |\n|---|---|\n${rows.join('')}`;
}

/** The settings that an environment variable sets, with the default that the schema gives them. */
function settingTable(): string {
  const rows = SETTING_NAMES.flatMap((key) => {
    const { name, desc, more, use, env, flag } = SETTINGS[key];
    if (env === undefined) return [];
    const names = [env[0], flag?.[0].replace(/ .*/, '')].flatMap((text) => text ?? []);
    const meaning = [`**${name}.**`, desc, more, use].flatMap((text) => text ?? []);
    const standard = shownDefault(configSchema.shape[key].parse(undefined));
    return `| ${names.map(code).join(', ')} | ${standard} | ${meaning.join(' ')} |\n`;
  });
  return `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('')}`;
}

function shownDefault(value: Config[SettingName]): string {
  if (value === undefined) return 'unset';
  if (Array.isArray(value)) return 'none';
  return code(typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));
}

function code(text: string): string {
  return `\`${text}\``;
}

for (const [document, name, table] of [
  ['ARCHITECTURE.md', 'modules', moduleTable()],
  ['docs/settings.md', 'settings', settingTable()],
] as const) {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const text = readFileSync(document, 'utf8');
  const made = text.slice(0, text.indexOf(begin) + begin.length) + table + text.slice(text.indexOf(end));
  if (made === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`The table of ${name} in ${document} is out of date. Run: npm run tables`);
    process.exitCode = 1;
  } else writeFileSync(document, made);
}
