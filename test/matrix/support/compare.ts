/** Finds what differs between two comparable outcomes, one finding for each value. */
import type { Comparable } from './normalise.js';
import type { Json, JsonObject, Place, Scenario } from './scenario.js';

export interface Finding {
  readonly where: Place;
  /** Which message, frame or request, by its kind: `result success`, `control_response initialize`. */
  readonly item: string;
  /** Inside the item, as `message.content[0].text`; empty when the item as a whole is on one side only. */
  readonly path: string;
  /** undefined: not there. */
  readonly subject: Json | undefined;
  readonly reference: Json | undefined;
}

export function compare(
  subject: Partial<Comparable>,
  reference: Partial<Comparable>,
  scenario: Scenario,
): Finding[] {
  const places = Object.keys(subject) as Place[];
  return places
    .filter((where) => !scenario.ignore?.includes(where))
    .flatMap((where) => {
      const [left, right] = [subject[where], reference[where]];
      if (!isList(where)) return differences(left as Json, right as Json, { where, item: where, path: '' });
      const unordered = where === 'argv' || scenario.unordered?.includes(where as 'messages');
      return compareLists(left as Json[], right as Json[], where, unordered ?? false);
    })
    .filter(({ path, subject: mine, reference: theirs }) => {
      const areNumbers = typeof mine === 'number' && typeof theirs === 'number';
      return !(areNumbers && scenario.leftToTiming?.test(path));
    });
}

function isList(where: Place): boolean {
  return ['argv', 'stdin', 'messages', 'model', 'calls'].includes(where);
}

function compareLists(left: Json[], right: Json[], where: Place, unordered: boolean): Finding[] {
  const [mine, theirs] = [left, right].map((list) =>
    (unordered ? sorted(list, where) : list).map((value) => ({ value, item: kindOf(value, where) })),
  ) as [Item[], Item[]];
  return align(mine, theirs).flatMap(([subject, reference]) => {
    const item = (subject ?? reference)?.item ?? '';
    if (subject === undefined || reference === undefined) {
      return [{ where, item, path: '', subject: subject?.value, reference: reference?.value }];
    }
    return differences(subject.value, reference.value, { where, item, path: '' });
  });
}

interface Item {
  value: Json;
  item: string;
}

function sorted(list: Json[], where: Place): Json[] {
  const key = (value: Json): string => `${kindOf(value, where)} ${JSON.stringify(value)}`;
  return list.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Pairs items of the same kind in order (longest common subsequence); what has no partner stands alone. */
function align(left: Item[], right: Item[]): [Item | undefined, Item | undefined][] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const same = left[i]?.item === right[j]?.item;
      (lengths[i] as number[])[j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [Item | undefined, Item | undefined][] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i]?.item === right[j]?.item)
      pairs.push([left[i++], right[j++]]);
    else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1)))
      pairs.push([left[i++], undefined]);
    else pairs.push([undefined, right[j++]]);
  }
  return pairs;
}

function differences(
  subject: Json | undefined,
  reference: Json | undefined,
  place: Pick<Finding, 'where' | 'item' | 'path'>,
): Finding[] {
  if (Array.isArray(subject) && Array.isArray(reference)) {
    const indexes = Array.from({ length: Math.max(subject.length, reference.length) }, (_, index) => index);
    return indexes.flatMap((index) =>
      differences(subject[index], reference[index], { ...place, path: `${place.path}[${index}]` }),
    );
  }
  if (isObject(subject) && isObject(reference)) {
    const keys = new Set([...Object.keys(subject), ...Object.keys(reference)]);
    return [...keys].flatMap((key) => {
      const path = place.path === '' ? key : `${place.path}.${key}`;
      return differences(subject[key], reference[key], { ...place, path });
    });
  }
  return subject === reference ? [] : [{ ...place, subject, reference }];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name for the kind of a message, a frame, a request or an argument, by which partners find each other. */
function kindOf(value: Json, where: Place): string {
  if (where === 'argv') return isObject(value) ? 'JSON' : String(value).replace(/=.*/s, '');
  if (!isObject(value)) return where;
  if (where === 'model') return 'request';
  if (where === 'calls') return String(value.name);
  const request = (value.request ?? value.response) as JsonObject | undefined;
  const content = contentOf(value);
  const subject = value.type === 'control_response' ? request?.request_id : request?.subtype;
  return [value.type, value.subtype, subject, content].filter((part) => part !== undefined).join(' ');
}

function contentOf(value: JsonObject): string | undefined {
  const content = (value.message as JsonObject | undefined)?.content;
  if (typeof content === 'string') return 'text';
  if (!Array.isArray(content)) return undefined;
  return content.map((block) => (isObject(block) ? String(block.type) : '')).join('+');
}
