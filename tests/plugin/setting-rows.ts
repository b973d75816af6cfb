/**
 * Calls `look` on the settings tab as it stands, then on the tab and on each page below it in turn, until it returns something.
 * What it was found on stays open.
 */
function lookThrough<Found>(tab: HTMLElement, look: () => Found | undefined): Found | undefined {
  const back = () => tab.querySelector<HTMLElement>('.setting-back')?.click();
  let found = look();
  if (found !== undefined) return found;
  back();
  found = look();
  const { length } = tab.findAll('.mod-page');
  for (let at = 0; at < length && found === undefined; at += 1) {
    tab.findAll('.mod-page')[at]?.click();
    found = look();
    if (found === undefined) back();
  }
  return found;
}

/** Returns the row with this name of the settings tab or of a page below it. @throws Error when there is none. */
export function settingRow(tab: HTMLElement, name: string): HTMLElement {
  const row = lookThrough(tab, () =>
    tab.findAll('.setting-item').find((one) => one.querySelector('.setting-item-name')?.textContent === name),
  );
  if (row === undefined) throw new Error(`There is no setting "${name}".`);
  return row;
}
