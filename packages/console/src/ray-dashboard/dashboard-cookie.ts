/** The cookie that names a viewer on a dashboard's host. `__Host-` keeps it on that host. */
const NAME = '__Host-manta-ray';

export function cookieFor(id: string): string {
  return `${NAME}=${id}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

export function dashboardIdIn(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === NAME && value !== undefined && value !== '') return value;
  }
  return undefined;
}
