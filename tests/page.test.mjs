// The page by keyboard, on a narrow screen, and with files that it cannot read.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { assertAccessible } from "./lib/accessible.mjs";
import { eventually } from "./lib/deadline.mjs";
import { dropFiles, stopButton } from "./lib/page.mjs";
import { scenario } from "./lib/scenario.mjs";
import { seed } from "./lib/seed.mjs";
import { dist, serveFolder } from "./lib/static-server.mjs";

const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true };

async function openPage(page, cleanup) {
  const server = await serveFolder(dist(), "/");
  cleanup(server.stop);
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

async function rehearse(page) {
  await dropFiles(page, [{ name: "seed.json", text: JSON.stringify(seed()) }]);
  await page.getByRole("heading", { level: 1, name: "seed" }).waitFor();
}

scenario("file that cannot be read is told with its place, what was open stays open", async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await rehearse(page);
  const text = "kind: Workflow\nspec:\n  templates:\n  - name: a\n    dag: {tasks: [\n";
  await dropFiles(page, [{ name: "broken.yaml", text }]);
  const alert = page.getByRole("alert").filter({ hasText: "broken.yaml" });
  await alert.waitFor();
  const told = await alert.innerText();
  assert.match(told, /broken\.yaml cannot be read/);
  assert.match(told, /[Ll]ine \d+, column \d+/);
  assert.match(told, /expected|found/);
  await page.getByRole("heading", { level: 1, name: "seed" }).waitFor();
  await assertAccessible(page, "an error over an open rehearsal");
});

scenario("file that Unwind does not know is told with what was found", async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await dropFiles(page, [{ name: "notes.json", text: "[1, 2, 3]" }]);
  const alert = page.getByRole("alert").filter({ hasText: "notes.json" });
  await alert.waitFor();
  assert.match(await alert.innerText(), /list/);
});

scenario("Stop preview opens and closes by keyboard, focus comes back", async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await rehearse(page);
  await stopButton(page).waitFor();
  await page.keyboard.press("s");
  const preview = page.getByRole("complementary", { name: "Stop seed" });
  await preview.waitFor();
  const inside = () => preview.evaluate((panel) => panel.contains(document.activeElement));
  await eventually("the focus to be in the preview", inside);
  await page.keyboard.press("Escape");
  await preview.waitFor({ state: "hidden" });
  await eventually("the focus to be on Stop again", () => stopButton(page).evaluate((node) => node === document.activeElement));
});

scenario("Terminate preview says that no hook runs", async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await rehearse(page);
  await stopButton(page).waitFor();
  await page.keyboard.press("Shift+S");
  const preview = page.getByRole("complementary", { name: "Terminate seed" });
  await preview.waitFor();
  await preview.getByRole("button", { name: "Terminate, run no hooks" }).waitFor();
  assert.match(await preview.innerText(), /4 will not run/);
  await assertAccessible(page, "the Terminate preview");
});

scenario("every control of a rehearsal is reached by Tab and has a name", async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await rehearse(page);
  await stopButton(page).waitFor();
  const seen = new Set();
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const node = document.activeElement;
      if (!node || node === document.body) return "";
      return node.getAttribute("aria-label") ?? node.innerText ?? node.tagName;
    });
    if (name === "" && seen.size > 0) break;
    seen.add(name.trim());
  }
  for (const expected of ["Stop…", "Tree", "Pause", "One event on", "Fit", "Open file…"]) {
    assert.ok(seen.has(expected), `Tab reaches ${expected}; it reached: ${[...seen].join(" | ")}`);
  }
});

scenario("narrow screen: Stop at the foot, preview over the page, nothing wider than it", NARROW, async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  await rehearse(page);
  const fits = async (where) => {
    const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.ok(over <= 0, `${where} is ${over} px wider than the screen`);
    await assertAccessible(page, `${where}, narrow`);
  };
  for (const name of ["Hook order", "Node", "Graph"]) {
    const tab = page.getByRole("tab", { name, exact: true });
    await tab.tap();
    await eventually(`tab ${name} to be open`, async () => (await tab.getAttribute("aria-selected")) === "true");
    await fits(`tab ${name}`);
  }
  const stop = stopButton(page);
  const box = await stop.boundingBox();
  assert.ok(box.height >= 40, `Stop is ${box.height} px high`);
  assert.ok(box.y + box.height > 844 - 80, `Stop is at the foot, not at ${box.y}`);
  await stop.tap();
  const preview = page.getByRole("complementary", { name: "Stop seed" });
  await preview.waitFor();
  const sheet = await preview.boundingBox();
  assert.ok(sheet.width >= 380, `the preview is a sheet, ${sheet.width} px wide`);
  await fits("the Stop preview");
});

scenario("saved run on a narrow screen tells its verdicts", NARROW, async ({ page, cleanup }) => {
  await openPage(page, cleanup);
  const text = await readFile(new URL("fixtures/recorded-ended.json", import.meta.url), "utf8");
  await dropFiles(page, [{ name: "recorded-ended.json", text }]);
  await page.getByRole("heading", { level: 1, name: "nest" }).waitFor();
  await page.getByRole("tab", { name: "Hook order", exact: true }).tap();
  await page.getByRole("listitem").filter({ hasText: "Left Running" }).first().waitFor();
  await assertAccessible(page, "a saved run, narrow");
});
