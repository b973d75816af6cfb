import { useEffect, useRef, useState } from 'preact/hooks';
import { StopController } from '../../core/base/concurrency';
import type { StopSignal } from '../../core/base/host';
import { hostOf, staysHere } from '../../core/base/redact';
import {
  type EmbedderChoice,
  type FoundEmbedder,
  isEmbedderUrl,
  measuredWords,
  PULL_COMMAND,
  type TriedSearch,
  USUAL_URLS,
} from '../../core/tryout/tryout';
import type { UiContext } from '../client/context';
import { useAct } from '../kit/async';
import { Chips, CopyButton, TextField } from '../kit/controls';
import { FailureNotice, Notice, Problem, Progress } from '../kit/feedback';
import { counted } from '../kit/words';

/** Where vectors are kept; `off` searches by words alone. */
type StoreChoice = 'off' | 'local' | 'postgres';

/** The settings of search by meaning, as the form has them. */
export interface MeaningChoice {
  readonly place: StoreChoice;
  readonly embedder: EmbedderChoice;
  /** How words and meaning are joined: by reciprocal ranks, or with the weight that the vault measures. */
  readonly fusion: 'rrf' | 'measured';
}

/** What the set-up asks of the app. */
export interface MeaningSettings {
  /** The settings as they are. */
  readonly saved: MeaningChoice;
  /** False while no address of a database is set, which the settings page takes. */
  readonly hasDatabase: boolean;
  /** Which notes get vectors, in words: "reviewed notes". */
  readonly notes: string;
  /** Asks this machine for embedders. Never rejects. */
  look(): Promise<readonly FoundEmbedder[]>;
  /** Tries a question without keeping anything. Rejects with a CallError. */
  tryOut(
    embedder: EmbedderChoice,
    question: string,
    options: { readonly signal: StopSignal; readonly onProgress: (done: number, total: number) => void },
  ): Promise<TriedSearch>;
  /** Saves the settings and starts the service with them. */
  save(choice: MeaningChoice): Promise<void>;
}

const PLACES = [
  { value: 'off', label: 'Off' },
  { value: 'local', label: 'On this device' },
  { value: 'postgres', label: 'Postgres' },
] as const;
const APIS = [
  { value: 'ollama', label: 'Ollama' },
  { value: 'openai', label: 'OpenAI-compatible' },
] as const;

const FUSIONS = [
  { value: 'rrf', label: 'By ranks' },
  { value: 'measured', label: 'As measured' },
] as const;

/** Opens the layer where a person sets up search by meaning. */
export function openMeaningSetup({ host }: UiContext, settings: MeaningSettings): void {
  const close = host.openLayer(
    'Search by meaning',
    <MeaningSetup settings={settings} onClose={() => close()} />,
  );
}

/**
 * The set-up of search by meaning: where the vectors are kept, which embedder makes them, what leaves the machine, and a try-out
 * with a question of the person's own before anything is turned on.
 */
function MeaningSetup(props: { readonly settings: MeaningSettings; readonly onClose: () => void }) {
  const { settings, onClose } = props;
  const [place, setPlace] = useState<StoreChoice>(settings.saved.place);
  const [embedder, setEmbedder] = useState<EmbedderChoice>(settings.saved.embedder);
  const [fusion, setFusion] = useState(settings.saved.fusion);
  const isComplete = isAddress(embedder.url) && embedder.model.trim() !== '';
  const lacksDatabase = place === 'postgres' && !settings.hasDatabase;
  const { working, error, run } = useAct(
    async () => {
      await settings.save({ place, embedder, fusion });
      onClose();
    },
    () => undefined,
  );
  return (
    <form
      class="brain-ask brain-meaning"
      aria-label="Search by meaning"
      onSubmit={(event) => {
        event.preventDefault();
        if (place === 'off' || (isComplete && !lacksDatabase)) run();
      }}
    >
      <p class="brain-prose brain-muted">
        Search by meaning also finds notes that say the same in other words. A program, the embedder, turns
        each note into a list of numbers, its vector; notes with near vectors mean nearly the same.
      </p>
      <h3 class="brain-heading">Where the vectors are kept</h3>
      <Chips label="Where the vectors are kept" chips={PLACES} value={place} onChange={setPlace} />
      <p class="brain-muted">{PLACE_WORDS[place]}</p>
      {settings.saved.place === 'postgres' && place === 'local' && (
        <p class="brain-muted">Devices that use the database now will keep vectors of their own as well.</p>
      )}
      {lacksDatabase && <Problem>Set the connection string of the database in the settings first.</Problem>}
      {place !== 'off' && (
        <>
          <h3 class="brain-heading">Embedder</h3>
          <EmbedderFields settings={settings} embedder={embedder} onChange={setEmbedder} />
          {isComplete && <Notice icon="info">{privacyWords(settings.notes, embedder)}</Notice>}
          <h3 class="brain-heading">Try it first</h3>
          <TryOut
            key={JSON.stringify(embedder)}
            settings={settings}
            embedder={isComplete ? embedder : null}
            onHarmful={() => setFusion('measured')}
          />
          <h3 class="brain-heading">Words and meaning together</h3>
          <Chips label="Words and meaning together" chips={FUSIONS} value={fusion} onChange={setFusion} />
          <p class="brain-muted">{FUSION_WORDS[fusion]}</p>
        </>
      )}
      {error !== null && <FailureNotice error={error} />}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="submit"
          class="mod-cta"
          disabled={working || (place !== 'off' && (!isComplete || lacksDatabase))}
        >
          {submitWords(settings.saved.place, place)}
        </button>
      </div>
    </form>
  );
}

