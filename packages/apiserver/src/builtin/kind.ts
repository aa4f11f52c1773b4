import type { Time } from '@manta/api';
import type { CheckText } from '../field/names.ts';
import type { JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';

/** What sets one built-in kind apart from the others. */
export interface BuiltinKind {
  readonly group: string;
  readonly kind: string;
  /** The Go type that reads and writes it. */
  readonly type: string;
  /** The definition that describes it. */
  readonly definition: string;
  readonly isNamespaced: boolean;
  readonly checkName: CheckText;
  /** `metadata.generation` counts the changes of its spec. */
  readonly hasGeneration: boolean;
  /** A change of its labels is a new generation, too. */
  readonly countsLabels?: boolean;
  /** Finalizers without a domain are refused. */
  readonly checksFinalizers: boolean;
  /** Updates are checked like creations, too, metadata included. */
  readonly checksMetaTwice?: boolean;
  /** Normalises alternative fields to the stored one; the alternative has no field manager. */
  readonly fold?: (object: JsonObject) => JsonObject;
  /** Clears what a creator may not set and sets what the server decides. */
  readonly prepareForCreate?: (object: JsonObject, now: Time) => JsonObject;
  /** Carries over what an update may not change. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject, subresource: string, now: Time) => JsonObject;
  /** Warnings for the writer of an accepted object. */
  readonly warnings?: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /** Checked before everything else; its error is reported alone. */
  readonly checkFirst?: (object: JsonObject) => readonly FieldCause[];
  /** Everything but metadata. */
  readonly validate?: (object: JsonObject) => readonly FieldCause[];
  /** Everything but metadata; where it is missing, `validate` counts. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => readonly FieldCause[];
}
