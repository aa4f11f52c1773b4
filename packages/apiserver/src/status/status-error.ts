/** A refusal, in the form that every Kubernetes client understands: metav1.Status with a reason, a code and causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly FieldCause[];
  readonly retryAfterSeconds?: number;
}

/** One thing that is wrong with one field. */
export interface FieldCause {
  /** `FieldValueRequired`, `FieldValueInvalid`, `FieldValueNotSupported`, `FieldValueDuplicate` … */
  readonly reason: string;
  readonly message: string;
  /** JSON path, e.g. `spec.containers[0].name`. */
  readonly field: string;
}

/** Thrown anywhere below a request and written as the answer by the HTTP layer. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}
