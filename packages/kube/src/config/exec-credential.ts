import { errorMessage } from './config-error.ts';
import { certificateProblem, keyProblem } from './pem.ts';

/** What an exec plugin gave us. */
export interface ExecCredential {
  readonly token: string | undefined;
  /** PEM. */
  readonly cert: string | undefined;
  /** PEM. */
  readonly key: string | undefined;
  /** Milliseconds since the epoch; undefined: good until refused. */
  readonly expiresAtMs: number | undefined;
}

/** Decodes what the plugin printed; throws an `Error` whose message continues the sentence "the plugin …". */
export function decodeExecCredential(apiVersion: string, stdout: string): ExecCredential {
  const answer = parseObject(stdout);
  if (answer['kind'] !== 'ExecCredential') throw new Error(`printed kind ${quote(answer['kind'])}, not ExecCredential`);
  if (answer['apiVersion'] !== apiVersion) {
    throw new Error(`is configured for ${apiVersion} but answered in ${quote(answer['apiVersion'])}; make them equal`);
  }
  const status = answer['status'];
  if (!isObject(status)) throw new Error('printed an ExecCredential without a status');
  const token = textField(status, 'token')?.trim();
  const cert = textField(status, 'clientCertificateData');
  const key = textField(status, 'clientKeyData');
  checkCredential(token, cert, key);
  return { token, cert, key, expiresAtMs: expiry(textField(status, 'expirationTimestamp')) };
}

function checkCredential(token: string | undefined, cert: string | undefined, key: string | undefined): void {
  if (token === undefined && cert === undefined && key === undefined) {
    throw new Error('printed neither a token nor a certificate with its key');
  }
  if (cert === undefined && key !== undefined) throw new Error('printed clientKeyData without clientCertificateData');
  if (cert !== undefined && key === undefined) throw new Error('printed clientCertificateData without clientKeyData');
  if (token !== undefined && !isHeaderSafe(token)) throw new Error('printed a token with control characters in it');
  if (cert === undefined || key === undefined) return;
  const certTrouble = certificateProblem(cert);
  if (certTrouble !== undefined) throw new Error(`printed a clientCertificateData that ${certTrouble}`);
  const keyTrouble = keyProblem(cert, key);
  if (keyTrouble !== undefined) throw new Error(`printed a clientKeyData that ${keyTrouble}`);
}

/** True where the text can stand in a header: no line breaks, no control characters, no character above U+00FF. */
export function isHeaderSafe(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function expiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`printed the expirationTimestamp "${text}", which is no RFC 3339 time`);
  return at;
}

function parseObject(stdout: string): Readonly<Record<string, unknown>> {
  if (stdout.trim() === '') throw new Error('printed nothing');
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch (error) {
    // The text itself stays out of the message: it may hold most of a token.
    throw new Error(`printed something that is not JSON (${errorMessage(error).replace(/[,:] ?".*$/, '')})`, {
      cause: error,
    });
  }
  if (!isObject(value)) throw new Error('printed JSON that is not an object');
  return value;
}

function textField(status: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = status[field] ?? '';
  if (typeof value !== 'string') throw new Error(`printed a status.${field} that is not text`);
  return value === '' ? undefined : value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quote(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
