// How an app should show that there is nothing to show: why, what the user can do, and when it goes on by itself.

import { element } from "/explorer-items.js";

/** What each failure means to a user. `again` is how to go on: by itself after a while, when asked to, from the top, or not. */
const failures = {
  gateway_unreachable: { tone: "network", sign: "⇄", title: "Listway does not answer", again: "itself" },
  no_envelope: { tone: "server", sign: "!", title: "This is not Listway's answer", again: "asked" },
  upstream_unreachable: { tone: "network", sign: "⇄", title: "The server cannot be reached", again: "itself" },
  upstream_timeout: { tone: "network", sign: "…", title: "It takes too long", again: "asked" },
  upstream_fault: { tone: "server", sign: "!", title: "The server has a fault", again: "asked" },
  upstream_shape: { tone: "server", sign: "!", title: "The server's answer is not understood", again: "asked" },
  session_failed: { tone: "server", sign: "!", title: "The server does not let Listway in", again: "asked" },
  upstream_refused: { tone: "refused", sign: "×", title: "The server says no", again: "asked" },
  rate_limited: { tone: "network", sign: "…", title: "Too many requests", again: "itself" },
  overloaded: { tone: "network", sign: "…", title: "There is a queue", again: "itself" },
  invalid_request: { tone: "refused", sign: "?", title: "The request cannot be answered", again: "no" },
  invalid_cursor: { tone: "refused", sign: "↺", title: "The place in the list is lost", again: "top" },
  cursor_expired: { tone: "refused", sign: "↺", title: "The place in the list is too old", again: "top" },
  unauthorized: { tone: "refused", sign: "×", title: "Who is asking?", again: "asked" },
  forbidden: { tone: "refused", sign: "×", title: "This is not allowed", again: "no" },
  not_found: { tone: "refused", sign: "?", title: "There is no such thing", again: "no" },
  superseded: { tone: "refused", sign: "↺", title: "A newer request took its place", again: "asked" },
  internal: { tone: "server", sign: "!", title: "Listway has a fault", again: "asked" },
};

/** How often it has failed in a row is how patient we get: at most so many seconds. */
const longestWait = 30;

let countdown;

/** Ends the countdown that is on, if one is. */
export function stopCountdown() {
  clearInterval(countdown);
  countdown = undefined;
}

/**
 * A card that tells of a failure.
 *
 * @param {ListwayError} error
 * @param {object} ways `retry` and `restart`, to be called; `attempt`, how often it has failed in a row; `title` in
 *   place of the usual one; `isQuiet` where it is one of several on the page, and shall not go on by itself.
 */
export function failureCard(error, { retry, restart, attempt = 1, title, isQuiet = false }) {
  stopCountdown();
  const known = failures[error.code] ?? { tone: "server", sign: "!", title: "It did not work", again: "asked" };
  const actions = element("div", { class: "actions" });
  if (known.again === "top" && restart) {
    actions.append(element("button", { type: "button", onclick: restart }, "Start again from the top"));
  } else if (known.again !== "no" && retry) {
    const now = element("button", { type: "button", onclick: retry }, "Try again");
    actions.append(now);
    const waits = known.again === "itself" || (error.retryAfter && error.code !== "upstream_refused");
    if (waits && !isQuiet) actions.append(...waiting(Math.max(error.retryAfter ?? 2, backoff(attempt)), now, retry));
  }
  return element(
    "div",
    { class: `card ${known.tone}`, role: "alert", "data-code": error.code },
    element("span", { class: "sign", "aria-hidden": "true" }, known.sign),
    element("h2", {}, title ?? known.title),
    element("p", { class: "message" }, error.message),
    element("p", { class: "detail" }, detail(error)),
    error.header?.text ? raw(error.header) : undefined,
    actions.childElementCount > 0 ? actions : undefined,
  );
}

function backoff(attempt) {
  return attempt < 2 ? 0 : Math.min(longestWait, 2 ** (attempt - 1));
}

/** What counts the seconds down and then tries again, with a way to stop it. */
function waiting(seconds, now, retry) {
  let left = Math.ceil(seconds);
  const text = element("span", { class: "detail", role: "timer" });
  const tell = () => (text.textContent = `again by itself in ${left} s`);
  const stop = element("button", { type: "button", class: "quiet" }, "Stop waiting");
  stop.addEventListener("click", () => {
    stopCountdown();
    text.remove();
    stop.remove();
    now.focus();
  });
  tell();
  countdown = setInterval(() => {
    left--;
    if (left > 0) return tell();
    stopCountdown();
    retry();
  }, 1000);
  return [text, stop];
}

function detail(error) {
  const facts = [element("code", {}, error.code)];
  if (error.status !== undefined) facts.push(`status ${error.status}`);
  if (error.httpStatus) facts.push(`HTTP ${error.httpStatus}`);
  if (error.upstreamCode !== undefined) facts.push(`the server's code ${error.upstreamCode}`);
  if (error.parameter) facts.push(`parameter ${error.parameter}`);
  if (error.requestId) facts.push(`request ${error.requestId}`);
  return facts.flatMap((fact, index) => (index === 0 ? [fact] : [" · ", fact]));
}

/** The upstream's raw answer, where the gateway was asked to show it. */
function raw(header) {
  return element(
    "details",
    { class: "detail" },
    element("summary", {}, header.detail ? `The server's raw answer: ${header.detail}` : "The server's raw answer"),
    element("pre", { tabindex: "0" }, header.text),
  );
}

export function loading(isFirst) {
  const dots = element("span", { class: "dots", "aria-hidden": "true" }, element("i"), element("i"), element("i"));
  if (!isFirst) return dots;
  return element("div", { "aria-hidden": "true" }, [1, 2, 3, 4].map(() => element("div", { class: "skeleton" })));
}

export function empty() {
  return element("div", { class: "empty" }, element("strong", {}, "Nothing here"), "The list is empty: that is an answer, not a failure.");
}

export function end(count) {
  return count === 1 ? "That is all: 1 item" : `That is all: ${count.toLocaleString("en")} items`;
}
