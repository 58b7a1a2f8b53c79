"""Shows whether a change of onefold/cuda/kernel changes kernels: compiles sources of kernels to
PTX with the headers of two trees, and compares the texts; needs NVRTC, and no device.

    kernel_sass --into SOURCES --compile 0 ...        # writes the sources of kernels
    kernel_ptx.py SOURCES BEFORE AFTER [--most 100]   # BEFORE, AFTER: folders that hold onefold/

Names of functions and variables may differ, and so may the order of functions that are not inlined.
Where the PTX differs, the machine code of ptxas is compared, kernel by kernel. A tree needs
onefold/generated, too: a build makes it (build/release/include). Exits with 1 if a kernel changed.
"""
import argparse
import ctypes
import multiprocessing
import pathlib
import re
import struct
import sys

OPTIONS = ["-std=c++20", "--fmad=false", "-default-device", "-no-source-include",
           "--device-int128"]


def compile_to(what, source, chip, folders):
    """Returns the PTX or CUBIN of a source, and the compiler's log."""
    nvrtc = ctypes.CDLL("libnvrtc.so")
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    arch = chip.replace("sm_", "compute_") if what == "PTX" else chip
    words = OPTIONS + [f"-arch={arch}"] + [f"-I{folder}" for folder in folders]
    words += ["--ptxas-options=-v"] * (what == "CUBIN")
    array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    status = nvrtc.nvrtcCompileProgram(program, len(words), array)
    size = ctypes.c_size_t()

    def get(name):
        getattr(nvrtc, f"nvrtcGet{name}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{name}")(program, text)
        return text.raw
    result = get(what) if status == 0 else b""
    log = get("ProgramLog").decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return result, log


def without_names(ptx):
    """Returns the functions of a PTX text, sorted, with mangled names replaced by their order."""
    text = re.sub(r"//.*|\.(file|loc)\b.*", "", ptx)
    bodies = re.split(r"\n(?=\.(?:visible|func|weak|entry|extern|global|shared|const)\b)", text)
    found = []
    for body in bodies:
        names = {}
        found.append(re.sub(r"\$?_Z\w+|__\w+__\w*",
                            lambda m: names.setdefault(m[0], f"name{len(names)}"), body).strip())
    return sorted(set(found))


def machine_code(cubin):
    """Returns the instructions of a cubin: the bytes of each function, by its name."""
    at, = struct.unpack_from("<Q", cubin, 0x28)
    step, count, names = struct.unpack_from("<HHH", cubin, 0x3a)
    sections = [struct.unpack_from("<IIQQQQ", cubin, at + k * step) for k in range(count)]
    found = {}
    for name, _, _, _, offset, size in sections:
        begin = sections[names][4] + name
        word = cubin[begin:cubin.index(b"\0", begin)].decode()
        if word.startswith(".text."):
            found[word.removeprefix(".text.")] = cubin[offset:offset + size]
    return found


def compare(job):
    path, chip, before, after = job
    source = pathlib.Path(path).read_text()
    old, _ = compile_to("PTX", source, chip, before)
    new, log = compile_to("PTX", source, chip, after)
    if not old or not new:
        return path, "refused" if not new else "new", log
    if without_names(old.decode()) == without_names(new.decode()):
        return path, "same PTX", ""
    old, _ = compile_to("CUBIN", source, chip, before)
    new, _ = compile_to("CUBIN", source, chip, after)
    same = sorted(machine_code(old).values()) == sorted(machine_code(new).values())
    return path, "same code" if same else "CHANGED", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("before")
    parser.add_argument("after", help="folders that hold onefold/, separated by commas")
    parser.add_argument("--most", type=int, default=100, help="compare so many, evenly chosen")
    parser.add_argument("--only", default="", help="sources that contain this regular expression")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    paths = [p for p in sorted(given.sources.rglob("*.cu")) if re.search(given.only, p.read_text())]
    chosen = paths[::max(1, -(-len(paths) // given.most))]
    jobs = [(str(p), next(iter(re.findall(r"sm_\d+", str(p))), "sm_90"),
             given.before.split(","), given.after.split(",")) for p in chosen]
    counts = {}
    with multiprocessing.Pool(given.jobs) as pool:
        for path, verdict, log in pool.imap_unordered(compare, jobs):
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict not in ("same PTX", "same code"):
                print(path, verdict, log[:2000], flush=True)
    print(f"{len(chosen)} of {len(paths)} kernels:",
          ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(any(v in counts for v in ("CHANGED", "refused")) or not chosen)


if __name__ == "__main__":
    main()
