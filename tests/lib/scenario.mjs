// One scenario: a fresh browser context with a page, watched for errors, photographed when it fails.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { within } from "./deadline.mjs";

const RESULTS = fileURLToPath(new URL("../results/", import.meta.url));
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let launched;

function browser() {
  const executablePath = process.env.CHROMIUM;
  assert.ok(executablePath, "CHROMIUM is not set: run `cargo xtask browser`");
  launched ??= chromium.launch({ executablePath, args: FLAGS, timeout: 60_000 });
  return launched;
}

after(async () => {
  if (launched) await within(20_000, "the browser to close", (await launched).close());
});

/**
 * Registers a test with a page of its own.
 *
 * `options`: `timeout` in ms (default 60,000), the rest as for a playwright context (`viewport`, `colorScheme`…).
 * `body` gets `{ page, context, problems, cleanup }`: `problems` collects errors of the page (console, exceptions,
 * failed requests) and has to be empty at the end; `cleanup(f)` registers what has to be ended with the test.
 */
export function scenario(name, options, body) {
  if (typeof options === "function") return scenario(name, {}, options);
  const { timeout = 60_000, ...contextOptions } = options;
  test(name, { timeout: timeout + 30_000 }, async () => {
    const endings = [];
    const cleanup = (ending) => endings.push(ending);
    const context = await within(60_000, "a browser", newContext(contextOptions));
    const page = await context.newPage();
    const problems = watch(page);
    try {
      await within(timeout, `the scenario "${name}"`, body({ page, context, problems, cleanup }));
      assert.deepEqual(problems, [], "the page reported errors");
    } catch (error) {
      await photograph(name, page, problems);
      throw error;
    } finally {
      await within(20_000, "the context to close", context.close()).catch(() => {});
      for (const ending of endings.reverse()) await ending();
    }
  });
}

async function newContext(options) {
  const context = await (await browser()).newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
  context.setDefaultTimeout(15_000);
  return context;
}

/** Collects what goes wrong in a page. */
function watch(page) {
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A request that the page itself gave up, or that ended with the page, is no fault.
    if (reason !== "net::ERR_ABORTED") problems.push(`request: ${request.url()} ${reason}`);
  });
  return problems;
}

/** Leaves a picture and the page's text in tests/results. */
async function photograph(name, page, problems) {
  const file = RESULTS + name.replace(/[^A-Za-z0-9]+/g, "-");
  await mkdir(RESULTS, { recursive: true });
  await page.screenshot({ path: `${file}.png`, timeout: 10_000 }).catch(() => {});
  const tree = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch((error) => String(error));
  await writeFile(`${file}.txt`, `${page.url()}\n\n${problems.join("\n")}\n\n${tree}\n`);
  console.error(`left ${file}.png and .txt`);
}
