// A client for Listway: lists as async iterators, slice by slice or item by item.
//
//   import { Listway } from "/listway.js";
//
//   const gateway = new Listway("https://lists.example");
//   for await (const item of gateway.list("notices", { sid: 7 })) show(item);
//
// No dependency, no build step: browsers and Node 20 and newer take it as it is.
//
// What it does so that you need not: follows `next`, asks for the following slice at the row that `prefetchAt` names,
// keeps its place when a request fails (ask again and it goes on), ends requests that nobody waits for any more, tells
// failures apart by `code`, and reads numbers without rounding them where you say so.

/** A gateway. */
export class Listway {
  #url;
  #options;
  #slots = new Map();
  /** Tells this client from others behind the same address, in its slots' names. */
  #id = Array.from({ length: 4 }, () => Math.floor(Math.random() * 0x10000).toString(36)).join("");

  /**
   * @param {string | URL} [url] where the gateway is; without it, where the page came from.
   * @param {object} [options]
   * @param {Record<string, string>} [options.headers] of every request, such as `Authorization`.
   * @param {"double" | "exact"} [options.numbers] "double" (usual) reads numbers as JavaScript does; "exact" as
   *   {@link ExactNumber}, which keeps ids beyond 2^53 and the last zero of 1.10.
   * @param {typeof fetch} [options.fetch] in place of the global one.
   */
  constructor(url = globalThis.location?.href ?? "http://localhost:8080", options = {}) {
    this.#url = new URL("/", url);
    this.#options = { headers: {}, numbers: "double", fetch: (...asked) => fetch(...asked), ...options };
  }

  /** What there is: every list with its parameters and sizes. */
  async catalogue(options = {}) {
    return (await this.ask("/v1/lists", {}, options)).body;
  }

  /**
   * A list. Nothing is asked yet.
   *
   * @param {string} name
   * @param {Record<string, string | number | bigint | boolean | undefined>} [parameters] those that are undefined are left out.
   * @param {object} [options]
   * @param {number} [options.limit] items in a slice.
   * @param {string} [options.slot] latest wins: a newer walk in the same slot ends this one with the code "superseded".
   * @param {AbortSignal} [options.signal] ends its walks.
   */
  list(name, parameters = {}, options = {}) {
    return new List(this, name, parameters, options);
  }

  /** The address of a path with parameters. */
  address(path, parameters = {}) {
    const url = new URL(path, this.#url);
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined && value !== null && value !== "") url.searchParams.append(name, String(value));
    }
    return url;
  }

  /**
   * One request, whatever it is for.
   *
   * @param {string} path
   * @param {object} [parameters] of the query.
   * @param {object} [options] `signal`, `headers`, `method`, `body`; `refresh: true` has nothing taken from a cache.
   * @returns {Promise<Answer>}
   * @throws {ListwayError} for every answer but a good one; the signal's reason when that ended it.
   */
  async ask(path, parameters = {}, { signal, headers, method, body, refresh = false } = {}) {
    const started = performance.now();
    let response, text;
    try {
      response = await this.#options.fetch(this.address(path, parameters), {
        method: method ?? "GET",
        headers: { Accept: "application/json", ...this.#options.headers, ...headers },
        body,
        cache: refresh ? "reload" : "default",
        signal,
      });
      text = await response.text();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new ListwayError({ code: "gateway_unreachable", message: "The gateway does not answer.", cause });
    }
    return new Answer(response, text, performance.now() - started, this.#options.numbers);
  }

  /** Ends whoever has the slot, and gives it to `controller`. */
  take(slot, controller) {
    this.#slots.get(slot)?.abort(superseded());
    this.#slots.set(slot, controller);
    return `${slot} ${this.#id}`;
  }
}

/** A good answer: the envelope, and what HTTP says beside it. */
export class Answer {
  #numbers;

