// A file of its own, loaded when it is needed: a bundler that meets `import('zod/v4/core')` takes the whole of it, with
// messages in fifty languages.

export { toJSONSchema } from 'zod/v4/core';
