/** Bounds a wait for code of the user, which may also throw at once. */
export async function withTimeout<Result>(
  call: () => Promise<Result>,
  milliseconds: number,
  timeout: Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      call(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(timeout), milliseconds);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
