"""What the servers share: the items that a test hands them, failing when they are told to, and an end with the test.

Each is started as   python SERVER.py PORT ITEMS PARENT   where ITEMS is a JSON file, {"LIST": [item, ...], ...}, and PARENT
the process that starts it: it ends with that one, however that comes about.
"""

import os
import sys
import threading
import time

import simplejson
import uvicorn


def load(path, parse_float=None):
    """The lists by their names. Numbers with a point are Decimals unless parse_float makes something else of them."""
    with open(path, encoding="utf-8") as file:
        return simplejson.load(file, **({"parse_float": parse_float} if parse_float else {"use_decimal": True}))


def dump(value):
    """JSON as most servers write it: no white space, text as UTF-8, and Decimals with the digits they have."""
    return simplejson.dumps(value, use_decimal=True, ensure_ascii=False, separators=(",", ":")).encode()


class Faulty:
    """An ASGI application around another: after POST /fail the next request gets a page of HTML with status 500."""

    def __init__(self, application):
        self.application = application
        self.fails = False

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.application(scope, receive, send)
        if scope["path"] == "/fail":
            self.fails = True
            return await self.answer(send, 204, b"")
        if self.fails:
            self.fails = False
            return await self.answer(send, 500, b"<!DOCTYPE html><h1>Server Error (500)</h1>")
        await self.application(scope, receive, send)

    @staticmethod
    async def answer(send, status, body):
        headers = [(b"content-type", b"text/html")] if body else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def watch_parent():
    while os.getppid() == int(sys.argv[3]):
        time.sleep(0.2)
    os._exit(1)


threading.Thread(target=watch_parent, daemon=True).start()


def serve(application, port):
    uvicorn.run(Faulty(application), host="127.0.0.1", port=port, log_level="warning", lifespan="off")
