#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the session operations with the JSON schema and the Python client.

usage: session_operations.py OPERATIONS SCHEMA CLIENT

OPERATIONS is a JSON text: [{"name", "members", "jobs", "exclusive"}], from the C++ table. The schema has the operations
without a JobHost, each with exactly its members. The client has a method for each operation that a service supports,
except quit and watch, and sends only members of that operation. Exit status: 1 if something differs.
"""
import ast
import json
import sys

REQUEST = {"shape", "jobspec", "duration", "constraints", "hres"}
WITHOUT_METHOD = {"quit", "watch"}


def schema_operations(schema):
    """Yield the name and the members of each operation."""
    definitions = schema["$defs"]

    def members(part):
        found = set(part.get("properties", {}))
        for other in part.get("allOf", []):
            found |= members(definitions[other["$ref"].split("/")[-1]] if "$ref" in other else other)
        return found

    for part in definitions["request"]["oneOf"]:
        op = part["properties"]["op"]
        for name in op.get("enum") or [op["const"]]:
            yield name, members(part) - {"op"}


def client_operations(text):
    """Yield the name and the members of each call of self.ask() in class Operations."""
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "ask"):
            continue
        members = set()
        for keyword in node.keywords:
            if keyword.arg:
                members.add(keyword.arg)
            elif isinstance(keyword.value, ast.Dict):
                members |= {key.value for key in keyword.value.keys}
            else:
                members |= REQUEST
        yield node.args[0].value, members


def main():
    rows = {row["name"]: row for row in json.loads(sys.argv[1])}
    with open(sys.argv[2], encoding="utf-8") as file:
        schema = dict(schema_operations(json.load(file)))
    with open(sys.argv[3], encoding="utf-8") as file:
        client = dict(client_operations(file.read()))
    faults = []
    if set(schema) != {name for name, row in rows.items() if not row["jobs"]}:
        faults.append(f"operations of the schema: {sorted(schema)}")
    for name, members in schema.items():
        if members != set(rows[name]["members"]):
            faults.append(f"{name}: the schema has {sorted(members)}, the table {rows[name]['members']}")
    if set(client) != {name for name, row in rows.items() if not row["exclusive"]} - WITHOUT_METHOD:
        faults.append(f"operations of the client: {sorted(client)}")
    for name, members in client.items():
        if not members <= set(rows[name]["members"]):
            faults.append(f"{name}: the client sends {sorted(members)}, the table has {rows[name]['members']}")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
