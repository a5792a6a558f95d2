/** Only names that can't belong to a web page (DNS rebinding). */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function receiverAddress(port: number, path: string): string {
  return `http://127.0.0.1:${port}/${path}`;
}

/** Whether it is a {@link receiverAddress} with a secret path. */
export function isReceiverAddress(address: string): boolean {
  return /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/.test(address);
}

/** Where secrets and outputs may be sent: https, or http on this machine, without a name and password. Undefined otherwise. */
export function safeUrl(text: string): URL | undefined {
  if (!URL.canParse(text.trim())) return undefined;
  const url = new URL(text.trim());
  const { protocol, hostname, username, password } = url;
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isSafe && username === "" && password === "" ? url : undefined;
}
