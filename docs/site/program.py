"""The command line's reference: what `onefold --help` and the help of each verb print."""

import json
import re
import subprocess


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def verbs(program):
    """The names of all verbs, from the error message for a word that is not a verb."""
    done = subprocess.run([program, "no-such-verb"], capture_output=True, text=True)
    return re.search(r"the verbs are ([^;]*);", done.stderr)[1].split(", ")


def page(program, verb):
    usage, _, rest = run(program, "help", verb).partition("\n\n")
    idea, _, rest = rest.partition("\n\n")
    out = [f"# onefold {verb}", "", idea.strip(), "", "```text", usage, "```", ""]
    for part in re.split(r"\n(?=[A-Z][\w ]*\n  )", rest):
        title, _, body = part.partition("\n")
        options = re.findall(r"^  (--\S+(?: \S+)?) {1,}(.+)$", body, re.M) if title == "Options" else []
        if options:
            out += ["## Options", "", "| option | what it does |", "|---|---|"]
            # Within code a bar parts no cells.
            out += [f"| `{name.strip()}` | {says.strip().replace('|', chr(92) + '|')} |" for name, says in options]
            out.append("")
        elif title and body:
            out += [f"## {title}", "", "```sh", *(line[2:] for line in body.rstrip().split("\n")),
                    "```", ""]
        elif part.strip():
            out += [part.strip(), ""]
    return "\n".join(out) + "\n"


def pages(program):
    names = verbs(program)
    made = {f"reference/cli/{verb}.md": page(program, verb) for verb in names}
    out = ["# Command line: every verb", "",
           "`onefold OP FILE` is the verb [fold](fold.md). Each page is what `onefold help VERB` prints.",
           "", "| verb | |", "|---|---|"]
    for verb in names:
        idea = made[f"reference/cli/{verb}.md"].split("\n")[2]
        out.append(f"| [{verb}]({verb}.md) | {idea} |")
    out += ["", "## What `onefold --help` prints", "", "```text", run(program, "--help").rstrip(),
            "```", ""]
    made["reference/cli/README.md"] = "\n".join(out)
    return made


if __name__ == "__main__":
    import sys
    print(json.dumps(pages(sys.argv[1]), indent=1).replace("\\n", "\n"))
