import { UiProvider } from '../../../src/ui/client/context';
import { AddSheet } from '../../../src/ui/intake/add';
import { Intake } from '../../../src/ui/intake/intake';
import { makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

const dom = makeDom();
const host = quietHost();

/** An intake that never gets to the end of anything. */
function idleIntake(): Intake {
  const never = () => new Promise<never>(() => undefined);
  return new Intake({ begin: never, poll: never, cancel: never }, never);
}

/** The fields of a sheet that is opened anew. */
function opened(intake: Intake) {
  dom.show(null);
  dom.show(
    <UiProvider value={{ client: scriptedClient({}), host }}>
      <AddSheet intake={intake} onArchives={() => undefined} close={() => dom.show(null)} />
    </UiProvider>,
  );
  const title = dom.container.querySelector<HTMLInputElement>('input[type="text"]');
  const text = dom.container.querySelector('textarea');
  if (title === null || text === null) throw new Error('The sheet has no fields.');
  return { title, text };
}

async function type(field: HTMLInputElement | HTMLTextAreaElement, words: string): Promise<void> {
  field.value = words;
  field.dispatchEvent(
    new (dom.container.ownerDocument.defaultView ?? window).Event('input', { bubbles: true }),
  );
  await dom.settle();
}

const said = ({ title, text }: ReturnType<typeof opened>) => [title.value, text.value];

it('has what was typed and not sent, until it was sent', async () => {
  const intake = idleIntake();
  await type(opened(intake).text, 'Long thoughts on tunnels.');
  const again = opened(intake);
  expect(said(again)).toEqual(['', 'Long thoughts on tunnels.']);
  await type(again.title, 'Tunnels');
  expect(said(opened(intake))).toEqual(['Tunnels', 'Long thoughts on tunnels.']);
  dom.container.querySelector<HTMLButtonElement>('button[type="submit"]')?.click();
  await dom.settle();
  expect(intake.items.map(({ name }) => name)).toEqual(['Tunnels']);
  expect(said(opened(intake))).toEqual(['', '']);
});

it('shows nobody what was typed for another vault', async () => {
  await type(opened(idleIntake()).text, 'Private');
  expect(said(opened(idleIntake()))).toEqual(['', '']);
});