  constructor(response, text, duration, numbers) {
    /** The answer as it came. */
    this.text = text;
    /** The fields of the HTTP answer, a `Headers`. */
    this.fields = response.headers;
    this.httpStatus = response.status;
    /** Milliseconds from the request to the last byte. */
    this.duration = duration;
    this.#numbers = numbers;
    const envelope = this.#envelope();
    if (envelope.status !== 0) throw ListwayError.of(envelope, response, text, duration);
    this.header = envelope.header;
    this.message = envelope.message;
    this.body = numbers === "exact" ? readExactly(valueText(text, "body")) : envelope.body;
  }

  #envelope() {
    let envelope;
    try {
      envelope = JSON.parse(this.text);
    } catch {
      envelope = null;
    }
    if (typeof envelope?.status === "number" && typeof envelope.header === "object") return envelope;
    throw new ListwayError({
      code: "no_envelope",
      message: "What answered is not Listway.",
      httpStatus: this.httpStatus,
      text: this.text,
      fields: this.fields,
      duration: this.duration,
    });
  }
}

/** A list of a gateway, with its parameters. Iterating over it walks through its items from the top. */
export class List {
  #gateway;

  constructor(gateway, name, parameters, options) {
    this.#gateway = gateway;
    this.name = name;
    this.parameters = parameters;
    this.options = options;
  }

  get path() {
    return `/v1/lists/${encodeURIComponent(this.name)}`;
  }

  /** The address of the first slice. */
  get address() {
    return this.#gateway.address(this.path, { ...this.parameters, limit: this.options.limit });
  }

  /**
   * A walk, slice by slice.
   *
   * @param {object} [options] `refresh: true` has the first slice not taken from a cache (pull to refresh); `cursor`
   *   begins behind an earlier slice.
   */
  slices(options = {}) {
    return new Slices(this.#gateway, this, { ...this.options, ...options });
  }

  /** A walk, item by item. */
  items(options = {}) {
    return new Items(this.slices(options));
  }

  [Symbol.asyncIterator]() {
    return this.items();
  }
}

/**
 * A walk through a list, slice by slice. It keeps its place: after a failure, `next()` (or another `for await`) asks again
 * for what failed; after a `break`, another `for await` goes on behind the last slice.
 */
export class Slices {
  #gateway;
  #list;
  #options;
  /** undefined at the top, null behind the end. */
  #cursor;
  #pending;
  #controller;
  #isRefreshing;
  #turn = Promise.resolve();

