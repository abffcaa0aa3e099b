// The request of the moment as code to copy.

/** The languages, in the order of their tabs. Each takes what the page is asking. */
export const languages = {
  curl: ({ url }) => `curl -s ${shell(url)}`,

  Swift: ({ url }) => `import Foundation

struct Item: Decodable { /* your fields */ }

struct Slice: Decodable {
  struct Header: Decodable {
    var next: String?     // the cursor of what follows
    var prefetchAt: Int?  // the row to ask for it at
    var total: Int?
    var error: String?    // upstream_unreachable, …
    var retryAfter: Int?  // seconds
  }
  var status: Int         // 0: it worked
  var header: Header
  var body: [Item]?
  var message: String     // for people
}

let url = URL(string: ${quoted(url)})!
let (data, _) = try await URLSession.shared.data(from: url)
let slice = try JSONDecoder().decode(Slice.self, from: data)`,

  JavaScript: ({ origin, name, parameters, limit }) => {
    const given = object(parameters);
    const sizes = limit ? `, { limit: ${limit} }` : "";
    const arguments_ = given === "{}" && !sizes ? "" : `, ${given}${sizes}`;
    return `import { Listway } from ${quoted(`${origin}/listway.js`)};

const gateway = new Listway(${quoted(origin)});
const list = gateway.list(${quoted(name)}${arguments_});

// Item by item: what follows is asked for in time.
for await (const item of list) {
  console.log(item);
}

// Or slice by slice, as an endless list shows them.
for await (const slice of list.slices()) {
  show(slice.items);
  await rowIsShown(slice.header.prefetchAt);
}`;
  },
};

/** The same for what is no list. */
export const plainLanguages = {
  curl: languages.curl,
  Swift: ({ url }) => `import Foundation

let url = URL(string: ${quoted(url)})!
let (data, _) = try await URLSession.shared.data(from: url)`,
  JavaScript: ({ origin, path, parameters }) => `import { Listway } from ${quoted(`${origin}/listway.js`)};

const gateway = new Listway(${quoted(origin)});
const answer = await gateway.ask(${quoted(path)}, ${object(parameters)});
console.log(answer.header, answer.body);`,
};

function shell(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoted(text) {
  return JSON.stringify(text);
}

function object(parameters) {
  const members = Object.entries(parameters).map(
    ([name, value]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)}: ${quoted(value)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
