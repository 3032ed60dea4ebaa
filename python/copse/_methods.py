# SPDX-License-Identifier: Apache-2.0
"""Methods of the classes in C++ that are easier in Python."""
import contextlib

from copse._copse import Engine, Explanation, Table


@contextlib.contextmanager
def _what_if(self):
    """A clone to try things on; the engine itself stays as it is.

    >>> with engine.what_if() as trial:
    ...     trial.set_status("/desk0/rack0/node0", "down")
    """
    yield self.clone()


def _to_numpy(self):
    """Columns of numbers by name, without copies. Texts become lists."""
    import numpy

    out = {}
    for name in self.columns:
        try:
            out[name] = numpy.asarray(memoryview(self[name]))
        except BufferError:
            out[name] = self[name].to_list()
    return out


def _to_pandas(self):
    """The table as a pandas.DataFrame."""
    import pandas

    return pandas.DataFrame(self.to_numpy(), copy=False)


def _table_html(self):
    rows = range(min(len(self), 20))
    cells = "".join("<tr>" + "".join(f"<td>{self[name][row]}</td>" for name in self.columns) + "</tr>" for row in rows)
    more = f"<p>{len(self)} rows</p>" if len(self) > len(rows) else ""
    return "<table><tr>" + "".join(f"<th>{name}</th>" for name in self.columns) + f"</tr>{cells}</table>{more}"


def _explanation_html(self):
    import html

    return f"<pre>{html.escape(self.text)}</pre>"


Engine.what_if = _what_if
Table.to_numpy = _to_numpy
Table.to_pandas = _to_pandas
Table._repr_html_ = _table_html
Explanation._repr_html_ = _explanation_html
