// Items as rows, and JSON as it was written: nothing in here goes through a double.

import { ExactNumber, readExactly, valueText } from "/listway.js";

/** Makes an element; what is undefined is left out. */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content.flat().filter((part) => part !== undefined && part !== null && part !== false));
  return made;
}

/**
 * A row of the feed, which unfolds to the item's JSON.
 *
 * @param {string} text the item as the upstream wrote it.
 * @param {number} number its place in the list, from 1.
 * @param {string} [source] the list that it came from, where several are merged.
 */
export function row(text, number, source) {
  const { title, facts } = summary(readExactly(text));
  const details = element(
    "details",
    {},
    element(
      "summary",
      {},
      element("span", { class: "number" }, number.toLocaleString("en")),
      element(
        "span",
        {},
        element("span", { class: "name" }, title),
        facts.length > 0 && element("span", { class: "more" }, facts.map(fact)),
      ),
      element("span", {}, source && element("span", { class: "chip source" }, source), " ",
        element("span", { class: "chevron", "aria-hidden": "true" }, "›")),
    ),
  );
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(element("pre", { tabindex: "0", "aria-label": `Item ${number} as JSON` }, highlighted(text)));
    }
  });
  return element("li", {}, details);
}

/**
 * An item of a merged list, taken out of `{"source": …, "item": …}`: its own text, and the lists that it came through.
 * What is not wrapped so is an item as it is.
 */
export function unwrapped(text) {
  const sources = [];
  while (text.startsWith('{"source":"')) {
    const item = valueText(text, "item");
    if (item === undefined) break;
    sources.push(JSON.parse(valueText(text, "source")));
    text = item;
  }
  return { text, source: sources.join(" › ") };
}

function fact([key, value, exactly]) {
  return element("span", { title: exactly }, `${key} `, element("b", {}, value));
}

// MARK: What an item is called

const titles = [
  "title", "headline", "subject", "name", "display_name", "displayName", "full_name", "fullName", "screen_name",
  "screenName", "username", "user_name", "nickname", "login", "label", "summary", "text", "message", "description",
  "content", "body", "email", "slug", "key", "code",
];
const ids = ["id", "_id", "uid", "uuid", "guid", "key", "number", "iid"];
const longestFact = 48;
const mostFacts = 5;

/** The words that stand for an item: a title, and some of its other members. */
export function summary(item) {
  if (item === null || typeof item !== "object" || item instanceof ExactNumber) {
    return { title: shown(item), facts: [] };
  }
  if (Array.isArray(item)) return { title: item.map(shown).join(", "), facts: [] };
  const members = Object.entries(item);
  let title = titleAmong(members);
  let inner = members;
  // {"id": 1, "attributes": {"title": …}} and its likes.
  for (const [, value] of members) {
    if (title) break;
    if (value && typeof value === "object" && !Array.isArray(value) && !(value instanceof ExactNumber)) {
      inner = Object.entries(value);
      title = titleAmong(inner);
    }
  }
  title ??= members.find(([key, value]) => ids.includes(key) && isShort(value));
  title ??= members.find(([, value]) => isShort(value));
  const rest = [...members, ...(inner === members ? [] : inner)].filter(
    ([key, value]) => isShort(value) && key !== title?.[0] && value !== "",
  );
  const rank = ([key]) => (ids.includes(key) ? 0 : 1);
  const facts = rest.sort((left, right) => rank(left) - rank(right)).slice(0, mostFacts);
  return {
    title: title ? shown(title[1]) : members.length === 0 ? "{}" : members.map(([key]) => key).join(", "),
    facts: facts.map(([key, value]) => [key, time(key, value) ?? shown(value), shown(value)]),
  };
}

function titleAmong(members) {
  const isTitle = ([, value]) => typeof value === "string" && value.trim() !== "" && !/^https?:/.test(value);
  for (const name of titles) {
    const found = members.find((member) => member[0] === name && isTitle(member));
    if (found) return found;
  }
  return members.find((member) => /(title|name|subject)$/i.test(member[0]) && isTitle(member));
}

function isShort(value) {
  if (value instanceof ExactNumber || typeof value === "boolean") return true;
  return typeof value === "string" && value.length <= longestFact && !/^https?:/.test(value);
}

function shown(value) {
  if (typeof value === "string") return value;
  if (value instanceof ExactNumber) return value.text;
  return JSON.stringify(value);
}

/** A Unix time as people read it, in UTC; undefined where it is none. */
function time(key, value) {
  if (!(value instanceof ExactNumber) || !/(_at|At|time|date|timestamp|created|updated)$/i.test(key)) return undefined;
  const number = Number(value.text);
  const milliseconds = number >= 1e11 ? number : number * 1000;
  if (!(milliseconds >= 3e11 && milliseconds < 4.2e12)) return undefined;
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ");
}

// MARK: JSON

const token = /"(?:[^"\\]|\\.)*"|[-+.\w]+|[{}[\],:]/gy;

/** JSON, broken into lines and coloured: each token as it was written. */
export function highlighted(text) {
  const parts = document.createDocumentFragment();
  const line = (depth) => parts.append("\n" + "  ".repeat(depth));
  const tokens = tokensOf(text);
  let depth = 0;
  for (let index = 0; index < tokens.length; index++) {
    const word = tokens[index];
    const next = tokens[index + 1];
    if (word === "{" || word === "[") {
      parts.append(word);
      depth++;
      if (next !== "}" && next !== "]") line(depth);
    } else if (word === "}" || word === "]") {
      depth--;
      if (tokens[index - 1] !== "{" && tokens[index - 1] !== "[") line(depth);
      parts.append(word);
    } else if (word === ",") {
      parts.append(",");
      line(depth);
    } else if (word === ":") {
      parts.append(": ");
    } else {
      parts.append(element("span", { class: kind(word, next) }, word));
    }
  }
  return parts;
}

function kind(word, next) {
  if (word[0] === '"') return next === ":" ? "key" : "string";
  return /^[-\d]/.test(word) ? "figure" : "word";
}

function tokensOf(text) {
  const tokens = [];
  const blank = /\s*/y;
  for (let at = 0; ; ) {
    blank.lastIndex = at;
    blank.test(text);
    token.lastIndex = blank.lastIndex;
    const found = token.exec(text);
    if (!found) return tokens;
    tokens.push(found[0]);
    at = token.lastIndex;
  }
}
