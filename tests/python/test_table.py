# SPDX-License-Identifier: Apache-2.0
"""Columns and tables: buffers, Arrow's stream, numpy and pandas where they are there."""
import ctypes as c
import gc
import os
import pathlib
import unittest

import copse
import copse.plan

DESK = pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "examples/machines/desk.graphml"


class Schema(c.Structure):
    pass


class Array(c.Structure):
    pass


class Stream(c.Structure):
    pass


Schema._fields_ = [("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_char_p), ("flags", c.c_int64),
                   ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(Schema))),
                   ("dictionary", c.POINTER(Schema)), ("release", c.CFUNCTYPE(None, c.POINTER(Schema))),
                   ("private_data", c.c_void_p)]
Array._fields_ = [("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64), ("n_buffers", c.c_int64),
                  ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)),
                  ("children", c.POINTER(c.POINTER(Array))), ("dictionary", c.POINTER(Array)),
                  ("release", c.CFUNCTYPE(None, c.POINTER(Array))), ("private_data", c.c_void_p)]
Stream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))),
                   ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))),
                   ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.POINTER(Stream))),
                   ("release", c.CFUNCTYPE(None, c.POINTER(Stream))), ("private_data", c.c_void_p)]


def stream_of(capsule):
    get = c.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    return Stream.from_address(get(capsule, b"arrow_array_stream"))


class TableTest(unittest.TestCase):
    def test_texts_have_no_buffer(self):
        jobs = copse.plan.generate(3, copse.Machine.load(str(DESK)))
        table = copse.plan.run(copse.Machine.load(str(DESK)), jobs).to_table()
        with self.assertRaisesRegex(BufferError, "use to_list"):
            memoryview(table["id"])

    def setUp(self):
        engine = copse.Engine(copse.Machine.load(str(DESK)), policy="low")
        engine.match_many(engine.prepare("slot=1/core", 60), 5)
        self.table = engine.grants()
        self.free = engine.free()

    def test_columns(self):
        self.assertEqual(self.table.columns, ["job", "start", "end"])
        self.assertEqual(len(self.table), 5)
        self.assertEqual((self.table["job"][0], self.table["job"][-1]), (1, 5))
        self.assertEqual(self.table["end"].to_list(), [60] * 5)
        with self.assertRaises(IndexError):
            self.table["job"][5]
        with self.assertRaises(KeyError):
            self.table["nothing"]
        self.assertIn("<td>60</td>", self.table._repr_html_())

    def test_grants_are_those_of_the_engine_in_the_order_of_their_jobs(self):
        engine = copse.Engine(copse.Machine.load(str(DESK)), policy="low")
        request = engine.prepare("slot=1/core", 60)
        for job in (7, 3, 2**63 + 1, 9, 1):
            engine.match(request, job)
            request.set_duration(60 + job % 50)
        engine.cancel(9)
        engine.reserve(engine.prepare("slot=4/node{x}", 10), 5)
        table = engine.grants()
        jobs = engine.jobs()
        self.assertEqual(jobs, [1, 3, 5, 7, 2**63 + 1])
        self.assertEqual([job % 2**64 for job in table["job"].to_list()], jobs)
        self.assertEqual(table["start"].to_list(), [engine.grant(job).start for job in jobs])
        self.assertEqual(table["end"].to_list(), [engine.grant(job).end for job in jobs])
        self.assertGreater(table["start"][2], 0)
        self.assertEqual(copse.Engine(copse.Machine.load(str(DESK))).grants()["end"].to_list(), [])

    def test_buffers_share_memory_and_cannot_be_written(self):
        view = memoryview(self.free)
        self.assertEqual((view.format, view.shape, view.readonly), ("q" if view.format == "q" else "l", (4,), True))
        self.assertEqual(view.tolist(), [6, 7, 7, 7])
        with self.assertRaises(TypeError):
            view[0] = 1

    def test_arrow_stream(self):
        capsule = self.table.__arrow_c_stream__()
        stream, schema, array = stream_of(capsule), Schema(), Array()
        self.assertEqual(stream.get_schema(stream, schema), 0)
        self.assertEqual((schema.format, schema.n_children), (b"+s", 3))
        self.assertEqual([schema.children[i].contents.name for i in range(3)], [b"job", b"start", b"end"])
        self.assertEqual(schema.children[0].contents.format, b"l")
        self.assertEqual(stream.get_next(stream, array), 0)
        self.assertEqual((array.length, array.n_children, array.null_count), (5, 3, 0))
        jobs = array.children[0].contents
        values = (c.c_int64 * 5).from_address(jobs.buffers[1])
        del self.table
        gc.collect()
        self.assertEqual(list(values), [1, 2, 3, 4, 5])
        array.release(array)
        self.assertFalse(array.release)
        self.assertEqual(stream.get_next(stream, array), 0)
        self.assertFalse(array.release)  # the end
        schema.release(schema)
        del capsule

    def test_a_stream_may_be_left_alone(self):
        for _ in range(100):
            self.table.__arrow_c_stream__()

    def test_texts_in_numpy(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("there is no numpy")
        jobs = copse.plan.generate(3, copse.Machine.load(str(DESK)))
        table = copse.plan.run(copse.Machine.load(str(DESK)), jobs).to_table()
        self.assertEqual(table.to_numpy()["id"], table["id"].to_list())

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no numpy")
        columns = self.table.to_numpy()
        self.assertEqual(columns["job"].dtype, numpy.int64)
        self.assertEqual(columns["job"].tolist(), [1, 2, 3, 4, 5])
        self.assertFalse(columns["job"].flags.owndata)

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("there is no pandas")
        self.assertEqual(list(self.table.to_pandas().columns), ["job", "start", "end"])


if __name__ == "__main__":
    unittest.main()
