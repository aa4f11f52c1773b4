import type { StoredObject } from '../object/stored-object.ts';
import type { HttpRequest, HttpResponse } from '../http/http-request.ts';

/** A request that goes through to a running pod. */
export interface PodCall {
  readonly pod: StoredObject;
  readonly subresource: 'attach' | 'exec' | 'log' | 'portforward' | 'proxy';
  /** The port that a proxied request is for, where a Service or the path names one. */
  readonly port?: string;
  /** The path after `proxy`, percent-encoded. */
  readonly rest: string;
  readonly query: URLSearchParams;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

/** The kubelet's interface for the API server: logs, exec, attach, port-forward. */
export interface PodBackend {
  /** Answers the request; a refusal is thrown as a StatusError. */
  handle(call: PodCall): Promise<void>;
}
