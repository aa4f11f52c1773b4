/** Characters of warnings beyond which each one is cut, as in kube-apiserver. */
const TOTAL_CHARACTERS = 4 * 1024;
const CUT_CHARACTERS = 256;

/**
 * The values of the `Warning` header, one for each distinct text. RFC 9110 allows bytes above 0x7f in a quoted string, and Kubernetes clients
 * read them as UTF-8; a text with control characters cannot be a header value and is left out.
 */
export function warningValues(texts: readonly string[]): readonly string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '' && !/\p{Cc}/u.test(text) && text.isWellFormed());
  const total = distinct.reduce((sum, text) => sum + characters(text).length, 0);
  if (total <= TOTAL_CHARACTERS) return distinct.map(warningValue);
  let left = TOTAL_CHARACTERS;
  return distinct.flatMap((text) => {
    if (left <= 0) return [];
    const cut = characters(text).slice(0, CUT_CHARACTERS);
    left -= cut.length;
    return [warningValue(cut.join(''))];
  });
}

function characters(text: string): readonly string[] {
  return Array.from(text);
}

/** Node writes one byte for each character of a header: UTF-8 goes through as the characters of its bytes. */
function warningValue(text: string): string {
  const quoted = text.replaceAll(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(quoted).toString('latin1')}"`;
}
