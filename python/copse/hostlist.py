# SPDX-License-Identifier: Apache-2.0
"""Hostlists (RFC 29), with the names of flux.hostlist.Hostlist."""
import re

from copse._copse import compress_hostlist, expand_hostlist


def _key(host):
    """Sorts by the text before the last digits, then by their number."""
    parts = re.fullmatch(r"(.*?)(\d*)(\D*)", host, re.DOTALL)
    return (parts[1], parts[3], int(parts[2] or -1), len(parts[2]))


def _hosts(arg):
    if isinstance(arg, Hostlist):
        return list(arg._hosts)
    if isinstance(arg, str):
        return expand_hostlist(arg)
    return [host for text in arg for host in expand_hostlist(text)]


class Hostlist:
    """An ordered list of host names, such as 'node[0-3,7]'. Hosts may stand in it several times.

    >>> Hostlist("node[0-3]")[1:]
    Hostlist('node[1-3]')

    Units: hosts; places from 0 on.
    Shapes: a list of texts; str() is the short form; a slice or a list of places gives a Hostlist.
    Raises: Invalid (brackets that are wrong), LimitExceeded (too many hosts), IndexError.
    Cost: O(hosts) each; sort() and uniq() O(hosts × log hosts).
    Source: RFC 29 of Flux, with the names of flux.hostlist.Hostlist.
    """

    def __init__(self, arg=""):
        self._hosts = _hosts(arg)

    def __str__(self):
        return compress_hostlist(self._hosts)

    def encode(self):
        """The short form: 'node[0-3,7]'."""
        return str(self)

    def __repr__(self):
        return f"Hostlist('{self}')"

    def __len__(self):
        return len(self._hosts)

    def count(self):
        """How many hosts it has."""
        return len(self)

    def __iter__(self):
        return iter(self._hosts)

    def __contains__(self, host):
        return host in self._hosts

    def __eq__(self, other):
        return isinstance(other, Hostlist) and self._hosts == other._hosts

    def __getitem__(self, index):
        if isinstance(index, int):
            return self._hosts[index]
        picked = self._hosts[index] if isinstance(index, slice) else [self._hosts[i] for i in index]
        out = Hostlist()
        out._hosts = picked
        return out

    def append(self, *args):
        """Adds hosts; how many they are."""
        more = [host for arg in args for host in _hosts(arg)]
        self._hosts += more
        return len(more)

    def delete(self, hosts):
        """Takes each host out once; how many they were."""
        before = len(self._hosts)
        for host in _hosts(hosts):
            if host in self._hosts:
                self._hosts.remove(host)
        return before - len(self._hosts)

    def sort(self):
        """Sorts by name, numbers as numbers; the list itself."""
        self._hosts.sort(key=_key)
        return self

    def uniq(self):
        """Sorts, and keeps each host once."""
        self._hosts = sorted(set(self._hosts), key=_key)
        return self

    def expand(self):
        """The hosts as a list of texts."""
        return list(self._hosts)

    def copy(self):
        """A list of its own with the same hosts."""
        return Hostlist(self)

    def find(self, host):
        """The index of a host's first occurrence. Raises FileNotFoundError."""
        try:
            return self._hosts.index(host)
        except ValueError:
            raise FileNotFoundError(f"{host} is not in the hostlist") from None

    def index(self, hosts, ignore_nomatch=False):
        """The index of each of several hosts. Raises FileNotFoundError for one that is missing, or omits it."""
        return [self.find(host) for host in _hosts(hosts) if not ignore_nomatch or host in self._hosts]
