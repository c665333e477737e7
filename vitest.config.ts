import { defineConfig } from "vitest/config";

// Four kinds of tests, told apart by name: x.test.ts needs nothing, x.api.test.ts a real API server, x.mysql.test.ts a
// real mysqld (Linux and root), and e2e/**/*.e2e.test.ts a real node with volumes and containers.

/** Milliseconds. How long a test waits for what it polls, unless it says otherwise: machines may be busy. */
const poll = { timeout: 60_000, interval: 50 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{packages,tools}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.api.test.ts", "**/*.mysql.test.ts"],
          // For busy machines: none of them takes more than a few seconds on a quiet one.
          testTimeout: 60_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: "api",
          globalSetup: ["tools/local-kubernetes/testing/global-setup.ts"],
          include: ["{packages,tools}/**/*.api.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          expect: { poll },
        },
      },
      {
        test: {
          name: "mysql",
          include: ["packages/**/*.mysql.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 180_000,
          // The first run of all builds the base image.
          hookTimeout: 300_000,
          fileParallelism: false,
          expect: { poll },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 300_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          expect: { poll },
        },
      },
    ],
  },
});
