// Saved runs dropped on the page: where a real controller broke the order, the page says so and shows what was due.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { assertAccessible } from "./lib/accessible.mjs";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles, rowOf, timelineRows } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { dist, serveFolder } from "./lib/static-server.mjs";

const CASES = [
  {
    file: "seen-15088.json",
    workflow: "orchard",
    left: "bottle",
    missing: ["bottle.onExit"],
    early: { hook: "press.onExit", beside: "cap.onExit" },
    order: ["cap.onExit", "bottle.onExit", "press.onExit"],
  },
  {
    file: "recorded-ended.json",
    workflow: "nest",
    left: "l2",
    missing: ["l2.onExit"],
    early: { hook: "l1.onExit", beside: "leaf.onExit" },
    order: ["leaf.onExit", "l2.onExit", "l1.onExit"],
  },
  {
    file: "recorded-killed.json",
    workflow: "nest",
    left: "l1",
    missing: ["leaf.onExit", "l1.onExit"],
    early: { hook: "l2.onExit", beside: undefined },
    order: ["leaf.onExit", "l2.onExit", "l1.onExit"],
  },
];

for (const { file, workflow, left, missing, early, order } of CASES) {
  scenario(`${file}: the page shows where the order was broken`, async ({ page, cleanup }) => {
    const server = await serveFolder(dist(), "/page/");
    cleanup(server.stop);
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await dropFiles(page, [{ name: file, text: await readFixture(file) }]);
    await page.getByRole("heading", { level: 1, name: workflow }).waitFor();

    const rows = await eventually("the timeline", async () => {
      const rows = await timelineRows(page);
      return rows.length > 0 && rows;
    });
    assert.match(rowOf(rows, left).verdict, /^Broken.*Left Running/, "the node left unfinished");
    for (const hook of missing) {
      const row = rowOf(rows, hook);
      assert.match(row.verdict, /^Broken.*(had to run once|never ran)/, `${hook} is missing`);
    }
    assert.match(rowOf(rows, early.hook).verdict, /^Broken.*Began/, `${early.hook} began too early`);
    if (early.beside) {
      const [one, other] = [rowOf(rows, early.hook), rowOf(rows, early.beside)];
      assert.match(one.actual, /^1/, `${early.hook} began first, with ${early.beside}`);
      assert.match(other.actual, /^1/, `${early.beside} began first, with ${early.hook}`);
      assert.match(one.actual, /together/, "the tie is marked");
      assert.match(other.actual, /together/, "the tie is marked");
    }
    order.forEach((hook, index) => {
      assert.equal(rowOf(rows, hook).expected, String(index + 1), `expected place of ${hook}`);
    });
    await assertAccessible(page, `a broken run, ${file}`);
  });
}

function readFixture(name) {
  return readFile(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}
