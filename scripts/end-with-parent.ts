/**
 * Ends this process, by the signal SIGTERM, when the shell that npm started it in is gone: npm hands a signal on to its shell
 * only, and some shells end without handing it on to what they run.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 500);
  timer.unref();
}
