/** Flags of `logs`. */
export interface LogsFlags {
  readonly follow?: boolean;
  /** Milliseconds. */
  readonly since?: number;
  readonly tail?: number;
  readonly grep?: string;
  readonly nodeType: 'all' | 'head' | 'worker';
  readonly group?: string;
  readonly container?: string;
  readonly previous?: boolean;
  readonly download?: string;
  readonly outDir?: string;
  readonly link?: string;
}
