const WRITER = 'origin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n';

/** A note of the queue; `address` are the lines that suggest where it belongs. */
export function rawNote(
  title: string,
  day: string,
  address = 'wing: homelab\nhall: facts\n',
  body = 'Text of the note.',
) {
  const head = `title: ${JSON.stringify(title)}\ncreated_at: 2026-11-${day}T09:12:00Z\n${WRITER}${address}`;
  return `---\n${head}---\n\n# ${title}\n\n${body}\n`;
}

/** Three notes that wait, and two that stand. */
export const QUEUE: Readonly<Record<string, string>> = {
  'raw/2026-11-10-alpha.md': rawNote('Alpha', '10'),
  'raw/2026-11-11-beta.md': rawNote('Beta', '11'),
  'raw/2026-11-12-gamma.md': rawNote('Gamma', '12', ''),
  'wiki/homelab/facts/taken.md': rawNote('Taken', '01'),
  'Journal.md': 'Dear diary.\n',
};

/** What is written into a note to be run or fetched by whoever renders it; each would set `ran` or leave a request. */
export const HOSTILE_BODY = [
  'Words before.',
  '<script>window.ran = 1</script>',
  '<img src="https://evil.test/onerror.png" onerror="window.ran = 2">',
  '<svg onload="window.ran = 3"><image href="https://evil.test/svg.png" /></svg>',
  '<iframe src="https://evil.test/frame" srcdoc="<script>parent.ran = 4</script>"></iframe>',
  '<object data="https://evil.test/object"></object><embed src="https://evil.test/embed">',
  '<link rel="stylesheet" href="https://evil.test/style.css"><style>@import "https://evil.test/import.css";</style>',
  '<video src="https://evil.test/video.mp4" autoplay></video>',
  '<details open ontoggle="window.ran = 5">x</details><input autofocus onfocus="window.ran = 6">',
  '![remote](https://evil.test/image.png) ![[https://evil.test/embed.png]]',
  '[script link](javascript:window.ran=7) <javascript:window.ran=8> [data link](data:text/html,<script>1</script>)',
  '`$= window.ran = 9` and <% window.ran = 10 %> and <%* tp.web.request("https://evil.test/tp") %>',
  '```dataviewjs\nwindow.ran = 11\n```',
  '```dataview\nTABLE file\n```',
  '| a | b |\n|---|---|\n| <img src=https://evil.test/cell.png onerror=window.ran=12> | x |',
  '> [!note] <img src=https://evil.test/callout.png onerror=window.ran=13>',
  '<u onclick=window.ran=15>x</u> <kbd>y</kbd> ^[<img src=https://evil.test/foot.png>] [^1] ^id',
  '> [!bug]- <b>[x](javascript:window.ran=16)</b>\n> %%<img src=https://evil.test/hidden.png>%%',
  '<details>\n<summary><img src=https://evil.test/summary.png></summary>\n\n<script>window.ran = 17</script>\n\n</details>',
  '[^1]: <iframe src=https://evil.test/note></iframe>',
  '[ref]\n\n[ref]: javascript:window.ran=14',
  'Words after.',
].join('\n\n');

export const HOSTILE_TITLE =
  '<img src=https://evil.test/title.png onerror=window.ran=20> <% 1 %> `$=1` [x](javascript:window.ran=21)';
