/**
 * Ends this process with SIGTERM when the shell in which npm started it is gone: npm passes a signal only to its shell, and some
 * shells end without passing it on.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 500);
  timer.unref();
}
