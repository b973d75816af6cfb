// The sample vault for somebody who tries it: its notes as they are, its sessions as if they had just been.
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const DAY_MS = 86_400_000;
const TIME = /(?<="timestamp": ")[^"]+/g;

/**
 * Copies the sample vault to `to`. The times of its session records move by whole days, so that the last of them lies in the
 * 24 hours before `now` and there are pass rates to look at, whatever the day.
 */
export async function copySample(from, to, now) {
  await cp(from, to, { recursive: true });
  const folder = path.join(to, 'sessions');
  const logs = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const file = path.join(folder, name);
      return { file, text: await readFile(file, 'utf8') };
    }),
  );
  const times = logs.flatMap(({ text }) => text.match(TIME) ?? []).map((time) => Date.parse(time));
  const later = Math.floor((now.getTime() - Math.max(...times)) / DAY_MS) * DAY_MS;
  const moved = (time) => new Date(Date.parse(time) + later).toISOString().replace('.000Z', 'Z');
  for (const { file, text } of logs) await writeFile(file, text.replace(TIME, moved));
}
