/** What is wrong with a text that should be a token. */
export type TokenProblem = "empty" | "notOneWord" | "tooLong";

/** Longest token that is taken, in characters: servers refuse headers of 8 KB and more. */
const longest = 7000;

/** The token in what a person pasted: without blanks or quotes around it, and without the word "Bearer" or "Authorization:" before it. */
export function tokenIn(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .replace(/^authorization:\s*/i, "")
    .replace(/^bearer\s+/i, "")
    .trim();
}

/** What is wrong with a token, or nothing. A header takes visible ASCII only, and an error about it there would quote the token. */
export function tokenProblem(token: string): TokenProblem | undefined {
  if (token === "") return "empty";
  if (token.length > longest) return "tooLong";
  return /^[\x21-\x7e]+$/.test(token) ? undefined : "notOneWord";
}
