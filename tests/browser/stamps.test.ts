import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeInBrowser } from '../support/browser';
import { act } from './queue-world';
import { Served } from './served';

const raw = (title: string, head = '') =>
  `---\ntitle: ${title}\ncreated_at: 2026-11-14T09:12:00Z\nwing: homelab\nhall: facts\n${head}---\n\n# ${title}\n\nText.\n`;

const VAULT = {
  'raw/2026-11-14-found.md': raw('Found'),
  'raw/2026-11-15-told.md': raw('Told', 'origin: mcp\nwritten_by: laptop (claude-code 2.1.300)\n'),
};

/** The link with the token of the page is printed only for a person who watches, so the server has to take us for one. */
const WATCHED = {
  NODE_OPTIONS: "--import=data:text/javascript,Object.defineProperty(process.stdout,'isTTY',{value:true})",
};

describeInBrowser('who a promotion on the web page is stamped with', (browser) => {
  let served: Served;
  beforeEach(() => {
    served = new Served();
    return served.start(VAULT, WATCHED);
  });
  afterEach(() => served.end());

  /** Promotes both notes of the queue with the keys. */
  const promoteBoth = async (link: string): Promise<readonly string[]> => {
    const { page } = await served.page(browser());
    await page.goto(link);
    await page.getByRole('heading', { name: 'Brain home' }).waitFor({ state: 'attached' });
    await page.waitForURL(`${served.server.url}/#/home`);
    await page.keyboard.press('q');
    for (const title of ['Found', 'Told']) {
      await page.getByText(`wiki/homelab/facts/${title.toLowerCase()}.md`).waitFor();
      await act(page, 'a');
      await page.getByText(`Promoted ${title}`).waitFor();
    }
    await page.context().close();
    const files = ['found.md', 'told.md'].map((name) => path.join('wiki/homelab/facts', name));
    return Promise.all(files.map((file) => readFile(path.join(served.sandbox.vault, file), 'utf8')));
  };

  it('the person, who came by the link of the server', async () => {
    const link = /Open (\S+#token=\S+)/.exec(served.server.printed())?.[1];
    const [found, told] = await promoteBoth(link ?? 'The server printed no link.');
    expect(found).toMatch(/^promoted_by: human:me$/m);
    // Nobody had said where this one came from: it comes from whoever promotes it.
    expect(found).toMatch(/^origin: web$/m);
    expect(found).toMatch(/^written_by: human:me$/m);
    expect(told).toMatch(/^promoted_by: human:me$/m);
    expect(told).toMatch(/^origin: mcp$/m);
    expect(told).toMatch(/^written_by: laptop \(claude-code 2\.1\.300\)$/m);
  });

  it('an agent, whose token somebody uses there', async () => {
    const made = await served.sandbox.run(['token', 'add', 'studio', '--scopes', 'read,review']);
    const token = /^[\w-]{20,}$/m.exec(made.stdout)?.[0] ?? '';
    const [found, told] = await promoteBoth(`${served.server.url}/#token=${token}`);
    expect(found).toMatch(/^promoted_by: studio$/m);
    expect(found).toMatch(/^origin: (?!web$)/m);
    expect(found).toMatch(/^written_by: studio$/m);
    expect(told).toMatch(/^promoted_by: studio$/m);
    expect(`${found}${told}`).not.toContain('human:');
  });
});
