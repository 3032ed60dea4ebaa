# SPDX-License-Identifier: Apache-2.0
"""A pool for Flux's schedulers in Python (sched-simple, sched-backfill).

    flux module load sched-simple pool-class=copse.flux:Pool

or "writer": "copse.flux:Pool" in the key `scheduling` of R. The package must be importable where the broker runs.

The engine chooses the resources; times are the pool's own, since Flux says when a job ends. A copy is a clone of the
engine.
"""
import json
import time

from flux.resource import InfeasibleRequest, InsufficientResources
from flux.resource.ResourcePool import ResourcePool
from flux.resource.ResourcePoolImplementation import ResourcePoolImplementation
from flux.resource.Rv1Pool import ResourceRequest
from flux.resource.Rv1Set import Rv1Set

from copse._copse import Engine, Idset, Machine, ResourceSet
from copse.errors import Error

__all__ = ["Pool", "pool_class"]


def _without_scheduling(R):
    return {key: value for key, value in R.items() if key != "scheduling"}


class _Pool(ResourcePoolImplementation):
    """The inventory of an instance; or the resources of a job, without an engine."""

    version = 1
    name = "copse"
    known_options = frozenset({"policy"})

    def __init__(self, R=None, log=None, policy="low", **kwargs):
        if log is not None:
            self.log = log
        if isinstance(R, str):
            R = json.loads(R)
        self.impl = self
        self.scheduling = (R or {}).get("scheduling")
        self._set = ResourceSet(_without_scheduling(R) if R else None)
        self._nslots = (R or {}).get("execution", {}).get("nslots")
        self._policy = policy
        self._engine = None
        self._jobs = {}  # jobid: (end, what it has, its number in the engine)
        self._numbers = 0
        self._down = Idset()
        self._requests = {}

    # --- The engine, made when it is first needed

    @property
    def engine(self):
        if self._engine is None:
            R = self.to_dict()
            treepool = isinstance(self.scheduling, dict) and "children" in self.scheduling
            if not treepool:
                R = _without_scheduling(R)
            self._engine = Engine(Machine.read(json.dumps(R), format="rv1exec"), policy=self._policy,
                                  traverser="treepool" if treepool else "simple")
            self._requests = {}
            if len(self._down):
                self._engine.set_rank_status(str(self._down), "down")
            for _, held, number in self._jobs.values():
                if held._set:
                    self._engine.update(number, held._set.encode(), start=0, duration=0)
        return self._engine

    def _prepare(self, request):
        key = json.dumps([request.jobspec["resources"], request.constraint])
        found = self._requests.get(key)
        if found is None:
            if len(self._requests) >= 1024:
                self._requests.clear()
            try:
                found = self.engine.prepare(request.jobspec, 0)
            except Error as error:
                raise InfeasibleRequest(str(error)) from None
            self._requests[key] = found
        return found

    # --- Availability

    def mark_up(self, ids):
        self._mark(ids, "up")

    def mark_down(self, ids):
        self._mark(ids, "down")

    def _mark(self, ids, status):
        which = self._set.ranks if str(ids) == "all" else Idset(str(ids))
        self._down = self._down | which if status == "down" else self._down - which
        if len(which):
            self.engine.set_rank_status(str(which), status)
        self._bump()

    def remove_ranks(self, ranks):
        """Removes ranks and rebuilds the engine; jobs keep their other ranks."""
        gone = Idset(str(ranks))
        self._set.remove_ranks(gone)
        self._down -= gone
        for _, held, _ in self._jobs.values():
            held._set.remove_ranks(gone)
        self._engine = None
        self._bump()

    # --- Jobs

    def parse_resource_request(self, jobspec):
        return ResourceRequest.from_jobspec(jobspec)

    def check_feasibility(self, request):
        if not self.engine.satisfiable(self._prepare(request)):
            raise InfeasibleRequest("the request does not fit even the empty machine")

    def _add(self, jobid, end, held):
        self._numbers += 1
        self._jobs[jobid] = (end, held, self._numbers)
        return self._numbers

    def alloc(self, jobid, request):
        prepared = self._prepare(request)
        match = self.engine.try_match(prepared, self._numbers + 1)
        if match is None:
            self.check_feasibility(request)
            raise InsufficientResources("insufficient resources")
        held = _Pool()
        held._set = match.resources
        held._set.starttime = held._set.expiration = 0
        held.scheduling = self.scheduling
        held._nslots = match.nslots or request.nslots
        end = time.time() + request.duration if request.duration > 0 else self.get_expiration()
        self._add(jobid, end, held)
        self._bump()
        return held

    def register_alloc(self, jobid, R):
        held = _Pool(R.to_dict())
        missing = held._set.ranks - self._set.ranks
        if len(missing):
            raise ValueError(f"allocation contains ranks not in resource pool: {missing}")
        engine = self.engine
        number = self._add(jobid, held.get_expiration(), held)
        engine.update(number, held._set.encode(), start=0, duration=0)
        self._bump()

    def free(self, jobid, R=None, final=False):
        if jobid not in self._jobs:
            return
        end, held, number = self._jobs[jobid]
        freed = None if R is None else ResourceSet(_without_scheduling(R.to_dict()))
        if freed is not None and len(freed.ranks - held._set.ranks):
            raise ValueError(f"free: R contains ranks not in job allocation: {freed.ranks - held._set.ranks}")
        if final and freed is not None and (freed.dumps(), str(freed.ranks)) != (held._set.dumps(), str(held._set.ranks)):
            raise ValueError(f"free: final R mismatch: got {freed.dumps()}, expected {held._set.dumps()}")
        if final or freed is None:
            if held._set:
                self.engine.cancel(number)
            del self._jobs[jobid]
        else:
            rest = _Pool(held.to_dict())
            rest._set.remove_ranks(freed.ranks)
            self.engine.cancel_ranks(number, str(freed.ranks))
            self._jobs[jobid] = (end, rest, number)
        self._bump()

    def update_expiration(self, jobid, expiration):
        if jobid in self._jobs:
            self._jobs[jobid] = (expiration, *self._jobs[jobid][1:])
            self._bump()

    def job_end_times(self):
        return [(jobid, end) for jobid, (end, _, _) in self._jobs.items() if end > 0]

    # --- Copies

    def copy(self):
        out = _Pool(policy=self._policy)
        out._set, out.scheduling, out._nslots = self._set.copy(), self.scheduling, self._nslots
        out._engine = self._engine.clone() if self._engine is not None else None
        out._jobs, out._numbers, out._down = dict(self._jobs), self._numbers, self._down.copy()
        out.generation = self.generation
        return out

    def copy_allocated(self):
        out = ResourceSet()
        for _, held, _ in self._jobs.values():
            out.add(held._set)
        return Rv1Set(out.to_dict() if out else None)

    def copy_down(self):
        down = self._set.copy_ranks(self._down)
        return Rv1Set(down.to_dict() if down else None)

    def to_set(self):
        return Rv1Set(_without_scheduling(self.to_dict()) if self._set else None)

    # --- As a set

    def to_dict(self):
        out = self._set.to_dict()
        if self._nslots:
            out["execution"]["nslots"] = self._nslots
        if self.scheduling is not None:
            out["scheduling"] = self.scheduling
        return out

    def encode(self):
        return json.dumps(self.to_dict())

    def dumps(self):
        return self._set.dumps()

    def nodelist(self):
        return self.to_set().nodelist()

    def ranks(self):
        return self.to_set().ranks()

    def get_properties(self):
        return json.dumps(self._set.get_properties())

    def nnodes(self):
        return self._set.nnodes

    def count(self, name):
        return self._set.count(name)

    def _of(self, set_):
        out = _Pool(policy=self._policy)
        out._set, out.scheduling = set_, self.scheduling
        return out

    def copy_ranks(self, ranks):
        return self._of(self._set.copy_ranks(str(ranks)))

    def union(self, rset):
        return self._of(self._set | _without_scheduling(rset.to_dict()))

    def intersect(self, rset):
        return self._of(self._set & _without_scheduling(rset.to_dict()))

    def diff(self, rset):
        return self._of(self._set - _without_scheduling(rset.to_dict()))

    def append(self, rset):
        self._set.append(_without_scheduling(rset.to_dict()))
        self._engine = None

    def add(self, rset):
        self._set.add(_without_scheduling(rset.to_dict()))
        self._engine = None

    def get_expiration(self):
        return self._set.expiration

    def set_expiration(self, expiration):
        self._set.expiration = expiration

    def get_starttime(self):
        return self._set.starttime

    def set_starttime(self, starttime):
        self._set.starttime = starttime


class Pool(ResourcePool):
    """The pool for Flux's schedulers."""

    version = 1

    def __init__(self, arg=None, log=None, **kwargs):
        if isinstance(arg, ResourcePoolImplementation):
            self.impl = arg
        else:
            self.impl = _Pool(arg, log=log, **kwargs)
        self.version = 1


pool_class = Pool
