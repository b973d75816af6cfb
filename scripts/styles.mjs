// Joins the styles that lie beside the screens into styles.css, which Obsidian and the web page load as one file. With --check it
// only says whether that file is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** In the order of the cascade: the kit, what screens embed, the screens, the plugin; a setting of the system changes last. */
const PARTS = [
  'src/ui/kit/tokens.css',
  'src/ui/kit/frame.css',
  'src/ui/kit/controls.css',
  'src/ui/kit/panes.css',
  'src/ui/kit/tables.css',
  'src/ui/kit/charts.css',
  'src/ui/kit/layers.css',
  'src/ui/markdown/markdown.css',
  'src/ui/diff/diff.css',
  'src/ui/found/found.css',
  'src/ui/intake/intake.css',
  'src/ui/place/place.css',
  'src/ui/meaning/meaning.css',
  'src/ui/edit/edit.css',
  'src/ui/queue/queue.css',
  'src/ui/replace/replace.css',
  'src/ui/note/note.css',
  'src/ui/neighbours/neighbours.css',
  'src/ui/stale/stale.css',
  'src/ui/rules/rules.css',
  'src/ui/search/search.css',
  'src/ui/history/history.css',
  'src/ui/audit/audit.css',
  'src/ui/decisions/decisions.css',
  'src/ui/pass-rates/pass-rates.css',
  'src/ui/imports/imports.css',
  'src/ui/home/home.css',
  'src/ui/connect/connect.css',
  'src/ui/doctor/doctor.css',
  'src/plugin/screens/screens.css',
  'src/plugin/shell/shell.css',
  'src/ui/kit/motion.css',
  'src/ui/kit/forced.css',
];

/** What styles.css has to hold. */
export function joinedStyles() {
  return PARTS.map((part) => readFileSync(part, 'utf8')).join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const isUpToDate = joinedStyles() === readFileSync('styles.css', 'utf8');
  if (!isUpToDate && process.argv.includes('--check')) {
    console.error('styles.css is out of date. Change the files beside the screens, then run: npm run build');
    process.exit(1);
  }
  if (!isUpToDate) writeFileSync('styles.css', joinedStyles());
}
