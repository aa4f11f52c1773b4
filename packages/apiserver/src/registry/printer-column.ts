import type { Json, JsonObject } from '../object/json.ts';

/** One column of the Table that `kubectl get` prints. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; 1: only by `-o wide`. */
  readonly priority: number;
  readonly cell: (object: JsonObject, context: CellContext) => Json;
}

/** What a cell may depend on besides the object. */
export interface CellContext {
  readonly nowMs: number;
}
