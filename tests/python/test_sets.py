# SPDX-License-Identifier: Apache-2.0
"""Idset, Hostlist and ResourceSet."""
import unittest

import copse
from copse import Hostlist, Idset, ResourceSet


def r(ranks, children, hosts):
    return {"version": 1, "execution": {"R_lite": [{"rank": ranks, "children": children}], "nodelist": [hosts],
                                        "starttime": 0, "expiration": 0}}


class IdsetTest(unittest.TestCase):
    def test_sets(self):
        a, b = Idset("0-3,7"), Idset([3, 4])
        self.assertEqual(str(a | b), "0-4,7")
        self.assertEqual(str(a & b), "3")
        self.assertEqual(str(a - b), "0-2,7")
        self.assertEqual(str(a.union("9", 10)), "0-3,7,9-10")
        self.assertEqual(len(a), 5)
        self.assertEqual(list(a), [0, 1, 2, 3, 7])
        self.assertIn(7, a)
        self.assertNotIn(4, a)
        self.assertEqual((a.first(), a.next(3), a.last(), a.next(7), Idset().first()), (0, 7, 7, None, None))
        self.assertEqual(a, Idset("[0-3,7]"))
        self.assertNotEqual(a, "0-3,7")
        self.assertEqual(repr(a), "Idset('0-3,7')")

    def test_changes_in_place(self):
        a = Idset()
        self.assertIs(a.set(2, 5), a)
        a += "9"
        a -= Idset(3)
        a.clear(9)
        self.assertEqual(str(a), "2,4-5")
        self.assertEqual(str(a.copy().set(0)), "0,2,4-5")
        self.assertEqual(str(a), "2,4-5")

    def test_what_is_no_set(self):
        for wrong in ("3-1", "x", "1,1", -1, [2, -1]):
            with self.assertRaises(copse.Invalid):
                Idset(wrong)
        with self.assertRaises(copse.Invalid):
            Idset().set(5, 1)
        with self.assertRaises((TypeError, RuntimeError)):
            Idset(3.5)

    def test_a_large_range_costs_nothing(self):
        self.assertEqual(len(Idset("0-4000000000")), 4_000_000_001)


class HostlistTest(unittest.TestCase):
    def test_lists(self):
        hosts = Hostlist("node[0-3,7]")
        self.assertEqual((len(hosts), hosts[0], hosts[-1], str(hosts[1:3])), (5, "node0", "node7", "node[1-2]"))
        self.assertEqual(str(hosts[0, 4]), "node[0,7]")
        self.assertEqual(hosts.index("node[2,7]"), [2, 4])
        self.assertEqual(hosts.index("node[2,9]", ignore_nomatch=True), [2])
        with self.assertRaises(FileNotFoundError):
            hosts.find("node9")
        self.assertEqual(hosts.append("login1", ["a", "b"]), 3)
        self.assertEqual(hosts.delete("node[0-2]"), 3)
        self.assertEqual(hosts.expand(), ["node3", "node7", "login1", "a", "b"])
        self.assertEqual(str(Hostlist("n10,n9,n10").uniq()), "n[9-10]")
        self.assertEqual(hosts.copy(), hosts)
        with self.assertRaises(copse.Invalid):
            Hostlist("node[")


class ResourceSetTest(unittest.TestCase):
    def setUp(self):
        self.set = ResourceSet(r("0-3", {"core": "0-7", "gpu": "0"}, "node[0-3]"))

    def test_counts(self):
        s = self.set
        self.assertEqual((s.nnodes, s.ncores, s.ngpus, s.count("core")), (4, 32, 4, 32))
        self.assertEqual((str(s.ranks), str(s.nodelist)), ("0-3", "node[0-3]"))
        self.assertEqual(str(s), "rank[0-3]/core[0-7],gpu0")
        self.assertEqual(ResourceSet(s.encode()), s)
        self.assertEqual(ResourceSet(s.to_dict()), s)
        self.assertFalse(ResourceSet())

    def test_algebra(self):
        part = ResourceSet(r("1", {"core": "0-3"}, "node1"))
        self.assertEqual(str((self.set - part).copy_ranks("1")), "rank1/core[4-7],gpu0")
        self.assertEqual(self.set & part, part)
        self.assertEqual(self.set | part, self.set)
        self.assertEqual((self.set - part).union(part), self.set)
        rest = self.set - part
        rest.append(part)
        self.assertEqual(rest, self.set)
        with self.assertRaises(copse.Exists):
            rest.append(part)

    def test_ranks_and_hosts(self):
        self.assertEqual(self.set.host_ranks("node[3,1]"), [3, 1])
        with self.assertRaises(copse.NotFound):
            self.set.host_ranks("node9")
        self.assertEqual(str(self.set.copy().remove_ranks("0-2").ranks), "3")
        self.assertEqual(len(self.set.ranks), 4)

    def test_properties(self):
        self.set.set_property("big", "2-3")
        self.assertEqual(self.set.get_properties(), {"big": "2-3"})
        self.assertEqual(str(self.set.copy_constraint({"properties": ["big"]}).ranks), "2-3")
        self.assertEqual(str(self.set.copy_constraint('{"not": [{"hostlist": ["node3"]}]}').ranks), "0-2")
        with self.assertRaises(copse.NotFound):
            self.set.set_property("big", "9")

    def test_times(self):
        self.set.expiration = 60.5
        self.assertEqual(ResourceSet(self.set.encode()).expiration, 60.5)

    def test_what_is_no_r(self):
        for wrong in ("", "{}", "[]", {"version": 2}):
            with self.assertRaises(copse.Error):
                ResourceSet(wrong)


if __name__ == "__main__":
    unittest.main()
