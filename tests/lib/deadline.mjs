// Waiting with an end: every wait of the tests has a deadline and says what it waited for.

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The promise's value, or an error that names `what` after `ms`. */
export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls `attempt` until it gives something other than undefined, null or false, and gives that.
 * An error of the last attempt is told when time is up.
 */
export async function eventually(what, attempt, ms = 10_000) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      const value = await attempt();
      if (value !== undefined && value !== null && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${ms} ms for ${what}${last ? `: ${last.message}` : ""}`, { cause: last });
    }
    await sleep(50);
  }
}
