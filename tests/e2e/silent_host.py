#!/usr/bin/env python3
"""In place of `ingle host`: says hello and then nothing more. What it is asked it writes to the file that it is
given."""
import json
import sys

with open(sys.argv[1], "a") as log:
    for line in sys.stdin:
        asked = json.loads(line)
        print(asked["op"], asked.get("target", asked["id"]), file=log, flush=True)
        if asked["op"] == "hello":
            print(json.dumps({"id": asked["id"], "event": "hello", "version": asked["version"], "program": "silence"}),
                  flush=True)
