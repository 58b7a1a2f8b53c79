"""Tables in every spelling, and what pandas and pyarrow read from them, for tests of the program."""

import csv
import io
import json
import math
import os
import random
import struct
import subprocess

import pandas as pd
import pyarrow as pa
import pyarrow.csv

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "-"]
WORDS = ["Oslo", "Zürich", "東京", "a b", "x", "Rio", "--", "1st", "NaNcy", "e5", "0x10", "1.2.3"]


def number(rng):
    """A number as people, programs or attackers write it."""
    kind = rng.randrange(10)
    if kind < 3:
        return str(rng.randrange(-1000, 1000))
    if kind < 5:
        return f"{rng.uniform(-1000, 1000):.{rng.randrange(0, 7)}f}"
    if kind == 5:  # any bits
        while True:
            x = struct.unpack("<d", rng.randbytes(8))[0]
            if math.isfinite(x):
                return repr(x)
    if kind == 6:
        return f"{rng.uniform(-1, 1):.{rng.randrange(1, 20)}{rng.choice('eE')}}"
    if kind == 7:  # halfway between two numbers, or nearly
        x = rng.getrandbits(53) | 1 << 52
        text = str((2 * x + 1) * 5)
        return f"{text[:-1]}.{text[-1]}" + rng.choice(["", "0000", "00000000000000000001"])
    if kind == 8:
        return str(rng.randrange(-2**53, 2**53))
    return rng.choice(["007", "0", "-0", "0.0", "-0.0", "1e22", "1e23", "5e-324", "2.2250738585072011e-308",
                       "1.7976931348623157e308", "123456789012345678901234567890.5", "1E5", "1e-5", "00.500"])


class Table:
    """A table in a random spelling. `ids` are its keys, `names` its columns of numbers."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.decimal = "," if rng.random() < 0.15 else "."
        self.delimiter = rng.choice([";", "\t", "|"] if self.decimal == "," else [",", ",", ",", "\t", ";", "|"])
        self.encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1"])
        self.extra = ["?", "-999"] if rng.random() < 0.2 else []
        words = [w for w in WORDS if self.encoding != "latin-1" or w != "東京"]
        awkward = ['he said "no"', f"a{self.delimiter}b", "two\nlines", " blanks "] if rng.random() < 0.4 else []
        kinds = ["number"] + [rng.choice(["number", "number", "integer", "text"]) for _ in range(rng.randrange(6))]
        rng.shuffle(kinds)
        titles = [f"c{k}" for k in range(len(kinds))]
        if rng.random() < 0.3:
            titles[rng.randrange(len(kinds))] = rng.choice(["temp (C)", "größe", "with, comma", 'a "name"'])
        self.names = [t for t, kind in zip(titles, kinds) if kind != "text"]
        rows = rng.randrange(1, 40)
        self.ids = [f"r{k}" for k in range(rows)]
        holes = rng.choice([0, 0, 0.1, 0.5])

        def field(kind, row):
            if kind == "text":
                return rng.choice(words + awkward)
            if row > 0 and rng.random() < holes:
                return rng.choice(MISSING + self.extra)
            text = str(rng.randrange(-10**6, 10**6)) if kind == "integer" else number(rng)
            return text.replace(".", self.decimal)

        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator=rng.choice(["\n", "\r\n"]),
                            quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        writer.writerow(["id"] + titles)
        for k, key in enumerate(self.ids):
            writer.writerow([key] + [field(kind, k) for kind in kinds])
        text = out.getvalue()
        if rng.random() < 0.2:
            text = text.rstrip("\r\n")
        self.bytes = text.encode(self.encoding)

    def options(self):
        told = ["--decimal", ","] if self.decimal == "," else []
        return told + (["--missing", ",".join(self.extra)] if self.extra else [])

    def by_pandas(self):
        frame = pd.read_csv(io.BytesIO(self.bytes), sep=self.delimiter, decimal=self.decimal, encoding=self.encoding,
                            float_precision="round_trip", keep_default_na=False,
                            na_values={c: MISSING + self.extra for c in self.names}, low_memory=False,
                            dtype={c: "float64" for c in self.names})
        return {c: [float(v) for v in frame[c]] for c in self.names}

    def by_pyarrow(self):
        table = pa.csv.read_csv(
            io.BytesIO(self.bytes), read_options=pa.csv.ReadOptions(encoding="utf-8" if self.encoding == "utf-8-sig" else self.encoding),
            parse_options=pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                decimal_point=self.decimal, null_values=MISSING + self.extra, quoted_strings_can_be_null=True,
                column_types={c: pa.float64() for c in self.names}))
        return {c: [math.nan if v is None else v for v in table[c].to_pylist()] for c in self.names}

    def by_program(self, path):
        """Returns the table's values as the program reads them: each is the maximum of its own group."""
        path.write_bytes(self.bytes)
        ran = subprocess.run([PROGRAM, "max", "--by", "id", "--json", "--nan", "propagate", *self.options(), str(path)],
                             capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr.decode()
        rows = {}
        for line in ran.stdout.decode(errors="replace").splitlines():
            group = json.loads(line)
            rows[group["by"]["id"]] = [
                math.nan if group[c]["max"] is None else float(group[c]["max"]) for c in group if c != "by"]
        assert sorted(rows) == sorted(self.ids)
        return {c: [rows[key][k] for key in self.ids] for k, c in enumerate(self.names)}


def bits(values):
    return [struct.pack("<d", math.nan if math.isnan(v) else v) for v in values]


def check(seed, path):
    table = Table(seed)
    ours = table.by_program(path)
    for peer in (table.by_pandas, table.by_pyarrow):
        theirs = peer()
        for name in table.names:
            assert bits(ours[name]) == bits(theirs[name]), (seed, peer.__name__, name, table.bytes)
