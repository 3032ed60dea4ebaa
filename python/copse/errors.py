# SPDX-License-Identifier: Apache-2.0
"""The exceptions of copse."""


class Error(Exception):
    """The base of all errors of copse. `file`, `line` and `column` locate the cause, if known."""

    def __init__(self, text, *, file="", line=0, column=0, explanation=None):
        super().__init__(text)
        self.file, self.line, self.column = file, line, column
        self.explanation = explanation


class Invalid(Error, ValueError):
    """An input breaks a rule of its format."""


class LimitExceeded(Error, ValueError):
    """An input asks for more than a bound allows."""


class NotFound(Error, LookupError):
    """A path, job, file or name that does not exist."""


class Exists(Error, ValueError):
    """A name or job that is taken already."""


class Forbidden(Error):
    """The service denies this: the client has no token, or lacks the permission."""


class Insufficient(Error):
    """Not now: the request would fit the empty machine. `explanation` says what it lacks."""


class Infeasible(Error):
    """Never: the request does not fit even the empty machine. `explanation` says why."""


class Unavailable(Error):
    """The service is too busy. Nothing was changed: try again in a second."""


class NoSpace(Error):
    """The disk of the service is nearly full: it accepts only requests that release resources."""


class Unsupported(Error, NotImplementedError):
    """Understood, but not done by this version."""


class InputOutput(Error, OSError):
    """The operating system refused a file."""


class Busy(RuntimeError):
    """Another thread is using the object. An engine is for one thread at a time; clone() makes more."""
