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

from copse._copse import Engine, Jobs, Machine, Replay, Schedule

__all__ = ["Job", "Jobs", "NeverStarted", "Schedule", "Site", "easy", "fcfs", "generate", "jobs_of", "read", "run"]


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


class Site:
    """The machine, as a discipline sees and uses it.

    Units: whole seconds of the stream.
    Shapes: jobs are the Job objects that the discipline was called with.
    Raises: Invalid (a job that does not wait), Busy (another thread uses the engine).
    Cost: start() a match, earliest() a match for each time that the machine's counts leave.
    Source: docs/library/python.md.
    """

    def __init__(self, replay):
        self._replay = replay

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

    def start(self, job):
        """Starts a job if it fits now; returns whether it did."""
        job.started = self._replay.start(job.number)
        return job.started

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
    (docs/tools/plan.md).

    Raises: Invalid (with the line), LimitExceeded.
    Cost: O(rows).
    """
    return Jobs.read("".join(json.dumps(row) + "\n" for row in rows))


def generate(jobs, machine, *, load=0.7, seed=1):
    """A synthetic stream of `jobs` jobs for the nodes of a machine; `load` is the offered load as a share of the nodes.
    The same seed gives the same jobs on every platform.

    Raises: Invalid (a load that is none), LimitExceeded (50,000,000 jobs).
    Cost: O(jobs).
    """
    return Jobs.generate(jobs, machine.count("node"), load=load, seed=seed)


def fcfs(waiting, site):
    """First come, first served, as a discipline in Python.

    Raises: nothing.
    Cost: a match for each job that starts, and one that fails.
    """
    for job in waiting:
        if not site.start(job):
            break


def easy(waiting, site):
    """EASY backfilling, as a discipline in Python: other jobs start if they do not delay the first one.

    Raises: nothing.
    Cost: a match for each waiting job, and earliest() once.
    """
    jobs = iter(waiting)
    for first in jobs:
        if not site.start(first):
            break
    else:
        return
    start = site.earliest(first)
    for job in jobs:
        if start is None or site.now + job.duration <= start:
            site.start(job)


def _jobs(replay, jobs):
    table, sizes = jobs.to_table(), replay.sizes()
    columns = [table[name].to_list() for name in ("id", "submit", "duration", "priority", "user", "queue")]
    columns += [sizes[name].to_list() for name in ("nnodes", "ncores", "ngpus")]
    return [Job(number, *values) for number, values in enumerate(zip(*columns))]


def _replay(engine, jobs, discipline):
    replay = Replay(engine, jobs, getattr(discipline, "__name__", "own"))
    known, waiting, site = _jobs(replay, jobs), [], Site(replay)
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


def run(machine, jobs, discipline="easy", *, policy="compact", traverser="simple", priority="fifo"):
    """Runs a stream of jobs to its end; returns the Schedule.

    `machine` is a Machine, or an Engine, of which a clone is used. `discipline` is 'fcfs', 'easy', 'hybrid',
    'conservative', or a function: it is called when jobs have ended or were submitted, with the jobs that wait (in
    the order of submission) and a Site, and starts some of them. Jobs that it never starts count as refused, with a
    NeverStarted warning. Events of nodes and of jobs are for disciplines of copse; with a function they raise
    Unsupported. `policy` chooses the resources of an Engine that is made here: compact, as for `copse plan`.

    Raises: NotFound (a discipline, policy, traverser or priority), Unsupported, and what the function raises.
    Cost: a match for each job that is tried; disciplines of copse run without the GIL.
    """
    engine = Engine(machine, policy=policy, traverser=traverser) if isinstance(machine, Machine) else machine.clone()
    if callable(discipline):
        return _replay(engine, jobs, discipline)
    schedule = Schedule(engine, jobs)
    schedule._run(discipline, priority)
    return schedule
