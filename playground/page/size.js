// What a build takes in a page, foretold from the size that `fabc check --json` counts. A page has one thread and at
// most 4 GiB of memory.
//
// The constants are those of docs/playground.md, fitted to the builds of the table of benchmarks. They are half to six
// times what those take.

/** Seconds per router, for the search and the flow. */
const ROUTER_SECONDS = 0.008;
/** Seconds per pair of a router that differs and a destination, in every scenario. */
const ENTRY_SECONDS = 25e-6;
/** A build that takes longer, or more memory, is offered instead of begun. */
const MOST_SECONDS = 60;
const MOST_BYTES = 2e9;

/** The seconds that a build of this size takes in a page. */
export const secondsOf = ({ routers, entries }) => routers * ROUTER_SECONDS + entries * ENTRY_SECONDS;

function duration(seconds) {
  const [amount, unit] = seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  const rounded = Number(amount.toPrecision(amount < 10 ? 1 : 2));
  return `${rounded.toLocaleString("en")} ${unit}${rounded === 1 ? "" : "s"}`;
}

/** A sentence about a build that is too large for a page. `undefined` for one that is not. */
export function tooLarge(size) {
  if (!size) return undefined;
  const seconds = secondsOf(size);
  if (seconds <= MOST_SECONDS && size.bytes <= MOST_BYTES) return undefined;
  const needs = [];
  if (seconds > MOST_SECONDS) needs.push(`about ${duration(seconds)} on the one thread of a page`);
  if (size.bytes > MOST_BYTES) needs.push(`about ${(size.bytes / 1e9).toFixed(1)} GB of memory`);
  return `This build takes ${needs.join(" and ")}.`;
}
