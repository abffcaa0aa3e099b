#!/usr/bin/env python3
"""Peak memory, time and CPU of walking a whole list: 1,000 items beside 100,000, streamed by `serve` and written by `pull`.

The memory must not grow with the list: a page is held, whatever the list's length. Each walk is on a fresh process; what
counts is its peak (VmHWM). The upstream is in this process, 100 items of about 370 bytes a page. A third walk has a reader
that stands still for a while in the middle, as the memory would show what is not held back. All traffic stays on loopback.
"""
import argparse, http.server, json, os, socket, subprocess, sys, tempfile, threading, time

SIZE = 100
PAD = "made for daily use with a two year warranty and spare parts in stock ships within one working day " * 3


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        path, _, query = self.path.partition("?")
        page, count = int(dict(p.split("=") for p in query.split("&"))["page"]), int(path.rpartition("/")[2])
        start = (page - 1) * SIZE
        items = ",".join(f'{{"id":{9007199254740993 + i},"amount":{i}.10,"text":"{PAD}"}}' for i in range(start, min(count, start + SIZE)))
        body = f'{{"list":[{items}],"total":{count}}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_): pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def configuration(folder, upstream, port):
    path = f"{folder}/listway.yaml"
    lists = "".join(f"""
  items{count}:
    upstream: shop
    request: {{path: /{count}}}
    paging: {{style: page, page: {{query: page, first: 1}}, size: {{query: size, value: {SIZE}}}}}
    items: {{at: /list, id: /id}}
    says: {{total: /total}}""" for count in COUNTS)
    with open(path, "w") as f:
        f.write(f"""listen: {{address: 127.0.0.1, port: {port}}}
admin: {{address: 127.0.0.1, port: {free_port()}}}
loops: 1
log: {{level: warn}}
cursor: {{keys: ["kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"]}}
upstreams: {{shop: {{url: "http://127.0.0.1:{upstream}"}}}}
lists:{lists}
""")
    return path


def peak_megabytes(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def connect(port):
    for _ in range(2_000):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except OSError:
            time.sleep(0.005)
    sys.exit("the gateway does not listen")


def stream(program, path, port, count, pause):
    """Reads the whole stream with a small buffer. -> peak before, peak after, seconds, CPU seconds"""
    child = subprocess.Popen([program, "serve", path])
    try:
        with connect(port) as client:
            before, start = peak_megabytes(child.pid), time.monotonic()
            # HTTP/1.0, so that what comes is the lines.
            client.sendall(b"GET /v1/lists/items%d/all HTTP/1.0\r\n\r\n" % count)
            lines, last, bytes_read = -1, b"", 0
            while data := client.recv(65_536):
                lines += data.count(b"\n")
                last = (last + data)[-4_096:]
                if pause and bytes_read < 10_000_000 <= bytes_read + len(data): time.sleep(pause)
                bytes_read += len(data)
        seconds = time.monotonic() - start - pause
        outcome = json.loads(last.splitlines()[-1])
        assert outcome["header"]["complete"] and outcome["header"]["count"] == count, outcome
        return before, peak_megabytes(child.pid), seconds, cpu_seconds(child.pid)
    finally:
        child.terminate()
        child.wait()


def pull(program, path, count, folder):
    """-> peak, seconds, CPU seconds"""
    start = time.monotonic()
    with open(f"{folder}/out", "wb") as out:
        child = subprocess.Popen([program, "pull", path, f"items{count}"], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    seconds = time.monotonic() - start
    with open(f"{folder}/out", "rb") as out:
        assert status == 0 and sum(1 for _ in out) == count
    return usage.ru_maxrss / 1024, seconds, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listway", required=True, help="the program (Tests/Benchmarks/run gives it)")
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("| walk | items | at start MB | peak MB | s | CPU µs a page |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="listway-walk-") as folder:
        for count, pause in [(COUNTS[0], 0), (COUNTS[1], 0), (COUNTS[1], 3)]:
            port = free_port()
            path = configuration(folder, server.server_port, port)
            before, peak, seconds, cpu = stream(arguments.listway, path, port, count, pause)
            name = "/all, reader stands still for a while" if pause else "/all"
            print(f"| {name} | {count:,} | {before:.1f} | {peak:.1f} | {seconds:.1f} | {cpu / (count / SIZE) * 1e6:.0f} |", flush=True)
        for count in COUNTS:
            peak, seconds, cpu = pull(arguments.listway, configuration(folder, server.server_port, free_port()), count, folder)
            print(f"| pull | {count:,} | | {peak:.1f} | {seconds:.1f} | {cpu / (count / SIZE) * 1e6:.0f} |", flush=True)
    server.shutdown()


COUNTS = (1_000, 100_000)
main()
