# SPDX-License-Identifier: Apache-2.0
"""Copse: an engine for hierarchical HPC resources.

>>> import copse
>>> machine = copse.Machine.load("examples/machines/desk.graphml")
>>> engine = copse.Engine(machine, policy="low")
>>> print(engine.match("slot=1/core=2").resources)
rank0/core[0-1]
"""
import sys as _sys

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError("copse needs the GIL: its objects are not made for several threads at one time; "
                      "run python with PYTHON_GIL=1, or one that has a GIL")

from copse import errors
from copse._copse import (Column, Decision, Engine, Explanation, Idset, Machine, Match, Queue, Request, ResourceSet,
                          Table, Visit, __version__)
from copse.client import AsyncClient, Client
from copse.errors import (Busy, Error, Exists, Forbidden, Infeasible, InputOutput, Insufficient, Invalid,
                          LimitExceeded, NoSpace, NotFound, Unavailable, Unsupported)
from copse.hostlist import Hostlist
from copse import _methods  # gives the classes their methods that are written in Python

__all__ = ["AsyncClient", "Busy", "Client", "Column", "Decision", "Engine", "Error", "Exists", "Explanation",
           "Forbidden", "Hostlist", "Idset", "Infeasible", "InputOutput", "Insufficient", "Invalid", "LimitExceeded", "Machine",
           "Match", "NoSpace", "NotFound", "Queue", "Request", "ResourceSet", "Table", "Unavailable", "Unsupported",
           "Visit",
           "errors", "__version__"]
