# SPDX-License-Identifier: Apache-2.0
"""Streams of jobs on a machine, with the disciplines of copse or with your own.

>>> import copse
>>> from copse import plan
>>> machine = copse.Machine.load("examples/machines/desk.graphml")
>>> jobs = plan.generate(100, machine, seed=1)
>>> plan.run(machine, jobs, discipline="easy").summary["jobs"]
100
"""
import json
import pathlib
import warnings

from copse._copse import Engine, Jobs, Machine, Replay, Schedule, Table
from copse.errors import Invalid, Unsupported

__all__ = ["Job", "Jobs", "NeverStarted", "Running", "Schedule", "Site", "easy", "fcfs", "generate", "jobs_of", "read",
           "run"]


class NeverStarted(UserWarning):
    """A Python discipline never started some jobs of the stream."""


class Job:
    """A waiting job. A discipline does not know its run time.

    `id`, `user` and `queue` are texts ("" if absent), `submit` and `duration` (requested) seconds, `nodes`, `cores` and
    `gpus` the minimum of its request, as the limits of queues count them. `number` is its index in the stream,
    `started` whether it was started.

    Units: whole seconds of the stream; nodes, cores and gpus.
    Shapes: a record.
    Raises: nothing.
    Cost: O(1).
    Source: docs/tools/plan.md.
    """

    __slots__ = ("number", "id", "submit", "duration", "priority", "user", "queue", "nodes", "cores", "gpus", "started")

    def __init__(self, number, name, submit, duration, priority, user, queue, nodes, cores, gpus):
        self.number, self.id, self.submit, self.duration, self.priority = number, name, submit, duration, priority
        self.user, self.queue, self.nodes, self.cores, self.gpus = user, queue, nodes, cores, gpus
        self.started = False

    def __repr__(self):
        return f"<copse.plan.Job {self.id}>"


class Running:
    """A running job, and what it has.

    `job` is its Job; None for a grant that the engine had before the stream, whose `grant` is its number. `start` is when
    it started, and `end` when it ends at the latest: by what it requested, since a discipline does not know its run time.
    `nodes` counts nodes that it has whole or in part, `cores` and `gpus` also those of whole nodes.

    Units: whole seconds of the stream; nodes, cores and gpus.
    Shapes: a record.
    Raises: nothing.
    Cost: O(1).
    Source: docs/library/python.md.
    """

    __slots__ = ("job", "grant", "start", "end", "nodes", "cores", "gpus")

    def __init__(self, job, grant, start, end, nodes, cores, gpus):
        self.job, self.grant, self.start, self.end = job, grant, start, end
        self.nodes, self.cores, self.gpus = nodes, cores, gpus

    def __repr__(self):
        name = f"grant {self.grant}" if self.job is None else f"job {self.job.id}"
        return f"<copse.plan.Running: {name}, until {self.end} s at the latest>"


class Site:
    """The machine, as a discipline sees and uses it.

    Units: whole seconds of the stream.
    Shapes: jobs are the Job objects that the discipline was called with.
    Raises: Invalid (a job that does not wait), Busy (another thread uses the engine).
    Cost: start() and fits() a match, earliest() a match for each time that the machine's counts leave; fits_beside() two
      matches, and earliest() of the head when a job has ended, or one has started that was not asked about; running_jobs
      O(running jobs), free() O(nodes in use).
    Source: docs/library/python.md.
    """

    def __init__(self, replay, known):
        self._replay, self._known = replay, known

    @property
    def now(self):
        """The time of this call, in seconds."""
        return self._replay.now

    @property
    def engine(self):
        """The engine, for queries and clones; do not change it."""
        return self._replay.engine

    @property
    def running(self):
        """The number of running jobs."""
        return self._replay.running

    @property
    def running_jobs(self):
        """The running jobs as a tuple of Running, and grants that the engine had before; the first to end comes first."""
        table = self._replay.running_jobs()
        columns = [table[name].to_list() for name in table.columns]
        return tuple(Running(self._known[job] if job >= 0 else None, *values) for job, *values in zip(*columns))

    def free(self, type="core"):
        """Free units on the whole machine: 'core', 'gpu', or 'node' for whole nodes; engine.free() has them by node."""
        return self._replay.free(type)

    def start(self, job):
        """Starts a job if it fits now; returns whether it did."""
        job.started = self._replay.start(job.number)
        return job.started

    def fits(self, job):
        """Whether a job fits now; it is not started."""
        return self._replay.fits(job.number)

    def fits_beside(self, job, head):
        """Whether a job fits now, and does not delay the earliest start of another waiting job; it is not started."""
        return self._replay.fits_beside(job.number, head.number)

    def earliest(self, job):
        """The earliest start of a job if no other job started; None: never."""
        return self._replay.earliest(job.number)


def read(path, machine=None, *, processors_per_node=0, format="", fields=(), events=None):
    """Jobs of a file, as `copse plan` reads it: JSON lines, a trace in the Standard Workload Format, the waiting jobs of
    `squeue --json` or `flux jobs --json`, or the past ones of `sacct -P` or `flux jobs -a --json`.

    Lists of a cluster and events of nodes need the `machine`. For a trace, `fields` ("user", "queue", "partition") are
    used, and jobs take whole nodes of `processors_per_node` processors; 0: cores. `events` is a file of events, for streams
    of any kind. `format` is "sacct", "flux" or "swf" if the text does not show it. Rows that are not jobs are counted in
    `skipped` of the Jobs; `remarks` are sentences.

    Raises: Invalid (with file and line), LimitExceeded, NotFound (a node), OSError (the file).
    Cost: O(length of the file).
    """
    return Jobs.read(_text(path), str(path), processors_per_node, machine, format=format, fields=tuple(fields),
                     events="" if events is None else _text(events), events_file=str(events), files=True)


