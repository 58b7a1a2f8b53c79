#!/usr/bin/env python3
"""Writes the project's addresses where they are not known yet: address.py https://github.com/OWNER/onefold NAME@HOST

Until then pyproject.toml, the recipes, Go's module and debian/ name a host that cannot exist, so that nobody is sent to somebody else's page or
mail. Without an argument: lists these places, and exits with 1 if there are any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[1]
NOWHERE = "onefold" + ".invalid"


def places():
    files = [ROOT / "pyproject.toml", *sorted((ROOT / "debian").glob("*")), *sorted((ROOT / "packaging").glob("[!.]*/[!._]*")),
             *sorted((ROOT / "languages/go").rglob("*.go")), ROOT / "languages/go/go.mod", ROOT / "languages/go/README.md"]
    return [path for path in files if path.is_file() and path.suffix != ".pyc" and NOWHERE in path.read_text()]


def main():
    if len(sys.argv) == 1:
        found = places()
        for path in found:
            print(path.relative_to(ROOT))
        sys.exit(1 if found else 0)
    if len(sys.argv) != 3:
        sys.exit("usage: address.py https://HOST/OWNER/NAME MAIL")
    address, mail = sys.argv[1].rstrip("/"), sys.argv[2]
    repository = re.fullmatch(r"https://[\w.]+/([\w.-]+/[\w.-]+)", address)
    if not repository or not re.fullmatch(r"[^@\s]+@[^@\s]+", mail):
        sys.exit(f"{address!r} is not https://HOST/OWNER/NAME, or {mail!r} is not a mail address")
    for path in places():
        text = path.read_text()
        text = text.replace(f"https://{NOWHERE}/releases/", f"{address}/releases/download/")
        text = text.replace(f"https://{NOWHERE}", address).replace(f"github: {NOWHERE}/onefold", f"github: {repository[1]}")
        text = text.replace(f"{NOWHERE}/languages/go", f"{address.removeprefix('https://')}/languages/go")  # the path of a module
        path.write_text(text.replace(f"maintainers@{NOWHERE}", mail))
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
