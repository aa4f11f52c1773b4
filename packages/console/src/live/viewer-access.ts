import { isGranted, type KubeClient, mayI, myRules, type ResourceType } from '@manta/kube';
import { type KindAccess, STREAMED_KINDS, type StreamedKind } from '../protocol.ts';
import { STREAMED_TYPES } from './streamed-kinds.ts';

/** What a viewer may list, as the API server answers with the viewer's own identity. */
export interface AccessTable {
  readonly kinds: readonly KindAccess[];
  maySee(kind: StreamedKind, namespace: string): boolean;
}

/** At most this many namespaces are checked one by one, ten at a time. */
const MAX_NAMESPACES = 500;
const AT_ONCE = 10;

/** Asks for every kind: first for the whole cluster, and where that is denied for each namespace. Rejects if the server does not answer. */
export async function readAccess(
  client: KubeClient,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<AccessTable> {
  const everywhere = await Promise.all(
    STREAMED_KINDS.map(async (kind) => ({
      kind,
      answer: await mayI(client, listOf(STREAMED_TYPES[kind]), { signal }),
    })),
  );
  const denied = everywhere.filter(({ answer }) => !answer.isAllowed).map(({ kind }) => kind);
  const granted = await grantedNamespaces(client, denied, namespaces.slice(0, MAX_NAMESPACES), signal);
  return createAccessTable(
    everywhere.map(({ kind, answer }): KindAccess => {
      if (answer.isAllowed) return { kind, namespaces: 'all' };
      const allowed = granted.get(kind) ?? [];
      return allowed.length > 0
        ? { kind, namespaces: allowed }
        : { kind, namespaces: [], denied: denial(STREAMED_TYPES[kind], answer.reason) };
    }),
  );
}

export function createAccessTable(kinds: readonly KindAccess[]): AccessTable {
  const allowed = new Map(
    kinds.map(({ kind, namespaces }) => [kind, namespaces === 'all' ? namespaces : new Set(namespaces)]),
  );
  return {
    kinds,
    maySee: (kind, namespace) => {
      const namespaces = allowed.get(kind);
      return namespaces === 'all' || namespaces?.has(namespace) === true;
    },
  };
}

async function grantedNamespaces(
  client: KubeClient,
  kinds: readonly StreamedKind[],
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<StreamedKind, readonly string[]>> {
  const granted = new Map<StreamedKind, string[]>(kinds.map((kind) => [kind, []]));
  const namespaced = kinds.filter((kind) => STREAMED_TYPES[kind].isNamespaced);
  const waiting = namespaced.length === 0 ? [] : [...namespaces];
  const check = async (): Promise<void> => {
    for (let namespace = waiting.shift(); namespace !== undefined; namespace = waiting.shift()) {
      const rules = await myRules(client, namespace, { signal });
      for (const kind of namespaced) {
        const question = { ...listOf(STREAMED_TYPES[kind]), namespace };
        // An authorizer that cannot list its rules may still allow it: then only the question itself tells.
        const isAllowed =
          isGranted(rules, question) || (rules.isIncomplete && (await mayI(client, question, { signal })).isAllowed);
        if (isAllowed) granted.get(kind)?.push(namespace);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, check));
  return granted;
}

function listOf({ group, plural }: ResourceType) {
  return { verb: 'list', group, resource: plural };
}

function denial({ plural, group }: ResourceType, reason: string): string {
  const resource = group === '' ? plural : `${plural}.${group}`;
  return `you may not list ${resource}${reason === '' ? '' : `: ${reason}`}. Ask for the verb "list" on ${resource}.`;
}