def _text(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def jobs_of(rows):
    """Jobs of dicts with the keys of a line: submit, run, duration (seconds), nodes, cores, shape, …
    (docs/tools/plan.md); or of a table as Jobs.to_table() makes it.

    So a stream can be changed and put back: what a table has for a value that a job does not have ("", 0 nodes or cores,
    a deadline of -1, None or NaN) counts as left out, and a `constraint` may be a text.

    Raises: Invalid (with the line), LimitExceeded.
    Cost: O(rows).
    """
    if isinstance(rows, Table):
        columns = [rows[name].to_list() for name in rows.columns]
        rows = [dict(zip(rows.columns, values)) for values in zip(*columns)]
    return Jobs.read("".join(json.dumps(_line_of(row), default=_plain) + "\n" for row in rows))


def _plain(value):
    """A number of numpy as one of Python."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a job can't have a value of {type(value).__name__}")


def _line_of(row):
    line = {key: value for key, value in row.items() if not _is_absent(key, value)}
    if isinstance(line.get("constraint"), str):
        line["constraint"] = json.loads(line["constraint"])
    return line


def _is_absent(key, value):
    if value is None or value != value or (isinstance(value, str) and value == ""):
        return True
    return (key in ("nodes", "cores") and value == 0) or (key == "deadline" and value == -1)


def generate(jobs, machine, *, load=0.7, seed=1):
    """A synthetic stream of `jobs` jobs for the nodes of a machine; `load` is the offered load as a share of the nodes.
    The same seed gives the same jobs on every platform.

    Raises: Invalid (a load that is none), LimitExceeded (50,000,000 jobs).
    Cost: O(jobs).
    """
    return Jobs.generate(jobs, machine.count("node"), load=load, seed=seed)


def fcfs(waiting, site):
    """First come, first served, as a discipline in Python; higher priorities come first.

    Raises: nothing.
    Cost: a match for each job that starts, and one that fails.
    """
    for job in _by_priority(waiting):
        if not site.start(job):
            break


def easy(waiting, site):
    """EASY backfilling, as a discipline in Python: other jobs start if they do not delay the first one, because they end
    in time, or because the first one needs less than what is left. Higher priorities come first.

    Raises: nothing.
    Cost: three matches for each waiting job, and earliest() once.
    """
    jobs = iter(_by_priority(waiting))
    for head in jobs:
        if not site.start(head):
            break
    else:
        return
    for job in jobs:
        if site.fits_beside(job, head):
            site.start(job)


def _by_priority(waiting):
    """In the order of the queue: equal priorities stay in the order of submission."""
    return sorted(waiting, key=lambda job: -job.priority)


def _jobs(replay, jobs):
    table, sizes = jobs.to_table(), replay.sizes()
    columns = [table[name].to_list() for name in ("id", "submit", "duration", "priority", "user", "queue")]
    columns += [sizes[name].to_list() for name in ("nnodes", "ncores", "ngpus")]
    return [Job(number, *values) for number, values in enumerate(zip(*columns))]


def _replay(engine, jobs, discipline):
    replay = Replay(engine, jobs, getattr(discipline, "__name__", "own"))
    known, waiting = _jobs(replay, jobs), []
    site = Site(replay, known)
    while (arrived := replay.step()) is not None:
        waiting += [known[number] for number in arrived]
        if waiting:
            discipline(tuple(waiting), site)
            waiting = [job for job in waiting if not job.started]
        replay.waits(len(waiting))
    for job in waiting:
        replay.refuse(job.number)
    if waiting:
        warnings.warn(f"the discipline never started {len(waiting)} of {len(known)} jobs, which the machine could serve: "
                      f"they count as refused; the first is {waiting[0].id!r}", NeverStarted, stacklevel=3)
    return replay.schedule


def _engine(machine, **choices):
    """A new engine of a Machine, with the choices that are not None; or the engine that is given."""
    chosen = {name: choice for name, choice in choices.items() if choice is not None}
    if isinstance(machine, Machine):
        return Engine(machine, **chosen)
    if chosen:
        raise Invalid(f"an engine has its {' and '.join(chosen)} already: give them to Engine()")
    return machine


def run(machine, jobs, discipline="easy", *, policy=None, traverser=None, priority=None):
    """Runs a stream of jobs to its end; returns the Schedule.

    `machine` is a Machine, or an Engine, which is cloned. `discipline` is 'fcfs', 'easy', 'hybrid', 'conservative', a
    plugin of your own ('./own.so', as for `copse plan`), or a function: it is called when jobs have ended or were
    submitted, with the jobs that wait (in the order of submission) and a Site, and starts some of them. Jobs that it never
    starts count as refused, with a NeverStarted warning. Events of nodes and of jobs are for disciplines of copse; with a
    function they raise Unsupported, and so does a `priority` (else fifo). `policy` (compact) and `traverser` (simple) are
    those of an Engine that is made here, as for `copse plan`.

    Raises: NotFound (a discipline, policy, traverser or priority), Invalid, Unsupported, and what the function raises.
    Cost: a match for each job that is tried; disciplines of copse run without the GIL.
    """
    engine = _engine(machine, policy=policy, traverser=traverser)
    engine = engine.clone() if engine is machine else engine
    if callable(discipline):
        if priority is not None:
            raise Unsupported("a discipline in Python orders the jobs by itself: leave out the priority")
        return _replay(engine, jobs, discipline)
    schedule = Schedule(engine, jobs)
    schedule._run(discipline, "fifo" if priority is None else priority)
    return schedule
