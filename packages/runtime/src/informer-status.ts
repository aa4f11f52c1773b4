import type { Trouble } from './reflector.ts';

/** One namespace (absent: all of them) that an informer has trouble with. */
export interface ScopeTrouble extends Trouble {
  readonly namespace: string | undefined;
}

/**
 * How far an informer's content can be trusted.
 * - `starting`: the first content has not arrived.
 * - `synced`: content arrived and is followed; some of several namespaces may be out of reach (`troubles`).
 * - `failing`: the server cannot be reached or answers with errors; content, if any, is old.
 * - `forbidden`, `absent`: we may not watch, or the kind is not served; the informer recovers automatically when that changes.
 */
export interface InformerStatus {
  readonly phase: 'starting' | 'synced' | Trouble['kind'];
  readonly troubles: readonly ScopeTrouble[];
}

/** What is known of one scope. */
export interface ScopeStatus {
  readonly namespace: string | undefined;
  readonly hasContent: boolean;
  readonly trouble: Trouble | undefined;
}

/** True when the scope's content is there and being followed, or only held up by an outage. */
export function isScopeReady(scope: ScopeStatus): boolean {
  return scope.hasContent && !isShut(scope);
}

/** One status for all scopes. Scopes that are shut to us are left out of the verdict as long as another one works. */
export function combineScopes(scopes: readonly ScopeStatus[]): InformerStatus {
  const troubles = scopes.flatMap(({ namespace, trouble }) =>
    trouble === undefined ? [] : [{ ...trouble, namespace }],
  );
  const open = scopes.filter((scope) => !isShut(scope));
  const phase =
    open.length === 0
      ? (troubles[0]?.kind ?? 'starting')
      : open.every((scope) => scope.trouble !== undefined) || open.some(isFailingUnsynced)
        ? 'failing'
        : open.every((scope) => scope.hasContent)
          ? 'synced'
          : 'starting';
  return { phase, troubles };
}

/** A sentence for a log or a health page. */
export function describeStatus(kind: string, status: InformerStatus): string {
  const [first] = status.troubles;
  if (first === undefined) return `${kind}: ${status.phase}`;
  const where = first.namespace === undefined ? '' : ` in namespace ${first.namespace}`;
  return `${kind}${where}: ${first.kind}: ${first.message}`;
}

function isShut({ trouble }: ScopeStatus): boolean {
  return trouble?.kind === 'forbidden' || trouble?.kind === 'absent';
}

function isFailingUnsynced(scope: ScopeStatus): boolean {
  return scope.trouble !== undefined && !scope.hasContent;
}
