#!/usr/bin/env python3
"""CPU time a request: Listway beside nginx's plain pass-through (for cached pages its proxy_cache) and, with --peers, beside
gateways that re-wrap.

The peer under test has core 1 for itself, with one worker or loop; the upstream and the load (wrk) have core 0. Each
repeat is on a fresh start. CPU time is that of the peer's whole process tree, user and system, over the requests of a
closed-loop run; the median of the repeats counts. All traffic stays on loopback, every run is bounded in time.

Clients of Listway ask by cursor: the list is walked once, and the load asks again with the cursors collected.
"""
import argparse, contextlib, json, os, random, shutil, signal, socket, statistics, subprocess, sys, tempfile, time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
HZ = os.sysconf("SC_CLK_TCK")
PAGES = 50
SCENARIOS = {  # name: title, items a page, connections
    "A": ("uncached page, 20 items", 20, 64),
    "B": ("cached page, 20 items", 20, 64),
    "C": ("uncached page, 100 items", 100, 64),
    # Of a peers' harness: its upstream has the four lists /l1/items to /l4/items, and its peers merge them at /merge.
    "E": ("merge of four lists by score, 20 items", 20, 64),
}

CURSOR_LOAD = """
local paths, i = {}, 0
function init(args)
  for line in io.lines(args[1]) do paths[#paths + 1] = wrk.format("GET", line) end
end
function request()
  i = i % #paths + 1
  return paths[i]
end
function done(s)
  io.write(string.format('JSON{"requests":%d,"us":%d,"errors":%d}\\n', s.requests, s.duration,
    s.errors.connect + s.errors.read + s.errors.write + s.errors.timeout + s.errors.status))
end
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def children(root):
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                fields = open(f"/proc/{entry}/stat").read().rpartition(")")[2].split()
                parents[int(entry)] = int(fields[1])
    tree, grew = {root}, True
    while grew:
        new = {pid for pid, parent in parents.items() if parent in tree} - tree
        tree |= new
        grew = bool(new)
    return tree


def cpu_seconds(root):
    total = 0
    for pid in children(root):
        with contextlib.suppress(OSError):
            total += sum(map(int, open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[11:15]))
    return total / HZ


def memory_megabytes(root):
    total = 0
    for pid in children(root):
        with contextlib.suppress(OSError):
            for line in open(f"/proc/{pid}/status"):
                if line.startswith("VmRSS"): total += int(line.split()[1])
    return total / 1024


class Process:
    """A program pinned to one core, ended with everything it started."""

    def __init__(self, command, core, log, environment=None):
        self.child = subprocess.Popen(
            ["taskset", "-c", str(core)] + command, stdout=open(log, "wb"), stderr=subprocess.STDOUT,
            start_new_session=True, env={**os.environ, **(environment or {})})
        self.log = log

    def wait_until_ready(self, url, seconds=10):
        deadline = time.monotonic() + seconds
        while True:
            try:
                return get(url)
            except OSError:
                if self.child.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"does not answer at {url}:\n" + open(self.log, errors="replace").read()[-2000:])
                time.sleep(0.002)

    def stop(self):
        with contextlib.suppress(ProcessLookupError): os.killpg(self.child.pid, signal.SIGTERM)
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()


# ---------- the upstream ----------
def write_pages(folder):
    rng = random.Random(20240917)
    words = "made for daily use with a two year warranty and spare parts in stock ships within one working day".split()

    def item(number):
        return {"id": 100000 + number, "sku": f"BX-{rng.randrange(10**6):06d}", "title": rng.choice(["Compact Desk lamp", "折叠旅行水杯", "Café-Tisch"]),
                "summary": " ".join(rng.sample(words, 8)), "price": round(rng.uniform(3, 900), 2), "currency": "EUR", "stock": rng.randrange(400),
                "rating": round(rng.uniform(1, 5), 1), "active": rng.random() < .9, "brand": {"id": rng.randrange(90), "name": "Norden"},
                "tags": rng.sample(["home", "office", "sale", "kids"], 2), "image": f"https://img.example.test/p/{number % 97}/{100000 + number}.jpg",
                "createdAt": "2024-09-26T20:37:54Z", "score": rng.randrange(10**6), "parent": None}
    for size in (20, 100):
        os.makedirs(f"{folder}/items/{size}", exist_ok=True)
        for page in range(1, PAGES + 1):
            items = [item((page - 1) * size + i) for i in range(size)]
            with open(f"{folder}/items/{size}/{page}.json", "w") as f:
                json.dump({"list": items, "total": size * PAGES}, f, ensure_ascii=False, separators=(",", ":"))


def nginx(folder, name, body):
    path = f"{folder}/{name}"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/nginx.conf", "w") as f:
        temp = "".join(f"{kind}_temp_path {path}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        f.write(f"daemon off; worker_processes 1; pid {path}/pid; error_log {path}/error.log warn; worker_rlimit_nofile 16384;\n"
                f"events {{ worker_connections 8192; multi_accept on; }}\n"
                f"http {{ access_log off; server_tokens off; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600s; {temp}\n{body}\n}}\n")
    return ["nginx", "-c", f"{path}/nginx.conf"]


def own_upstream(folder, port):
    write_pages(f"{folder}/pages")
    return nginx(folder, "upstream", f"""
      open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s;
      server {{ listen 127.0.0.1:{port} backlog=4096; default_type application/json; root {folder}/pages;
        location = /items {{ rewrite ^ /items/$arg_pageSize/$arg_page.json break; }} }}""")


# ---------- the peers ----------
class Nginx:
    name, work = "nginx", "pass"

    def command(self, folder, port, upstream, scenario):
        zone = f"proxy_cache_path {folder}/cached keys_zone=z:16m max_size=512m inactive=600s use_temp_path=off;" if scenario == "B" else ""
        keep = "proxy_cache z; proxy_cache_lock on; proxy_cache_valid 200 600s; proxy_cache_key $request_uri;" if scenario == "B" else ""
        return nginx(folder, "peer", f"""
          {zone} {keep}
          upstream up {{ server 127.0.0.1:{upstream} max_fails=0; keepalive 512; keepalive_requests 1000000000; keepalive_timeout 600s; }}
          proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_buffer_size 8k; proxy_buffers 8 16k; proxy_busy_buffers_size 32k; proxy_max_temp_file_size 0;
          server {{ listen 127.0.0.1:{port} backlog=4096 reuseport; location / {{ proxy_pass http://up; }} }}"""), {}

    def ready(self, port): return f"http://127.0.0.1:{port}/items?page=1&pageSize=20"

    def paths(self, port, scenario):
        path = "/merge" if scenario == "E" else "/items"
        return [f"{path}?page={page}&pageSize={SCENARIOS[scenario][1]}" for page in range(1, PAGES + 1)]


class Peer(Nginx):
    """One of the gateways of a peers' harness, started by its run.sh."""

    def __init__(self, name, harness): self.name, self.work, self.harness = name, "wrap", harness

    def command(self, folder, port, upstream, scenario):
        return [f"{self.harness}/run.sh", "start", self.name], {"PORT": str(port), "UP": str(upstream), "WORKERS": "1",
            "MODE": "cache" if scenario == "B" else "plain", "CACHE": "1" if scenario == "B" else "0"}


class Listway(Nginx):
    name, work = "listway", "wrap"

    def __init__(self, program): self.program = program

    def command(self, folder, port, upstream, scenario):
        size = SCENARIOS[scenario][1]
        path = f"{folder}/listway.yaml"
        with open(path, "w") as f:
            f.write(f"""listen: {{address: 127.0.0.1, port: {port}}}
admin: {{address: 127.0.0.1, port: {free_port()}}}
loops: 1
log: {{level: warn}}
upstreams:
  shop: {{url: "http://127.0.0.1:{upstream}"}}
lists:
  items:
    upstream: shop
    request: {{path: /items}}
    paging: {{style: page, page: {{query: page, first: 1}}, size: {{query: pageSize, value: {size}}}}}
    items: {{at: /list, id: /id}}
    says: {{total: /total}}
    limit: {size}
    cache: {{fresh: {"1h" if scenario == "B" else "0s"}}}
""")
            if scenario == "E":
                flat, nested = ("/list", "{total: /total}"), ("/data/data", "{page: /data/page, pageCount: /data/pageCount}")
                for name, (at, says) in (("l1", flat), ("l2", flat), ("l3", nested), ("l4", nested)):
                    f.write(f"""  {name}:
    upstream: shop
    request: {{path: /{name}/items}}
    paging: {{style: page, page: {{query: page, first: 1}}, size: {{query: pageSize, value: {size}}}}}
    items: {{at: {at}, id: /id}}
    says: {says}
""")
                f.write("""  merged:
    merge: [l1, l2, l3, l4]
    order: {by: /score, type: number, direction: descending}
""")
        return [self.program, "serve", path], {}

    def ready(self, port): return f"http://127.0.0.1:{port}/v1/lists/items"

    def paths(self, port, scenario):
        """Walks the list once; every slice but the first is asked for by its cursor."""
        size = SCENARIOS[scenario][1]
        name = "merged" if scenario == "E" else "items"
        paths, cursor, items = [], None, 0
        while len(paths) < PAGES:
            paths.append(f"/v1/lists/{name}?limit={size}" + (f"&cursor={cursor}" if cursor else ""))
            envelope = json.loads(get(f"http://127.0.0.1:{port}{paths[-1]}"))
            assert envelope["status"] == 0, envelope
            items += len(envelope["body"])
            cursor = envelope["header"].get("next")
            if not cursor: break
        assert items == size * PAGES and len(paths) == PAGES, (items, len(paths))
        return paths


# ---------- measuring ----------
def load(folder, port, paths, connections, seconds):
    with open(f"{folder}/paths", "w") as f: f.write("\n".join(paths) + "\n")
    output = subprocess.run(["taskset", "-c", "0", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", f"{folder}/load.lua",
                             f"http://127.0.0.1:{port}", "--", f"{folder}/paths"], capture_output=True, text=True, timeout=seconds + 60)
    line = next((l for l in output.stdout.splitlines() if l.startswith("JSON")), None)
    if line is None: sys.exit(f"wrk failed: {output.stdout}{output.stderr}")
    return json.loads(line[4:])


def once(peer, scenario, folder, upstream, arguments):
    title, size, connections = SCENARIOS[scenario]
    port = free_port()
    command, environment = peer.command(folder, port, upstream, scenario)
    started = time.monotonic()
    process = Process(command, 1, f"{folder}/{peer.name}.log", environment)
    try:
        process.wait_until_ready(peer.ready(port))
        first_answer = time.monotonic() - started
        time.sleep(0.3)
        at_rest = memory_megabytes(process.child.pid)
        paths = peer.paths(port, scenario)
        load(folder, port, paths, connections, arguments.warm)
        before = cpu_seconds(process.child.pid)
        result = load(folder, port, paths, connections, arguments.seconds)
        cpu = cpu_seconds(process.child.pid) - before
        if result["errors"]: sys.exit(f"{peer.name}: {result['errors']} errors")
        return {"cpu": cpu / result["requests"] * 1e6, "rate": result["requests"] / (result["us"] / 1e6),
                "busy": cpu / (result["us"] / 1e6), "start": first_answer * 1e3, "memory": at_rest}
    finally:
        process.stop()


def share(program, folder, scenario, request):
    """What of a request's CPU is reading the upstream's page, measured apart on the same core with the same pages."""
    size = SCENARIOS[scenario][1]
    pages = [f"{folder}/pages/items/{size}/{page}.json" for page in range(1, PAGES + 1)]
    output = subprocess.run(["taskset", "-c", "1", program] + pages, capture_output=True, text=True, timeout=120, check=True)
    part = json.loads(output.stdout)
    reading = part["validate"] + part["slice"]
    print(f"\nOf Listway's {request:.1f} µs, validating the page takes {part['validate']:.1f} and cutting it into items {part['slice']:.1f}: "
          f"{reading / request:.0%}. Recognising its paging, once a walk of a list with `auto`, takes {part['recognise']:.1f}.", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listway", required=True, help="the program (Tests/Benchmarks/run gives it)")
    parser.add_argument("--slicing", metavar="PROGRAM", help="what measures the reading of a page (Tests/Benchmarks/run gives it)")
    parser.add_argument("--peers", metavar="DIR", help="a peers' harness: its run.sh starts peers, its upstream is used")
    parser.add_argument("--names", default="nginx-lua,go119-raw,node", help="which of its peers (comma list)")
    parser.add_argument("--scenarios", default="ABC")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--warm", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the working folder")
    arguments = parser.parse_args()

    folder = tempfile.mkdtemp(prefix="listway-bench-")
    os.chmod(folder, 0o755)
    with open(f"{folder}/load.lua", "w") as f: f.write(CURSOR_LOAD)
    upstream_port = free_port()
    peers = [Nginx(), Listway(arguments.listway)]
    if arguments.peers:
        peers += [Peer(name, arguments.peers) for name in arguments.names.split(",")]
        slow_port = free_port()
        upstream = Process([f"{arguments.peers}/run.sh", "start", "upstream"], 0, f"{folder}/upstream.log",
                           {"UP_FAST": str(upstream_port), "UP_SLOW": str(slow_port)})
    else:
        upstream = Process(own_upstream(folder, upstream_port), 0, f"{folder}/upstream.log")
    try:
        upstream.wait_until_ready(f"http://127.0.0.1:{upstream_port}/items?page=1&pageSize=20")
        for scenario in arguments.scenarios:
            title = SCENARIOS[scenario][0]
            rows = []
            for peer in peers:
                # A plain pass-through merges nothing.
                if scenario == "E" and peer.work == "pass": continue
                runs = [once(peer, scenario, folder, upstream_port, arguments) for _ in range(arguments.repeats)]
                middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
                middle["range"] = (min(run["cpu"] for run in runs), max(run["cpu"] for run in runs))
                rows.append((peer, middle))
            # nginx's, or where that has no part in it the best of the others.
            reference = rows[0][1]["cpu"] if scenario != "E" else min((row["cpu"] for peer, row in rows if peer.name != "listway"), default=float("nan"))
            print(f"\n{scenario}. {title}\n")
            against = "best peer" if scenario == "E" else "nginx"
            print(f"| gateway | work | CPU µs a request (range) | × {against} | requests/s | busy | first answer ms | at rest MB |")
            print("|---|---|---:|---:|---:|---:|---:|---:|")
            for peer, row in sorted(rows, key=lambda row: row[1]["cpu"]):
                print(f"| {peer.name} | {peer.work} | {row['cpu']:.1f} ({row['range'][0]:.1f}–{row['range'][1]:.1f}) | {row['cpu'] / reference:.2f} | "
                      f"{row['rate']:,.0f} | {row['busy']:.0%} | {row['start']:.0f} | {row['memory']:.1f} |", flush=True)
            if arguments.slicing and not arguments.peers: share(arguments.slicing, folder, scenario, rows[1][1]["cpu"])
    finally:
        upstream.stop()
        if arguments.keep: print(folder)
        else: shutil.rmtree(folder, ignore_errors=True)


main()
