"""The README as package indexes show it: links and pictures lead to the repository. For scikit-build-core (pyproject.toml)."""

import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).parents[1]
PICTURE = re.compile(r"(!\[[^\]]*\]\()(?!\w+:)([^)\s]+)\)")
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s]+)\)")  # what is left once pictures have their addresses


def absolute(text, home):
    """Markdown with its relative links below an address: pages as the host shows them, pictures as files."""
    text = PICTURE.sub(rf"\g<1>{home}/raw/main/\g<2>)", text)
    return LINK.sub(rf"{home}/blob/main/\g<1>)", text)


def dynamic_metadata(field, settings):
    if field != "readme" or settings:
        raise RuntimeError(f"packaging/readme.py makes only the field readme, without settings, not {field} with {settings}")
    home = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Homepage"]
    return {"content-type": "text/markdown", "text": absolute((ROOT / "README.md").read_text(), home)}
