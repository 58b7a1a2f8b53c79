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


def bars(text):
    """A text for a table, in which a bar would begin another cell."""
    return text.replace("|", "\\|")


def entries(body):
    """[(name, what it means)] of lines "  --name VALUE  text", whose texts go on below."""
    found = []
    for line in body.rstrip().split("\n"):
        match = re.match(r"  (--\S+(?: \S+)?)(?:  +(.*))?$", line)
        if match:
            found.append([match[1], match[2] or ""])
        else:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def page(program, verb):
    usage, _, rest = run(program, "help", verb).partition("\n\n")
    idea, _, rest = rest.partition("\n\n")
    out = [f"# onefold {verb}", "", idea.strip(), "", "```text", usage, "```", ""]
    for part in rest.split("\n\n"):
        title, _, body = part.strip("\n").partition("\n")
        out += [f"## {title}", ""]
        if body.startswith("  --"):
            out += ["| option | what it does |", "|---|---|"]
            out += [f"| `{name}` | {bars(says)} |" for name, says in entries(body)]  # code may have bars
        else:
            out += ["```sh", *(line[2:] for line in body.split("\n")), "```"]
        out.append("")
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
            "```", "", "## Exit statuses", "", "```text", run(program, "help", "errors").rstrip(), "```", ""]
    made["reference/cli/README.md"] = "\n".join(out)
    return made


if __name__ == "__main__":
    import sys
    print(json.dumps(pages(sys.argv[1]), indent=1).replace("\\n", "\n"))
