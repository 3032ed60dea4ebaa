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

from copse._copse import Engine, Jobs, Machine, Replay, Schedule

__all__ = ["Job", "Jobs", "Schedule", "Site", "easy", "fcfs", "generate", "jobs_of", "read", "run"]


class Job:
    """A job that waits. `duration` is what it asks for; how long it will take is not known to a discipline."""

    __slots__ = ("number", "id", "submit", "duration", "priority", "started")

    def __init__(self, number, name, submit, duration, priority):
        self.number, self.id, self.submit, self.duration, self.priority = number, name, submit, duration, priority
        self.started = False

    def __repr__(self):
        return f"<copse.plan.Job {self.id}>"


class Site:
    """What a discipline sees of the machine, and what it may do."""

    def __init__(self, replay):
        self._replay = replay

    @property
    def now(self):
        """Seconds."""
        return self._replay.now

    @property
    def engine(self):
        """The engine: to be asked and cloned, not changed."""
        return self._replay.engine

    @property
    def running(self):
        """How many jobs run."""
        return self._replay.running

    def start(self, job):
        """Starts a job if it fits now; whether it did."""
        job.started = self._replay.start(job.number)
        return job.started

    def earliest(self, job):
        """When a job could start if nobody else did; None: never."""
        return self._replay.earliest(job.number)


def read(path, *, processors_per_node=0):
    """Jobs of a file: JSON lines, or a trace in the Standard Workload Format."""
    return Jobs.read(pathlib.Path(path).read_text(encoding="utf-8"), str(path), processors_per_node)


def jobs_of(rows):
    """Jobs of dicts with the keys of a line: submit, run, duration, nodes, cores, shape, … (docs/tools/plan.md)."""
    return Jobs.read("".join(json.dumps(row) + "\n" for row in rows))


def generate(jobs, machine, *, load=0.7, seed=1):
    """A synthetic stream for the nodes of a machine. The same seed gives the same jobs everywhere."""
    return Jobs.generate(jobs, machine.count("node"), load=load, seed=seed)


def fcfs(waiting, site):
    """First come, first served, as a discipline in Python."""
    for job in waiting:
        if not site.start(job):
            break


def easy(waiting, site):
    """EASY backfilling, as a discipline in Python: others start if they delay the first one not at all."""
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


def _jobs(jobs):
    table = jobs.to_table()
    columns = [table[name].to_list() for name in ("id", "submit", "duration", "priority")]
    return [Job(number, *values) for number, values in enumerate(zip(*columns))]


def _replay(engine, jobs, discipline):
    replay = Replay(engine, jobs, getattr(discipline, "__name__", "own"))
    known, waiting, site = _jobs(jobs), [], Site(replay)
    while (arrived := replay.step()) is not None:
        waiting += [known[number] for number in arrived]
        if waiting:
            discipline(tuple(waiting), site)
            waiting = [job for job in waiting if not job.started]
        replay.waits(len(waiting))
    for job in waiting:
        replay.refuse(job.number)
    return replay.schedule


def run(machine, jobs, discipline="easy", *, policy="first", traverser="simple", priority="fifo"):
    """Runs a stream of jobs to its end; the Schedule.

    `machine` is a Machine, or an Engine, of which a clone is used. `discipline` is 'fcfs', 'easy', 'hybrid',
    'conservative', or a function: it is called when jobs have ended or were submitted, with the jobs that wait (in
    the order of submission) and a Site, and starts some of them.
    """
    engine = Engine(machine, policy=policy, traverser=traverser) if isinstance(machine, Machine) else machine.clone()
    if callable(discipline):
        return _replay(engine, jobs, discipline)
    schedule = Schedule(engine, jobs)
    schedule._run(discipline, priority)
    return schedule
