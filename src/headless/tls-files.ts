import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, UsageError } from './io';
import { unreadable } from './unreadable';

export interface TlsFiles {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/**
 * What `--tls-cert` and `--tls-key` name, in PEM; undefined without both. They are looked at here, as nobody who reads what
 * OpenSSL says of them learns which file is meant.
 * @throws UsageError for one without the other, CommandError for files that cannot be used.
 */
export async function readTls({
  tlsCert,
  tlsKey,
}: TlsFiles): Promise<{ cert: string; key: string } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('HTTPS needs both --tls-cert and --tls-key.');
  }
  const [cert, key] = [await read(tlsCert), await read(tlsKey)];
  if (!certificateIn(cert, tlsCert).checkPrivateKey(keyIn(key, tlsKey))) {
    throw new CommandError(
      `${tlsKey} (--tls-key) is not the key of the certificate in ${tlsCert} (--tls-cert).`,
    );
  }
  return { cert, key };
}

function read(file: string): Promise<string> {
  return readFile(path.resolve(file), 'utf8').catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

function certificateIn(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CommandError(`${file} (--tls-cert) holds no certificate in PEM.`);
  }
}

function keyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new CommandError(
      `${file} (--tls-key) holds no private key in PEM that can be read without a passphrase.`,
    );
  }
}
