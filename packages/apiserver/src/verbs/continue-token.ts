import { isObject, type Json } from '../object/json.ts';
import type { Revision } from '../store/contract.ts';
import { badRequest } from '../status/errors.ts';

/** Where a paged list goes on: after which object, in the state of which revision. */
export interface ContinueToken {
  /** -1: in whatever state there is, after the original one was forgotten. */
  readonly revision: Revision;
  /** `/namespace/name` across namespaces, else `/name`; the next page begins after it. */
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';

/** Writes a token in the form of the real server's: opaque to clients, good across restarts. */
export function encodeContinue({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `${after}\u0000` })).toString('base64url');
}

/** Reads a token; anything that this server did not write is a bad request. */
export function decodeContinue(text: string): ContinueToken {
  const token = parse(text);
  const { v, rv, start } = isObject(token) ? token : {};
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') throw notValid(`encoded start key empty (version ${VERSION})`);
  return { revision: rv, after: start.endsWith('\u0000') ? start.slice(0, -1) : start };
}

function parse(text: string): Json {
  if (!/^[\w-]*$/.test(text)) {
    throw notValid(`illegal base64 data at input byte ${text.search(/[^\w-]/)}`);
  }
  const json = Buffer.from(text, 'base64url').toString('utf8');
  try {
    return JSON.parse(json);
  } catch {
    throw notValid(`invalid character '${json.charAt(0)}' looking for beginning of value`);
  }
}

function notValid(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
