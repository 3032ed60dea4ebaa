# SPDX-License-Identifier: Apache-2.0
"""A program that uses the package for Python: it reads a machine, starts a job as often as it fits now,
and says when it fits next.

    best_place.py examples/machines/desk.graphml 'slot=1/[core=2;gpu=1]'
"""
import itertools
import sys

import copse


def main(machine, shape):
    engine = copse.Engine(copse.Machine.load(machine), policy="low")
    hour = engine.prepare(shape, duration=3600)
    for job in itertools.count(1):
        match = engine.reserve(hour, job)
        print(f"job {job}, from {match.start} s: {match.resources}")
        if match.reserved:
            break


if __name__ == "__main__":
    main(*sys.argv[1:])
