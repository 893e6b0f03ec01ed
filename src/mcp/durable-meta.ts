// Names in `_meta` by which a server takes part in calls that survive a restart. Any MCP server may use them.

/** Of a call: the same for every attempt at it, and different for every other call. */
export const IDEMPOTENCY_KEY = 'tenon/idempotencyKey';
/** Of a listed tool, `true`: it can be asked whether a call has happened. */
export const RECONCILES = 'tenon/reconciles';
/** Of a call, `true`: it is not to be made, only looked for. */
export const RECONCILE = 'tenon/reconcile';
/** Of the answer to that: `happened`, with the call's result, or `not_happened`. Anything else: nobody knows. */
export const RECONCILED = 'tenon/reconciled';
/** Of a listed tool, `false`: it has an effect, although `readOnlyHint` says that its calls may run at the same time. */
export const REPEATABLE = 'tenon/repeatable';
