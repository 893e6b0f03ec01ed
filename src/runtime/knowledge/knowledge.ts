import { LIMITS } from '../../protocol/base/limits.js';
import type { UserContentBlock } from '../../protocol/wire/content.js';
import type { SlashCommand } from '../../protocol/wire/control-payloads.js';
import { readAgents } from '../subagents/agent-files.js';
import { firstOfEachName, type KnownAgent } from '../subagents/known-agent.js';
import type { AddedText } from '../tools/tool-port.js';
import type { KnowledgeFiles } from './files.js';
import { memoryReminder, reminder } from './memory-text.js';
import { DEFAULT_STYLE, type OutputStyle, readStyles, styleNamed } from './output-styles.js';
import type { KnowledgePlaces } from './places.js';
import { type FoundPlugins, readPlugins } from './plugins.js';
import { type KnownPrompt, slashCommandOf } from './prompts.js';
import { type MemoryFile, MemoryReader } from './read-memory.js';
import { FolderReader, firstOfEach, type KnowledgeFolder, projectFolders } from './read-prompts.js';
import { typedCommand } from './typed.js';
import { givenMemory, givenPrompts, type KnowledgeValues } from './values.js';

/** Commands of the runtime itself, which nothing in a folder can replace. */
const OWN_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'clear',
    description: 'Begins a new conversation, in which nothing was said yet',
    argumentHint: '',
    builtin: true,
  },
  {
    name: 'compact',
    description: 'Replaces what was said by a summary',
    argumentHint: '<what the summary should keep>',
    builtin: true,
  },
];

const NO_STYLES: readonly OutputStyle[] = [];
const NO_PLUGINS: FoundPlugins = { plugins: [], errors: [] };
const NO_AGENTS: readonly KnownAgent[] = [];
const ALREADY: Promise<void> = Promise.resolve();

/** Where files are found: those of the project in the workspace, the user's own on the machine. */
export interface KnowledgeGround {
  readonly places: KnowledgePlaces;
  readonly project: KnowledgeFiles;
  readonly user: KnowledgeFiles | undefined;
}

/** What one conversation knows besides what is said in it: memory, skills, commands and styles. */
export class Knowledge {
  readonly #values: KnowledgeValues;
  readonly #wantedStyle: string | undefined;
  readonly #warn: (text: string) => void;
  readonly #changed: (commands: SlashCommand[]) => void;
  #ground: KnowledgeGround | undefined;
  #prompts: readonly KnownPrompt[];
  #styles: readonly OutputStyle[] = NO_STYLES;
  #plugins: FoundPlugins = NO_PLUGINS;
  /** The agents that files define, by name: those of the project come before the user's own. */
  agents: readonly KnownAgent[] = NO_AGENTS;
  #memory: readonly MemoryFile[];
  #reader: MemoryReader | undefined;
  /** Names that the host has chosen for the model; undefined: all. */
  allowed: readonly string[] | undefined;
  /** Changes when the prompts do. */
  version = 0;
  /** Where the agent works, in words; undefined without a workspace. */
  environment: string | undefined;

  /** Settles when the files, if there are any, have been read. */
  known: Promise<void> = ALREADY;

  /** `changed` is called when commands were read again and are others. */
  constructor(
    values: KnowledgeValues,
    outputStyle: string | undefined,
    warn: (text: string) => void,
    changed: (commands: SlashCommand[]) => void,
  ) {
    this.#values = values;
    this.#wantedStyle = outputStyle;
    this.#warn = warn;
    this.#changed = changed;
    this.#prompts = givenPrompts(values);
    this.#memory = givenMemory(values);
  }

