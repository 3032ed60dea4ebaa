# SPDX-License-Identifier: Apache-2.0
"""Clients of `copse serve`: Client for ordinary programs, AsyncClient for asyncio. Both speak the protocol of
docs/tools/session.md, using only the standard library: on a Unix socket, or over HTTP with a token.

    with copse.Client("unix:/run/copse/copse.sock") as client:
        job = client.submit("slot=1/core=4", duration=3600)["id"]
        print(client.why(job), client.wait(job))

Each operation of the protocol is a method that returns the answer as a dict; docs/tools/serve.md has its members. Times
are whole seconds since 1970, durations whole seconds. A refusal raises the exception of copse.errors for its
error code. If the connection closes before an answer, ConnectionError is raised: a change may or may not have been made;
`info` or `job` shows which.

An address is a path or unix:PATH, http://HOST:PORT or https://HOST:PORT; None: that of COPSE_SERVER, else the socket
where `copse serve` listens for this user. For HTTP, `token` is what `copse token add` shows (else COPSE_TOKEN, or the
file COPSE_TOKEN_FILE); for HTTPS, `ca`, `cert` and `key` are files (else COPSE_CA, COPSE_CERT, COPSE_KEY).
"""
import contextlib
import http.client
import socket
import threading
import time

from copse import _service, errors
from copse._async_client import AsyncClient
from copse._operations import BATCH_BYTES, IDLE_S_MAX, Operations, events_target, request_line, request_of, watch_line

__all__ = ["AsyncClient", "Client"]


