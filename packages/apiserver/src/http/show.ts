import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Scope } from '../requests/request.ts';
import { tableOf } from '../table/table.ts';
import type { ListPage } from '../verbs/list.ts';
import type { Representation } from './negotiate.ts';
import { ObjectList } from './object-list.ts';

/** How the answer to a request shall look, and what time it is for its ages. */
export interface View {
  readonly scope: Scope;
  readonly representation: Representation;
  readonly nowMs: number;
  /** `includeObject` of a Table; default Metadata. */
  readonly includeObject: string;
}

/** One object as the client wants to see it. */
export function showObject(view: View, object: StoredObject): unknown {
  const { as, metaVersion } = view.representation;
  if (as === 'table') return tableOf(view, [object], { resourceVersion: object.metadata.resourceVersion });
  if (as === 'metadata') return partial(object, metaVersion);
  if (as === 'metadata-list') {
    throw unfit(`PartialObjectMetadataList, but the requested object is not a list (${goType(view, object.kind)})`);
  }
  return object;
}

/** A list as the client wants to see it. Items of built-in kinds do not repeat their type. */
export function showList(view: View, { items, ...metadata }: ListPage): unknown {
  const { as, metaVersion } = view.representation;
  const { version, resource } = view.scope;
  if (as === 'table') return tableOf(view, items, metadata);
  if (as === 'metadata') {
    const what = goType(view, resource.info.listKind);
    throw unfit(`PartialObjectMetadata, but the requested object is a list (${what})`);
  }
  if (as === 'metadata-list') {
    const shown = items.map((item) => partial(item, metaVersion));
    return { kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: shown };
  }
  const { listKind: kind } = resource.info;
  const { apiVersion, isBuiltin } = version;
  // Lists of custom resources say that there is no more.
  const head = { kind, apiVersion, metadata: isBuiltin ? metadata : { continue: '', ...metadata } };
  return new ObjectList(head, items, !isBuiltin);
}

function unfit(why: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `you requested ${why}`);
}

/** How the real server's messages name a kind. */
function goType({ scope }: View, kind: string): string {
  if (!scope.version.isBuiltin) return '*unstructured.Unstructured';
  const { group } = scope.resource.info;
  return `*${group === '' ? 'core' : group.split('.')[0]}.${kind}`;
}

function partial({ metadata }: StoredObject, apiVersion: string): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}
