// The page without our server: from a static host, from disk, and beside an Argo Server under one origin.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertAccessible } from "./lib/accessible.mjs";
import { startArgo } from "./lib/argo-stand-in.mjs";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles, openStopPreview, previewOrder, rowOf, timelineRows } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { seed } from "./lib/seed.mjs";
import { dist, serveFolder } from "./lib/static-server.mjs";

const HOOKS = ["leaf.onExit", "level2.onExit", "level1.onExit", "seed.onExit"];

scenario("seed is rehearsed and stopped from a static server below a path", async ({ page, cleanup }) => {
  const server = await serveFolder(dist(), "/some/where/");
  cleanup(server.stop);
  await page.goto(server.url);
  await rehearseAndStop(page);
});

scenario("seed is rehearsed and stopped in the page in one file, from disk", async ({ page }) => {
  await page.goto(pathToFileURL(join(dist(), "unwind.html")).href);
  await rehearseAndStop(page);
});

async function rehearseAndStop(page) {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await dropFiles(page, [{ name: "seed.json", text: JSON.stringify(seed(), null, 2) }]);
  await page.getByRole("heading", { level: 1, name: "seed" }).waitFor();
  await assertAccessible(page, "a rehearsal");
  const preview = await openStopPreview(page, "seed");
  assert.deepEqual(await previewOrder(preview, HOOKS), HOOKS, "hooks in the preview");
  await assertAccessible(page, "the Stop preview");
  await preview.getByRole("button", { name: "Stop and run 4 hooks" }).click();
  await page.getByRole("button", { name: "50×" }).click();
  const rows = await eventually(
    "the rehearsed run to unwind",
    async () => {
      const rows = await timelineRows(page);
      return HOOKS.every((name) => rowOf(rows, name).verdict.startsWith("Kept")) && rows;
    },
    40_000,
  );
  HOOKS.forEach((name, index) => {
    const { expected, actual } = rowOf(rows, name);
    assert.deepEqual([expected, actual], [String(index + 1), String(index + 1)], `numbers of ${name}`);
  });
  await assertAccessible(page, "a rehearsal that is over");
}

scenario("run of an Argo Server under the same origin is listed, opened and followed", async ({ page, cleanup }) => {
  const states = JSON.parse(await readFile(new URL("fixtures/argo-watch.json", import.meta.url), "utf8"));
  const argo = await startArgo(states);
  cleanup(argo.stop);
  await page.goto(argo.url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.getByRole("link", { name: "Workflows" }).first().click();
  await page.getByRole("link", { name: "orchard", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "orchard" }).waitFor();
  await eventually("the page to follow the run", () => argo.watchers() > 0);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await assertAccessible(page, "a live run of an Argo Server");

  while (argo.advance());
  const rows = await eventually("the run to be over on the page", async () => {
    const rows = await timelineRows(page);
    return rowOf(rows, "press").verdict.startsWith("Broken") && rows;
  });
  assert.match(rowOf(rows, "press").verdict, /Left Running/);
  assert.match(rowOf(rows, "cap.onExit").verdict, /had to run once|never ran/);
  assert.match(rowOf(rows, "press.onExit").verdict, /had to run once|never ran/);
});
