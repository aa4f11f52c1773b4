/** A media type with its parameters, as an Accept or Content-Type header names it. */
export interface MediaType {
  readonly type: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Reads one media type; names are compared in lower case. */
export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const params = rest.map((param) => {
    const [key = '', value = ''] = param.split('=');
    return [key.trim().toLowerCase(), value.trim().replaceAll('"', '')] as const;
  });
  return { type: type.toLowerCase(), params: Object.fromEntries(params) };
}

/** The media types of an Accept header, best first; an absent header accepts everything. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  const types = (header ?? '*/*').split(',').map(parseMediaType);
  const quality = ({ params }: MediaType): number => Number(params['q'] ?? 1);
  return types.toSorted((a, b) => quality(b) - quality(a));
}
