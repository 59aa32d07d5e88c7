// axe-core over a page, in both colour schemes.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const source = readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Fails with a readable list when axe finds a violation in light or in dark. */
export async function assertAccessible(page, where) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const violations = await run(page);
    assert.deepEqual(violations, [], `axe finds fault with ${where}, ${colorScheme}`);
  }
}

async function run(page) {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(await source);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\s+/g, " ")}`),
    );
  });
}
