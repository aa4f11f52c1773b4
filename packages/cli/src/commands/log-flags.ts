/** Flags of `log`. */
export interface LogFlags {
  readonly outDir?: string;
  readonly nodeType: 'all' | 'head' | 'worker';
  readonly link?: string;
}
