# SPDX-License-Identifier: Apache-2.0
"""Streams of jobs, disciplines in Python, and the queue."""
import os
import pathlib
import unittest

import copse
from copse import plan

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
DESK = str(ROOT / "examples/machines/desk.graphml")


class PlanTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(DESK)

    def test_a_stream_is_run(self):
        jobs = plan.generate(200, self.machine, seed=3)
        self.assertEqual(len(jobs), 200)
        self.assertEqual(jobs.to_swf(), plan.generate(200, self.machine, seed=3).to_swf())
        schedule = plan.run(self.machine, jobs, discipline="easy", policy="low")
        self.assertEqual((schedule.summary["jobs"], schedule.summary["started"], len(schedule)), (200, 200, 200))
        table = schedule.to_table()
        for submit, start, end in zip(table["submit"].to_list(), table["start"].to_list(), table["end"].to_list()):
            self.assertLessEqual(submit, start)
            self.assertLess(start, end)
        self.assertIn("<svg", schedule._repr_svg_()[:300])
        self.assertTrue(schedule.to_csv().startswith("job_id,"))

    def test_fcfs_in_python_is_fcfs(self):
        jobs = plan.generate(300, self.machine, load=0.9, seed=5)
        ours = plan.run(self.machine, jobs, discipline="fcfs", policy="low")
        own = plan.run(self.machine, jobs, discipline=plan.fcfs, policy="low")
        for column in ("id", "start", "end", "nodes", "cores"):
            self.assertEqual(own.to_table()[column].to_list(), ours.to_table()[column].to_list(), column)
        names = {"mean_wait", "bounded_slowdown", "makespan", "nodes_used"} & set(ours.summary)
        for name in names:
            self.assertEqual(own.summary[name], ours.summary[name])

    def test_backfilling_in_python_waits_less(self):
        jobs = plan.generate(300, self.machine, load=0.95, seed=7)
        waits = [plan.run(self.machine, jobs, discipline=d, policy="low").summary["mean_wait"]
                 for d in (plan.fcfs, plan.easy)]
        self.assertLess(waits[1], waits[0])

    def test_jobs_that_never_fit_are_refused(self):
        jobs = plan.jobs_of([{"id": "a", "nodes": 5, "run": 10}, {"id": "b", "cores": 2, "run": 10},
                             {"id": "c", "shape": "slot=1/unicorn", "run": 10}])
        schedule = plan.run(self.machine, jobs, discipline=plan.fcfs)
        self.assertEqual(schedule.to_table()["id"].to_list(), ["b"])
        self.assertEqual(schedule.summary["refused"], 2)

    def test_a_discipline_may_leave_jobs_alone(self):
        jobs = plan.jobs_of([{"nodes": 1, "run": 10}, {"nodes": 1, "run": 10, "submit": 5}])
        schedule = plan.run(self.machine, jobs, discipline=lambda waiting, site: None)
        self.assertEqual((schedule.summary["started"], schedule.summary["refused"]), (0, 2))

    def test_a_job_starts_once(self):
        def twice(waiting, site):
            for job in waiting:
                site.start(job)
                site.start(job)

        with self.assertRaises(copse.Invalid):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 10}]), discipline=twice)

    def test_what_a_discipline_raises_comes_out(self):
        def wrong(waiting, site):
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 10}]), discipline=wrong)

    def test_an_engine_goes_on_as_it_was(self):
        engine = copse.Engine(self.machine, policy="low")
        engine.match("slot=2/node{x}")
        before = engine.fingerprint
        schedule = plan.run(engine, plan.jobs_of([{"nodes": 2, "run": 10}, {"nodes": 2, "run": 10}]), discipline=plan.fcfs)
        self.assertEqual(schedule.to_table()["start"].to_list(), [0, 10])
        self.assertEqual(engine.fingerprint, before)

    def test_wrong_streams(self):
        with self.assertRaises(copse.Invalid) as wrong:
            plan.jobs_of([{"nodes": 1, "run": 1}, {"nodes": -1, "run": 1}])
        self.assertEqual(wrong.exception.line, 2)
        with self.assertRaises(copse.NotFound):
            plan.run(self.machine, plan.jobs_of([{"nodes": 1, "run": 1}]), discipline="nothing")


class QueueTest(unittest.TestCase):
    def setUp(self):
        self.engine = copse.Engine(copse.Machine.load(DESK), policy="low")
        self.queue = copse.Queue(self.engine, discipline="easy")

    def decided(self):
        return [(d.what, d.job, d.start) for d in self.queue.work()]

    def test_jobs_start_wait_and_end(self):
        self.queue.submit(1, "slot=4/node{x}", 100)
        self.queue.submit(2, "slot=4/node{x}", 100)
        self.queue.submit(3, "slot=9/node{x}", 100)
        self.assertEqual(sorted(self.decided()), [("denied", 3, 0), ("promised", 2, 100), ("started", 1, 0)])
        self.assertEqual((self.queue.state(1), self.queue.state(2), self.queue.state(3)), ("running", "promised", None))
        self.assertEqual(self.queue.when(2), 100)
        self.assertIn("100 s", self.queue.why(2))
        self.queue.ended(1, 40)
        self.queue.advance(40)
        self.assertEqual(self.decided(), [("started", 2, 40)])
        self.assertEqual((self.queue.waiting, self.queue.running), (0, 1))
        self.assertEqual(len(self.engine), 0)

    def test_events(self):
        self.queue.submit(1, "slot=4/node{x}", 100)
        self.queue.submit(2, "slot=1/core", 100, held=True)
        self.queue.submit(3, "slot=1/core", 100, priority=7)
        self.queue.work()
        self.assertEqual(self.queue.state(2), "held")
        self.queue.release(2)
        self.queue.set_priority(2, 9)
        self.queue.cancel(1)
        with self.assertRaises(copse.NotFound):
            self.queue.cancel(1)
        with self.assertRaises(copse.Exists):
            self.queue.submit(2, "slot=1/core", 100)


if __name__ == "__main__":
    unittest.main()
