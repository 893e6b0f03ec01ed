// @ts-check

/**
 * Shows that something long is going on: on a terminal one line whose seconds count up, in a pipe one line at the
 * start and one at the end.
 *
 * @template Result
 * @param {string} title
 * @param {boolean} quiet
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withProgress(title, quiet, work) {
  if (quiet) return work();
  finishUnread();
  const { stdout } = process;
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(0)} s`;
  const line = () => stdout.write(`\r${title} … ${seconds()}`);
  if (!stdout.isTTY) stdout.write(`${title} …\n`);
  else line();
  const timer = stdout.isTTY ? setInterval(line, 1000) : undefined;
  let outcome = 'failed after';
  try {
    const result = await work();
    outcome = 'done in';
    return result;
  } finally {
    clearInterval(timer);
    stdout.write(`${stdout.isTTY ? '\r' : ''}${title}: ${outcome} ${seconds()}\n`);
  }
}

let isPrepared = false;

/** `npm start | head -n 1`: a reader that has left must not leave half a build behind. */
function finishUnread() {
  if (isPrepared) return;
  isPrepared = true;
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