  constructor(gateway, list, options) {
    this.#gateway = gateway;
    this.#list = list;
    this.#options = options;
    this.#cursor = options.cursor;
    this.#isRefreshing = options.refresh === true;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** The cursor of what comes next; undefined at the top, null behind the end. */
  get cursor() {
    return this.#cursor;
  }

  /** The address of what `next()` asks for; null behind the end. */
  get address() {
    return this.#cursor === null ? null : this.#gateway.address(this.#list.path, this.#query());
  }

  /** The next slice: the one that is under way already, or a new request. Calls are taken one after another. */
  next() {
    const turn = this.#turn.then(() => this.#take());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #take() {
    if (this.#cursor === null) return { done: true, value: undefined };
    const pending = (this.#pending ??= this.#fetch());
    try {
      const slice = await pending;
      this.#cursor = slice.next ?? null;
      this.#isRefreshing = false;
      return { done: false, value: slice };
    } finally {
      if (this.#pending === pending) this.#pending = undefined;
    }
  }

  /** What a `for await` that is left early does: ends what is under way. The place is kept. */
  async return(value) {
    this.cancel();
    return { done: true, value };
  }

  /** Ends what is under way, with the reason; an `AbortError` without one. The place is kept. */
  cancel(reason) {
    this.#controller?.abort(reason);
    this.#pending = undefined;
  }

  /** Begins to ask for the next slice. Should that fail, `next()` asks again. */
  prefetch() {
    if (this.#pending || this.#cursor === null) return;
    const pending = this.#fetch();
    this.#pending = pending;
    pending.catch(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
  }

  #query() {
    return { ...this.#list.parameters, limit: this.#options.limit, cursor: this.#cursor };
  }

  async #fetch() {
    const controller = new AbortController();
    this.#controller?.abort(superseded());
    this.#controller = controller;
    const headers = {};
    const { slot, signal } = this.#options;
    if (slot) headers["Listway-Slot"] = this.#gateway.take(slot, controller);
    const end = () => controller.abort(signal.reason);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    const ask = async () => {
      const asked = { signal: controller.signal, headers, refresh: this.#isRefreshing };
      return new Slice(this, await this.#gateway.ask(this.#list.path, this.#query(), asked));
    };
    try {
      return await ask().catch((error) => {
        // An older request of ours, which was ended here, came to the gateway after this one: it is not to win.
        if (error.code !== "superseded" || controller.signal.aborted) throw error;
        return ask();
      });
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }
}

/** Some items of a list, in order, and what the gateway says of them. */
export class Slice {
  #walk;
  #texts;

  constructor(walk, answer) {
    this.#walk = walk;
    this.answer = answer;
    this.header = answer.header;
    this.items = answer.body;
  }

  /** The cursor of the following slice; undefined at the end of the list, and nowhere else. */
  get next() {
    return this.header.next;
  }

  /** Each item's own JSON text, as the upstream wrote it. */
  get texts() {
    return (this.#texts ??= elementTexts(valueText(this.answer.text, "body")));
  }

  /** To be told of the last row that is on the screen: asks for the next slice when it is time to. */
  seen(row) {
    if (this.next !== undefined && row >= (this.header.prefetchAt ?? 0)) this.#walk.prefetch();
  }
}

/** A walk through a list, item by item; it keeps its place as {@link Slices} does. */
export class Items {
  #slices;
  #slice;
  #row = 0;

  constructor(slices) {
    this.#slices = slices;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** The header of the slice that the latest item came in. */
  get header() {
    return this.#slice?.header;
  }

  async next() {
    // A slice may be empty and not be the last.
    while (this.#slice === undefined || this.#row >= this.#slice.items.length) {
      const { done, value } = await this.#slices.next();
      if (done) return { done: true, value: undefined };
      this.#slice = value;
      this.#row = 0;
    }
    const row = this.#row++;
    this.#slice.seen(row);
    return { done: false, value: this.#slice.items[row] };
  }

  async return(value) {
    return this.#slices.return(value);
  }
}

/** Why there is no answer. What a walk threw it for can be asked for again: the walk keeps its place. */
export class ListwayError extends Error {
  constructor({ message, cause, ...facts }) {
    super(message, { cause });
    this.name = "ListwayError";
    /** The envelope's `header.error`; or "gateway_unreachable", "no_envelope" where there was no envelope. */
    this.code = facts.code;
    /** The envelope's `status`, below zero. */
    this.status = facts.status;
    this.httpStatus = facts.httpStatus;
    /** Seconds after which asking again may help. */
    this.retryAfter = facts.retryAfter;
    /** The upstream's own code, where it refused. */
    this.upstreamCode = facts.upstreamCode;
    /** The parameter that is at fault. */
    this.parameter = facts.parameter;
    this.requestId = facts.requestId;
    this.header = facts.header;
    /** The answer as it came, its fields, and how many milliseconds it took. */
    this.text = facts.text;
    this.fields = facts.fields;
    this.duration = facts.duration;
  }

  static of(envelope, response, text, duration) {
    const { header, status, message } = envelope;
    const seconds = Number(response.headers.get("Retry-After"));
    return new ListwayError({
      message,
      status,
      header,
      text,
      duration,
      code: header.error ?? "no_envelope",
      httpStatus: response.status,
      retryAfter: header.retryAfter ?? (seconds > 0 ? seconds : undefined),
      upstreamCode: header.upstreamCode,
      parameter: header.parameter,
      requestId: header.requestId,
      fields: response.headers,
    });
  }
}

const superseded = () =>
  new ListwayError({ code: "superseded", status: -13, message: "A newer request took this one's place." });

/** A number as it was written. Calculates as a number, prints and compares as a text. */
export class ExactNumber {
  constructor(text) {
    this.text = text;
    Object.freeze(this);
  }

  toString() {
    return this.text;
  }

  valueOf() {
    return Number(this.text);
  }

  /** Written without loss where the engine can (`JSON.rawJSON`), else as the nearest double. */
  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.text) : Number(this.text);
  }

  /** @throws {SyntaxError} when it is not an integer. */
  toBigInt() {
    return BigInt(this.text);
  }
}

// Reading JSON by its text. All of it has been read by the gateway or by JSON.parse before: it is valid.

const numberOrWord = /[-+.\w]+/y;
const blank = /[ \t\n\r]*/y;

function skipBlank(text, at) {
  blank.lastIndex = at;
  blank.test(text);
  return blank.lastIndex;
}

/** The index behind the string that begins at `at`. */
function stringEnd(text, at) {
  for (let end = at + 1; ; end++) {
    end = text.indexOf('"', end);
    if (end < 0) throw new SyntaxError("A string has no end.");
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
}

/** The index behind the value that begins at `at`. */
function valueEnd(text, at) {
  let depth = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at);
    else if (character === "{" || character === "[") depth++, at++;
    else if (character === "}" || character === "]") depth--, at++;
    else if (character === "," || character === ":" || character <= " ") at++;
    else {
      numberOrWord.lastIndex = at;
      if (!numberOrWord.test(text)) throw new SyntaxError(`Not JSON at ${at}.`);
      at = numberOrWord.lastIndex;
    }
    if (depth === 0) return at;
  }
  throw new SyntaxError("A value has no end.");
}

/** The text of the member `key` of the object that `text` is; undefined where there is none. */
export function valueText(text, key) {
  for (let at = skipBlank(text, skipBlank(text, 0) + 1); text[at] === '"'; ) {
    const keyEnd = stringEnd(text, at);
    const start = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (JSON.parse(text.slice(at, keyEnd)) === key) return text.slice(start, end);
    at = skipBlank(text, end);
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return undefined;
}

/** The texts of the elements of the array that `text` is; none where it is something else. */
export function elementTexts(text) {
  const texts = [];
  let at = skipBlank(text, 0);
  if (text[at] !== "[") return texts;
  at = skipBlank(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const end = valueEnd(text, at);
    texts.push(text.slice(at, end));
    at = skipBlank(text, end);
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return texts;
}

/** The value of a JSON text, each number of it an {@link ExactNumber}. */
export function readExactly(text) {
  let at = 0;
  const skip = () => (at = skipBlank(text, at));
  const value = () => {
    skip();
    const start = at;
    if (text[at] === '"') return JSON.parse(text.slice(start, (at = stringEnd(text, at))));
    if (text[at] === "{") {
      const object = {};
      at++;
      for (skip(); text[at] !== "}"; skip()) {
        const key = JSON.parse(text.slice(at, (at = stringEnd(text, at))));
        skip();
        at++;
        // Not by assignment: "__proto__" is a key like any other.
        Object.defineProperty(object, key, { value: value(), writable: true, enumerable: true, configurable: true });
        skip();
        if (text[at] === ",") at++;
      }
      at++;
      return object;
    }
    if (text[at] === "[") {
      const array = [];
      at++;
      for (skip(); text[at] !== "]"; skip()) {
        array.push(value());
        skip();
        if (text[at] === ",") at++;
      }
      at++;
      return array;
    }
    at = valueEnd(text, start);
    const word = text.slice(start, at);
    if (word === "true" || word === "false") return word === "true";
    return word === "null" ? null : new ExactNumber(word);
  };
  return value();
}
