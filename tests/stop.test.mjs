// The whole path on one machine: submit the seed to the real server, stop it on the page, see it unwind.
// Order is judged by what the processes themselves wrote, not by the page.

import assert from "node:assert/strict";
import { join } from "node:path";
import { assertAccessible } from "./lib/accessible.mjs";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles, openStopPreview, previewOrder, rowOf, timelineRows } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { OWNERS, assertUnwound, loop, readJournal, seed } from "./lib/seed.mjs";
import { startUnwind, temporaryFolder } from "./lib/unwind.mjs";

const HOOKS = ["leaf.onExit", "level2.onExit", "level1.onExit", "seed.onExit"];

for (const form of ["dag", "steps"]) {
  scenario(`seed in ${form} form is stopped on the page and unwinds`, { timeout: 120_000 }, async ({ page, cleanup }) => {
    const server = await startUnwind({ cleanup });
    const journal = join(await temporaryFolder(cleanup), "journal");
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await dropFiles(page, [{ name: "seed.json", text: JSON.stringify(seed({ form, journal })) }]);
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.waitForURL("**/workflows/default/seed*");
    await eventually("the leaf's process to begin", async () => (await readJournal(journal)).has("work"), 30_000);

    await assertAccessible(page, "a live run");
    const preview = await openStopPreview(page, "seed");
    assert.deepEqual(await previewOrder(preview, HOOKS), HOOKS, "hooks in the preview");
    await preview.getByRole("button", { name: "Stop and run 4 hooks" }).click();

    const written = await eventually(
      "the handler's process to end",
      async () => {
        const journalNow = await readJournal(journal);
        return journalNow.get("workflow")?.end && journalNow;
      },
      40_000,
    );
    assertUnwound(written);

    const rows = await eventually("every verdict to be kept", async () => {
      const rows = await timelineRows(page);
      const hooks = HOOKS.map((name) => rowOf(rows, name));
      return hooks.every((row) => row.verdict.startsWith("Kept")) && rows;
    });
    HOOKS.forEach((name, index) => {
      const { expected, actual } = rowOf(rows, name);
      assert.deepEqual([expected, actual], [String(index + 1), String(index + 1)], `numbers of ${name}`);
    });
    assert.equal(OWNERS.length, HOOKS.length);
    assert.deepEqual(rows.filter((row) => /^(Broken|Cannot tell)/.test(row.verdict)), [], "no verdict but kept");

    await page.getByText("Failed", { exact: true }).first().waitFor();
    await assertAccessible(page, "a run that was stopped");
    await page.getByRole("link", { name: "Workflows" }).first().click();
    await page.getByRole("link", { name: "seed", exact: true }).waitFor();
    await assertAccessible(page, "the list of workflows");

    const workflow = await get(page, "api/v1/workflows/default/seed");
    assert.equal(workflow.status.phase, "Failed");
    assert.equal(workflow.status.message, "Stopped with strategy 'Stop'");
  });
}

scenario("the preview of a loop names the hook of every item, and each of them runs", { timeout: 120_000 }, async ({ page, cleanup }) => {
  const server = await startUnwind({ cleanup });
  const journal = join(await temporaryFolder(cleanup), "journal");
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await dropFiles(page, [{ name: "loop.json", text: JSON.stringify(loop({ journal })) }]);
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL("**/workflows/default/loop*");
  const items = ["a", "b", "c"];
  const began = async () => items.every((item) => written.get(`work-${item}`)) && written;
  let written = new Map();
  await eventually("all items to begin", async () => ((written = await readJournal(journal)), began()), 30_000);

  const preview = await openStopPreview(page, "loop");
  const hooks = items.map((item, index) => `each(${index}:${item}).onExit`);
  const order = await previewOrder(preview, [...hooks, "loop.onExit"]);
  assert.deepEqual([order.slice(0, 3).toSorted(), order[3]], [hooks, "loop.onExit"], "hooks in the preview");
  await preview.getByRole("button", { name: "Stop and run 4 hooks" }).click();

  const journalNow = await eventually(
    "the handler's process to end",
    async () => {
      written = await readJournal(journal);
      return written.get("workflow")?.end && written;
    },
    40_000,
  );
  const hooked = [...journalNow].filter(([name]) => name !== "workflow" && !name.startsWith("work-"));
  assert.equal(hooked.length, items.length, "one hook for each item");
  for (const [name, { end }] of hooked) {
    assert.ok(end < journalNow.get("workflow").begin, `hook ${name} was over before the handler began`);
  }
  await eventually("every verdict to be kept", async () => {
    const rows = await timelineRows(page);
    return [...hooks, "loop.onExit"].every((name) => rowOf(rows, name).verdict.startsWith("Kept"));
  });
});

scenario("without the engine's module a run is still stopped, and the module can be loaded again", { timeout: 120_000 }, async ({ page, problems, cleanup }) => {
  const server = await startUnwind({ cleanup });
  const journal = join(await temporaryFolder(cleanup), "journal");
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  let served = (route) => route.abort();
  await page.route("**/engine-*.wasm", (route) => served(route));
  await dropFiles(page, [{ name: "seed.json", text: JSON.stringify(seed({ form: "dag", journal })) }]);
  await page.getByRole("alert").filter({ hasText: "The engine cannot be used" }).waitFor();
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL("**/workflows/default/seed*");
  await eventually("the leaf's process to begin", async () => (await readJournal(journal)).has("work"), 30_000);

  const preview = await openStopPreview(page, "seed");
  const blind = preview.getByRole("button", { name: "Stop without a preview" });
  await blind.waitFor();
  served = (route) => route.fulfill({ status: 200, contentType: "application/wasm", body: "not a module" });
  await preview.getByRole("button", { name: "Load it again" }).click();
  await preview.getByRole("alert").filter({ hasText: "WebAssembly" }).waitFor();
  await blind.click();
  const written = await eventually(
    "the handler's process to end",
    async () => {
      const journalNow = await readJournal(journal);
      return journalNow.get("workflow")?.end && journalNow;
    },
    40_000,
  );
  assertUnwound(written);
  const failed = problems.splice(0);
  assert.ok(failed.every((problem) => /engine-|ERR_FAILED/.test(problem)), failed.join("\n"));
});

/** What the API of the page's own server answers. */
async function get(page, path) {
  return page.evaluate(async (path) => (await fetch(`/${path}`)).json(), path);
}
