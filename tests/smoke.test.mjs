// The page as built starts wherever it is put, reports no error and is accessible.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assertAccessible } from "./lib/accessible.mjs";
import { scenario } from "./lib/scenario.mjs";
import { dist, serveFolder } from "./lib/static-server.mjs";

const heading = (page) => page.getByRole("heading", { level: 1 }).first();

scenario("page starts from a static server below a path", async ({ page, cleanup }) => {
  const server = await serveFolder(dist(), "/some/where/");
  cleanup(server.stop);
  await page.goto(server.url);
  await heading(page).waitFor();
  await assertAccessible(page, "the start page");
});

scenario("page in one file starts from disk", async ({ page }) => {
  await page.goto(pathToFileURL(join(dist(), "unwind.html")).href);
  await heading(page).waitFor();
  await assertAccessible(page, "the start page from disk");
});

scenario("page is usable 390 px wide", { viewport: { width: 390, height: 844 } }, async ({ page, cleanup }) => {
  const server = await serveFolder(dist(), "/");
  cleanup(server.stop);
  await page.goto(server.url);
  await heading(page).waitFor();
  const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  if (overflow > 0) throw new Error(`the page is ${overflow} px wider than the screen`);
  await assertAccessible(page, "the start page, narrow");
});
