// @ts-check
export { createSdkMcpServer, query, tool } from 'tenon';