const PLACE_WORDS: Readonly<Record<StoreChoice, string>> = {
  off: 'Search goes by words alone. Nothing is sent to an embedder.',
  local:
    'In files of this device, 1.5 KB for each note. Other devices that share this vault make their own, once an embedder runs there.',
  postgres: 'In a database with pgvector, which several devices may share.',
};

const FUSION_WORDS: Readonly<Record<MeaningChoice['fusion'], string>> = {
  rrf: 'Meaning counts as much as words.',
  measured:
    'Meaning gets the weight that it earns on fragments of your notes, and none where it finds too little.',
};

function submitWords(saved: StoreChoice, place: StoreChoice): string {
  if (place === 'off') return saved === 'off' ? 'Leave it off' : 'Turn off';
  return saved === 'off' ? 'Turn on' : 'Save';
}

/** Returns true for an address that the setting "Embedder" takes. */
function isAddress(url: string): boolean {
  return isEmbedderUrl(url.trim()) && URL.canParse(url);
}

/** Says what leaves the machine. */
function privacyWords(notes: string, { url }: EmbedderChoice): string {
  return staysHere(url)
    ? `The text of your ${notes}, and what you search for, goes to a program on this machine. Nothing leaves it.`
    : `The text of your ${notes}, and what you search for, is sent to ${hostOf(url)}. Queued notes are not.`;
}

function EmbedderFields(props: {
  readonly settings: MeaningSettings;
  readonly embedder: EmbedderChoice;
  readonly onChange: (embedder: EmbedderChoice) => void;
}) {
  const { settings, embedder, onChange } = props;
  const [found, setFound] = useState<readonly FoundEmbedder[] | null>(null);
  const { working, run } = useAct(
    async () => setFound(await settings.look()),
    () => undefined,
  );
  return (
    <div class="brain-stack">
      <div class="brain-row">
        <button type="button" disabled={working} onClick={run}>
          {working ? 'Looking…' : 'Look for embedders'}
        </button>
        <span class="brain-muted">Asks this machine alone, at ports 11434 and 1234.</span>
      </div>
      {found !== null && (
        <ul class="brain-stack" aria-label="Embedders of this machine" role="list">
          {found.map((server) => (
            <FoundServer key={server.name} server={server} embedder={embedder} onChoose={onChange} />
          ))}
        </ul>
      )}
      <Chips
        label="Interface"
        chips={APIS}
        value={embedder.api}
        onChange={(api) => {
          const isUsual = embedder.url === '' || embedder.url === USUAL_URLS[embedder.api];
          onChange({ ...embedder, api, url: isUsual ? USUAL_URLS[api] : embedder.url });
        }}
      />
      <TextField
        label="Address"
        value={embedder.url}
        placeholder={USUAL_URLS[embedder.api]}
        error={embedder.url !== '' && !isAddress(embedder.url) ? 'Use a web address.' : undefined}
        onInput={(url) => onChange({ ...embedder, url })}
      />
      <TextField
        label="Model"
        value={embedder.model}
        placeholder="nomic-embed-text"
        help={
          embedder.api === 'openai' && (
            <p class="brain-muted">A key, where the service wants one, is chosen in the settings.</p>
          )
        }
        onInput={(model) => onChange({ ...embedder, model })}
      />
    </div>
  );
}

