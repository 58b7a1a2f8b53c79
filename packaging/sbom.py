#!/usr/bin/env python3
"""Writes the bill of materials of a wheel, CycloneDX 1.6: sbom.py OUT.json [NAME=VERSION ...]

The components are the rows of NOTICES that are in every binary, in the Python module, or beside it: libtbb, which auditwheel puts
into wheels for other machines. CMake gives the versions that it found; a library without one has no version here. Nothing in the file
depends on time or place, so two builds have the same bytes.
"""

import json
import pathlib
import re
import sys
import uuid

ROOT = pathlib.Path(__file__).parents[1]
LICENCES = {"Apache 2.0": "Apache-2.0", "MIT": "MIT", "BSD, 3 clauses": "BSD-3-Clause"}


def rows():
    """(where, name, copyright, licence) of each row of NOTICES."""
    table = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "NOTICES").read_text(), re.M)
    return [row for row in table if row[0] != "in"]


def bill(versions):
    version = re.search(r'ONEFOLD_VERSION "(.+)"', (ROOT / "onefold/version.hpp").read_text())[1]
    components = []
    for where, name, copyright_, licence in rows():
        if where in ("all", "Python module", "wheel"):
            one = {"type": "library", "name": name.split(",")[0], "copyright": copyright_,
                   "licenses": [{"license": {"id": LICENCES[licence]}}], "properties": [{"name": "onefold:in", "value": where}]}
            if versions.get(one["name"]):
                one["version"] = versions[one["name"]]
            components.append(one)
    text = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'onefold {version} {text}')}",
        "version": 1,
        "metadata": {"component": {"type": "library", "name": "onefold", "version": version, "purl": f"pkg:pypi/onefold@{version}",
                                   "licenses": [{"license": {"id": "MIT"}}]}},
        "components": components,
    }


def main():
    out, *words = sys.argv[1:]
    versions = dict(word.split("=", 1) for word in words)
    unknown = set(versions) - {row[1].split(",")[0] for row in rows()}
    if unknown:
        sys.exit(f"sbom.py: NOTICES has no row of {', '.join(sorted(unknown))}")
    pathlib.Path(out).write_text(json.dumps(bill(versions), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
