import { dirname, isAbsolute, join } from 'node:path';
import type { Credentials } from '../transport/connection.ts';
import { ConfigError } from './config-error.ts';
import { type ExecCredential, isHeaderSafe } from './exec-credential.ts';
import type { Fields } from './fields.ts';
import { type Headers, impersonationHeaders } from './impersonation.ts';
import { certificateProblem, decodeData, keyProblem } from './pem.ts';
import type { CredentialFile, FileContents, FileSource, FileSources } from './refreshed-files.ts';

/** Who we are, before files are read and plugins run. */
export interface Identity {
  /** Starts an error sentence, e.g. `/home/me/.kube/config: user "dev"`. */
  readonly where: string;
  /** Fixed headers: impersonation, basic auth. */
  readonly headers: Headers;
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly files: FileSources;
}

/** Reads a kubeconfig user, all but its exec section. */
export function readIdentity(user: Fields): Identity {
  const basic = basicAuth(user);
  const token = user.text('token')?.trim();
  const tokenFile = user.text('tokenFile');
  if (basic !== undefined && (token !== undefined || tokenFile !== undefined)) {
    throw user.error('username', 'and a token are both set; a request can carry one of them: remove the other');
  }
  if (token !== undefined && !isHeaderSafe(token)) throw user.error('token', 'holds line breaks or control characters');
  return {
    where: `${user.file}: ${user.owner}`,
    headers: { ...impersonationHeaders(user), ...basic },
    token,
    ...clientCertificate(user, tokenFile === undefined ? undefined : tokenSource(user, tokenFile, token)),
  };
}

/** With an inline token to fall back on, the file may be missing. */
function tokenSource(user: Fields, path: string, token: string | undefined): FileSource {
  return { ...fileSource(user, 'tokenFile', path), isOptional: token !== undefined };
}

function basicAuth(user: Fields): Headers | undefined {
  const [name, password] = [user.text('username'), user.text('password')];
  if (name === undefined && password === undefined) return undefined;
  const login = Buffer.from(`${name ?? ''}:${password ?? ''}`, 'utf8').toString('base64');
  return { authorization: `Basic ${login}` };
}

function clientCertificate(user: Fields, token: FileSource | undefined): Pick<Identity, 'cert' | 'key' | 'files'> {
  const files: Partial<Record<CredentialFile, FileSource>> = {};
  if (token !== undefined) files.token = token;
  const certData = user.text('client-certificate-data');
  const certFile = user.text('client-certificate');
  if (certData === undefined && certFile === undefined) return { files };
  const keyData = user.text('client-key-data');
  const keyFile = user.text('client-key');
  if (keyData === undefined && keyFile === undefined) {
    throw user.error('client-key', 'is missing; a client certificate needs its key (client-key or client-key-data)');
  }
  if (certData === undefined && certFile !== undefined) files.cert = fileSource(user, 'client-certificate', certFile);
  if (keyData === undefined && keyFile !== undefined) files.key = fileSource(user, 'client-key', keyFile);
  return {
    cert: certData === undefined ? undefined : decodeData(user, 'client-certificate-data', certData),
    key: keyData === undefined ? undefined : decodeData(user, 'client-key-data', keyData),
    files,
  };
}

/** A file named in a kubeconfig; a relative path starts at the kubeconfig's folder. */
export function fileSource(owner: Fields, field: string, path: string): FileSource {
  return {
    path: isAbsolute(path) ? path : join(dirname(owner.file), path),
    field: `${owner.file}: ${owner.owner}: ${field}`,
  };
}

/** Makes the credentials of one moment. A fresh token file beats an inline token, as in kubectl. */
export function makeCredentials(
  identity: Identity,
  files: FileContents,
  exec: ExecCredential | undefined,
): Credentials {
  const token = checkedToken(identity, files) ?? identity.token ?? exec?.token;
  const cert = identity.cert ?? files.cert ?? exec?.cert;
  const key = identity.key ?? files.key ?? exec?.key;
  if (exec?.cert === undefined && cert !== undefined && key !== undefined) checkPair(identity, cert, key);
  const headers = token === undefined ? identity.headers : { ...identity.headers, authorization: `Bearer ${token}` };
  return cert === undefined ? { headers } : { headers, cert, key };
}

/** Whether the kubeconfig itself has credentials, so that no exec plugin is needed. */
export function hasStaticIdentity(identity: Identity): boolean {
  const hasCert = identity.cert !== undefined || identity.files.cert !== undefined;
  const hasToken = identity.token !== undefined || identity.files.token !== undefined;
  return hasCert || hasToken || identity.headers['authorization'] !== undefined;
}

function checkedToken(identity: Identity, files: FileContents): string | undefined {
  const token = files.token?.trim() || undefined;
  if (token === undefined || isHeaderSafe(token)) return token;
  throw new ConfigError(`${identity.files.token?.field}: the file holds more than a token (line breaks in it)`);
}

function checkPair(identity: Identity, cert: string, key: string): void {
  const certTrouble = certificateProblem(cert);
  if (certTrouble !== undefined) {
    throw new ConfigError(
      `${identity.files.cert?.field ?? `${identity.where}: client-certificate-data`} ${certTrouble}`,
    );
  }
  const keyTrouble = keyProblem(cert, key);
  if (keyTrouble !== undefined) {
    throw new ConfigError(`${identity.files.key?.field ?? `${identity.where}: client-key-data`} ${keyTrouble}`);
  }
}