class _Closed:
    """Owns a transport to the service, and closes it at the end of a `with`."""

    _transport = None

    def close(self):
        """Closes the connection. Later requests raise ConnectionError."""
        transport, self._transport = self._transport, None
        if transport:
            transport.close()

    def _transport_or_raise(self):
        if self._transport is None:
            raise _service.has_ended()
        return self._transport

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Client(_Closed, Operations):
    """A connection. Threads may share it; their requests are sent one after the other. `timeout` is in seconds, for one
    answer; when an answer is late, the connection is closed.

    Units: seconds since 1970 for times, whole seconds for durations, ranks as an idset's text ("0-3").
    Shapes: answers are dicts; docs/tools/serve.md has their members. R is a dict, for ResourceSet.
    Raises: the exception of a refusal (Insufficient, Infeasible, Invalid, Forbidden, LimitExceeded);
        Unavailable (the service is too busy), NoSpace (its disk is nearly full);
        ConnectionError (no answer: a change may have been made or not), TimeoutError, OSError.
    Cost: one round trip, and one commit for a change. ask_many() shares both.
    Source: docs/tools/session.md and docs/tools/serve.md.
    """

    def __init__(self, address=None, *, token=None, ca=None, cert=None, key=None, timeout=None):
        self._address = _service.find(address, token=token, ca=ca, cert=cert, key=key)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._transport = _open_transport(self._address, timeout)

    def ask(self, op, **members):
        """Sends one operation by name; members that are None are left out."""
        return _service.unless_error(self._exchange([request_line(request_of(op, members))])[0])

    def ask_many(self, requests):
        """Yields an answer for each request, both dicts, in order. Requests share round trips and commits. A refusal is
        returned as an answer: {"error": code, "message": sentence}."""
        batch, size = [], 0
        for request in requests:
            line = request_line(request)
            if batch and size + len(line) > BATCH_BYTES:
                yield from self._exchange(batch)
                batch, size = [], 0
            batch.append(line)
            size += len(line)
        if batch:
            yield from self._exchange(batch)

    def _exchange(self, lines):
        try:
            with self._lock:
                return self._transport_or_raise().exchange(lines)
        except errors.Error:
            raise
        except BaseException:
            self.close()  # the next bytes could be the answer to this request
            raise

    def events(self, id=None, *, since=None, timeout=None):
        """Yields events of jobs as dicts: of all, or of one; from the number `since` on (the `next` of jobs()), else from
        now on. Raises TimeoutError if there is none for `timeout` seconds. An event "gone" reports that events were
        missed, and is the last one. It opens its own connection at once, so that later changes are not missed.
        """
        transport = _open_transport(self._address, self._timeout)
        try:
            lines = transport.watch(id, since)
            transport.set_timeout(timeout)
        except BaseException:
            transport.close()
            raise
        return _Events(transport, lines)

    def wait(self, *ids, timeout=None):
        """Waits until these jobs have ended; returns a list of their job() answers, with "result" and "status".
        Raises TimeoutError after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        ended = {}
        while len(ended) < len(set(ids)):
            with self.events() as events:
                self._look(ids, ended)
                while len(ended) < len(set(ids)):
                    if end is not None:
                        events.set_timeout(max(end - time.monotonic(), 0.001))
                    event = next(events)
                    if event["event"] == "gone":
                        break
                    if event["event"] == "end" and event["job"] in ids:
                        ended[event["job"]] = self.job(event["job"])
        return [ended[id] for id in ids]

    def _look(self, ids, ended):
        for id in ids:
            if id not in ended:
                job = self.job(id)
                if job["state"] == "ended":
                    ended[id] = job


class _Events(_Closed):
    """An iterator over events of jobs."""

    def __init__(self, transport, events):
        self._transport, self._events = transport, events

    def set_timeout(self, seconds):
        self._transport_or_raise().set_timeout(seconds)

    def __iter__(self):
        return self

    def __next__(self):
        self._transport_or_raise()
        return next(self._events)


def _open_transport(address, timeout):
    return (_Lines if address.path else _Http)(address, timeout)


def _until_gone(events):
    for event in events:
        yield event
        if event["event"] == "gone":
            return


class _Lines:
    """Lines on a Unix socket."""

    def __init__(self, address, timeout):
        self._address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(address.path)
        except BaseException:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("rb")

    def exchange(self, lines):
        self._socket.sendall(b"".join(lines))
        return [_service.answer_of(self._answers.readline()) for _ in lines]

    def watch(self, job, since):
        _service.unless_error(self.exchange([watch_line(job, since)])[0])
        return _until_gone(_service.answer_of(line) for line in iter(self._answers.readline, None))

    def set_timeout(self, seconds):
        self._socket.settimeout(seconds)

    def close(self):
        self._answers.close()
        self._socket.close()


@contextlib.contextmanager
def _cut_off():
    try:
        yield
    except http.client.HTTPException as failure:
        raise _service.cut_off() from failure


class _Http:
    """Lines as bodies of POST /v1/batch."""

    def __init__(self, address, timeout):
        self._address = address
        kind, more = (http.client.HTTPSConnection, {"context": address.tls}) if address.tls else (
            http.client.HTTPConnection, {})
        self._connection = kind(address.host, address.port, timeout=timeout, **more)
        self._asked = time.monotonic()
        self._connection.connect()

    def _ask(self, method, target, body=None):
        if time.monotonic() - self._asked > IDLE_S_MAX:
            self._connection.close()  # the next request opens it
        with _cut_off():
            self._connection.request(method, target, body, _service.headers_of(self._address))
            reply = self._connection.getresponse()
            self._asked = time.monotonic()
            if reply.status != 200:
                _service.raise_problem(self._address, reply.status, reply.read())
        return reply

    def exchange(self, lines):
        with _cut_off():
            body = self._ask("POST", "/v1/batch", b"".join(lines)).read()
        answers = [_service.answer_of(line) for line in body.splitlines(keepends=True)]
        if len(answers) != len(lines):
            raise _service.cut_off()
        return answers

    def watch(self, job, since):
        self._stream = self._connection.sock
        try:
            reply = self._ask("GET", events_target(since))
        except _service.Gone:
            return iter([_service.GONE])
        return _until_gone(self._events(reply, _service.EventLines(job, since)))

    @staticmethod
    def _events(reply, lines):
        while True:
            with _cut_off():
                line = reply.readline()
            if not line:
                raise ConnectionError("the server ended the stream of events")
            event = lines.event(line)
            if event:
                yield event

    def set_timeout(self, seconds):
        self._stream.settimeout(seconds)

    def close(self):
        self._connection.close()
