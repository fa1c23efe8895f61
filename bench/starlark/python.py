# Runs a program of this folder in CPython: json has Starlark's names there.
import json
import sys

json.decode = json.loads
json.encode = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
with open(sys.argv[1]) as file:
    exec(compile(file.read(), sys.argv[1], "exec"), {"json": json})
