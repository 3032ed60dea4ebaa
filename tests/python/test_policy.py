# SPDX-License-Identifier: Apache-2.0
"""Policies in Python."""
import os
import pathlib
import unittest

import copse
from copse import plan

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
DESK = ROOT / "examples/machines/desk.graphml"


def high(visit):
    for wanted in visit.below:
        if wanted["takes"] == 0:
            return 0
        visit.choose_best(wanted["type"], wanted["takes"], key=lambda found: found["score"])
    return visit.score


class PolicyTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(str(DESK))

    def test_a_function_chooses_as_the_bundled_policy(self):
        own, bundled = (copse.Engine(self.machine, policy=policy) for policy in (high, "high"))
        for shape in ("slot=1/node{x}", "node=1/slot=2/core=2", "slot=3/core", "slot=1/gpu", "slot=2/node{x}"):
            mine, theirs = own.try_match(shape), bundled.try_match(shape)
            self.assertEqual(str(mine), str(theirs), shape)

    def test_it_is_told_of_the_request_the_pool_and_the_window(self):
        told = []

        def tell(visit):
            told.append((visit.event, visit.type, visit.wanted["type"], [w["type"] for w in visit.below],
                         visit.units("core"), visit.start, visit.end, visit.job))
            return 1

        engine = copse.Engine(self.machine, policy=tell)
        engine.match(engine.prepare("node=1/slot=1/core=2", 60), 7)
        self.assertIn(("pool", "core", "core", [], 0, 0, 60, 7), told)
        self.assertIn(("pool", "node", "node", ["slot"], 0, 0, 60, 7), told)
        self.assertIn(("slot", "socket", "slot", ["core"], 2, 0, 60, 7), told)
        self.assertEqual(told[-1][0], "request")

    def test_it_may_refuse(self):
        def no_node_0(visit):
            return 0 if visit.name == "node0" else visit.score

        no_node_0.prefer_high = False
        engine = copse.Engine(self.machine, policy=no_node_0)
        self.assertEqual(str(engine.match("slot=1/node{x}").resources.ranks), "1")
        with self.assertRaises(copse.Infeasible) as refused:
            engine.match("slot=4/node{x}")
        self.assertIn("no_node_0\" refuses pools that would fit", refused.exception.explanation.text)

    def test_what_it_raises_is_raised(self):
        def broken(visit):
            return visit.nothing

        engine = copse.Engine(self.machine, policy=broken)
        with self.assertRaisesRegex(RuntimeError, "nothing"):
            engine.match("slot=1/core")
        engine = copse.Engine(self.machine, policy=lambda visit: "much")
        with self.assertRaises(RuntimeError):
            engine.match("slot=1/core")
        with self.assertRaises(copse.NotFound):
            copse.Engine(self.machine, policy=7)

    def test_what_it_raises_refuses_one_job(self):
        def broken_for_bo(visit):
            return visit.nothing if visit.user == "bo" else visit.score

        jobs = [{"id": n, "submit": n, "duration": 10, "nodes": 1, "user": user}
                for n, user in ((1, "ada"), (2, "bo"), (3, "ada"))]
        summary = plan.run(self.machine, plan.jobs_of(jobs), policy=broken_for_bo).summary
        self.assertEqual((summary["started"], summary["refused"]), (2, 1))
        self.assertIn("nothing", summary["commonest_refusal"]["reason"])

    def test_a_visit_ends_with_its_call(self):
        kept = []

        def keep(visit):
            kept.append(visit)
            return 1

        copse.Engine(self.machine, policy=keep).match("slot=1/core")
        with self.assertRaises(copse.Invalid):
            kept[0].found

    def test_a_schedule_may_have_one(self):
        jobs = [{"id": n, "submit": 0, "duration": 10, "nodes": 1, "user": user} for n, user in ((1, "ada"), (2, "bo"))]
        users = []

        def note(visit):
            users.append(visit.user)
            return 1

        schedule = plan.run(self.machine, plan.jobs_of(jobs), policy=note)
        self.assertEqual(len(schedule), 2)
        self.assertIn("ada", users)
        self.assertIn("bo", users)


if __name__ == "__main__":
    unittest.main()
