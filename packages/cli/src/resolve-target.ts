import { isForbidden, isNotFound, type KubeClient } from '@manta/kube';
import { CliError, ExitCode, failedTo, usageError } from './cli-error.ts';
import { editDistance } from './edit-distance.ts';
import { ALL_KINDS, parseTarget, RAY_TYPES, type RayKind, type Target } from './target.ts';

/**
 * The object that the user named. TYPE/NAME is taken as it is; a NAME alone is looked up among the kinds. Rejects with the candidates
 * when no kind, or more than one, has an object of that name.
 */
export async function resolveTarget(
  client: KubeClient,
  namespace: string,
  text: string,
  kinds: readonly RayKind[] = ALL_KINDS,
): Promise<Target> {
  if (text.includes('/') || text === '') return parseTarget(text, kinds);
  const found = await Promise.all(kinds.map((kind) => lookUp(client, namespace, { kind, name: text })));
  const existing = found.filter((one) => one.state === 'exists').map(({ target }) => target);
  const [only] = existing;
  if (only !== undefined && existing.length === 1) return only;
  if (existing.length > 1)
    throw usageError(
      `${text} is the name of several objects in namespace ${namespace}. Use one of: ${existing.map(labelOf).join(', ')}.`,
    );
  const hidden = found.filter((one) => one.state === 'forbidden');
  if (hidden.length === found.length) throw failedTo(`unable to look up ${text}`, hidden[0]?.error);
  const note =
    hidden.length > 0
      ? ` You may not get ${hidden.map(({ target }) => RAY_TYPES[target.kind].plural).join(', ')}.`
      : '';
  throw new CliError(
    `no Ray object is named ${text} in namespace ${namespace}.${note}${await candidates(client, namespace, text, kinds)}`,
    hidden.length > 0 ? ExitCode.NotAllowed : ExitCode.Failed,
  );
}

export function labelOf({ kind, name }: Target): string {
  return `${kind}/${name}`;
}

interface LookUp {
  readonly target: Target;
  readonly state: 'exists' | 'absent' | 'forbidden';
  readonly error?: unknown;
}

async function lookUp(client: KubeClient, namespace: string, target: Target): Promise<LookUp> {
  try {
    await client.get(RAY_TYPES[target.kind], { namespace, name: target.name }, { content: 'metadata' });
    return { target, state: 'exists' };
  } catch (error) {
    // A missing CRD is a 404 as well: an operator may serve only some of the kinds.
    if (isNotFound(error)) return { target, state: 'absent' };
    if (isForbidden(error)) return { target, state: 'forbidden', error };
    throw error;
  }
}

const SHOWN = 5;

/** A sentence with the names that are closest to a missing one, or that there are none. Empty when the user may not list them. */
export async function candidates(
  client: KubeClient,
  namespace: string,
  name: string,
  kinds: readonly RayKind[],
): Promise<string> {
  const lists = await Promise.all(
    kinds.map((kind) =>
      client.list(RAY_TYPES[kind], { namespace, content: 'metadata' }).then(
        ({ items }) => items.map(({ metadata }) => ({ kind, name: metadata?.name ?? '' })),
        () => undefined,
      ),
    ),
  );
  if (lists.every((list) => list === undefined)) return '';
  const found = lists.flatMap((list) => list ?? []);
  if (found.length === 0) return ` Namespace ${namespace} has none; -n names another namespace.`;
  const near = found.toSorted((a, b) => editDistance(name, a.name) - editDistance(name, b.name));
  const more = near.length > SHOWN ? ` and ${near.length - SHOWN} more` : '';
  return ` In this namespace: ${near.slice(0, SHOWN).map(labelOf).join(', ')}${more}.`;
}

/** Turns a failed read of a named object into one line; a missing object comes with candidates. */
export function explainRead(client: KubeClient, namespace: string, target: Target): (error: unknown) => Promise<never> {
  return async (error) => {
    const failure = failedTo(`unable to find ${RAY_TYPES[target.kind].kind} ${target.name}`, error);
    if (!isNotFound(error)) throw failure;
    const others = await candidates(client, namespace, target.name, [target.kind]);
    throw new CliError(`${failure.message.replace(/\.$/, '')}.${others}`, failure.exitCode, { cause: error });
  };
}
