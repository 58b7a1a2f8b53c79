"""Counts the instructions that add_array of single/onefold_block.cuh takes for an element, from machine code.

usage: block_sass.py [--arch 89] [--windows 0|1] [--nvcc nvcc] [--nvdisasm nvdisasm]
    --windows   ONEFOLD_INTEGER_WINDOWS; by default what the chip gets

It counts the loop over whole batches, of 16 f32, 8 f64 and 32 bf16, in a copy of the headers from which rare
code is cut out: elements that do not fit, and windows that are full.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
KERNELS = """
#include "onefold_block.cuh"
#define KERNEL(name, T)                                                                          \\
  extern "C" __global__ void __launch_bounds__(256, 4)                                           \\
      name(const T* x, onefold::Size n, onefold::Cell<T>* cell) {                                \\
    using Block = onefold::BlockSum<T, 256>;                                                     \\
    __shared__ typename Block::TempStorage temp;                                                 \\
    typename onefold::ThreadSum<T>::Limbs limbs;                                                 \\
    onefold::ThreadSum<T> sum(limbs);                                                            \\
    onefold::add_array<4>(sum, x, n);                                                            \\
    Block(temp).add_to(cell, sum);                                                               \\
  }
KERNEL(f32, float)
KERNEL(f64, double)
KERNEL(bf16, onefold::bfloat16)
"""


def cut(path):
    """Replaces rare code by traps."""
    text = path.read_text()
    begin = text.index("  __device__ __forceinline__ bool add_rare(T (&x)[N], Range r) {")
    end = text.index("  // Returns a bit for each element that the windows do not hold.")
    trap = "  __device__ __forceinline__ bool add_rare(T (&)[N], Range) {\n    __trap();\n    return true;\n  }\n"
    text = text[:begin] + trap + text[end:]
    text, found = re.subn(r"(if \(added_ > W::most - N\) )\{\n.*?\n    \}\n", r"\1__trap();\n", text, flags=re.DOTALL)
    assert found == 1
    path.write_text(text)


def loop_of(sass, name):
    """Returns the instructions of the shortest loop with four loads of 16 bytes."""
    labels, code, loops = {}, [], []
    for line in sass[sass.index(f"\n.text.{name}:"):].split("\n")[2:]:
        if line.startswith("//-----"):
            break
        if label := re.match(r"\.(L_x_\d+):", line):
            labels[label[1]] = len(code)
        elif instruction := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?) ;", line):
            code.append(instruction[1])
    for k, instruction in enumerate(code):
        back = re.search(r"BRA.*`\(\.(L_x_\d+)\)", instruction)
        body = code[labels.get(back[1], k + 1):k + 1] if back else []
        if sum("LDG" in x and "128" in x for x in body) == 4:
            loops.append(body)
    return min(loops, key=len)


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--arch", default="89")
parser.add_argument("--windows")
parser.add_argument("--nvcc", default="nvcc")
parser.add_argument("--nvdisasm", default="nvdisasm")
asked = parser.parse_args()

with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    for header in (ROOT / "single").glob("onefold_*"):
        shutil.copy(header, folder)
    cut(folder / "onefold_thread.cuh")
    (folder / "kernels.cu").write_text(KERNELS)
    define = [f"-DONEFOLD_INTEGER_WINDOWS={asked.windows}"] if asked.windows else []
    cubin = folder / "kernels.cubin"
    subprocess.run([asked.nvcc, "-std=c++17", f"-arch=sm_{asked.arch}", "-cubin", folder / "kernels.cu", "-o", cubin, *define],
                   check=True)
    sass = subprocess.run([asked.nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
for name, n in (("f32", 16), ("f64", 8), ("bf16", 32)):
    body = loop_of(sass, name)
    ops = collections.Counter(re.sub(r"^@!?U?P\d+ ", "", x).split()[0].split(".")[0] for x in body)
    told = ", ".join(f"{op} {count / n:.2f}" for op, count in ops.most_common(12))
    print(f"sm_{asked.arch} {name}: {len(body) / n:.1f} instructions an element: {told}")
