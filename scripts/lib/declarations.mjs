// @ts-check
/** What an entry of the package exports, as its declaration files say it: name, doc comment, text. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';

/**
 * @typedef {object} Declaration
 * @property {string} name
 * @property {'value' | 'type'} kind
 * @property {string} file the declaration file, relative to `dist`
 * @property {string} comment as prose
 * @property {string} text TypeScript, overloads one below the other
 *
 * @typedef {object} Module
 * @property {Map<string, Omit<Declaration, 'file'>>} own
 * @property {Map<string, { from: string, name: string }>} elsewhere names that come from another file
 * @property {string[]} exports
 */

/** @type {Map<string, Module>} */
const modules = new Map();

/**
 * @param {string} dist
 * @param {string} entry
 * @returns {Declaration[]}
 */
export function declarationsOf(dist, entry) {
  return readModule(dist, entry).exports.map((name) => renamed(find(dist, entry, name), name));
}

/** As the entry calls it. @param {Declaration} declaration @param {string} name @returns {Declaration} */
function renamed(declaration, name) {
  const text = declaration.text.replaceAll(new RegExp(`\\b${declaration.name}\\b`, 'g'), name);
  return { ...declaration, name, text };
}

/** @param {string} dist @param {string} file @param {string} name @returns {Declaration} */
function find(dist, file, name) {
  const { own, elsewhere } = readModule(dist, file);
  const declaration = own.get(name);
  if (declaration !== undefined) return { ...declaration, file };
  const origin = elsewhere.get(name);
  if (origin === undefined) throw new Error(`${file} has no declaration of "${name}".`);
  return find(dist, origin.from, origin.name);
}

/** @param {string} dist @param {string} file @returns {Module} */
function readModule(dist, file) {
  const known = modules.get(join(dist, file));
  if (known !== undefined) return known;
  const source = readFileSync(join(dist, file), 'utf8');
  const { program, comments, errors } = parseSync(file, source, { lang: 'dts' });
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  /** @type {Module} */
  const module = { own: new Map(), elsewhere: new Map(), exports: [] };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration')
      passOn(module, file, statement.source.value, imported(statement));
    if (statement.type !== 'ExportNamedDeclaration') continue;
    module.exports.push(...exported(statement).map(([name]) => name));
    if (statement.source !== null) passOn(module, file, statement.source.value, exported(statement));
    const declaration = statement.declaration;
    if (declaration === null) continue;
    const comment = comments.findLast(({ end }) => end <= statement.start);
    const isDoc = comment?.value.startsWith('*') && source.slice(comment.end, statement.start).trim() === '';
    add(module, {
      name: nameOf(declaration),
      kind: /^TS(Interface|TypeAlias)/.test(declaration.type) ? 'type' : 'value',
      comment: isDoc ? prose(comment?.value ?? '') : '',
      text: withoutPrivate(source.slice(statement.start, statement.end)),
    });
  }
  modules.set(join(dist, file), module);
  return module;
}

/** @param {Module} module @param {Omit<Declaration, 'file'>} declaration */
function add({ own, exports }, declaration) {
  const before = own.get(declaration.name);
  if (before === undefined) {
    own.set(declaration.name, declaration);
    exports.push(declaration.name);
  } else before.text += `\n${declaration.text}`;
}

/** @param {Module} module @param {string} file @param {string} specifier @param {[string, string][]} names */
function passOn({ elsewhere }, file, specifier, names) {
  if (!specifier.startsWith('.')) return;
  const from = join(dirname(file), specifier.replace(/\.js$/, '.d.ts'));
  for (const [local, name] of names) elsewhere.set(local, { from, name });
}

/** @param {import('rolldown/utils').ESTree.ImportDeclaration} statement @returns {[string, string][]} */
function imported({ specifiers }) {
  return specifiers.flatMap((each) =>
    each.type === 'ImportSpecifier' && 'name' in each.imported ? [[each.local.name, each.imported.name]] : [],
  );
}

/** @param {import('rolldown/utils').ESTree.ExportNamedDeclaration} statement @returns {[string, string][]} */
function exported({ specifiers }) {
  return specifiers.flatMap(({ local, exported: outside }) =>
    'name' in local && 'name' in outside ? [[outside.name, local.name]] : [],
  );
}

/** @param {import('rolldown/utils').ESTree.Declaration} declaration */
function nameOf(declaration) {
  const id = declaration.type === 'VariableDeclaration' ? declaration.declarations[0]?.id : declaration.id;
  if (id?.type !== 'Identifier') throw new Error(`A declaration without a name: ${declaration.type}`);
  return id.name;
}

/** @param {string} comment */
function prose(comment) {
  return comment
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join('\n')
    .trim();
}

/** @param {string} text */
function withoutPrivate(text) {
  return text.replaceAll(/^ +(private |#private).*\n/gm, '').replace(/^export (declare )?/, '');
}
