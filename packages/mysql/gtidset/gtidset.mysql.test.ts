import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { startMysqld } from "../testing/index.ts";
import { GtidSet } from "./gtidset.ts";
import { gtidSetText } from "./testing/arbitrary.ts";

test("MySQL's own functions give the same", async () => {
  const mysqld = await startMysqld();
  onTestFinished(() => mysqld.dispose());
  const connection = await mysqld.connect();
  await fc.assert(
    fc.asyncProperty(gtidSetText, gtidSetText, async (one, other) => {
      const [row] = await connection.query<{ difference: string; subset: number; canonical: string }>(
        "SELECT GTID_SUBTRACT(?, ?) AS difference, GTID_SUBSET(?, ?) AS subset, GTID_SUBTRACT(?, '') AS canonical",
        [one, other, one, other, one],
      );
      const [a, b] = [GtidSet.parse(one), GtidSet.parse(other)];
      const onOneLine = (text: string): string => text.replaceAll("\n", "");
      expect(a.subtract(b).toString()).toBe(onOneLine(row!.difference));
      expect(b.contains(a)).toBe(row!.subset === 1);
      expect(a.toString()).toBe(onOneLine(row!.canonical));
    }),
    { numRuns: 300 },
  );
});
