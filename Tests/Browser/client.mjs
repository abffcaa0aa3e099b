// What listway.js promises, tried against the gateway at `url` (the demo), with its upstream's faults switched by `fail`.
// Both the browser and Node run it: a failure throws.
//
//   node client.mjs MODULE GATEWAY FAULTS

export async function check({ Listway, ListwayError, ExactNumber }, url, fail) {
  const equal = (found, expected, what) => {
    if (found !== expected) throw new Error(`${what}: ${found} in place of ${expected}`);
  };
  const failure = async (promise) => {
    try {
      await promise;
    } catch (error) {
      return error;
    }
    throw new Error("it did not fail");
  };
  const gateway = new Listway(url);

  // The catalogue, and a list item by item.
  const catalogue = await gateway.catalogue();
  equal(catalogue.map(({ name }) => name).join(), "notices,categories,users", "the catalogue");
  const seen = [];
  for await (const user of gateway.list("users", { category_id: 2 }, { limit: 50 })) seen.push(user.uid);
  equal(seen.length, 311, "users");
  equal(new Set(seen).size, 311, "different users");

  // Numbers as they were written, and slices that tell when to go on.
  const exact = new Listway(url, { numbers: "exact" });
  const slices = exact.list("notices", {}, { limit: 3 }).slices();
  const { value: first } = await slices.next();
  equal(String(first.items[0].id), "9007199254740993", "an id");
  equal(first.items[0].id.toBigInt(), 9007199254740993n, "an id as a BigInt");
  equal(first.items[0].amount instanceof ExactNumber && `${first.items[0].amount}`, "0.00", "an amount");
  equal(first.texts[2].startsWith('{"id":9007199254740995,"title":"Somebody paid'), true, "an item's text");
  equal(first.header.prefetchAt, 2, "prefetchAt");
  first.seen(2);
  const [second, third] = await Promise.all([slices.next(), slices.next()]);
  equal(String(second.value.items[0].id), "9007199254740996", "the second slice");
  equal(String(third.value.items[0].id), "9007199254740999", "the third slice, asked for at once");

  // A walk that is left goes on where it was, and a failure does not move it.
  const items = gateway.list("notices", {}, { limit: 10 }).items();
  const titles = [];
  for await (const { title } of items) if (titles.push(title) === 10) break;
  await fail("down");
  const unreachable = await failure(items.next());
  equal(unreachable instanceof ListwayError && unreachable.code, "upstream_unreachable", "the failure's code");
  equal(`${unreachable.status} ${unreachable.httpStatus}`, "-1 503", "the failure's statuses");
  equal(unreachable.retryAfter >= 1, true, "when to ask again");
  await fail("none");
  for (let attempt = 0; titles.length < 25; attempt++) {
    try {
      for await (const { title } of items) if (titles.push(title) === 25) break;
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  equal(titles.map((title) => title.split(" ").at(-1)).join(), [...Array(25).keys()].join(), "the items' order");

  // Failures by their codes.
  const wrong = await failure(gateway.list("users", { category_id: 12 }).items().next());
  equal(`${wrong.code} ${wrong.parameter}`, "invalid_request category_id", "a wrong parameter");
  const refused = await failure(gateway.ask("/v1/lists/nothing"));
  equal(refused.code, "not_found", "an unknown list");
  await fail("refused");
  const no = await failure(gateway.list("users", { category_id: 9 }).items().next());
  equal(`${no.code} ${no.upstreamCode} ${no.message}`, "upstream_refused 1001 Your subscription has ended.", "a refusal");
  await fail("none");
  const nobody = await failure(new Listway("http://127.0.0.1:9", { fetch: () => Promise.reject(new TypeError()) }).catalogue());
  equal(nobody.code, "gateway_unreachable", "nobody there");
  const stranger = new Listway(url, { fetch: async () => new Response("<html>", { status: 502 }) });
  equal((await failure(stranger.catalogue())).code, "no_envelope", "a stranger's answer");

  // The latest wins, and what is not wanted any more is ended.
  await fail("slow");
  const slot = { slot: "search", limit: 5 };
  const older = failure(gateway.list("users", { category_id: 7 }, slot).items().next());
  const newer = gateway.list("users", { category_id: 8 }, slot).items().next();
  equal((await older).code, "superseded", "the older walk");
  const leaving = new AbortController();
  const left = failure(gateway.list("users", { category_id: 6 }, { signal: leaving.signal }).items().next());
  leaving.abort();
  equal((await left).name, "AbortError", "what was aborted");
  await fail("none");
  const late = await newer.catch((error) => error);
  // The demo's slowness is beyond its deadline.
  equal(late.code ?? late.value?.uid?.[0], late.code ? "upstream_timeout" : "8", "the newer walk");

  // An older request that comes to the gateway after a newer one does not win.
  let count = 0;
  const refusal = JSON.stringify({ status: -13, header: { error: "superseded", warnings: [] }, body: null, message: "" });
  const overtaken = new Listway(url, {
    fetch: (address, options) => (count++ === 0 ? Promise.resolve(new Response(refusal, { status: 409 })) : fetch(address, options)),
  });
  const given = await overtaken.list("users", { category_id: 8 }, slot).items().next();
  equal(`${given.value.uid === undefined} ${count}`, "false 2", "the one that was overtaken");

  // Nothing from a cache, where that is asked for.
  const asked = [];
  const listening = new Listway(url, { fetch: (address, options) => (asked.push(options.cache), fetch(address, options)) });
  const refreshed = listening.list("categories", {}, { limit: 5 }).slices({ refresh: true });
  await refreshed.next();
  await refreshed.next();
  equal(asked.join(), "reload,default", "how they were asked for");
  equal((await refreshed.next()).done, true, "the end");
  return "as promised";
}

if (globalThis.process?.argv?.length === 5) {
  const [module, gateway, faults] = process.argv.slice(2);
  const fail = async (fault) => {
    const answer = await fetch(`${faults}/${fault}`, { method: "POST" });
    if (!answer.ok) throw new Error(await answer.text());
  };
  console.log(await check(await import(module), gateway, fail));
}
