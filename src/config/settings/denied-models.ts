import type { DeniedModelsMatch } from './resolved-settings.js';

const FAMILIES: readonly string[] = ['sonnet', 'opus', 'haiku', 'fable'];
/** Names that stand for different models over time. */
const MOVING: ReadonlySet<string> = new Set(['default', 'best', 'opusplan']);

export function matchDeniedModels(models: unknown, deniedModels: unknown): DeniedModelsMatch {
  const warnings: string[] = [];
  const matchers = matchersOf(deniedModels, warnings);
  if (!Array.isArray(models)) {
    warnings.push('"models" is not a list of model names, so nothing was matched.');
    return { denied: [], warnings };
  }
  const denied = models.map((model: unknown) => {
    if (typeof model === 'string') return matchers.some((matches) => matches(normalised(model)));
    warnings.push(`"models" contained a non-string entry (${typeof model}), which is not a model name.`);
    return false;
  });
  return { denied, warnings };
}

type Matcher = (model: string) => boolean;

function matchersOf(list: unknown, warnings: string[]): Matcher[] {
  if (list == null) return [];
  if (!Array.isArray(list)) {
    warnings.push('"deniedModels" is not a list of model names, so it was ignored and blocks nothing.');
    return [];
  }
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'string') {
      warnings.push(`"deniedModels" contained a non-string entry (${typeof entry}); it was ignored.`);
      return [];
    }
    return matcherOf(entry, warnings) ?? [];
  });
}

function matcherOf(entry: string, warnings: string[]): Matcher | undefined {
  const name = normalised(entry);
  if (name === '') {
    warnings.push('An empty entry in "deniedModels" was ignored.');
    return undefined;
  }
  if (MOVING.has(name)) {
    warnings.push(
      `"${entry}" was ignored: it stands for a different model in each release. Name the model instead.`,
    );
    return undefined;
  }
  if (FAMILIES.includes(name)) return (model) => parts(model).includes(name);
  const wanted = versioned(name);
  if (wanted === undefined) {
    warnings.push(
      `"${entry}" blocks only the exact model name; other spellings of the same model are not blocked.`,
    );
    return (model) => model === name;
  }
  if (/\[[^\]]*\]\s*$/.test(entry)) warnings.push(`"${entry}" blocks the model at every context size.`);
  // A version blocks its snapshots and its later minor versions.
  return (model) => {
    const own = versioned(model);
    return own !== undefined && (own === wanted || own.startsWith(`${wanted}-`));
  };
}

/** Lower case, without surrounding spaces and without a tag for the context size. */
function normalised(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, '');
}

const parts = (model: string): string[] => model.split(/[^a-z]+/);

/** `opus-5-5` of `claude-opus-5-5`, however providers write it; undefined for a name without family and version. */
function versioned(model: string): string | undefined {
  const found = /(?:^|[^a-z])((?:sonnet|opus|haiku|fable)-\d+(?:-\d+)*)(?:-v\d+(?::\d+)?)?$/.exec(model);
  return found?.[1];
}