  /** Called at most once, before the first turn. Without it there are only values. */
  async open(ground: KnowledgeGround): Promise<void> {
    this.#ground = ground;
    await Promise.all([this.#read(ground), this.renewMemory()]);
  }

  /** Whether the model has the tool Skill. */
  get hasTool(): boolean {
    return this.#ground !== undefined || this.#prompts.length > 0;
  }

  get isTrusted(): boolean {
    return this.#ground?.places.isTrusted === true;
  }

  get plugins(): FoundPlugins['plugins'] {
    return this.#plugins.plugins;
  }

  /** The plugins that are missing, and why. */
  get pluginErrors(): FoundPlugins['errors'] {
    return this.#plugins.errors;
  }

  get memoryFiles(): readonly MemoryFile[] {
    return this.#memory;
  }

  /** For hosts: what people can type. */
  get slashCommands(): SlashCommand[] {
    return [...this.#forUser().map(slashCommandOf), ...OWN_COMMANDS];
  }

  get commandNames(): string[] {
    return [...this.#forUser(), ...OWN_COMMANDS].map(({ name }) => name);
  }

  get skillNames(): string[] {
    return this.#forUser().flatMap(({ kind, name, isDescribed }) =>
      kind === 'skill' && isDescribed ? [name] : [],
    );
  }

  /** The skills and commands that the model can ask for, as hosts list them. */
  get modelCommands(): SlashCommand[] {
    return this.forModel().map(slashCommandOf);
  }

  /** What the model can ask for. */
  forModel(): KnownPrompt[] {
    return this.#prompts.filter(({ isForModel, name }) => isForModel && this.isAllowed(name));
  }

  isAllowed(name: string): boolean {
    return this.allowed?.includes(name) ?? true;
  }

  /** By its name or title, with or without a slash before it. */
  find(name: string): KnownPrompt | undefined {
    const wanted = name.trim().replace(/^\//, '');
    return (
      this.#prompts.find((prompt) => prompt.name === wanted) ??
      this.#prompts.find((prompt) => prompt.title === wanted)
    );
  }

  /** Whether somebody has typed a command, of the runtime or a custom one. */
  isCommand(content: readonly UserContentBlock[]): boolean {
    const name = typedCommand(content)?.name;
    if (name === undefined) return false;
    return OWN_COMMANDS.some((own) => own.name === name) || this.find(name) !== undefined;
  }

  get styleName(): string {
    return this.#wantedStyle ?? DEFAULT_STYLE;
  }

  get styleNames(): string[] {
    return [DEFAULT_STYLE, ...this.#styles.map(({ name }) => name)];
  }

  /** What the chosen style says, if it is there. */
  get style(): string | undefined {
    return styleNamed(this.#styles, this.styleName)?.text;
  }

  /** Reads skills, commands and styles again. */
  async reload(): Promise<void> {
    if (this.#ground === undefined) return;
    const before = JSON.stringify(this.slashCommands);
    await this.#read(this.#ground);
    const commands = this.slashCommands;
    if (JSON.stringify(commands) !== before) this.#changed(commands);
  }

  async #read(ground: KnowledgeGround): Promise<void> {
    const reader = new FolderReader(ground.places, this.#warn);
    const folders = await this.#folders(ground);
    const skills: KnownPrompt[] = [];
    const commands: KnownPrompt[] = [];
    const ofPlugins: KnownPrompt[] = [];
    for (const folder of folders) {
      const [known, typed] = [await reader.skills(folder), await reader.commands(folder)];
      if (folder.source === 'plugin') ofPlugins.push(...typed, ...known);
      else {
        skills.push(...known);
        commands.push(...typed);
      }
    }
    this.agents = await this.#agentsIn(folders, reader);
    const sorted = commands.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    this.#styles = await readStyles(reader, folders);
    this.#prompts = firstOfEach([...givenPrompts(this.#values), ...skills, ...sorted, ...ofPlugins]);
    this.version += 1;
    if (this.styleName !== DEFAULT_STYLE && this.style === undefined) {
      this.#warn(
        `The setting \`outputStyle\` names "${this.styleName}", which does not exist: it has no effect.`,
      );
    }
  }

  async #agentsIn(folders: readonly KnowledgeFolder[], reader: FolderReader): Promise<KnownAgent[]> {
    const found: KnownAgent[] = [];
    const parts = { reader, isTrusted: this.isTrusted, warn: this.#warn };
    for (const source of ['project', 'user', 'plugin']) {
      for (const folder of folders.filter((each) => each.source === source)) {
        found.push(...(await readAgents(folder, parts)));
      }
    }
    return firstOfEachName(found);
  }

  /** For a subagent: it is told what files say about places that it reads from, whoever has been told before. */
  async readerForAgent(): Promise<(path: string) => Promise<AddedText[]>> {
    const ground = this.#ground;
    if (ground === undefined) return async () => [];
    const reader = new MemoryReader(ground.project, ground.user, ground.places, () => {});
    await reader.atStart();
    return (path) => aboutIn(reader, path);
  }

  /** Reads memory files again: at the start, and when the conversation begins anew. */
  async renewMemory(): Promise<void> {
    const ground = this.#ground;
    if (ground === undefined) return;
    this.#reader = new MemoryReader(ground.project, ground.user, ground.places, this.#warn);
    this.#memory = [...(await this.#reader.atStart()), ...givenMemory(this.#values)];
  }

  /** What the model reads before the first message. */
  get memoryText(): string | undefined {
    return this.#memory.length === 0 ? undefined : memoryReminder(this.#memory);
  }

  /** What the model is told after it has read a file. */
  async about(path: string): Promise<AddedText[]> {
    return this.#reader === undefined ? [] : aboutIn(this.#reader, path);
  }

  /** The list of what the tool Skill can load, for the system prompt. */
  get skillList(): string | undefined {
    const listed = this.forModel();
    if (listed.length === 0) return undefined;
    let room: number = LIMITS.maxSkillListChars;
    const lines = listed.flatMap((prompt) => {
      const line = lineOf(prompt, LIMITS.maxSkillDescriptionChars);
      room -= line.length;
      // A name alone is better than nothing; the rest is in the skill itself.
      return [room >= 0 ? line : `- ${prompt.name}`];
    });
    return `The tool Skill can load these skills. Load one when its description fits the task:\n\n${lines.join('\n')}`;
  }

  #forUser(): KnownPrompt[] {
    const own = OWN_COMMANDS.map(({ name }) => name);
    return this.#prompts.filter(({ isForUser, name }) => isForUser && !own.includes(name));
  }

  /** In the order in which names count. */
  async #folders({ places, project, user }: KnowledgeGround): Promise<KnowledgeFolder[]> {
    const folders: KnowledgeFolder[] = [];
    const { configDirectory, sources, pluginDirectories } = places;
    if (user !== undefined && configDirectory !== undefined && sources.has('user')) {
      folders.push({ path: configDirectory, files: user, source: 'user' });
    }
    folders.push(...(await projectFolders(project, places)));
    if (user === undefined) return folders;
    this.#plugins = await readPlugins(user, pluginDirectories, places.cwd, this.#warn);
    for (const { path, name } of this.plugins) {
      folders.push({ path, files: user, source: 'plugin', plugin: name });
    }
    return folders;
  }
}

async function aboutIn(reader: MemoryReader, path: string): Promise<AddedText[]> {
  const found = await reader.about(path);
  return found.map(({ path: from, text }) => ({
    text: reminder(`${from} says:\n\n${text}`),
    isShown: false,
  }));
}

function lineOf({ name, title, description, whenToUse }: KnownPrompt, maxChars: number): string {
  const about = [description, whenToUse].filter((text) => text !== undefined && text !== '').join(' - ');
  const shown = about.length > maxChars ? `${about.slice(0, maxChars)}…` : about;
  return `- ${name}${title === undefined ? '' : ` (${title})`}: ${shown}`;
}
