import { useEffect, useRef } from 'preact/hooks';
import type { ImportAnswer } from '../../core/operation/shapes';
import { useUi } from '../client/context';
import type { ScreenParams } from '../client/screens';
import { useDropTarget } from '../intake/add';
import { useCall, useChanges } from '../kit/async';
import { FailureNotice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Hints, type KeyHelpGroup, useKeys } from '../kit/keys';
import { ScrollArea } from '../kit/lists';
import { ScreenLink } from '../kit/screen-link';
import { counted, moment } from '../kit/words';
import { Bring, takeDrop, takeFiles } from './bring';
import { incomingOf, useStage } from './incoming';
import { OneImport, StateFlag } from './one';
import { chosenFiles } from './picked';

const HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Here',
    lines: [
      { label: 'Choose files', keys: ['C'] },
      { label: 'Choose a folder', keys: ['F'] },
      { label: 'Import what is previewed', keys: ['I'] },
    ],
  },
];

/** The attribute with which a chooser of files chooses a folder; the types of the elements lack it. */
const FOLDER = { webkitdirectory: true };

/** What a person brings from elsewhere: a new import, or with the parameter `name` one that was made. */
export function ImportsScreen({ params }: { params: ScreenParams }) {
  const { name } = params;
  return name === undefined ? <AllImports /> : <OneImport key={name} name={name} />;
}

function AllImports() {
  const { client } = useUi();
  const incoming = incomingOf(client);
  const stage = useStage(incoming);
  const list = useCall('imports', {}, { keep: true });
  useChanges(list.reload);
  // The list has an import as soon as it is made, before the page hears of any change.
  useEffect(() => {
    if (stage.step === 'done') list.reload();
  }, [stage.step]);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const isFree = stage.step === 'nothing' || stage.step === 'chosen' || stage.step === 'done';
  const choose = (chooser: { current: HTMLInputElement | null }): void | false => {
    if (!isFree) return false;
    chooser.current?.click();
  };
  const frame = useKeys({
    title: 'Keys of imports',
    help: HELP,
    actions: [
      { keys: ['c'], run: () => choose(files) },
      { keys: ['f'], run: () => choose(folder) },
      { keys: ['i'], run: () => (stage.step === 'preview' ? void incoming.make() : false) },
    ],
  });
  const isOver = useDropTarget(frame.ref, (data) => takeDrop(incoming, data));
  const take = (input: HTMLInputElement): void => {
    takeFiles(incoming, chosenFiles(input.files));
    // The same choice made again is a change too.
    input.value = '';
  };
  const imports = list.value?.imports ?? [];
  return (
    <div class="brain-frame" {...frame}>
      <h1 class="brain-sr">Imports</h1>
      <ScrollArea label="Imports">
        <div class="brain-sections brain-imports">
          <input ref={files} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
          <input
            ref={folder}
            type="file"
            {...FOLDER}
            hidden
            onChange={(event) => take(event.currentTarget)}
          />
          <Bring
            incoming={incoming}
            stage={stage}
            isOver={isOver && isFree}
            imports={imports}
            onFiles={() => files.current?.click()}
            onFolder={() => folder.current?.click()}
          />
          {list.error !== null && <FailureNotice error={list.error} />}
          {list.loading && <SkeletonLines lines={3} label="Reading the imports" />}
          {imports.length > 0 && <ImportList imports={imports} />}
        </div>
      </ScrollArea>
      <Hints
        hints={[
          ...(isFree
            ? [
                { keys: ['C'], label: 'choose files' },
                { keys: ['F'], label: 'choose a folder' },
              ]
            : []),
          ...(stage.step === 'preview' ? [{ keys: ['I'], label: 'import' }] : []),
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}

function ImportList({ imports }: { readonly imports: readonly ImportAnswer[] }) {
  return (
    <section aria-label="Made before">
      <h2 class="brain-heading">Made before</h2>
      <ul class="brain-card brain-divided brain-imports-list">
        {imports.map((each) => (
          <li key={each.name}>
            <ScreenLink screen="imports" params={{ name: each.name }}>
              <Icon name="folder-input" />
              <b class="brain-strong brain-cut">{each.name}</b>
            </ScreenLink>
            <span class="brain-small brain-muted">
              {counted(each.pages, 'note')}
              {each.files > 0 && `, ${counted(each.files, 'other file')}`}
            </span>
            <span class="brain-small brain-muted">{moment(each.at)}</span>
            <StateFlag of={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}
