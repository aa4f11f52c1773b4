import { open } from 'node:fs/promises';

/** Replaces the content of a file that others have open or mounted. Concurrent readers never find it empty. */
export async function writeInPlace(path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const file = await open(path, 'r+');
  try {
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
  } finally {
    await file.close();
  }
}
