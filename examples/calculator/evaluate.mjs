// Arithmetic without `eval`: the text is split into tokens, and each rule of the grammar is a function.
// Nothing but numbers and the operators below exists here, so an expression cannot reach anything else.
//
//   sum     = product (("+" | "-") product)*
//   product = sign (("*" | "/" | "%") sign)*
//   sign    = ("+" | "-") sign | power                  so -2 ^ 2 is -4, as on paper
//   power   = value ("^" sign)?                         to the right: 2 ^ 3 ^ 2 is 2 ^ 9
//   value   = number | "(" sum ")"

const MAX_LENGTH = 1000;
/** Each level of nesting takes a few calls, and the stack is limited. */
const MAX_DEPTH = 100;

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([-+*/%^()]))/y;

/**
 * @param {string} expression
 * @returns {number}
 */
export function evaluate(expression) {
  if (expression.length > MAX_LENGTH) {
    throw new Error(`The expression has ${expression.length} characters; at most ${MAX_LENGTH} are allowed.`);
  }
  const tokens = tokensOf(expression);
  let position = 0;
  let depth = 0;

  const peek = () => tokens[position]?.text;
  /** @param {readonly string[]} operators */
  const take = (...operators) => {
    const text = peek();
    if (text === undefined || !operators.includes(text)) return undefined;
    position += 1;
    return text;
  };
  /**
   * @template T
   * @param {() => T} rule
   */
  const nested = (rule) => {
    depth += 1;
    if (depth > MAX_DEPTH)
      throw new Error(`The expression is nested more than ${MAX_DEPTH} levels deep. Simplify it.`);
    const value = rule();
    depth -= 1;
    return value;
  };

  /** @returns {number} */
  const sum = () => {
    let value = product();
    for (let operator = take('+', '-'); operator !== undefined; operator = take('+', '-')) {
      const right = product();
      value = operator === '+' ? value + right : value - right;
    }
    return value;
  };
  /** @returns {number} */
  const product = () => {
    let value = sign();
    for (let operator = take('*', '/', '%'); operator !== undefined; operator = take('*', '/', '%')) {
      const right = sign();
      if (operator !== '*' && right === 0) throw new Error('Division by zero. Ask for another divisor.');
      if (operator === '*') value *= right;
      else value = operator === '/' ? value / right : value % right;
    }
    return value;
  };
  /** @returns {number} */
  const sign = () => {
    const operator = take('+', '-');
    if (operator === undefined) return power();
    const value = nested(sign);
    return operator === '-' ? -value : value;
  };
  /** @returns {number} */
  const power = () => {
    const base = value();
    return take('^') === undefined ? base : base ** nested(sign);
  };
  /** @returns {number} */
  const value = () => {
    const token = tokens[position];
    if (token?.number !== undefined) {
      position += 1;
      return token.number;
    }
    if (take('(') === undefined) throw unexpected(token, 'a number or "("');
    const inner = nested(sum);
    if (take(')') === undefined) throw unexpected(tokens[position], '")"');
    return inner;
  };

  const result = sum();
  if (position < tokens.length) throw unexpected(tokens[position], 'an operator');
  if (Number.isNaN(result)) throw new Error('The result is not a real number, like that of (-8) ^ 0.5.');
  if (!Number.isFinite(result)) throw new Error('The result is too large for a number.');
  return result;
}

/**
 * @typedef {{ text: string, at: number, number?: number }} Token
 * @param {string} expression
 * @returns {Token[]}
 */
function tokensOf(expression) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  const end = expression.trimEnd().length;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(expression);
    const start = at + (/^\s*/.exec(expression.slice(at))?.[0].length ?? 0);
    if (match === null) {
      throw new Error(
        `Unexpected "${expression[start]}" at position ${start + 1}. Only numbers, + - * / % ^ and parentheses are understood.`,
      );
    }
    const [, digits, operator = ''] = match;
    tokens.push(
      digits === undefined
        ? { text: operator, at: start }
        : { text: digits, at: start, number: Number(digits) },
    );
    at = TOKEN.lastIndex;
  }
  return tokens;
}

/**
 * @param {Token | undefined} token
 * @param {string} expected
 */
function unexpected(token, expected) {
  if (token === undefined) return new Error(`The expression ends too soon: expected ${expected}.`);
  return new Error(`Unexpected "${token.text}" at position ${token.at + 1}: expected ${expected}.`);
}
