import { CommandError } from '../terminal/io';

/** The words in the description of a service by which its maker is known. */
export const MADE_BY = 'Made by "brain service install"';

/** A server that the system starts. */
export interface ServiceSpec {
  /** The name of the service: `brain-server`, or another one for a second vault. */
  readonly name: string;
  /** Absolute path of the vault. */
  readonly vault: string;
  readonly port: string;
  /** Absolute paths: Node, then this program. */
  readonly program: readonly string[];
  /** Absolute path of the file with the settings. */
  readonly envFile: string;
  /** Absolute path of the log where the system keeps none. */
  readonly logFile: string;
}

/** Returns the words that start the server. */
function wordsOf({ program, envFile, vault, port }: ServiceSpec): string[] {
  const [node = '', ...script] = program;
  return [node, `--env-file=${envFile}`, ...script, 'serve', '--vault', vault, '--port', port];
}

/**
 * Returns the unit of a service for the user's systemd.
 * @throws CommandError for a path that no unit can hold.
 */
export function systemdUnit(spec: ServiceSpec): string {
  const [node = '', ...rest] = wordsOf(spec);
  return `# ${MADE_BY}, which replaces it. The settings are in ${inUnit(spec.envFile)}
[Unit]
Description=Brain Server (${spec.name})
After=network.target
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
ExecStart=${[unitProgram(node), ...rest.map(unitWord)].join(' ')}
Restart=on-failure
RestartSec=5
# A wrong setting stays wrong.
RestartPreventExitStatus=2
TimeoutStopSec=60
NoNewPrivileges=true

[Install]
WantedBy=default.target
`;
}

/** Returns text with what systemd replaces in it escaped: specifiers begin with a percent sign. */
function inUnit(text: string): string {
  // A line break would begin another setting, and systemd has no escape for other control characters in a path.
  if (/\p{Cc}/u.test(text)) {
    throw new CommandError(
      `${JSON.stringify(text)} has a control character in it. Give the folder another name.`,
    );
  }
  return text.replaceAll('%', '%%');
}

/** Quotes the program of a command in a unit, in which systemd replaces no variables and takes no quotes. */
function unitProgram(file: string): string {
  if (/["'\\]/.test(file)) {
    throw new CommandError(
      `No program with a quote or a backslash in its path can be started by systemd: ${file}. Install Node elsewhere.`,
    );
  }
  return `"${inUnit(file)}"`;
}

/** Quotes a word of a command in a unit: systemd also replaces variables there. */
function unitWord(word: string): string {
  const escaped = inUnit(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$');
  return `"${escaped}"`;
}

/**
 * Returns the property list of a service for launchd.
 * @throws CommandError for a path that no property list can hold.
 */
export function launchdPlist(spec: ServiceSpec): string {
  const strings = wordsOf(spec).map((word) => `      <string>${inXml(word)}</string>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MADE_BY}, which replaces it. -->
<plist version="1.0">
  <dict>
    <key>Label</key>
    <string>${inXml(spec.name)}</string>
    <key>ProgramArguments</key>
    <array>
${strings.join('\n')}
    </array>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <dict>
      <key>SuccessfulExit</key>
      <false/>
    </dict>
    <key>ThrottleInterval</key>
    <integer>10</integer>
    <key>ExitTimeOut</key>
    <integer>60</integer>
    <key>StandardOutPath</key>
    <string>${inXml(spec.logFile)}</string>
    <key>StandardErrorPath</key>
    <string>${inXml(spec.logFile)}</string>
  </dict>
</plist>
`;
}

function inXml(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    throw new CommandError(
      `${JSON.stringify(text)} has a control character in it. Give the folder another name.`,
    );
  }
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The quotes of a file of settings. Node reads what is between them as it is, but for `\n` between double ones. */
const QUOTES = ["'", '`', '"'];

/**
 * Returns the file of settings that Node reads with `--env-file`.
 * @throws CommandError for a value that it cannot hold.
 */
export function environmentFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    const quote = QUOTES.find((each) => !value.includes(each) && !(each === '"' && value.includes('\\')));
    if (quote === undefined || /\p{Cc}/u.test(value)) {
      throw new CommandError(
        `The value of ${name} cannot be kept in a file: it has line breaks or all kinds of quotes in it.`,
      );
    }
    return `${name}=${quote}${value}${quote}`;
  });
  const head =
    '# Settings of the server that "brain service install" has set up. Restart the service after a change.';
  return `${[head, ...lines].join('\n')}\n`;
}
