// Writes the table of modules in ARCHITECTURE.md from src/modules.json. With --check it only says whether the table is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const [DOCUMENT, BEGIN, END] = ['ARCHITECTURE.md', '<!-- modules -->\n', '<!-- end of modules -->'];
const modules = Object.entries(JSON.parse(readFileSync('src/modules.json', 'utf8')));
const rows = modules.map(([name, { knows, face }]) => `| ${name} | ${knows} | ${face.join(', ')} |\n`);
const table = `| Module | What it knows | Its public files |\n|---|---|---|\n${rows.join('')}`;

const text = readFileSync(DOCUMENT, 'utf8');
const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
const made = text.slice(0, from) + table + text.slice(to);
if (made !== text) {
  if (process.argv.includes('--check')) {
    console.error(`The table of modules in ${DOCUMENT} is out of date. Run: npm run modules`);
    process.exit(1);
  }
  writeFileSync(DOCUMENT, made);
}
