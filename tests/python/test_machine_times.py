# SPDX-License-Identifier: Apache-2.0
"""The times of a machine's R."""
import json
import unittest

import copse


class MachineTimesTest(unittest.TestCase):
    def test_the_times_of_an_r_bound_what_is_granted(self):
        r = {"version": 1, "execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}], "nodelist": ["n0"],
                                         "starttime": 0, "expiration": 50}}
        engine = copse.Engine(copse.Machine.read(json.dumps(r)))
        with self.assertRaises(copse.Error):
            engine.match(engine.prepare("slot=1/core", 60), explain=False)
        self.assertEqual(engine.match("slot=1/core").end, 50)
        r["execution"]["expiration"] = 0
        engine = copse.Engine(copse.Machine.read(json.dumps(r)))
        match = engine.match("slot=1/core")
        self.assertEqual(match.resources.expiration, 0)
        self.assertIn('"expiration": 0', match.dumps())


if __name__ == "__main__":
    unittest.main()
