# SPDX-License-Identifier: Apache-2.0
"""Machines, engines and what they raise."""
import os
import pathlib
import unittest

import copse

DESK = pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "examples/machines/desk.graphml"


class EngineTest(unittest.TestCase):
    def setUp(self):
        self.machine = copse.Machine.load(str(DESK))
        self.engine = copse.Engine(self.machine, policy="low")

    def test_a_machine_counts_its_units(self):
        self.assertEqual(self.machine.count("core"), 32)
        self.assertEqual(self.machine.types["node"], 4)
        self.assertEqual(copse.Machine.read(self.machine.to_jgf()).types, self.machine.types)

    def test_requests_are_shapes_texts_and_dicts(self):
        jobspec = {"version": 9999, "tasks": [{"command": ["a"], "slot": "task", "count": {"per_slot": 1}}],
                   "resources": [{"type": "slot", "count": 1, "label": "task", "with": [{"type": "core", "count": 2}]}],
                   "attributes": {"system": {"duration": 60}}}
        self.assertEqual(str(self.engine.match("slot=1/core=2")), "rank0/core[0-1]")
        match = self.engine.match(jobspec)
        self.assertEqual((match.job, match.start, match.end, str(match)), (2, 0, 60, "rank1/core[0-1]"))
        self.assertEqual(match.resources.to_dict()["execution"]["R_lite"], [{"rank": "1", "children": {"core": "0-1"}}])

    def test_what_does_not_fit_raises_with_the_explanation(self):
        with self.assertRaises(copse.Infeasible) as never:
            self.engine.match("slot=5/node", explain=False)
        self.assertIsNone(never.exception.explanation)
        self.engine.match("slot=1/node{x}")
        with self.assertRaises(copse.Insufficient) as now:
            self.engine.match("slot=4/node{x}")
        why = now.exception.explanation
        self.assertEqual(why.verdict, "insufficient")
        self.assertIn("needs 4", why.text)
        self.assertEqual(why.to_dict()["verdict"], "insufficient")
        self.assertFalse(why)
        self.assertTrue(self.engine.explain("slot=1/core"))

    def test_a_match_that_fails_may_be_none(self):
        request = self.engine.prepare("slot=4/node{x}", 60)
        self.assertEqual(self.engine.try_match(request).job, 1)
        self.assertIsNone(self.engine.try_match(request))
        reserved = self.engine.reserve(request)
        self.assertEqual((reserved.reserved, reserved.start, reserved.end), (True, 60, 120))
        self.assertEqual(self.engine.where(request).start, 120)
        self.assertIsNone(self.engine.try_match("slot=1/node{x}"))
        self.assertEqual(self.engine.match_many("slot=1/node{x}", 2), [])
        self.assertEqual(len(self.engine), 2)

    def test_jobs_are_cancelled_in_whole_and_in_part(self):
        job = self.engine.match("slot=2/node{x}").job
        self.assertFalse(self.engine.cancel_ranks(job, "0"))
        self.assertEqual(str(self.engine.grant(job).resources.ranks), "1")
        self.engine.cancel(job)
        with self.assertRaises(copse.NotFound):
            self.engine.cancel(job)
        with self.assertRaises(LookupError):
            self.engine.grant(job)

    def test_jobs_have_the_numbers_that_they_are_given(self):
        self.assertEqual(self.engine.match("slot=1/core", 70).job, 70)
        self.assertEqual(self.engine.match("slot=1/core").job, 71)
        with self.assertRaises(copse.Exists):
            self.engine.match("slot=1/core", 70)
        with self.assertRaises(copse.Invalid):
            self.engine.match("slot=1/core", 0)
        self.assertEqual(self.engine.jobs(), [70, 71])

    def test_a_clone_goes_its_own_way(self):
        self.engine.match("slot=1/core")
        before = self.engine.fingerprint
        with self.engine.what_if() as trial:
            self.assertEqual(trial.fingerprint, before)
            trial.match("slot=4/core")
            self.assertEqual(len(trial), 2)
        self.assertEqual(self.engine.fingerprint, before)
        request = self.engine.prepare("slot=1/core")
        with self.assertRaises(copse.Invalid):
            self.engine.clone().match(request)

    def test_an_engine_is_saved_and_loaded(self):
        self.engine.match("slot=1/core")
        again = copse.Engine.load(self.engine.save())
        self.assertEqual(again.fingerprint, self.engine.fingerprint)
        self.assertEqual(again.match("slot=1/core").job, 2)
        with self.assertRaises(copse.Invalid):
            copse.Engine.load(b"no engine")

    def test_status_and_clock(self):
        self.engine.set_status("/desk0/rack0/node0", "down")
        self.assertEqual(self.engine.status("/desk0/rack0/node0"), "down")
        self.assertEqual(str(self.engine.match(self.engine.prepare("slot=1/core", 60))), "rank1/core0")
        self.assertEqual(self.engine.free("core").to_list(), [0, 7, 8, 8])
        self.engine.set_rank_status("0-1", "up")
        self.engine.advance(60)
        self.assertEqual((self.engine.now, len(self.engine)), (60, 0))
        with self.assertRaises(copse.Invalid):
            self.engine.advance(1)
        with self.assertRaises(copse.NotFound):
            self.engine.set_status("/nowhere", "up")

    def test_resources_are_booked(self):
        r = self.engine.match("slot=1/core=4").resources
        other = copse.Engine(self.machine)
        self.assertEqual(other.update(9, r.encode(), start=10, duration=5).start, 10)
        self.assertEqual(other.grant(9).end, 15)

    def test_errors_say_where(self):
        with self.assertRaises(copse.Invalid) as wrong:
            copse.Machine.read('{"graph": 3}')
        self.assertEqual(wrong.exception.line, 1)
        with self.assertRaises(ValueError):
            self.engine.prepare("slot=")
        with self.assertRaises(OSError):
            copse.Machine.load("/nowhere")
        for text in ("", "no machine", "<graphml>"):
            with self.assertRaises(copse.Error):
                copse.Machine.read(text)

    def test_pictures(self):
        self.engine.match("slot=1/core")
        for picture in (self.machine, self.engine):
            self.assertTrue(picture._repr_svg_().startswith("<svg") or "<svg" in picture._repr_svg_()[:200])


if __name__ == "__main__":
    unittest.main()
