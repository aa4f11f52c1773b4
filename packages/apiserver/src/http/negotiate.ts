import { ownValue } from '@manta/base';
import { StatusError } from '../status/status-error.ts';
import { type MediaType, parseAccept } from './media-type.ts';

/** How an answer shall look. */
export interface Representation {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list';
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`, for the last two. */
  readonly metaVersion: string;
  readonly contentType: string;
}

const FORMATS: Readonly<Record<string, Representation['format']>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
};

const AVAILABLE = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** Chooses a representation; 406 where the client accepts none that there is, such as protobuf alone. */
export function negotiate(header: string | undefined): Representation {
  for (const accepted of parseAccept(header)) {
    const found = representation(accepted);
    if (found !== undefined) return found;
  }
  throw notAcceptable(AVAILABLE);
}

/** 406 with what there is instead. */
export function notAcceptable(available: string): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  return new StatusError(406, 'NotAcceptable', message, {});
}

function representation({ type, params }: MediaType): Representation | undefined {
  const format = ownValue(FORMATS, type);
  if (format === undefined) return undefined;
  const contentType = format === 'yaml' ? 'application/yaml' : 'application/json';
  const { as, g, v } = params;
  if (as === undefined) return { format, as: 'object', metaVersion: '', contentType };
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  const metaVersion = `${g}/${v}`;
  if (as === 'Table') return { format, as: 'table', metaVersion, contentType };
  if (as === 'PartialObjectMetadata') return { format, as: 'metadata', metaVersion, contentType };
  if (as === 'PartialObjectMetadataList') return { format, as: 'metadata-list', metaVersion, contentType };
  return undefined;
}
