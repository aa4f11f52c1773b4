import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../object/json.ts';

/** Signs claims as a JWT (ES256). */
export function signToken(claims: JsonObject, privateKey: string): string {
  const key = createPrivateKey(privateKey);
  const kid = createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const head = encode({ alg: 'ES256', kid });
  const body = encode(claims);
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return `${head}.${body}.${signature.toString('base64url')}`;
}

/** The claims of a JWT that was signed by the key; undefined for anything else. */
export function readToken(token: string, privateKey: string): JsonObject | undefined {
  const [head, body, signature, ...rest] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
  const key = createPublicKey(createPrivateKey(privateKey));
  const isOurs = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isOurs ? decode(body) : undefined;
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): JsonObject | undefined {
  const value: Json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
}
