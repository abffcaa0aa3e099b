"""Holds a running gateway to its own description.

openapi.py URL    of /openapi.json

The description is valid (openapi-spec-validator), its examples agree with its schemas, and schemathesis, which asks whatever
the description allows and some of what it does not, finds no fault of the server and no answer that is not described.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

url = sys.argv[1]
with urllib.request.urlopen(url) as answer:
    document = json.load(answer)
validate(document)
print("valid")

# Each example, by the schema beside it.
count = 0
for response in document["components"]["responses"].values():
    for content in response["content"].values():
        schema = {**content["schema"], "components": document["components"]}
        for example in content["examples"].values():
            Draft202012Validator(schema).validate(example["value"])
            count += 1
assert count > 20, count
print(count, "examples agree")

checks = ",".join(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
    ]
)
tool = os.path.join(os.path.dirname(sys.executable), "schemathesis")
command = [tool, "run", url, "--checks", checks, "--max-examples", "10", "--seed", "1", "--phases", "examples,coverage,fuzzing"]
with tempfile.TemporaryDirectory() as folder:
    sys.exit(subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL).returncode)
