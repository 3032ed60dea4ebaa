# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/library/python.md."""
import doctest
import os
import pathlib
import unittest

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])


class Blocks(doctest.DocTestParser):
    """An example ends where its block ends."""

    def get_examples(self, string, name="<string>"):
        return super().get_examples(string.replace("\n```", "\n\n"), name)

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("\n```", "\n\n"), name)


class DocsTest(unittest.TestCase):
    def test_examples(self):
        os.chdir(ROOT)
        failed, tried = doctest.testfile(str(ROOT / "docs/library/python.md"), module_relative=False, parser=Blocks())
        self.assertGreater(tried, 10)
        self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main()
