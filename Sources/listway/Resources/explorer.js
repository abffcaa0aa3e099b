// The explorer: every list of this gateway, shown as a client should show it.

import { Listway, ListwayError, valueText } from "/listway.js";
import { element, highlighted, row, unwrapped } from "/explorer-items.js";
import { empty, end, failureCard, loading, stopCountdown } from "/explorer-states.js";
import { languages } from "/explorer-code.js";

const gateway = new Listway(location.origin);
const $ = (id) => document.getElementById(id);
const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Every list of the catalogue. */
let lists = [];
let allowsDebug = false;
/** What is shown; see `open`. */
let view;

// MARK: The address: #/notices?sid=7&limit=20

function addressed() {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { name: decodeURIComponent(name), values: Object.fromEntries(new URLSearchParams(query)) };
}

function hash(name, values) {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return `#/${encodeURIComponent(name)}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
}

function navigate() {
  const { name, values } = addressed();
  const list = lists.find((list) => list.name === name) ?? (name === "" ? lists[0] : undefined);
  if (!list) {
    showNothing(name === "" ? "No list is configured." : `There is no list "${name}".`);
    return;
  }
  const isOther = view?.list !== list;
  if (isOther) {
    showHeading(list);
    showForm(list, values);
    if (view) {
      window.scrollTo(0, 0);
      $("title").focus({ preventScroll: true });
    }
  } else {
    fillForm(list, values);
  }
  open(list, values);
}

// MARK: What there is

async function begin() {
  $("foot").replaceChildren(loading(true));
  try {
    const catalogue = await gateway.ask("/v1/lists");
    lists = catalogue.body;
    allowsDebug = catalogue.header.debug === true;
  } catch (error) {
    const retry = () => begin();
    $("foot").replaceChildren(failureCard(error, { retry }));
    return;
  }
  showIndex();
  window.addEventListener("hashchange", navigate);
  navigate();
}

function showIndex() {
  const entries = lists.map((list) =>
    element("li", {}, element("a", { href: hash(list.name, {}), "data-name": list.name }, list.title ?? list.name)),
  );
  $("index").replaceChildren(element("h2", {}, "Lists"), element("ul", {}, entries));
  $("pick").replaceChildren(
    ...lists.map((list) => element("option", { value: list.name }, list.title ?? list.name)),
  );
  $("filter").hidden = lists.length <= 12;
}

function showHeading(list) {
  const title = list.title ?? list.name;
  document.title = `${title} · Listway`;
  $("title").textContent = title;
  $("path").textContent = `GET ${list.href}`;
  $("about").textContent = list.description ?? "";
  $("about").hidden = !list.description;
  for (const link of $("index").querySelectorAll("a")) {
    if (link.dataset.name === list.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  $("pick").value = list.name;
}

function showNothing(text) {
  view = undefined;
  $("title").textContent = "Nothing here";
  for (const id of ["form", "feed", "notice"]) $(id).replaceChildren();
  $("facts").hidden = true;
  $("foot").replaceChildren(element("p", { class: "empty" }, text));
}

// MARK: Parameters

function showForm(list, values) {
  const fields = list.parameters.map((parameter) => field(parameter));
  const limit = { name: "limit", type: "integer", minimum: "1", maximum: String(list.maxLimit) };
  fields.push(field(limit, "items in a slice", String(list.limit), "field small"));
  if (allowsDebug) {
    const box = element("input", { type: "checkbox", name: "debug", id: "p-debug", value: "1" });
    fields.push(element("div", { class: "field check" }, element("label", { for: "p-debug" }, box, " debug")));
  }
  $("form").replaceChildren(
    ...fields,
    element("button", { type: "submit", id: "refresh", title: "Ask anew, past every cache" }, "Refresh"),
  );
  fillForm(list, values);
}

function field(parameter, hint, placeholder, name = "field") {
  const id = `p-${parameter.name}`;
  const note = hint ?? parameter.description ?? bounds(parameter);
  const shared = {
    id,
    name: parameter.name,
    required: parameter.required,
    "aria-describedby": note ? `${id}-hint` : undefined,
  };
  const choices = parameter.allowed ?? (parameter.type === "boolean" ? ["true", "false"] : undefined);
  const input = choices
    ? element(
        "select",
        shared,
        element("option", { value: "" }, parameter.required ? "choose" : (parameter.default ?? "any")),
        choices.map((value) => element("option", { value }, value)),
      )
    : element("input", {
        ...shared,
        type: { integer: "number", number: "number", date: "date" }[parameter.type] ?? "text",
        step: { integer: "1", number: "any" }[parameter.type],
        min: parameter.minimum,
        max: parameter.maximum,
        minlength: parameter.minLength,
        maxlength: parameter.maxLength,
        placeholder: placeholder ?? parameter.default,
        autocomplete: "off",
      });
  const star = parameter.required && element("abbr", { title: "required" }, " *");
  return element(
    "div",
    { class: name },
    element("label", { for: id }, parameter.name, star),
    input,
    note && element("span", { class: "hint", id: `${id}-hint` }, note),
  );
}

function bounds({ type, minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  if (maximum !== undefined) return `up to ${maximum}`;
  return { integer: "a whole number", number: "a number", date: "" }[type];
}

function fillForm(list, values) {
  for (const input of $("form").elements) {
    if (!input.name) continue;
    if (input.type === "checkbox") input.checked = values[input.name] === "1";
    else input.value = values[input.name] ?? "";
  }
}

function formValues() {
  return Object.fromEntries([...new FormData($("form"))].filter(([, value]) => value !== ""));
}

/** Marks the field that an answer complains of; none without one. */
function showFault(error) {
  for (const input of $("form").elements) {
    if (!input.name) continue;
    if (error?.parameter === input.name) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-errormessage", "foot");
    } else {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-errormessage");
    }
  }
}

// MARK: A walk

/**
 * Shows a list from the top. What was shown stays until there is something new, lest the page flicker; a walk that is
 * still under way is ended by the new one, which takes its slot.
 */
function open(list, values, { refresh = false } = {}) {
  stopCountdown();
  watcher.disconnect();
  const { limit, ...parameters } = values;
  const source = gateway.list(list.name, parameters, { limit, slot: "explorer" });
  const isSame = refresh && view?.list === list;
  const before = view;
  view?.walk?.cancel();
  view = { list, values, source, walk: source.slices({ refresh }), shown: 0, slices: 0, attempt: 0, isLoading: false };
  view.earlier = isSame ? before : undefined;
  if (isSame) {
    $("feed").classList.add("fading");
  } else {
    $("feed").replaceChildren();
    $("facts").hidden = true;
  }
  $("notice").replaceChildren();
  showFault();
  showCode();
  const missing = list.parameters.find((parameter) => parameter.required && !values[parameter.name]);
  if (missing) {
    const input = $(`p-${missing.name}`);
    $("foot").replaceChildren(
      element(
        "div",
        { class: "empty" },
        element("strong", {}, `Give ${missing.name} to begin`),
        missing.description ?? bounds(missing) ?? "",
      ),
    );
    if (before) input?.focus({ preventScroll: true });
    return;
  }
  load(refresh ? "refresh" : "first");
}

async function load(purpose) {
  const current = view;
  if (current.isLoading) return;
  current.isLoading = true;
  stopCountdown();
  $("feed").setAttribute("aria-busy", "true");
  $("foot").replaceChildren(loading(current.shown === 0 && !current.earlier));
  try {
    const { done, value: slice } = await current.walk.next();
    if (view !== current) return;
    current.attempt = 0;
    if (current.slices === 0) {
      $("feed").replaceChildren();
      $("feed").classList.remove("fading");
    }
    if (!done) append(slice, purpose);
  } catch (error) {
    if (view !== current) return;
    current.attempt++;
    fail(error, purpose);
  } finally {
    if (view === current) {
      current.isLoading = false;
      $("feed").setAttribute("aria-busy", "false");
      settle();
    }
  }
}

function append(slice, purpose) {
  const first = view.shown;
  const rows = slice.texts.map((wrapped, index) => {
    const { text, source } = view.list.merged ? unwrapped(wrapped) : { text: wrapped };
    return row(text, first + index + 1, source);
  });
  $("feed").append(...rows);
  view.shown += rows.length;
  view.slices++;
  view.latest = slice;
  showFacts(slice);
  showAnswer(slice.answer);
  log(purpose, { status: "ok", items: rows.length, cache: cacheOutcome(slice.answer.fields), ms: slice.answer.duration });
  if (slice.next === undefined) {
    $("foot").replaceChildren(view.shown === 0 ? empty() : end(view.shown));
  } else {
    $("foot").replaceChildren(element("button", { type: "button", class: "quiet", onclick: () => load("next") }, "More"));
    const row = rows[slice.header.prefetchAt ?? 0];
    // Nothing to scroll past: the list goes on all the same.
    if (row) watcher.observe(row);
    else view.goesOn = true;
  }
  const total = slice.header.total;
  say(
    `${plural(rows.length, "item", "items")} loaded, ${view.shown.toLocaleString("en")}` +
      `${typeof total === "number" ? ` of ${total.toLocaleString("en")}` : ""} shown` +
      `${slice.next === undefined ? ". That is all." : ""}`,
  );
}

/** What has to wait until the load before is over. */
function settle() {
  if (view.goesOn) {
    view.goesOn = false;
    load("next");
  }
}

/** Sees the row at which the next slice is due come into view, or pass by unseen when one jumps to the end. */
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      load("next");
    }
  },
  { rootMargin: "10000000px 0px 0px 0px" },
);

function fail(error, purpose) {
  if (!(error instanceof ListwayError)) {
    if (error?.name === "AbortError") return;
    throw error;
  }
  log(purpose, {
    status: error.code,
    isBad: true,
    cache: error.fields ? cacheOutcome(error.fields) : "",
    ms: error.duration,
  });
  if (error.fields) showAnswer(error);
  if (error.code === "invalid_request") showFault(error);
  const { attempt, earlier, list, values } = view;
  const ways = { attempt, retry: () => load(purpose === "refresh" ? "refresh" : "again"), restart: () => open(list, values) };
  if (earlier && view.slices === 0) {
    // Nothing new: what was there stays, and goes on where it was.
    $("feed").classList.remove("fading");
    const refreshAgain = () => open(list, values, { refresh: true });
    view = earlier;
    view.isLoading = false;
    $("notice").replaceChildren(failureCard(error, { ...ways, retry: refreshAgain, title: "It could not be refreshed" }));
    const last = $("feed").lastElementChild;
    $("foot").replaceChildren();
    if (view.walk.cursor && last) watcher.observe(last);
    return;
  }
  $("foot").replaceChildren(failureCard(error, ways));
}

// MARK: What the answers say

function showFacts({ header, answer }) {
  $("facts").hidden = false;
  const { total, pageCount, stale, age } = header;
  const isCounted = typeof total === "number";
  const shown = view.shown.toLocaleString("en");
  const part = isCounted ? (total > 0 ? Math.min(1, view.shown / total) : 1) : header.next ? 0 : 1;
  $("meter").style.transform = `scaleX(${part})`;
  const meter = $("meter").parentElement;
  meter.hidden = !isCounted;
  meter.setAttribute("aria-valuemax", isCounted ? total : view.shown);
  meter.setAttribute("aria-valuenow", view.shown);
  meter.setAttribute("aria-valuetext", isCounted ? `${shown} of ${total}` : `${shown} so far`);
  const outcome = cacheOutcome(answer.fields);
  const facts = [
    ["shown", isCounted ? `${shown} of ${total.toLocaleString("en")}` : header.next ? `${shown} so far` : `${shown}, all`],
    ["slices", view.slices.toLocaleString("en")],
    ["pages", typeof pageCount === "number" ? pageCount.toLocaleString("en") : undefined],
    ["age", stale || age > 0 ? duration(age) : "fresh"],
    ["cache", outcome && chip(outcome, outcome.startsWith("hit") ? "good" : "")],
    ["took", `${Math.round(answer.duration)} ms`],
  ];
  if (stale) facts.push(["", chip("stale: shown from memory", "warn")]);
  $("factList").replaceChildren(
    ...facts
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
  $("warnings").replaceChildren(...header.warnings.map((warning) => element("li", {}, warning.replaceAll("_", " "))));
}

function chip(text, kind) {
  return element("span", { class: `chip ${kind}` }, text);
}

function duration(seconds) {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** What `Cache-Status` (RFC 9211) says of Listway's own cache: "hit", "miss", "stale", "collapsed"… */
function cacheOutcome(fields) {
  const own = (fields.get("Cache-Status") ?? "").split(",").find((member) => member.trim().startsWith("listway"));
  if (!own) return "";
  const words = own.split(";").slice(1).map((word) => word.trim());
  const forwarded = words.find((word) => word.startsWith("fwd="))?.slice(4);
  const outcome = words.includes("hit") ? "hit" : (forwarded ?? "");
  return words.includes("collapsed") ? `${outcome} (joined)` : outcome;
}

function showAnswer({ text, fields, httpStatus, duration }) {
  const interesting = ["Cache-Status", "Age", "ETag", "Retry-After", "Proxy-Status", "RateLimit", "X-Request-Id"];
  const entries = [["HTTP", `${httpStatus}, ${Math.round(duration)} ms, ${plural(text.length, "character", "characters")}`]];
  for (const name of interesting) if (fields.get(name)) entries.push([name, fields.get(name)]);
  $("fields").replaceChildren(
    ...entries.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
  let header;
  try {
    header = valueText(text, "header");
  } catch {
    // Not Listway's, then: it is shown as it is.
  }
  $("header").replaceChildren(header === undefined ? text.slice(0, 4096) : highlighted(header));
}

function log(purpose, { status, isBad = false, items = "", cache, ms }) {
  const cells = [purpose, status, items, cache, ms === undefined ? "" : Math.round(ms)];
  const body = $("log").tBodies[0];
  body.prepend(
    element("tr", {}, cells.map((cell, index) => element("td", { class: isBad && index === 1 ? "bad" : undefined }, String(cell)))),
  );
  while (body.rows.length > 100) body.deleteRow(-1);
}

function say(text) {
  $("said").textContent = text;
}

// MARK: Code to copy

let language = "curl";

function showTabs() {
  const names = Object.keys(languages);
  const tabs = names.map((name) =>
    element("button", { type: "button", role: "tab", "aria-controls": "code", onclick: () => choose(name) }, name),
  );
  const bar = document.querySelector(".tabs");
  bar.replaceChildren(...tabs);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    choose(names[(names.indexOf(language) + step + names.length) % names.length]);
    bar.querySelector('[aria-selected="true"]').focus();
  });
  choose(language);
}

function choose(name) {
  language = name;
  for (const tab of document.querySelectorAll(".tabs button")) {
    const isChosen = tab.textContent === name;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
  }
  showCode();
}

function showCode() {
  if (!view) return;
  const { limit, ...parameters } = view.values;
  $("code").dataset.language = language;
  $("code").setAttribute("aria-label", `The request in ${language}`);
  $("code").textContent = languages[language]({
    origin: location.origin,
    url: String(view.source.address),
    name: view.list.name,
    parameters,
    limit,
  });
}

async function copy() {
  try {
    await navigator.clipboard.writeText($("code").textContent);
    say("Copied");
    $("copy").textContent = "Copied";
  } catch {
    // Without a secure origin there is no clipboard: the text is selected, to be copied by hand.
    getSelection().selectAllChildren($("code"));
    $("copy").textContent = "Selected";
  }
  setTimeout(() => ($("copy").textContent = "Copy"), 1500);
}

// MARK: What the user does

function refresh() {
  if (view) open(view.list, view.values, { refresh: true });
}

/** Shows what the form says now: in the address too, which can be shared. */
function apply() {
  if (!view) return;
  const form = $("form");
  const isWrong = [...form.elements].find((input) => input.name && input.value !== "" && !input.checkValidity());
  if (isWrong) return isWrong.reportValidity();
  const values = formValues();
  history.replaceState(null, "", hash(view.list.name, values));
  open(view.list, values);
}

let typing;

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  const isChanged = JSON.stringify(formValues()) !== JSON.stringify(view?.values);
  if (isChanged) apply();
  else refresh();
});
$("form").addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(apply, event.target.matches("select, [type=checkbox]") ? 0 : 250);
});
$("pick").addEventListener("change", () => (location.hash = hash($("pick").value, {})));
$("filter").addEventListener("input", () => {
  const wanted = $("filter").value.toLowerCase();
  for (const entry of $("index").querySelectorAll("li")) entry.hidden = !entry.textContent.toLowerCase().includes(wanted);
});
$("copy").addEventListener("click", copy);

function inspect(isOpen) {
  document.body.classList.toggle("inspecting", isOpen);
  $("inspect").setAttribute("aria-expanded", isOpen);
  (isOpen ? $("close") : $("inspect")).focus();
}

$("inspect").addEventListener("click", () => inspect(!document.body.classList.contains("inspecting")));
$("close").addEventListener("click", () => inspect(false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.classList.contains("inspecting")) inspect(false);
});

// Pull to refresh: from the top of the page, with a finger.
const farEnough = 70;
let pulledFrom;

addEventListener("touchstart", (event) => {
  pulledFrom = scrollY <= 0 && view && event.touches.length === 1 ? event.touches[0].clientY : undefined;
}, { passive: true });
addEventListener("touchmove", (event) => {
  if (pulledFrom === undefined) return;
  const distance = Math.max(0, event.touches[0].clientY - pulledFrom) / 2;
  $("pull").style.height = `${Math.min(distance, farEnough * 1.4)}px`;
  $("pull").firstElementChild.textContent = distance >= farEnough ? "Let go to refresh" : "Pull to refresh";
  $("pull").dataset.ready = distance >= farEnough;
}, { passive: true });
addEventListener("touchend", () => {
  if (pulledFrom === undefined) return;
  pulledFrom = undefined;
  const isReady = $("pull").dataset.ready === "true";
  $("pull").classList.add("settling");
  $("pull").style.height = "0";
  $("pull").dataset.ready = false;
  setTimeout(() => $("pull").classList.remove("settling"), 250);
  if (isReady) refresh();
});

showTabs();
begin();
