"""ECMAScript's Math.sumPrecise, in the first of node, deno and bun that has it."""

import json
import pathlib
import shutil
import struct
import subprocess

TYPES, NEEDS = ("f64", "f32"), "`pip install deno`"
SCRIPT = str(pathlib.Path(__file__).with_suffix(".mjs"))
COMMANDS = (["node", SCRIPT], ["deno", "run", SCRIPT], ["bun", SCRIPT])


def start():
    for command in COMMANDS:
        if shutil.which(command[0]):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True)
            said = process.stdout.readline()
            if said:
                return process, said.strip()
            process.communicate()
    raise ImportError("no node, deno or bun that has Math.sumPrecise")


process, VERSION = start()


def sum(x, type):
    return chunks([x], type)


def chunks(parts, type):
    digits = [[struct.pack(">d", v).hex() for v in x] for x in parts]
    process.stdin.write(json.dumps(digits) + "\n")
    process.stdin.flush()
    return struct.unpack(">d", bytes.fromhex(process.stdout.readline().strip()))[0]
