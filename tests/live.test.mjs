// A live run over a connection that is cut while it unwinds: nothing is lost, nothing comes twice.

import assert from "node:assert/strict";
import { join } from "node:path";
import { relay } from "./lib/cut.mjs";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles, openStopPreview, rowOf, timelineRows } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { assertUnwound, readJournal, seed } from "./lib/seed.mjs";
import { startUnwind, temporaryFolder } from "./lib/unwind.mjs";

const HOOKS = ["leaf.onExit", "level2.onExit", "level1.onExit", "seed.onExit"];

scenario("stream that is cut while a run unwinds is taken up again", { timeout: 120_000 }, async ({ page, problems, cleanup }) => {
  const server = await startUnwind({ cleanup });
  const line = await relay(Number(new URL(server.url).port));
  cleanup(line.stop);
  const journal = join(await temporaryFolder(cleanup), "journal");
  const address = new URL(server.url);
  address.port = String(line.port);
  await page.goto(address.href);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await dropFiles(page, [{ name: "seed.json", text: JSON.stringify(seed({ journal })) }]);
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL("**/workflows/default/seed*");
  await eventually("the leaf's process to begin", async () => (await readJournal(journal)).has("work"), 30_000);
  const preview = await openStopPreview(page, "seed");
  await preview.getByRole("button", { name: "Stop and run 4 hooks" }).click();
  await eventually("the first hook to begin", async () => (await readJournal(journal)).has("leaf"), 30_000);

  line.cut();
  await page.getByText(/Reconnecting|Last news/).first().waitFor();
  const written = await eventually("the handler to end unseen", async () => {
    const now = await readJournal(journal);
    return now.get("workflow")?.end && now;
  }, 40_000);
  assertUnwound(written);
  assert.ok(await page.getByText(/Reconnecting|Last news/).first().isVisible(), "the page says that it is cut off");
  line.mend();

  const rows = await eventually("the page to catch up", async () => {
    const rows = await timelineRows(page);
    return HOOKS.every((name) => rowOf(rows, name).verdict.startsWith("Kept")) && rows;
  }, 40_000);
  assert.equal(new Set(rows.map((row) => row.name)).size, rows.length, "each row is there once");
  await page.getByText("Live", { exact: true }).first().waitFor();
  // The browser itself reports each refused request of the time without a connection; nothing else may be told.
  const others = problems.filter((problem) => !/net::ERR_[A-Z_]+$/.test(problem));
  assert.deepEqual(others, []);
  problems.length = 0;
});
