# SPDX-License-Identifier: Apache-2.0
"""Objects in several threads at once: right answers or copse.Busy, and no interpreter without a GIL."""
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import copse
from copse import plan

DESK = pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "examples/machines/desk.graphml"
ROUNDS = 500  # until calls of two threads have met; they mostly do in the first one


def in_threads(works):
    """Runs functions at once; raises what one of them raised."""
    failures = []

    def guarded(work):
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class ThreadsTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(str(DESK))
        self.engine = copse.Engine(self.machine, policy="low")

    def refuses_meanwhile(self, long_call, calls):
        """While long_call() runs in another thread, each call is refused or answers as it does alone."""
        met = set()
        for _ in range(ROUNDS):
            begun, over = threading.Event(), threading.Event()

            def work():
                begun.set()
                try:
                    long_call()
                finally:
                    over.set()

            thread = threading.Thread(target=work)
            thread.start()
            begun.wait()
            while not over.is_set():
                for name, call in calls.items():
                    try:
                        call()
                    except copse.Busy:
                        met.add(name)
            thread.join()
            if len(met) == len(calls):
                return
        self.fail(f"never refused: {sorted(set(calls) - met)}")

    def test_an_engine_in_use_refuses_every_call(self):
        request = self.engine.prepare("slot=1/core", 60)
        job = self.engine.match(request)
        other = self.engine.prepare("slot=9/core", 60)
        engine = self.engine
        self.refuses_meanwhile(
            lambda: [engine.explain(other) for _ in range(200)],
            {"match": lambda: engine.cancel(engine.match(request).job), "now": lambda: engine.now,
             "clone": engine.clone, "grants": engine.grants, "jobs": engine.jobs, "save": engine.save,
             "free": engine.free, "len": lambda: len(engine), "picture": engine._repr_svg_,
             "duration": lambda: request.set_duration(60), "prepare": lambda: engine.prepare("slot=1/core"),
             "resources": lambda: job.resources, "dumps": job.dumps, "queue": lambda: copse.Queue(engine),
             "repr": lambda: repr(engine)})
        self.assertEqual(engine.jobs(), [job.job])

    def test_a_queue_at_work_refuses_every_call(self):
        queue = copse.Queue(self.engine, discipline="conservative")
        numbers = iter(range(1, 10_000_000))

        def work():
            for _ in range(200):
                queue.submit(next(numbers), "slot=4/node{x}", 60)
            queue.work()

        self.refuses_meanwhile(work, {
            "why": lambda: self.unless_unknown(queue.why), "when": lambda: self.unless_unknown(queue.when),
            "state": lambda: queue.state(1), "waiting": lambda: queue.waiting, "running": lambda: queue.running,
            "next_time": lambda: queue.next_time, "hold": lambda: self.unless_unknown(queue.hold),
            "advance": lambda: queue.advance(0), "engine": lambda: queue.engine.now})
        self.assertEqual(queue.running, 1)
        self.assertEqual(queue.waiting + queue.running, next(numbers) - 1)

    def unless_unknown(self, call):
        try:
            call(9_999_999)
        except copse.Error:
            pass

    def test_a_schedule_that_is_filled_refuses_its_readers(self):
        jobs = plan.generate(300, self.machine, load=0.9, seed=1)
        schedules = [plan.Schedule(copse.Engine(self.machine), jobs)]

        def run():
            schedules.append(plan.Schedule(copse.Engine(self.machine), jobs))
            schedules[-1]._run("easy", "fifo")

        self.refuses_meanwhile(run, {"table": lambda: schedules[-1].to_table(), "len": lambda: len(schedules[-1]),
                                     "csv": lambda: schedules[-1].to_csv(), "summary": lambda: schedules[-1].summary,
                                     "chart": lambda: schedules[-1]._repr_svg_()})
        self.assertEqual(len(schedules[-1]), 300)

    def test_what_never_changes_is_for_all_threads(self):
        jobs = plan.generate(300, self.machine, load=0.9, seed=1)
        alone = plan.run(self.machine, jobs, discipline="easy").to_csv()
        table = self.engine.grants()
        got = []

        def work():
            got.append(plan.run(self.machine, jobs, discipline="easy").to_csv())
            self.machine.to_jgf(), self.machine.types, jobs.to_table(), table["job"].to_list()

        in_threads([work] * 8)
        self.assertEqual(got, [alone] * 8)

    def test_clones_work_beside_each_other(self):
        first = self.engine.match("slot=1/core")

        def work(engine):
            for _ in range(50):
                request = engine.prepare("slot=1/core", 60)
                for job in engine.match_many(request, 100):
                    engine.cancel(job)
                engine.clone().match(first.resources.ncores * "slot=2/core")

        before = self.engine.fingerprint
        engines = [self.engine.clone() for _ in range(8)]
        in_threads([lambda engine=engine: work(engine) for engine in engines])
        self.assertEqual(self.engine.fingerprint, before)
        self.assertEqual({len(engine) for engine in engines}, {1})

    def test_sets_are_kept_whole_by_the_gil(self):
        ids, resources = copse.Idset(), self.engine.match("slot=1/core=4").resources
        all_of_it = copse.ResourceSet(resources)

        def work(first):
            for id in range(first, 4_000, 8):
                ids.set(id)
                resources.add(all_of_it)

        in_threads([lambda first=first: work(first) for first in range(8)])
        self.assertEqual(str(ids), "0-3999")
        self.assertEqual(resources, all_of_it)


@unittest.skipUnless(hasattr(os, "fork"), "there are no processes")
class FreeThreadsTest(unittest.TestCase):
    SENTENCE = "copse needs the GIL: .*run python with PYTHON_GIL=1"

    def load(self, enabled, how):
        """What an interpreter says that answers so when it is asked about its GIL."""
        code = f"import sys\nsys._is_gil_enabled = lambda: {enabled}\n{how}\nprint('loaded')"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def test_the_package_refuses(self):
        self.assertRegex(self.load(False, "import copse"), f"ImportError: {self.SENTENCE}")
        self.assertEqual(self.load(True, "import copse"), "loaded\n")

    def test_the_module_itself_refuses(self):
        alone = ("from importlib import machinery, util\n"
                 f"loader = machinery.ExtensionFileLoader('_copse', {copse._copse.__file__!r})\n"
                 "loader.create_module(util.spec_from_loader('_copse', loader))")
        self.assertRegex(self.load(False, alone), f"ImportError: {self.SENTENCE}")
        self.assertEqual(self.load(True, alone), "loaded\n")


if __name__ == "__main__":
    unittest.main()
