// `tenon/host/postgres`: the storage of a host in PostgreSQL. The packages that it needs are loaded when it connects.

export type { PostgresStorageOptions } from './connect.js';
export type { PGliteClient } from './on-pglite.js';
export type { PgPool, PgPoolClient } from './on-pool.js';
export { postgresStorage } from './postgres-storage.js';
