/**
 * A number the way Go prints it with the shortest `%g`, as client_golang does: `0.005`, `262144`, `1.048576e+06`, `1e-08`, `+Inf`.
 * Bucket bounds are label values, so dashboards written for the peer match them as strings.
 */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}
