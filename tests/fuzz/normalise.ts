import type { ApiAnswer } from '../support/api-request.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, read freely
type Any = any;

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const address = /"10\.0\.\d+\.\d+"/g;
const nodePort = /"((?:healthCheckN|n)odePort)":3[0-2]\d{3}/g;

/** Rewrites what one server says so that it can be compared with what another says: identities become the order of their first sight. */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #thisYear = new Date().getUTCFullYear();

  /** An answer: its code, the warnings with it, and what it says. */
  answer({ status, headers, body, text }: ApiAnswer): unknown {
    const warnings = headers['warning'];
    const said = body === undefined ? text : this.value(body);
    return {
      status,
      ...(warnings === undefined
        ? {}
        : {
            warnings: String(warnings)
              .split(/, (?=299 - )/)
              .toSorted(),
          }),
      said,
    };
  }

  /** Any object, list or Status. */
  value(body: unknown): unknown {
    const value = this.#walk(body as Any);
    const json = JSON.stringify(value).replaceAll(uidPattern, (uid) => firstSeen(this.#uids, uid, 'uid'));
    const plain = JSON.parse(given(json));
    return plain.kind === 'Status' ? comparableStatus(plain) : plain;
  }

  #walk(value: Any): Any {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each));
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, this.#field(key, each, value)]);
    return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  }

  #field(key: string, value: Any, parent: Any): unknown {
    if (key === 'resourceVersion' && typeof value === 'string' && 'uid' in parent)
      return firstSeen(this.#versions, value, 'version');
    // Of a list: the server's version, which others move as well.
    if (key === 'resourceVersion' || key === 'continue') return value === '' ? '' : 'some';
    if (key === 'managedFields' && Array.isArray(value)) return sorted(value.map((each) => this.#walk(each)));
    return this.#walk(value);
  }

  #text(value: string): string {
    return value
      .replaceAll(new RegExp(String.raw`${this.#thisYear}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`, 'g'), 'TIME')
      .replaceAll(/in record \(\d+\)/g, 'in record (VERSION)')
      .replaceAll(/(resourceVersion\\*":\\*")\d+/g, '$1VERSION');
  }
}

/** Without the addresses and ports that the server picked. */
function given(text: string): string {
  return text.replaceAll(address, '"IP"').replaceAll(nodePort, '"$1":"PORT"');
}

function firstSeen(seen: Map<string, string>, value: string, what: string): string {
  const known = seen.get(value) ?? `${what}-${seen.size + 1}`;
  seen.set(value, known);
  return known;
}

/** Where several things are wrong the order of the causes says nothing, nor how often one is named; the message repeats them. */
function comparableStatus(status: Any): unknown {
  const causes = status.details?.causes;
  if (!Array.isArray(causes)) return { ...status, message: unordered(status.message) };
  const texts = causes.map((cause) => JSON.stringify({ ...cause, message: unordered(cause.message) }));
  const told = [...new Set(texts)].toSorted();
  const message = causes.length > 1 ? status.message.split(': [')[0].split('\n')[0] : unordered(status.message);
  return { ...status, message, details: { ...status.details, causes: told } };
}

/** What one server may say in several ways: the order of keys in a quoted object, of lines, and the picture of a pod's changes. */
function unordered(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const [shown = ''] = message.split(podDifference);
  const told = shown.replace(shownStruct, 'Invalid value: an object').replace(shownEmpty, 'Invalid value: null');
  const plain = given(
    told.replace(quotedObject, (quoted) => JSON.stringify(sortedKeys(JSON.parse(JSON.parse(quoted))))),
  );
  return plain.split('\n').toSorted().join('\n');
}

/** A changed object as its Go struct, with fields that nobody can set. */
const shownStruct = /Invalid value: \{.*\}(?=: field is immutable)/s;
/** A map that was sent empty is one to the real server where the engine no longer has it. */
const shownEmpty = /Invalid value: \{\}(?=: )/;
const quotedObject = /"\{(?:[^"\\]|\\.)*\}"/;
/** After this the real server shows what an update changed, in a form that it does not promise. */
const podDifference = /(?<=to be set to 1 if it was previously negative\))\n/;

function sortedKeys(value: Any): Any {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, key === 'managedFields' ? 'owners' : sortedKeys(value[key])]));
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
