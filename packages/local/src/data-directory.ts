import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '@manta/base';
import { isObject, type Journal, openJournal } from '@manta/apiserver';
import { createCertificateAuthority, type IssuedCertificate, openCertificateAuthority } from '@manta/kube';
import { isMissing, reasonOf } from './file-error.ts';
import { writeWhole } from './write-whole.ts';

/** Where an engine keeps what it must not lose. */
export interface DataDirectory {
  readonly path: string;
  readonly journal: Journal;
  readonly keys: EngineKeys;
}

/** What makes an engine the same one after a restart: kubeconfigs and tokens stay good as long as these do. */
export interface EngineKeys {
  /** The authority that signs server and client certificates. */
  readonly authority: IssuedCertificate;
  /** Signs the tokens of service accounts; PEM. */
  readonly tokenKey: string;
}

/** The data directory cannot be used; the message says why and what to do. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

/** The name that certificates of an engine carry as their issuer. */
const AUTHORITY_NAME = 'manta-engine-ca';

/** Opens a data directory for this process alone, and makes it first where it is not there. Fails with `JournalError` where another engine has it open. */
export function openDataDirectory(folder: string): DataDirectory {
  const path = resolve(folder);
  prepareDataDirectory(path);
  const journal = openJournal(join(path, STATE));
  try {
    return { path, journal, keys: readKeys(path) ?? makeKeys(path) };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Folders with files of pods, Secrets among them. */
const PRIVATE_FOLDERS = ['pods', 'claims'];
const STATE = 'state.db';

/**
 * Creates the data directory, or rejects it with the reason. Secrets are among the objects and in the files of pods: whatever the folder
 * allows, both are their owner's alone.
 */
export function prepareDataDirectory(path: string): void {
  try {
    makeFolder(path, 0o700);
    keepOthersOut(path);
    closeSync(openSync(join(path, STATE), 'a', 0o600));
    for (const folder of PRIVATE_FOLDERS) {
      makeFolder(join(path, folder), 0o700);
      chmodSync(join(path, folder), 0o700);
    }
  } catch (error) {
    throw error instanceof DataDirectoryError ? error : unusable(path, error);
  }
}

/**
 * Closes a folder that is this user's and holds nothing but an engine's data. Any other folder keeps its mode, but others must not be able to put
 * files of their own in the place of the engine's.
 */
function keepOthersOut(path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) === 0 || process.getuid === undefined) return;
  const names = readdirSync(path);
  if (uid === process.getuid() && (names.length === 0 || names.includes(STATE))) {
    chmodSync(path, mode & 0o700);
    return;
  }
  if ((mode & 0o022) === 0) return;
  const octal = (mode & 0o7777).toString(8).padStart(4, '0');
  throw new DataDirectoryError(
    `cannot use the data directory ${path}: other users may write to it (mode ${octal}); run chmod go-w on it, or choose another with --data-dir`,
  );
}

function readKeys(path: string): EngineKeys | undefined {
  const file = join(path, KEYS);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unusable(path, error);
  }
  const keys = parseKeys(text);
  if (keys !== undefined) return keys;
  throw new DataDirectoryError(
    `${file} does not hold an engine's keys; put it back from a copy, or remove it to get new keys (kubeconfigs and tokens made so far end with that)`,
  );
}

function parseKeys(text: string): EngineKeys | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { authorityCert: cert, authorityKey: key, tokenKey } = isObject(read) ? read : {};
  if (typeof cert !== 'string' || typeof key !== 'string' || typeof tokenKey !== 'string') return undefined;
  return belongTogether({ cert, key }) ? { authority: { cert, key }, tokenKey } : undefined;
}

function belongTogether(authority: IssuedCertificate): boolean {
  try {
    openCertificateAuthority(authority);
    return true;
  } catch {
    return false;
  }
}

function makeKeys(path: string): EngineKeys {
  const { cert, key } = createCertificateAuthority(AUTHORITY_NAME, { notBefore: new Date(Date.now() - YEAR_MS) });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokenKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const text = JSON.stringify({ authorityCert: cert, authorityKey: key, tokenKey }, null, 2);
  try {
    writeWhole(join(path, KEYS), `${text}\n`);
  } catch (error) {
    throw unusable(path, error);
  }
  return { authority: { cert, key }, tokenKey };
}

const KEYS = 'keys.json';
/** The authority is valid from a year ago: it stays good when the clock is set back. */
const YEAR_MS = 365 * 24 * 3_600_000;

function unusable(path: string, cause: unknown): DataDirectoryError {
  const advice = `cannot use the data directory ${path}: ${reasonOf(cause)}; choose another with --data-dir`;
  return new DataDirectoryError(advice, { cause });
}