/** A server of this machine: its models to choose from, or what it lacks. */
function FoundServer(props: {
  readonly server: FoundEmbedder;
  readonly embedder: EmbedderChoice;
  readonly onChoose: (embedder: EmbedderChoice) => void;
}) {
  const { server, embedder, onChoose } = props;
  const { name, api, url, runs, models } = server;
  if (!runs) return <li class="brain-muted">{`${name} does not run on this machine.`}</li>;
  if (models.length === 0) {
    return (
      <li class="brain-row">
        <span>{`${name} runs, and has no model that embeds.`}</span>
        {api === 'ollama' && (
          <>
            <code>{PULL_COMMAND}</code>
            <CopyButton text={PULL_COMMAND} class="brain-plain">
              Copy
            </CopyButton>
          </>
        )}
      </li>
    );
  }
  const chosen = embedder.api === api && embedder.url === url ? embedder.model : null;
  return (
    <li class="brain-row">
      <b>{name}</b>
      <Chips
        label={`Models of ${name}`}
        chips={models.map((model) => ({ value: model, label: model }))}
        value={chosen}
        onChange={(model) => onChoose({ api, url, model })}
      />
    </li>
  );
}

/** A question of the person's own, and what it finds in three ways. */
function TryOut(props: {
  readonly settings: MeaningSettings;
  readonly embedder: EmbedderChoice | null;
  /** Called when words alone measured better than both by ranks. */
  readonly onHarmful: () => void;
}) {
  const { settings, embedder, onHarmful } = props;
  const [question, setQuestion] = useState('');
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number } | null>(null);
  const [found, setFound] = useState<TriedSearch | null>(null);
  const stop = useRef<StopController | null>(null);
  useEffect(() => () => stop.current?.stop(), []);
  const { working, error, run } = useAct(
    async () => {
      if (embedder === null) return;
      const controller = (stop.current = new StopController());
      setFound(null);
      setProgress({ done: 0, total: 0 });
      try {
        const tried = await settings.tryOut(embedder, question.trim(), {
          signal: controller,
          onProgress: (done, total) => setProgress({ done, total }),
        });
        setFound(tried);
        if (tried.isHarmful) onHarmful();
      } catch (thrown) {
        if (!controller.stopped) throw thrown;
      }
    },
    () => setProgress(null),
  );
  const canTry = embedder !== null && question.trim() !== '' && !working;
  return (
    <div
      class="brain-stack"
      onKeyDown={(event) => {
        // Enter would turn it on.
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        if (canTry) run();
      }}
    >
      <TextField
        label="A question of your own"
        value={question}
        placeholder="how do I keep the tunnel from dropping packets"
        help={<p class="brain-muted">Reads up to 200 notes, and keeps nothing.</p>}
        onInput={setQuestion}
      />
      <div class="brain-row">
        <button type="button" disabled={!canTry} onClick={run}>
          Try it
        </button>
      </div>
      {progress !== null && (
        <Progress label="Asking the embedder" {...progress} onCancel={() => stop.current?.stop()} />
      )}
      {error !== null && <FailureNotice error={error} />}
      {found !== null && <Found found={found} />}
    </div>
  );
}

const WAYS = [
  ['words', 'By words'],
  ['meaning', 'By meaning'],
  ['both', 'By both'],
] as const;

function Found({ found }: { readonly found: TriedSearch }) {
  const { looked, of, measured, isHarmful } = found;
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section ref={section} class="brain-stack" aria-label="What was found">
      <p class="brain-muted">
        {looked < of
          ? `The embedder read ${looked} of ${counted(of, 'note')}; the others are found by their words alone.`
          : `The embedder read all ${counted(of, 'note')}.`}
      </p>
      {measured !== null && <p class="brain-muted">{measuredWords(measured)}</p>}
      {isHarmful && (
        <Notice icon="info">
          Words alone measure better here than both by ranks, so “As measured” is chosen: meaning counts only
          as much as it finds.
        </Notice>
      )}
      <div class="brain-ways">
        {WAYS.map(([way, title]) => (
          <section key={way} aria-label={title}>
            <h4 class="brain-label">{title}</h4>
            {found[way].length === 0 ? (
              <p class="brain-muted">Nothing.</p>
            ) : (
              <ol>
                {found[way].map(({ path, title: name }) => (
                  <li key={path} title={path}>
                    {name}
                  </li>
                ))}
              </ol>
            )}
          </section>
        ))}
      </div>
    </section>
  );
}
