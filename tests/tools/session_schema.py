#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether docs/tools/session.schema.json says of lines what it must.

usage: session_schema.py SCHEMA PAGE WRONG_REQUESTS WRONG_ANSWERS

The lines that the page shows, requests in quotes in its commands, answers in their output, must be
valid, but for requests that are among the wrong ones; the lines of the two files must not. Exit status: 0 so it is; 1 not so, each such line is printed;
77 there is no module jsonschema.
"""
import json
import re
import sys
import warnings

SKIPPED = 77
warnings.simplefilter("ignore")
try:
    import jsonschema
except ImportError:
    print("there is no module jsonschema (Debian 12: python3-jsonschema)")
    sys.exit(SKIPPED)


def is_request(text):
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and "op" in value


def shown_lines(page):
    """The requests and the answers in blocks ```console of a page."""
    requests, answers, inside = [], [], False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith(("$ ", "> ")):
            requests += [text for text in re.findall(r"'([^']*)'", line) if is_request(text)]
        elif inside and line.startswith("{"):
            answers.append(line)
    return requests, answers


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    schema_file, page_file, requests_file, answers_file = sys.argv[1:]
    schema = json.loads(read(schema_file))
    jsonschema.Draft202012Validator.check_schema(schema)

    def part(name):
        return jsonschema.Draft202012Validator(
            {"$defs": schema["$defs"], "$ref": "#/$defs/" + name})

    whole, request, answer = jsonschema.Draft202012Validator(schema), part("request"), part("answer")
    good_requests, good_answers = shown_lines(read(page_file))
    wrong_requests, wrong_answers = (read(f).splitlines() for f in (requests_file, answers_file))
    good_requests = [line for line in good_requests if line not in wrong_requests]
    wrong = []
    for lines, validator, must in ((good_requests, request, True), (good_answers, answer, True),
                                   (good_requests + good_answers, whole, True),
                                   (wrong_requests, request, False), (wrong_answers, answer, False)):
        wrong += [f"{'refused' if must else 'valid'}: {line}" for line in lines
                  if validator.is_valid(json.loads(line)) != must]
    for line in wrong:
        print(line)
    print(f"{len(good_requests)} requests, {len(good_answers)} answers, "
          f"{len(wrong_requests)} and {len(wrong_answers)} wrong ones")
    return 1 if wrong or not good_requests or not good_answers else 0


sys.exit(main())
