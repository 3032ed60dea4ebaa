# SPDX-License-Identifier: Apache-2.0
"""copse.flux.Pool, where Flux is installed: in /opt/flux, or for the `flux` of PATH. Exit status 77: it is not."""
import glob
import os
import shutil
import sys
import unittest

prefixes = ["/opt/flux"]
if shutil.which("flux"):
    prefixes.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("flux")))))
for prefix in prefixes:
    sys.path += sorted(glob.glob(f"{prefix}/lib*/flux/python3*") + glob.glob(f"{prefix}/lib*/python3*/site-packages"))
try:
    from flux.resource import InfeasibleRequest, InsufficientResources
    from flux.resource.ResourcePool import ResourcePool
except ImportError as error:
    print(f"skipped: there is no Flux for this Python ({error})")
    sys.exit(77)

from copse.flux import Pool


def inventory(ranks="0-3", cores="0-7"):
    last = int(ranks.split("-")[-1])
    return {"version": 1, "execution": {"R_lite": [{"rank": ranks, "children": {"core": cores, "gpu": "0-1"}}],
                                        "nodelist": [f"node[0-{last}]"], "starttime": 0, "expiration": 0}}


def jobspec(nslots, cores, nodes=0, duration=60, exclusive=False, constraints=None):
    slot = {"type": "slot", "count": nslots, "label": "task", "with": [{"type": "core", "count": cores}]}
    node = {"type": "node", "count": nodes, "with": [slot]}
    if exclusive:
        node["exclusive"] = True
    system = {"duration": duration}
    if constraints:
        system["constraints"] = constraints
    return {"version": 1, "resources": [node if nodes else slot], "attributes": {"system": system},
            "tasks": [{"command": ["a"], "slot": "task", "count": {"per_slot": 1}}]}


class PoolTest(unittest.TestCase):
    def setUp(self):
        self.pool = Pool(inventory())
        self.pool.mark_down("all")
        self.pool.mark_up("0-3")

    def alloc(self, jobid, *args, pool=None, **kwargs):
        pool = pool or self.pool
        return pool.alloc(jobid, pool.parse_resource_request(jobspec(*args, **kwargs)))

    def test_jobs_come_and_go(self):
        R = self.alloc(1, 2, 3)
        self.assertIsInstance(R, Pool)
        self.assertEqual(R.impl.count("core"), 6)
        R.set_starttime(5)
        R.set_expiration(65)
        self.assertEqual((R.to_dict()["execution"]["starttime"], R.to_dict()["execution"]["nslots"]), (5, 2))
        self.assertEqual(self.pool.copy_allocated().ncores, 6)
        before = self.pool.generation
        self.pool.free(1, ResourcePool(R.to_dict()), final=True)
        self.assertGreater(self.pool.generation, before)
        self.assertEqual(self.pool.copy_allocated().nnodes, 0)
        self.pool.free(1)

    def test_what_does_not_fit(self):
        self.alloc(1, 1, 8, nodes=4)
        with self.assertRaises(InsufficientResources):
            self.alloc(2, 1, 1)
        for pool_of in (lambda: self.alloc(3, 1, 9), lambda: self.alloc(4, 1, 1, nodes=5)):
            with self.assertRaises(InfeasibleRequest):
                pool_of()
        with self.assertRaises(InfeasibleRequest):
            self.pool.check_feasibility(self.pool.parse_resource_request(jobspec(1, 1, nodes=5)))
        with self.assertRaises(ValueError):
            self.pool.parse_resource_request({"version": 1})

    def test_nodes_that_are_down_wait(self):
        self.pool.mark_down("1-3")
        self.assertEqual(self.pool.copy_down().nnodes, 3)
        with self.assertRaises(InsufficientResources):
            self.alloc(1, 1, 1, nodes=2)
        self.pool.mark_up("2")
        self.assertEqual(str(self.alloc(1, 1, 1, nodes=2).to_resource_set().ranks), "0,2")

    def test_parts_are_given_back(self):
        R = self.alloc(1, 1, 8, nodes=2)
        part = ResourcePool(R.impl.copy_ranks("0").to_dict())
        self.pool.free(1, part)
        self.assertEqual(self.pool.copy_allocated().nnodes, 1)
        with self.assertRaises(ValueError):
            self.pool.free(1, part)
        with self.assertRaises(ValueError):
            self.pool.free(1, ResourcePool(inventory("0-3")), final=True)
        self.pool.free(1, ResourcePool(R.impl.copy_ranks("1").to_dict()), final=True)
        self.assertEqual(self.pool.copy_allocated().nnodes, 0)

    def test_jobs_of_before_are_known(self):
        R = self.alloc(7, 1, 8, nodes=1)
        R.set_expiration(99)
        again = Pool(inventory())
        again.register_alloc(7, Pool(R.to_dict()))
        self.assertEqual((again.copy_allocated().ncores, again.job_end_times()), (8, [(7, 99.0)]))
        again.update_expiration(7, 120)
        self.assertEqual(again.job_end_times(), [(7, 120)])
        again.free(7, final=True)
        with self.assertRaises(ValueError):
            Pool(inventory("0-1")).register_alloc(8, Pool(inventory("0-3")))

    def test_a_copy_goes_its_own_way(self):
        self.alloc(1, 1, 8, nodes=4)
        trial = self.pool.copy()
        trial.free(1)
        self.alloc(2, 1, 1, pool=trial)
        self.assertEqual((self.pool.copy_allocated().ncores, trial.copy_allocated().ncores), (32, 1))

    def test_ranks_leave(self):
        self.alloc(1, 1, 8, nodes=1)
        self.pool.remove_ranks("2-3")
        with self.assertRaises(InfeasibleRequest):
            self.alloc(2, 1, 1, nodes=3)
        self.alloc(3, 1, 8, nodes=1)
        with self.assertRaises(InsufficientResources):
            self.alloc(4, 1, 1)

    def test_constraints(self):
        R = self.alloc(1, 1, 1, constraints={"hostlist": ["node3"]})
        self.assertEqual(str(R.to_resource_set().nodelist), "node3")

    def test_a_writer_names_the_pool(self):
        from flux.resource.ResourcePool import _pool_class_from_uri

        self.assertIs(_pool_class_from_uri("copse.flux:Pool"), Pool)
        self.assertIs(_pool_class_from_uri("copse.flux"), Pool)


if __name__ == "__main__":
    unittest.main()
