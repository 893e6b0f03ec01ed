import { messageOf } from '../protocol/errors.js';
import type { RuleInForce } from '../protocol/permission-decision.js';
import { parseRule, type RuleKind, ruleProblem, ruleText } from '../protocol/permission-rules.js';
import type { PermissionMode, PermissionUpdate } from '../protocol/permissions.js';

const KINDS: ReadonlySet<unknown> = new Set<RuleKind>(['allow', 'deny', 'ask']);

/** Destinations that mean a file of settings. The runtime has none, so what goes there lives as long as the conversation. */
const FILES: ReadonlySet<unknown> = new Set(['userSettings', 'projectSettings', 'localSettings']);

export interface RuleBookEvents {
  /** Throws for a mode that cannot be had. */
  setMode(mode: PermissionMode): void;
  /** Something that was asked for is not, or not quite, done. */
  warn(text: string): void;
}

/** The rules and directories of a conversation, by where they come from, and how answers of the host change them. */
export class RuleBook {
  readonly #events: RuleBookEvents;
  readonly #directories: { path: string; source: string }[] = [];
  #rules: RuleInForce[] = [];

  constructor(events: RuleBookEvents) {
    this.#events = events;
  }

  get rules(): readonly RuleInForce[] {
    return this.#rules;
  }

  get directories(): readonly { path: string; source: string }[] {
    return this.#directories;
  }

  add(kind: RuleKind, texts: readonly string[], source: string): void {
    for (const text of texts) {
      const rule = parseRule(text);
      if (this.#has(kind, rule.text, source)) continue;
      const problem = ruleProblem(rule, kind);
      const effect =
        kind === 'allow' ? 'It allows nothing.' : `It is taken for a rule about all of "${rule.tool}".`;
      if (problem !== undefined)
        this.#events.warn(`The ${kind} rule "${text}" cannot be used: ${problem}. ${effect}`);
      this.#rules.push({ kind, rule, source });
    }
  }

  addDirectories(paths: readonly string[], source: string): void {
    this.removeDirectories(paths, source);
    for (const path of paths) this.#directories.push({ path, source });
  }

  removeDirectories(paths: readonly string[], source: string): void {
    const kept = this.#directories.filter((each) => each.source !== source || !paths.includes(each.path));
    this.#directories.splice(0, this.#directories.length, ...kept);
  }

  /** What a host has decided for the calls to come. What cannot be done is said, and changes nothing else. */
  apply(update: PermissionUpdate): void {
    try {
      this.#apply(update);
    } catch (error) {
      this.#events.warn(`The permission update "${update?.type}" was not applied: ${messageOf(error)}`);
    }
  }

  #apply(update: PermissionUpdate): void {
    const { type, destination } = update;
    switch (type) {
      case 'setMode':
        this.#events.setMode(update.mode);
        break;
      case 'addDirectories':
        this.addDirectories(update.directories, destination);
        break;
      case 'removeDirectories':
        this.removeDirectories(update.directories, destination);
        break;
      case 'addRules':
      case 'replaceRules':
      case 'removeRules':
        this.#applyRules(update);
        break;
      default:
        throw new Error('there is no such kind of update.');
    }
    if (FILES.has(destination)) {
      this.#events.warn(
        `The permission update "${type}" holds for this conversation only: the runtime writes no ${destination}.`,
      );
    }
  }

  #applyRules({ type, rules, behavior, destination }: Extract<PermissionUpdate, { rules: unknown }>): void {
    if (!KINDS.has(behavior)) throw new Error(`"${behavior}" is no behavior: allow, deny or ask.`);
    const texts = rules.map(ruleText);
    if (type !== 'addRules') {
      const isGone = ({ kind, rule, source }: RuleInForce): boolean =>
        kind === behavior && source === destination && (type === 'replaceRules' || texts.includes(rule.text));
      this.#rules = this.#rules.filter((rule) => !isGone(rule));
    }
    if (type !== 'removeRules') this.add(behavior, texts, destination);
  }

  #has(kind: RuleKind, text: string, source: string): boolean {
    return this.#rules.some(
      (each) => each.kind === kind && each.source === source && each.rule.text === text,
    );
  }
}
