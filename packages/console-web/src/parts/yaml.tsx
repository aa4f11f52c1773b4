/** An object as YAML. Only what JSON has is written, so a small writer is enough. */
export function Yaml({ value }: { readonly value: unknown }) {
  return <pre>{toYaml(value).trimStart()}</pre>;
}

export function toYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value))
    return value.length === 0 ? ' []' : value.map((item) => `\n${indent}-${nested(item, `${indent}  `)}`).join('');
  if (typeof value !== 'object' || value === null) return ` ${scalar(value)}`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return ' {}';
  return entries
    .map(([key, item]) => `\n${indent}${scalar(key)}:${toYaml(item, Array.isArray(item) ? indent : `${indent}  `)}`)
    .join('');
}

/** The first key of an object in a list stands beside the dash. */
function nested(item: unknown, indent: string): string {
  const text = toYaml(item, indent);
  return text.startsWith('\n') ? ` ${text.slice(1 + indent.length)}` : text;
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value.includes('\n')) return JSON.stringify(value);
  const isPlain =
    /^[A-Za-z/][\w./:=@-]*( [\w./:=@-]+)*$/.test(value) && !/: |:$|^(true|false|null|yes|no|on|off)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
