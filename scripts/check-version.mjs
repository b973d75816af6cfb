// Refuses a release whose tag, package, manifest and version table do not name one version.
//   node scripts/check-version.mjs 1.2.3
import { readFileSync } from 'node:fs';
import process from 'node:process';

const tag = process.argv[2] ?? '';
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('manifest.json');
const faults = [];
if (!/^\d+\.\d+\.\d+$/.test(tag)) faults.push(`The tag "${tag}" is no version such as 1.2.3.`);
for (const file of ['package.json', 'manifest.json']) {
  const { version } = read(file);
  if (version !== tag) faults.push(`${file} says ${version}, the tag says ${tag}.`);
}
if (read('versions.json')[tag] !== manifest.minAppVersion) {
  faults.push(`versions.json must map ${tag} to ${manifest.minAppVersion}.`);
}
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`## ${tag}`))
  faults.push(`CHANGELOG.md has no part "## ${tag}".`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
