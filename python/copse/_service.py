# SPDX-License-Identifier: Apache-2.0
"""The address of a service, and HTTP/1.1 for the clients of copse.client."""
import dataclasses
import json
import os
import ssl

from copse import errors

_FORMS = "write a path, unix:PATH, http://HOST:PORT or https://HOST:PORT"


class Gone(errors.NotFound):
    """The requested events are no longer kept."""


_ERRORS = {"invalid": errors.Invalid, "limit": errors.LimitExceeded, "not_found": errors.NotFound,
           "exists": errors.Exists, "insufficient": errors.Insufficient, "infeasible": errors.Infeasible,
           "unsupported": errors.Unsupported, "io": errors.InputOutput, "forbidden": errors.Forbidden,
           # Problems that only HTTP has.
           "unauthenticated": errors.Forbidden, "not-found": errors.NotFound, "method-not-allowed": errors.Unsupported,
           "misdirected": errors.Invalid, "unsupported-coding": errors.Unsupported, "not-implemented": errors.Unsupported,
           "gone": Gone, "too-large": errors.LimitExceeded, "header-too-large": errors.LimitExceeded,
           "no-space": errors.NoSpace, "busy": errors.Unavailable}
GONE = {"event": "gone"}
HEAD_BYTES_MAX = 64 << 10
_CHUNK_BYTES_MAX = 1 << 30


@dataclasses.dataclass(frozen=True)
class Address:
    """A Unix socket (`path`), or a host and port for HTTP; with `tls`, over TLS."""

    path: str = ""
    host: str = ""
    port: int = 0
    token: str = dataclasses.field(default="", repr=False)
    tls: ssl.SSLContext = None

    def __str__(self):
        return self.path or f"http{'s' if self.tls else ''}://{self.host}:{self.port}"


def _token(given):
    token = given or os.environ.get("COPSE_TOKEN")
    path = os.environ.get("COPSE_TOKEN_FILE")
    if not token and path:
        with open(path, encoding="ascii", errors="replace") as file:
            token = file.read(1025)
    token = (token or "").rstrip("\r\n")
    if len(token) > 1024 or not all(c.isascii() and (c.isalnum() or c in "_-.~+/=") for c in token):
        raise errors.Invalid("a token is one word, as `copse token add` shows it")
    return token


def _context(ca, cert, key):
    context = ssl.create_default_context(cafile=ca or os.environ.get("COPSE_CA") or None)
    cert = cert or os.environ.get("COPSE_CERT")
    if cert:
        context.load_cert_chain(cert, key or os.environ.get("COPSE_KEY") or None)
    return context


def _default():
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        raise errors.NotFound("no server is named, and neither COPSE_SERVER nor XDG_RUNTIME_DIR is set")
    return os.path.join(folder, "copse/copse.sock")


def find(address=None, *, token=None, ca=None, cert=None, key=None):
    """Parses an address; None: COPSE_SERVER, else the default socket of `copse serve`."""
    text = os.fspath(address or os.environ.get("COPSE_SERVER") or _default())
    scheme, separator, rest = text.partition("://")
    if not separator:
        path = text[len("unix:"):] if text.startswith("unix:") else text
        host, colon, port = path.rpartition(":")
        if text.startswith("unix:") or not (colon and port.isdigit() and "/" not in path):
            if not path:
                raise errors.Invalid(f"'{text}' is not the address of a service: {_FORMS}")
            return Address(path=path)
        scheme, rest = "http", path
    host, _, port = rest.rstrip("/").rpartition(":")
    named = host and all(c.isascii() and (c.isalnum() or c in ".-:_[]") for c in host)
    if scheme not in ("http", "https") or not named or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise errors.Invalid(f"'{text}' is not the address of a service: {_FORMS}")
    return Address(host=host.strip("[]"), port=int(port), token=_token(token),
                   tls=_context(ca, cert, key) if scheme == "https" else None)


def unless_error(answer):
    """Returns the answer; raises the exception of a refusal."""
    if "error" in answer:
        raise _ERRORS.get(answer["error"], errors.Error)(answer.get("message", answer["error"]))
    return answer


def answer_of(line):
    if not line.endswith(b"\n"):
        raise cut_off()
    try:
        return json.loads(line)
    except ValueError as wrong:
        raise ConnectionError("the other end is not a copse service") from wrong


def cut_off():
    return ConnectionError("the connection closed before an answer; the request may have been executed")


def has_ended():
    return ConnectionError("the connection has ended")


def headers_of(address):
    return {"Authorization": f"Bearer {address.token}"} if address.token else {}


def request_head(address, method, target, length):
    """The head of a request, as bytes."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    fields = {"Host": f"{host}:{address.port}", "Content-Length": length, **headers_of(address)}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def raise_problem(address, status, body):
    """Raises the exception of an HTTP status other than 200."""
    try:
        problem = json.loads(body)
        word, detail = problem["type"].rpartition(":")[2], problem["detail"]
    except (ValueError, LookupError, TypeError, AttributeError):
        word, detail = "", f"status {status}"
    raise _ERRORS.get(word, errors.Error)(f"{detail} ({address})")


def reply_head(head):
    """Parses the head of an answer: its status and fields."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise ConnectionError("the other end is not a copse service")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(words[1]), fields


def chunk_size(line):
    try:
        size = int(line.split(b";")[0], 16)
    except ValueError as wrong:
        raise ConnectionError("the answer has a chunk without a size") from wrong
    if not 0 <= size <= _CHUNK_BYTES_MAX:
        raise ConnectionError("the answer has a chunk that is too long")
    return size


class EventLines:
    """Events of jobs in a stream of events (GET /v1/events), line by line. The stream begins with a record, which may
    have events before the requested one."""

    def __init__(self, job, since):
        self._job, self._since, self._kind = job, since or 0, b""

    def event(self, line):
        """The event of a line as a dict, or None."""
        name, _, value = line.rstrip(b"\r\n").partition(b": ")
        if not name:
            self._kind = b""
        elif name == b"event":
            self._kind = value
        elif name == b"data" and self._kind == b"gone":
            return GONE
        elif name == b"data" and b'"event"' in value:
            event = answer_of(value + b"\n")
            if "job" in event and self._job in (None, event["job"]) and event["seq"] >= self._since:
                return event
        return None
