# SPDX-License-Identifier: Apache-2.0
"""The client of `copse serve` for asyncio."""
import asyncio
import collections
import time

from copse import _service, errors
from copse._operations import BATCH_BYTES, IDLE_S_MAX, Operations, events_target, request_line, request_of, watch_line


class AsyncClient(Operations):
    """A connection for asyncio. Any number of tasks may ask at one time: what they ask shares the way and the commits.

        async with copse.AsyncClient("unix:/run/copse/copse.sock") as client:
            grants = await asyncio.gather(*(client.alloc(id, "slot=1/core", 60) for id in range(1, 100)))

    Units: seconds since 1970 for times, whole seconds for durations, ranks as an idset's text ("0-3").
    Shapes: answers are dicts; docs/tools/serve.md has their members. R is a dict, for ResourceSet.
    Raises: what the refusal's word names (Insufficient, Infeasible, Invalid, Forbidden, LimitExceeded);
        Unavailable (the service is too busy), NoSpace (its disk is nearly full);
        ConnectionError (no answer: a change may have been made or not), OSError.
    Cost: what is asked while an answer is on its way shares the next way and commit.
    Source: docs/tools/session.md and docs/tools/serve.md.
    """

    def __init__(self, address=None, *, token=None, ca=None, cert=None, key=None):
        self._address = _service.find(address, token=token, ca=ca, cert=cert, key=key)
        self._waiting = collections.deque()
        self._unsent = []
        self._reader = self._writer = self._work = self._failure = None
        self._asked = 0.0
        self._wanted = None

    async def _open(self):
        # Answers have no limit, so the reader's limit is set out of reach.
        if self._address.path:
            return await asyncio.open_unix_connection(self._address.path, limit=1 << 30)
        return await asyncio.open_connection(self._address.host, self._address.port, limit=1 << 30,
                                             ssl=self._address.tls)

    async def connect(self):
        """Opens the connection, as `async with` does; returns the client. Raises OSError."""
        self._reader, self._writer = await self._open()
        self._asked, self._wanted = time.monotonic(), asyncio.Event()
        work = self._read() if self._address.path else self._post()
        self._work = asyncio.get_running_loop().create_task(self._until_failure(work))
        return self

    async def ask(self, op, **members):
        """Sends one operation by name; members that are None are left out."""
        if self._failure or not self._writer:
            raise _service.has_ended() from self._failure
        line = request_line(request_of(op, members))
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        if self._address.path:
            self._writer.write(line)
            try:
                await self._writer.drain()
            except BaseException:
                answer.cancel()  # stays in the list: the line is already sent
                raise
        else:
            self._unsent.append(line)
            self._wanted.set()
        return _service.unless_error(await answer)

    def _answered(self, line):
        answer = _service.answer_of(line)
        waiting = self._waiting.popleft()
        if not waiting.done():  # its task may have been cancelled
            waiting.set_result(answer)

    async def _read(self):
        while True:
            self._answered(await self._reader.readline())

    async def _post(self):
        """Sends batches; requests that arrive during one form the next."""
        while True:
            await self._wanted.wait()
            batch, size = 0, 0
            while batch < len(self._unsent) and (batch == 0 or size + len(self._unsent[batch]) <= BATCH_BYTES):
                size += len(self._unsent[batch])
                batch += 1
            lines, self._unsent = self._unsent[:batch], self._unsent[batch:]
            if not self._unsent:
                self._wanted.clear()
            await self._exchange(lines)

    async def _exchange(self, lines):
        if time.monotonic() - self._asked > IDLE_S_MAX:
            self._writer.close()
            self._reader, self._writer = await self._open()
        body = b"".join(lines)
        self._writer.write(_service.request_head(self._address, "POST", "/v1/batch", len(body)) + body)
        await self._writer.drain()
        status, fields = await _head(self._reader)
        body = await self._reader.readexactly(int(fields.get("content-length", 0)))
        self._asked = time.monotonic()
        if status != 200:
            return self._refused(len(lines), status, body)
        answers = body.splitlines(keepends=True)
        if len(answers) != len(lines):
            raise _service.cut_off()
        for answer in answers:
            self._answered(answer)

    def _refused(self, lines, status, body):
        for _ in range(lines):
            waiting = self._waiting.popleft()
            try:
                _service.raise_problem(self._address, status, body)
            except errors.Error as refusal:
                if not waiting.done():
                    waiting.set_exception(refusal)

    async def _until_failure(self, work):
        try:
            await work
        except BaseException as failure:
            self._failure = failure
            lost = ConnectionError("the connection ended before an answer")
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_exception(lost)
            self._waiting.clear()
            if isinstance(failure, asyncio.CancelledError):
                raise

    async def events(self, id=None, *, since=None):
        """An asynchronous generator of events of jobs, as Client.events; it connects at its first step."""
        async for event in self._follow(id, since):
            if event:
                yield event
            if event and event["event"] == "gone":
                return

    async def _follow(self, id, since):
        """Yields None when later events cannot be missed any more, then events."""
        reader, writer = await self._open()
        try:
            follow = self._lines if self._address.path else self._stream
            async for event in follow(reader, writer, id, since):
                yield event
        except EOFError as failure:
            raise _service.cut_off() from failure
        finally:
            writer.close()

    async def _lines(self, reader, writer, id, since):
        writer.write(watch_line(id, since))
        _service.unless_error(_service.answer_of(await reader.readline()))
        yield None
        while True:
            yield _service.answer_of(await reader.readline())

    async def _stream(self, reader, writer, id, since):
        writer.write(_service.request_head(self._address, "GET", events_target(since), 0))
        status, fields = await _head(reader)
        if status != 200:
            body = await reader.readexactly(int(fields.get("content-length", 0)))
            try:
                _service.raise_problem(self._address, status, body)
            except _service.Gone:
                yield _service.GONE
                return
        yield None
        lines = _service.EventLines(id, since)
        async for line in _whole_lines(reader, fields):
            event = lines.event(line)
            if event:
                yield event

    async def wait(self, *ids):
        """Waits until these jobs have ended, as Client.wait; asyncio.wait_for bounds the time."""
        ended = {}
        while len(ended) < len(set(ids)):
            events = self._follow(None, None)
            try:
                async for event in events:
                    if event is None:
                        await self._look(ids, ended)
                    elif event["event"] == "gone":
                        break
                    elif event["event"] == "end" and event["job"] in ids:
                        ended[event["job"]] = await self.job(event["job"])
                    if len(ended) == len(set(ids)):
                        break
            finally:
                await events.aclose()
        return [ended[id] for id in ids]

    async def _look(self, ids, ended):
        for id in ids:
            if id not in ended:
                job = await self.job(id)
                if job["state"] == "ended":
                    ended[id] = job

    async def close(self):
        """Closes the connection. Pending requests raise ConnectionError."""
        if self._writer:
            self._work.cancel()
            self._writer.close()
            await asyncio.gather(self._work, self._writer.wait_closed(), return_exceptions=True)
            self._writer = None

    async def __aenter__(self):
        return await self.connect()

    async def __aexit__(self, *_):
        await self.close()


async def _head(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    if len(head) > _service.HEAD_BYTES_MAX:
        raise ConnectionError("the answer has too long a head")
    return _service.reply_head(head[:-4])


async def _whole_lines(reader, fields):
    """Reads the lines of a body, which may be chunked."""
    rest = b""
    while True:
        if fields.get("transfer-encoding", "").lower() == "chunked":
            size = _service.chunk_size(await reader.readline())
            piece = await reader.readexactly(size)
            await reader.readline()
        else:
            piece = await reader.read(1 << 16)
        if not piece:
            raise ConnectionError("the server ended the stream of events")
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line + b"\n"
