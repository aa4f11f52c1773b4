import { StatusError } from '../status/status-error.ts';
import type { Revision, StoreEvent } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { checkListParams, type ListParams } from '../requests/list-params.ts';
import type { Scope } from '../requests/request.ts';
import { parseRevision, tooLarge } from '../object/resource-version.ts';
import { compileSelection, type Selection } from '../selectors/selection.ts';

/** Receives a watch's events, in order. Nothing follows `end` or `error`. */
export interface WatchSink {
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject): void;
  bookmark(resourceVersion: string, isInitialEventsEnd: boolean): void;
  error(error: StatusError): void;
  /** The server closes the watch in good order. */
  end(): void;
}

const BOOKMARK_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_S = 30 * 60;

/** Starts a watch; bad parameters throw, everything later goes to the sink. The returned function ends it without a word. */
export function watchObjects(api: Api, scope: Scope, params: ListParams, sink: WatchSink): () => void {
  checkListParams(params, true);
  const asked = parseRevision(params.resourceVersion ?? '', '');
  const selection = compileSelection(scope, params);
  const watch = new Watch(api, scope, params, selection, sink);
  watch.start(asked);
  return () => watch.stop();
}

class Watch {
  readonly #api: Api;
  readonly #scope: Scope;
  readonly #params: ListParams;
  readonly #selection: Selection;
  readonly #sink: WatchSink;
  readonly #cleanups: (() => void)[] = [];
  #isOver = false;
  /** The revision of the last bookmark. */
  #bookmarked: Revision = 0;

  constructor(api: Api, scope: Scope, params: ListParams, selection: Selection, sink: WatchSink) {
    this.#api = api;
    this.#scope = scope;
    this.#params = params;
    this.#selection = selection;
    this.#sink = sink;
  }

  start(asked: Revision): void {
    const { store, world } = this.#api;
    const { sendInitialEvents, timeoutSeconds = DEFAULT_TIMEOUT_S } = this.#params;
    if (sendInitialEvents === true && asked > store.revision) throw tooLarge(asked, store.revision);
    const startsFresh = sendInitialEvents ?? asked === 0;
    const from = startsFresh || asked === 0 ? store.revision : asked;
    if (startsFresh) this.#sendState();
    if (sendInitialEvents === true && this.#params.allowBookmarks === true) this.#bookmark(store.revision, true);
    if (!this.#follow(from)) return;
    this.#cleanups.push(world.clock.setTimer(timeoutSeconds * 1000, () => this.#timeOut()));
    if (this.#params.allowBookmarks === true) this.#scheduleBookmark();
    this.#cleanups.push(this.#api.onClose(() => this.#end()));
    this.#cleanups.push(this.#api.registry.onChange(() => this.#endIfUnserved()));
  }

  stop(): void {
    this.#isOver = true;
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }

  #sendState(): void {
    const { namespace, resource, version } = this.#scope;
    for (const stored of this.#api.store.list(resource.storedAs, namespace === '' ? {} : { namespace })) {
      const object = version.fromStored(stored);
      if (this.#selection(object)) this.#sink.event('ADDED', object);
    }
  }

  #follow(from: Revision): boolean {
    const { store } = this.#api;
    try {
      this.#cleanups.push(store.watch(from, (event) => this.#onEvent(event), this.#scope.resource.storedAs));
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `too old resource version: ${from} (${store.compactedRevision})`;
      this.#sink.error(new StatusError(410, 'Expired', message));
      return false;
    }
  }

  #onEvent(event: StoreEvent): void {
    if (this.#isOver) return;
    const { namespace, version } = this.#scope;
    if (namespace !== '' && event.key.namespace !== namespace) return;
    const object = version.fromStored(event.object);
    const wasSelected = event.before !== undefined && this.#selection(version.fromStored(event.before));
    const isSelected = event.type !== 'DELETED' && this.#selection(object);
    if (isSelected) this.#sink.event(wasSelected ? 'MODIFIED' : 'ADDED', object);
    else if (wasSelected) this.#sink.event('DELETED', this.#lastSelected(event, object));
  }

  /** An object that leaves the selection is sent as DELETED in its last matching state, with the resourceVersion of the change. */
  #lastSelected(event: StoreEvent, object: StoredObject): StoredObject {
    if (event.type === 'DELETED' || event.before === undefined) return object;
    const before = this.#scope.version.fromStored(event.before);
    return { ...before, metadata: { ...before.metadata, resourceVersion: String(event.revision) } };
  }

  #scheduleBookmark(): void {
    const cancel = this.#api.world.clock.setTimer(BOOKMARK_INTERVAL_MS, () => {
      this.#bookmark(this.#api.store.revision, false);
      if (!this.#isOver) this.#scheduleBookmark();
    });
    this.#cleanups.push(cancel);
  }

  #bookmark(revision: Revision, isInitialEventsEnd: boolean): void {
    if (this.#isOver) return;
    this.#bookmarked = revision;
    this.#sink.bookmark(String(revision), isInitialEventsEnd);
  }

  #timeOut(): void {
    const { revision } = this.#api.store;
    if (this.#params.allowBookmarks === true && this.#bookmarked < revision) this.#bookmark(revision, false);
    this.#end();
  }

  #endIfUnserved(): void {
    const { resource, version } = this.#scope;
    if (this.#api.registry.find(resource.info.group, version.name, resource.info.plural) === undefined) this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.stop();
    this.#sink.end();
  }
}
