/** An IP address as URLs write it. */
export function hostOf(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}
