// The real program: `unwind serve` on a free port with a data folder of its own, and other commands of it.

import { spawn, execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { within } from "./deadline.mjs";

const ADDRESS = /^\s*(http:\/\/(?:127\.0\.0\.1|localhost):\d+\/\S*)\s*$/m;

function program() {
  const path = process.env.UNWIND_BIN;
  if (!path) throw new Error("UNWIND_BIN is not set: run `cargo xtask browser`");
  return path;
}

/** A folder that goes away with the test. */
export async function temporaryFolder(cleanup) {
  const folder = await mkdtemp(join(tmpdir(), "unwind-test-"));
  cleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Standard output of a command of the program that ends by itself. */
export async function runUnwind(args, options = {}) {
  const { stdout } = await promisify(execFile)(program(), args, { timeout: 30_000, maxBuffer: 1 << 26, ...options });
  return stdout;
}

/**
 * Starts `unwind serve` and gives `{ url, origin, output, stop }`: `url` is the address as printed, with its
 * one-time code; `stop` ends the program and waits for that.
 */
export async function startUnwind({ cleanup, flags = [], environment = {} }) {
  const data = await temporaryFolder(cleanup);
  const args = ["serve", "--listen", "127.0.0.1:0", "--data", data, ...flags];
  if (process.env.UNWIND_PAGE) args.push("--page", process.env.UNWIND_PAGE);
  const child = spawn(program(), args, {
    env: { ...process.env, RUST_BACKTRACE: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    try {
      await within(15_000, "unwind serve to end after SIGTERM", ended);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  };
  cleanup(stop);
  const url = await within(
    30_000,
    "unwind serve to print its address",
    new Promise((resolve, reject) => {
      const read = (chunk) => {
        output += chunk;
        const found = ADDRESS.exec(output);
        if (found) resolve(found[1]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("error", reject);
      ended.then(({ code, signal }) => reject(new Error(`unwind serve ended (${signal ?? code}):\n${output}`)));
    }),
  ).catch((error) => {
    throw new Error(`${error.message}; it said:\n${output}`, { cause: error });
  });
  return { url, origin: new URL(url).origin, data, output: () => output, stop };
}
