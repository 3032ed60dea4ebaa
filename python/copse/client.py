# SPDX-License-Identifier: Apache-2.0
"""Clients of `copse serve`: Client for ordinary programs, AsyncClient for asyncio. Both speak the protocol of
docs/tools/session.md on a Unix socket, with nothing but the standard library.

    with copse.Client("unix:/run/copse/copse.sock") as client:
        grant = client.alloc(7, "slot=1/core=4", duration=3600)

Each operation of the protocol is a method, and gives the answer as a dict. A refusal raises the exception of
copse.errors that its word names. If the connection ends before an answer, ConnectionError is raised: then a change may
have been made or not, and `info` tells.
"""
import asyncio
import collections
import json
import os
import socket

from copse import errors

__all__ = ["AsyncClient", "Client"]

# An answer has no bound; a line of a request has (docs/tools/serve.md).
_REQUEST_BYTES_MAX = 1 << 20
_BATCH_BYTES = 64 << 10
_EXCEPTIONS = {"invalid": errors.Invalid, "limit": errors.LimitExceeded, "not_found": errors.NotFound,
               "exists": errors.Exists, "insufficient": errors.Insufficient, "infeasible": errors.Infeasible,
               "unsupported": errors.Unsupported, "io": errors.InputOutput}


def _socket_path(address):
    address = address or os.environ.get("COPSE_SERVER")
    if not address:
        folder = os.environ.get("XDG_RUNTIME_DIR")
        if not folder:
            raise errors.NotFound("no server is named, and neither COPSE_SERVER nor XDG_RUNTIME_DIR is set")
        return os.path.join(folder, "copse/copse.sock")
    scheme, colon, path = address.partition(":")
    if not colon or scheme != "unix" or not path:
        raise errors.Invalid(f"'{address}' is no address; write unix:PATH")
    return path


def _line(request):
    # JSON in one line, and in ASCII: a lone surrogate in a name is refused by the server, not by us.
    line = json.dumps(request, separators=(",", ":")).encode() + b"\n"
    if len(line) > _REQUEST_BYTES_MAX:
        raise errors.LimitExceeded(f"a request of {len(line)} bytes is longer than {_REQUEST_BYTES_MAX}")
    return line


def _answer(line):
    if not line.endswith(b"\n"):
        raise ConnectionError("the server ended the connection before it answered")
    return json.loads(line)


def _unless_error(answer):
    if "error" in answer:
        kind = _EXCEPTIONS.get(answer["error"], errors.Error)
        raise kind(answer.get("message", answer["error"]))
    return answer


def _request(op, members):
    return {"op": op, **{name: value for name, value in members.items() if value is not None}}


def _asked(request, duration, constraints, hres):
    """Members of a request: a shape, or a jobspec as a dict."""
    what = {"jobspec": request} if isinstance(request, dict) else {"shape": request}
    return {**what, "duration": duration, "constraints": constraints, "hres": hres}


class _Operations:
    """The operations of the protocol, over ask(). Of an AsyncClient each is awaited."""

    def ask(self, op, **members):
        raise NotImplementedError

    def alloc(self, id, request, duration=None, *, constraints=None, hres=None):
        """Grants a request from now on. `request` is a shape, or a jobspec as a dict; a duration of 0 has no end."""
        return self.ask("alloc", id=id, **_asked(request, duration, constraints, hres))

    def reserve(self, id, request, duration=None, *, constraints=None, hres=None):
        """Grants a request at the earliest time at which it fits."""
        return self.ask("reserve", id=id, **_asked(request, duration, constraints, hres))

    def satisfy(self, request, *, constraints=None, hres=None):
        """Raises Infeasible if the empty machine could not serve the request."""
        return self.ask("satisfy", **_asked(request, None, constraints, hres))

    def explain(self, request, duration=None, *, constraints=None, hres=None):
        """Why the request would get nothing now."""
        return self.ask("explain", **_asked(request, duration, constraints, hres))

    def free(self, id, ranks=None):
        """Ends a grant; with ranks ("0-3"), gives back these alone."""
        return self.ask("free", id=id, ranks=ranks)

    def status(self):
        """What is free, allocated and down."""
        return self.ask("status")

    def info(self, id=None):
        """A list of grants, running and planned: all, or that of one id."""
        return self.ask("info", id=id)

    def down(self, ranks):
        """No request gets a rank that is down; what runs there stays."""
        return self.ask("down", ranks=ranks)

    def up(self, ranks):
        return self.ask("up", ranks=ranks)

    def layers(self, at=None):
        """Layers of hierarchical resources, now or at a later time."""
        return self.ask("layers", at=at)

    def set_layer(self, resource, nodes, count):
        return self.ask("set-layer", resource=resource, nodes=nodes, count=count)

    def add_layer(self, resource, nodes, count, *, mode=None, base=None):
        return self.ask("add-layer", resource=resource, nodes=nodes, count=count, mode=mode, base=base)

    def remove_layer(self, resource, nodes):
        return self.ask("remove-layer", resource=resource, nodes=nodes)

    def set_layer_nodes(self, resource, nodes, to):
        return self.ask("set-layer-nodes", resource=resource, nodes=nodes, to=to)

    def reserve_layer(self, id, resource, nodes, count, start, duration, jobs):
        """Keeps an amount of a layer for some jobs, a list of ids."""
        return self.ask("reserve-layer", id=id, resource=resource, nodes=nodes, count=count, start=start,
                        duration=duration, **{"for": jobs})

    def free_layer(self, id):
        return self.ask("free-layer", id=id)


