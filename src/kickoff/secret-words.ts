/** Names by which people write a secret, and what stands before one. */
const secretWord =
  /token|pass(?=w|phrase|code|key|[^a-z]|$)|pwd|secret|api[-_ ]?key|authenti|authori[sz]|\bauth\b|credential|bearer/i;

/** Whether a member of this name may hold a secret. */
export function namesSecret(name: string): boolean {
  return secretWord.test(name);
}

/**
 * Whether a text that nobody can read may hold a secret: rather too often than too rarely. A name may be written with JSON's escapes,
 * a curl command has its own ways, and an address may begin with a name and password.
 */
export function mayHoldSecret(text: string): boolean {
  const address = text.search(/:\\?\//);
  return (
    secretWord.test(text) ||
    /\\u|\bcurl\b/i.test(text) ||
    (address >= 0 && text.includes("@", address))
  );
}
