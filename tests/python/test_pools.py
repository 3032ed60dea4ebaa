# SPDX-License-Identifier: Apache-2.0
"""What pools have, and parts of a machine."""
import os
import pathlib
import unittest

import copse

DESK = pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "examples/machines/desk.graphml"


class PoolTest(unittest.TestCase):
    def test_tags_and_uuids_are_found_and_kept(self):
        engine = copse.Engine(copse.Machine.load(str(DESK)))
        engine.set_tag("/desk0/rack0/node1", "row", "7")
        self.assertEqual(engine.find("tag=row=7"), ["/desk0/rack0/node1", "/desk0/rack0", "/desk0"])
        self.assertEqual(engine.find("tag=row=8"), [])
        pool = engine.pool("/desk0/rack0/node1")
        self.assertEqual((pool["type"], pool["tags"], pool["rank"]), ("node", {"row": "7"}, 1))
        self.assertEqual(engine.find("uuid=" + pool["uuid"])[0], pool["path"])
        self.assertEqual(copse.Engine.load(engine.save()).pool(pool["path"]), pool)
        part = copse.Machine.read(engine.find("type=node best=2:-id", format="graph"))
        self.assertEqual(part.types, {"cluster": 1, "rack": 1, "node": 2})


if __name__ == "__main__":
    unittest.main()
