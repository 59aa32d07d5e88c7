// Words and places of the page: finds things by role and text, as a reader does.

import assert from "node:assert/strict";
import { eventually } from "./deadline.mjs";

/** Gives files to the page as if they were dropped on it. `files`: `{ name, text }`. */
export async function dropFiles(page, files) {
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  const target = page.locator("body");
  for (const kind of ["dragenter", "dragover", "drop"]) await target.dispatchEvent(kind, { dataTransfer: transfer });
}

/** The Stop button of the workflow view. */
export const stopButton = (page) => page.getByRole("button", { name: "Stop…" });

/** Opens the Stop preview and gives it. */
export async function openStopPreview(page, workflow) {
  await stopButton(page).click();
  const preview = page.getByRole("complementary", { name: `Stop ${workflow}` });
  await preview.waitFor();
  return preview;
}

/** Names in the preview's ordered list, in order: each item's text is searched for one of `names`. */
export async function previewOrder(preview, names) {
  const items = preview.locator("ol").getByRole("listitem");
  return eventually("the ordered list of hooks", async () => {
    const texts = await items.allInnerTexts();
    const found = texts.map((text) => names.find((name) => text.includes(name)) ?? text);
    return found.length > 0 && found;
  });
}

/**
 * Rows of the hook-order timeline: `{ name, expected, actual, bar, verdict }`, texts as shown, with the names of
 * marks after them; a cell without text is "".
 */
export async function timelineRows(page) {
  const grid = page.getByRole("treegrid");
  await grid.waitFor();
  return grid.getByRole("row").evaluateAll((rows) =>
    rows
      .map((row) => [...row.querySelectorAll('[role="rowheader"], [role="gridcell"]')])
      .filter((cells) => cells.length > 0)
      .map((cells) => {
        const text = (cell) => {
          const labels = [...(cell?.querySelectorAll('[role="img"]') ?? [])].map((mark) => mark.getAttribute("aria-label"));
          return [cell?.textContent ?? "", ...labels].join(" ").replace(/\s+/g, " ").trim();
        };
        const [name, expected, actual, bar] = cells.map(text);
        return { name, expected, actual, bar, verdict: text(cells.at(-1)) };
      }),
  );
}

/** The row whose name ends with `name`; an error that lists the rows when there is none, or several. */
export function rowOf(rows, name) {
  const found = rows.filter((row) => row.name === name || row.name.endsWith(` ${name}`) || row.name.endsWith(`.${name}`));
  assert.equal(found.length, 1, `one row for ${name} among: ${rows.map((row) => row.name).join(" | ")}`);
  return found[0];
}
