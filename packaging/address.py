#!/usr/bin/env python3
"""Writes the project's address where it is not known yet: address.py https://github.com/OWNER/onefold

Until then pyproject.toml, the recipes and debian/ name a host that cannot exist, so that nobody is sent to somebody else's page.
Without an argument: lists these places, and exits with 1 if there are any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[1]
NOWHERE = "onefold" + ".invalid"


def places():
    files = [ROOT / "pyproject.toml", *sorted((ROOT / "debian").glob("*")), *sorted((ROOT / "packaging").glob("[!.]*/[!._]*"))]
    return [path for path in files if path.is_file() and path.suffix != ".pyc" and NOWHERE in path.read_text()]


def main():
    if len(sys.argv) == 1:
        found = places()
        for path in found:
            print(path.relative_to(ROOT))
        sys.exit(1 if found else 0)
    address = sys.argv[1].rstrip("/")
    repository = re.fullmatch(r"https://[\w.]+/([\w.-]+/[\w.-]+)", address)
    if not repository:
        sys.exit(f"{address!r} is not https://HOST/OWNER/NAME")
    for path in places():
        text = path.read_text()
        text = text.replace(f"https://{NOWHERE}/releases/", f"{address}/releases/download/")
        text = text.replace(f"https://{NOWHERE}", address).replace(f"github: {NOWHERE}/onefold", f"github: {repository[1]}")
        path.write_text(text)
        print(f"{path.relative_to(ROOT)}{', where the mail address is still to be written' if NOWHERE in text else ''}")


if __name__ == "__main__":
    main()
