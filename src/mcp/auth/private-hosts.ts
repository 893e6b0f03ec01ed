// Which hosts are not on the internet. Names are judged by what they are, not by what they resolve to.

/** Names that only a local network or this machine answers to. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.intranet', '.lan', '.home.arpa'];

/** First address and prefix length of each range that is not routed. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];

/** This machine, as `URL` writes it. */
export function isLoopback(hostname: string): boolean {
  const name = withoutDot(hostname);
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name)
  );
}

/** `hostname` of a `URL`, which has turned every way to write an IP address into one. */
export function isPrivateHost(hostname: string): boolean {
  const name = withoutDot(hostname);
  if (name.startsWith('[')) return isPrivateV6(groupsOf(name.slice(1, -1)));
  if (/^\d+(\.\d+){3}$/.test(name)) return isPrivateV4(numberOf(name));
  return !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isPrivateV4(address: number): boolean {
  return PRIVATE_V4.some(([first, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(address / size) === Math.floor(numberOf(first) / size);
  });
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((each) => Number(`0x${each}`));
  const [left, right] = [parse(head), parse(tail ?? '')];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function isPrivateV6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups;
  const last = (groups[6] ?? 0) * 65_536 + (groups[7] ?? 0);
  const hasV4 = groups.slice(0, 5).every((group) => group === 0) && [0, 0xffff].includes(groups[5] ?? -1);
  if (hasV4) return isPrivateV4(last);
  if (first === 0x64 && second === 0xff9b) return isPrivateV4(last);
  if (first === 0x2002) return isPrivateV4(second * 65_536 + third);
  // Unique local, link local, multicast.
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 || (first & 0xff00) === 0xff00;
}
