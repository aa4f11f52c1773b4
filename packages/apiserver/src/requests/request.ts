import type { User } from '../auth/user.ts';
import type { ServedResource, ServedVersion } from '../registry/served-resource.ts';

/** The verbs of the API as RBAC names them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a request is about, and who asks: common to all verbs. */
export interface Scope {
  readonly resource: ServedResource;
  readonly version: ServedVersion;
  /** Empty: cluster-scoped, or across all namespaces. */
  readonly namespace: string;
  /** Empty: the collection. */
  readonly name: string;
  /** Empty: the object itself. */
  readonly subresource: string;
  readonly user: User;
  /** What the client calls itself; names the field manager where the request does not. */
  readonly userAgent: string;
  /** Collects Warning headers. */
  readonly warn: (message: string) => void;
}

/** Query parameters common to create, update and patch. */
export interface WriteParams {
  readonly isDryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
  /** Paths that the body's text names twice, found while it was parsed. */
  readonly duplicateFields?: readonly string[];
}

/** What happens with fields that the schema does not know. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';
