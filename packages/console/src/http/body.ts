/** The body of a request, read whole; undefined: it has none. */
export async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array | undefined | 'too-large'> {
  if (request.body === null || request.method === 'GET') return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
