# SPDX-License-Identifier: Apache-2.0
"""Every public name says what it is. A class has sections on units, shapes, errors, cost and source, which hold for its
methods; a method says more where it differs. A function has sections of its own."""
import inspect
import re
import unittest

import copse
from copse import errors, gym, plan

CLASS_SECTIONS = ("Units", "Shapes", "Raises", "Cost", "Source")
FUNCTION_SECTIONS = ("Raises", "Cost")


def public_names():
    for module in (copse, plan, gym):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or callable(value):
                yield f"{module.__name__}.{name}", value


def members_of(cls):
    """Methods and properties that a class has of copse."""
    for name in dir(cls):
        if name.startswith("_"):
            continue
        owner = next(base for base in cls.__mro__ if name in vars(base))
        member = vars(owner)[name]
        is_member = callable(member) or isinstance(member, (property, staticmethod, classmethod))
        if is_member and owner.__module__.split(".")[0] == "copse":
            yield name, inspect.unwrap(getattr(cls, name))


def words_of(value):
    """The docstring without the signature that pybind11 puts before it."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"\A\w+\(.*\) -> .*\n*", "", text).strip()


def sections_of(text):
    """Lines 'Cost: ...', with what they say."""
    return {name: said for name, said in re.findall(r"^(\w+): *(\S.*)$", text, re.M)}


class DocstringsTest(unittest.TestCase):
    def test_every_public_name_says_what_it_is(self):
        self.assertGreater(len(list(public_names())), 35)
        for name, value in public_names():
            with self.subTest(name):
                self.assertRegex(words_of(value), r"\A[A-Z'].*[.:]", "no sentence")

    def test_classes_have_all_sections(self):
        for name, value in public_names():
            if inspect.isclass(value) and not issubclass(value, BaseException):
                with self.subTest(name):
                    self.assertEqual([of for of in CLASS_SECTIONS if of not in sections_of(words_of(value))], [])

    def test_functions_have_their_sections(self):
        for name, value in public_names():
            if not inspect.isclass(value):
                with self.subTest(name):
                    self.assertEqual([of for of in FUNCTION_SECTIONS if of not in sections_of(words_of(value))], [])

    def test_every_member_says_what_it_is(self):
        count = 0
        for name, value in public_names():
            if inspect.isclass(value):
                for member, has in members_of(value):
                    count += 1
                    with self.subTest(f"{name}.{member}"):
                        self.assertRegex(words_of(has), r"\A\S.*[.:]", "no sentence")
        self.assertGreater(count, 200)

    def test_exceptions_named_are_those_of_the_package(self):
        known = {name for name in dir(errors) if not name.startswith("_")} | {
            "ConnectionError", "TimeoutError", "FileNotFoundError", "IndexError", "KeyError", "BufferError",
            "RuntimeError", "OSError", "NeverStarted", "TypeError", "ValueError", "ModuleNotFoundError", "ImportError"}
        for name, value in public_names():
            texts = [words_of(value)]
            if inspect.isclass(value):
                texts += [words_of(member) for _, member in members_of(value)]
            for text in texts:
                for said in re.findall(r"[Rr]aises:? ([^.]*)", text):
                    for word in re.findall(r"\b[A-Z][A-Za-z]+\b", said):
                        with self.subTest(name, word=word):
                            self.assertIn(word, known)


if __name__ == "__main__":
    unittest.main()