class Client(_Operations):
    """A connection, for one thread at a time. `address` is "unix:PATH"; None: COPSE_SERVER of the environment, else
    the socket where `copse serve` makes one for this user. `timeout` is in seconds, for one answer; a connection of
    which an answer came too late is closed.
    """

    def __init__(self, address=None, *, timeout=None):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(_socket_path(address))
        except BaseException:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("rb")

    def ask(self, op, **members):
        """One operation by its name, with its members; those that are None are left out."""
        return _unless_error(self._exchange([_line(_request(op, members))])[0])

    def ask_many(self, requests):
        """Yields an answer for each request, both dicts, in order. Many share a way to the server and a commit. A
        refusal is an answer here: {"error": word, "message": sentence}."""
        batch, size = [], 0
        for request in requests:
            line = _line(request)
            if batch and size + len(line) > _BATCH_BYTES:
                yield from self._exchange(batch)
                batch, size = [], 0
            batch.append(line)
            size += len(line)
        if batch:
            yield from self._exchange(batch)

    def _exchange(self, lines):
        try:
            self._socket.sendall(b"".join(lines))
            return [_answer(self._answers.readline()) for _ in lines]
        except BaseException:
            self.close()  # what comes next would be the answer to something else
            raise

    def close(self):
        self._answers.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class AsyncClient(_Operations):
    """A connection for asyncio. Any number of tasks may ask at one time: what they ask shares the way and the commits.

        async with copse.AsyncClient("unix:/run/copse/copse.sock") as client:
            grants = await asyncio.gather(*(client.alloc(id, "slot=1/core", 60) for id in range(1, 100)))
    """

    def __init__(self, address=None):
        self._path = _socket_path(address)
        self._waiting = collections.deque()
        self._reader = self._writer = self._reading = None
        self._failure = None

    async def connect(self):
        # A line of an answer has no bound, so that of the reader is out of reach.
        self._reader, self._writer = await asyncio.open_unix_connection(self._path, limit=1 << 30)
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self

    async def ask(self, op, **members):
        """One operation by its name, with its members; those that are None are left out."""
        if self._failure or not self._writer:
            raise ConnectionError("the connection has ended") from self._failure
        line = _line(_request(op, members))
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        self._writer.write(line)
        try:
            await self._writer.drain()
        except BaseException:
            answer.cancel()  # its place stays: the line is on its way
            raise
        return _unless_error(await answer)

    async def _read(self):
        try:
            while True:
                answer = _answer(await self._reader.readline())
                waiting = self._waiting.popleft()
                if not waiting.done():  # whoever asked may have been cancelled
                    waiting.set_result(answer)
        except BaseException as failure:
            self._failure = failure
            lost = ConnectionError("the connection ended before an answer")
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_exception(lost)
            self._waiting.clear()
            if isinstance(failure, asyncio.CancelledError):
                raise

    async def close(self):
        if self._writer:
            self._reading.cancel()
            self._writer.close()
            await asyncio.gather(self._reading, self._writer.wait_closed(), return_exceptions=True)
            self._writer = None

    async def __aenter__(self):
        return await self.connect()

    async def __aexit__(self, *_):
        await self.close()
