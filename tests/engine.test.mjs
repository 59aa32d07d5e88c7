// The engine in the page gives byte for byte what the program prints: same workflow, same stop, same report.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { dist, serveFolder } from "./lib/static-server.mjs";
import { runUnwind } from "./lib/unwind.mjs";

const FILES = [
  { path: "../public/samples/seed-dag.yaml", stops: [undefined, "level1", "level2", "stopped-job"] },
  { path: "../public/samples/seed-steps.yaml", stops: [undefined, "level2", "stopped-job"] },
  { path: "fixtures/mixed.yaml", stops: [undefined, "early", "one", "two", "right", "after", "wide", "mixed.wide[1].after.onExit[0].sweep"] },
  { path: "fixtures/constructs.yaml", stops: [undefined, "count", "constructs.each(1:green)[0].paint(0:0)", "constructs.again(0)"] },
];

for (const { path, stops } of FILES) {
  const name = path.split("/").at(-1);
  scenario(`${name}: engine in the page and program give the same report`, { timeout: 120_000 }, async ({ page, cleanup }) => {
    const file = fileURLToPath(new URL(path, import.meta.url));
    const server = await serveFolder(dist(), "/");
    cleanup(server.stop);
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await dropFiles(page, [{ name, text: await readFile(file, "utf8") }]);
    await page.waitForURL(/#\/rehearse/);
    for (const stop of stops) {
      const query = stop === undefined ? "" : `&stop-at=${encodeURIComponent(stop)}`;
      const told = stop === undefined ? [] : ["--stop-at", stop];
      const expected = await runUnwind(["rehearse", file, "--json", ...told]);
      await page.evaluate((hash) => (location.hash = hash), `#/rehearse?report${query}`);
      const report = await eventually(`the report of a stop at ${stop}`, async () => {
        const text = await page.locator("pre.report").textContent();
        const isNew = (JSON.parse(text).stopAt ?? "").endsWith(stop ?? "");
        return isNew && text;
      });
      assert.equal(report, expected, `report of ${name} with a stop at ${stop}`);
      if (stop !== undefined) assert.notEqual(JSON.parse(report).stopped, null, `${stop} was reached`);
    }
  });
}
