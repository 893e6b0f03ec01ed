import { readdir, readFile } from 'node:fs/promises';

/** The variable by which the processes of one program are found after they have left its process group. */
export const MARK = 'TENON_PROCESS';

/**
 * The processes of this user that were started with this mark in their environment. Linux only: elsewhere
 * nothing tells, and the list is empty.
 */
export async function markedProcesses(mark: string): Promise<readonly number[]> {
  return (await nextScan()).get(mark) ?? [];
}

type Scan = ReadonlyMap<string, number[]>;

let current: Promise<unknown> = Promise.resolve();
let next: Promise<Scan> | undefined;

/** Everybody who asks during a scan shares the next one: a thousand conversations may end at once. */
function nextScan(): Promise<Scan> {
  next ??= current.then(() => {
    next = undefined;
    const scan = readMarks();
    current = scan;
    return scan;
  });
  return next;
}

async function readMarks(): Promise<Scan> {
  const found = new Map<string, number[]>();
  if (process.platform !== 'linux') return found;
  const names = await readdir('/proc').catch((): string[] => []);
  await Promise.all(
    names.filter(isNumber).map(async (name) => {
      const mark = await markOf(name);
      if (mark !== undefined) found.set(mark, [...(found.get(mark) ?? []), Number(name)]);
    }),
  );
  return found;
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

async function markOf(pid: string): Promise<string | undefined> {
  // The processes of other users cannot be read.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const variable = environment.split('\0').find((each) => each.startsWith(`${MARK}=`));
  return variable?.slice(MARK.length + 1);
}
