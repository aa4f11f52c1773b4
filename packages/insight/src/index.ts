/**
 * What an observed cluster means, for people: why an object is not healthy, its tree, a summary, what an edit would do. Pure, also for browsers.
 */
export * from './lookup.ts';
export { preview, refOfManifest } from './preview/preview.ts';
export type {
  Admitted,
  Downtime,
  FieldChange,
  IgnoredField,
  Manifest,
  ObjectPreview,
  PodsChange,
  Preview,
  PreviewOptions,
  ResourceChange,
  Step,
  StepKind,
} from './preview/types.ts';
export { type ObjectSummary, type Summary, summary } from './summary/summary.ts';
export type { ResourceRow } from './summary/resources.ts';
export { type NodeHealth, type TreeNode, tree } from './tree/tree.ts';
export type { Cause, Evidence, Health, Link, Why } from './why/cause.ts';
export { CAUSES, type CauseCode } from './why/codes.ts';
export { podCause } from './why/pod.ts';
export { why } from './why/why.ts';
export * from './world.ts';
