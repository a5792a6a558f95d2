/** Whether a URL's hostname is this machine. Another name may resolve to it, too, but may belong to a web page (DNS rebinding). */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
