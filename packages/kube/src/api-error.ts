import type { Status, StatusCause } from './client/client.ts';

/** What the server was asked when it refused; makes an error readable without its stack. */
export interface FailedCall {
  readonly method: string;
  readonly path: string;
}

/** The API server answered, and the answer was no. `message` is one line that a user understands. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status code, e.g. 409. */
  readonly code: number;
  /** Kubernetes' reason, e.g. `Conflict`; `Unknown` when the answer was not a Status. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly StatusCause[];
  readonly call: FailedCall;
  readonly status: Status | undefined;

  constructor(call: FailedCall, code: number, message: string, status?: Status, retryAfterMs?: number) {
    super(message);
    this.call = call;
    this.code = code;
    this.status = status;
    this.reason = status?.reason ?? reasonForCode(code);
    this.causes = status?.details?.causes ?? [];
    const retryAfterSeconds = status?.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (retryAfterSeconds ? retryAfterSeconds * 1000 : undefined);
  }
}

/** No answer came: refused, reset, timed out, certificate not trusted. Whether a write was carried out is not known. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly call: FailedCall | undefined;
  /** True only when the request certainly never reached the server, so that even a create may be sent again. */
  readonly wasNeverSent: boolean;

  constructor(message: string, options: { cause?: unknown; call?: FailedCall; wasNeverSent?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.call = options.call;
    this.wasNeverSent = options.wasNeverSent ?? false;
  }
}

export const isNotFound = (error: unknown): boolean => isApiError(error, 404);
/** 409 because the object changed since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === 'Conflict';
/** 409 because an object of that name exists. */
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'AlreadyExists';
export const isForbidden = (error: unknown): boolean => isApiError(error, 403);
export const isUnauthorized = (error: unknown): boolean => isApiError(error, 401);
/** A create in a namespace that is being deleted, or no longer exists: it will never succeed. */
export const isNamespaceGone = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.causes.some(({ reason }) => reason === 'NamespaceTerminating') ||
    (error.code === 404 && error.status?.details?.kind === 'namespaces'));
/** 422: the object itself is wrong; sending it again will not help. */
export const isInvalid = (error: unknown): boolean => isApiError(error, 422);
/** 410: the resourceVersion is older than what the server remembers. */
export const isGone = (error: unknown): boolean => isApiError(error, 410);

function isApiError(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

function reasonForCode(code: number): string {
  return REASONS[code] ?? 'Unknown';
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
