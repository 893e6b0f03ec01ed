import { messageOf } from '../../protocol/base/errors.js';
import type { RuleInForce } from '../../protocol/permissions/permission-decision.js';
import {
  parseRule,
  type RuleKind,
  ruleText,
  ruleWarning,
} from '../../protocol/permissions/permission-rules.js';
import type { PermissionMode, PermissionUpdate } from '../../protocol/permissions/permissions.js';
import type { SDKPermissionRuleEntry } from '../../protocol/wire/control-payloads.js';

type Source = SDKPermissionRuleEntry['source'];

const KINDS: ReadonlySet<unknown> = new Set<RuleKind>(['allow', 'deny', 'ask']);

/**
 * Destinations that are settings files. The runtime writes none, so these updates last as long as the
 * conversation.
 */
const FILES: ReadonlySet<unknown> = new Set(['userSettings', 'projectSettings', 'localSettings']);

/**
 * Where a host may put rules and directories: neither in the policy nor in the settings of the
 * conversation.
 */
const DESTINATIONS: ReadonlySet<unknown> = new Set([...FILES, 'session', 'cliArg']);

/** A rule that was there from the start; answers of the host can only take back those that they added. */
interface BookRule extends RuleInForce<Source> {
  readonly isGiven: boolean;
}

export interface RuleBookEvents {
  /** Throws for a mode that is not available. */
  setMode(mode: PermissionMode): void;
  /** An update was not applied, or not exactly as given. */
  warn(text: string): void;
}

/** The rules and directories of a conversation by source, and how answers of the host change them. */
export class RuleBook {
  readonly #events: RuleBookEvents;
  readonly #isManagedOnly: boolean;
  readonly #directories: { path: string; source: Source }[] = [];
  #rules: BookRule[] = [];
  #version = 0;

  /** `isManagedOnly`: only allow rules of the policy count. */
  constructor(events: RuleBookEvents, isManagedOnly = false) {
    this.#events = events;
    this.#isManagedOnly = isManagedOnly;
  }

  get rules(): readonly RuleInForce<Source>[] {
    return this.#rules;
  }

  /** Increases whenever the rules change. */
  get version(): number {
    return this.#version;
  }

  get directories(): readonly { path: string; source: Source }[] {
    return this.#directories;
  }

  /** Adds rules that the conversation starts with. */
  add(kind: RuleKind, texts: readonly string[], source: Source): void {
    this.#add(kind, texts, source, true);
  }

  #add(kind: RuleKind, texts: readonly string[], source: Source, isGiven: boolean): void {
    for (const text of texts) {
      const rule = parseRule(text);
      if (this.#has(kind, rule.text, source)) continue;
      if (this.#isManagedOnly && kind === 'allow' && source !== 'policySettings') {
        this.#events.warn(
          `The allow rule "${text}" is ignored: the policy permits only its own allow rules.`,
        );
        continue;
      }
      const warning = ruleWarning(rule, kind);
      if (warning !== undefined) this.#events.warn(warning);
      this.#rules.push({ kind, rule, source, isGiven });
      this.#version += 1;
    }
  }

  /** Allows what a skill or command asks for, until the next turn begins. */
  grant(texts: readonly string[]): void {
    this.#add('allow', texts, 'command', false);
  }

  /** Takes back what was granted for a turn. */
  beginTurn(): void {
    const kept = this.#rules.filter(({ source }) => source !== 'command');
    if (kept.length === this.#rules.length) return;
    this.#rules = kept;
    this.#version += 1;
  }

  addDirectories(paths: readonly string[], source: Source): void {
    this.removeDirectories(paths, source);
    for (const path of paths) this.#directories.push({ path, source });
  }

  removeDirectories(paths: readonly string[], source: Source): void {
    const kept = this.#directories.filter((each) => each.source !== source || !paths.includes(each.path));
    this.#directories.splice(0, this.#directories.length, ...kept);
  }

  /**
   * Applies a decision of the host about future calls. What cannot be applied causes a warning and changes
   * nothing else.
   */
  apply(update: PermissionUpdate): void {
    try {
      this.#apply(update);
    } catch (error) {
      this.#events.warn(`The permission update "${update?.type}" was not applied: ${messageOf(error)}`);
    }
  }

  #apply(update: PermissionUpdate): void {
    const { type, destination } = update;
    if (!DESTINATIONS.has(destination)) throw new Error(`"${destination}" is not a valid destination.`);
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
        throw new Error('this kind of update is unknown.');
    }
    if (FILES.has(destination)) {
      this.#events.warn(
        `The permission update "${type}" applies to this conversation only: the runtime does not write ${destination}.`,
      );
    }
  }

  #applyRules({ type, rules, behavior, destination }: Extract<PermissionUpdate, { rules: unknown }>): void {
    if (!KINDS.has(behavior)) throw new Error(`"${behavior}" is not a behavior; give allow, deny or ask.`);
    const texts = rules.map(ruleText);
    if (type !== 'addRules') {
      const isMeant = ({ kind, rule, source }: BookRule): boolean =>
        kind === behavior && source === destination && (type === 'replaceRules' || texts.includes(rule.text));
      this.#remove(isMeant);
    }
    if (type !== 'removeRules') this.#add(behavior, texts, destination, false);
  }

  /** What was forbidden at the start stays forbidden. */
  #remove(isMeant: (rule: BookRule) => boolean): void {
    const stays = ({ kind, isGiven }: BookRule): boolean => isGiven && kind !== 'allow';
    for (const rule of this.#rules.filter((each) => isMeant(each) && stays(each))) {
      this.#events.warn(
        `The ${rule.kind} rule "${rule.rule.text}" stays: an answer of the host cannot take it back.`,
      );
    }
    this.#rules = this.#rules.filter((rule) => !isMeant(rule) || stays(rule));
    this.#version += 1;
  }

  #has(kind: RuleKind, text: string, source: string): boolean {
    return this.#rules.some(
      (each) => each.kind === kind && each.source === source && each.rule.text === text,
    );
  }
}
