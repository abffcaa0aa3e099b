"""docker-registry, whose /v2/_catalog pages by the Link header; its repositories are named after the items' ids."""

import ctypes
import os
import signal
import subprocess
import sys

import serving

PORT, ITEMS = int(sys.argv[1]), sys.argv[2]
STORE = os.path.join(os.path.dirname(ITEMS), "registry")
PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    for item in serving.load(ITEMS)["many"]:
        # What the catalog takes for a repository.
        os.makedirs(f"{STORE}/docker/registry/v2/repositories/library/{item['id']}/_layers", exist_ok=True)
    with open(f"{STORE}/config.yml", "w", encoding="utf-8") as file:
        file.write(
            f"""version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: "{STORE}"}}, maintenance: {{uploadpurging: {{enabled: false}}}}}}
http: {{addr: "127.0.0.1:{PORT}", secret: none}}
"""
        )
    registry = subprocess.Popen(["docker-registry", "serve", f"{STORE}/config.yml"], preexec_fn=die_with_parent)
    signal.signal(signal.SIGTERM, lambda *_: registry.terminate())
    sys.exit(registry.wait())
