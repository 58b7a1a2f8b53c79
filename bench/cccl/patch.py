"""Gives CUB's device-wide sums of floats one rounding: patches a snapshot of CCCL in place.

    patch.py CCCL

- DeviceSegmentedReduce takes `gpu_to_gpu`, which it refused.
- DeviceReduce keeps its own `gpu_to_gpu`, or takes ours where CUB_EXACT_REDUCE is defined.
- cub/test gets catch2_test_device_segmented_reduce_exact.cu: the test of segmented reductions with
  float and double, required to be `gpu_to_gpu`, against sums of 113 bits.
"""

import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFUSAL = '''    static_assert(!::cuda::std::is_same_v<requested_determinism_t, ::cuda::execution::determinism::gpu_to_gpu_t>,
                  "gpu_to_gpu determinism is not supported for device segmented reductions ");
'''
SEGMENTED = '''    constexpr bool everywhere = detail::exact::everywhere<requested_determinism_t>;
    static_assert(!everywhere || detail::exact::sums<AccumT, ReductionOpT>
                    || detail::exact::associative<AccumT, ReductionOpT>,
                  "gpu_to_gpu determinism is not supported for this segmented reduction");
    if constexpr (everywhere && detail::exact::sums<AccumT, ReductionOpT>)
    {
      return detail::dispatch_with_env(env, [&](auto, void* storage, size_t& bytes, cudaStream_t stream) {
        return detail::exact::segmented_reduce<AccumT>(
          storage, bytes, d_in, d_out, num_segments, SEGMENTS, initial_value, stream);
      });
    }
'''
REDUCE = '''#ifdef CUB_EXACT_REDUCE
      return detail::dispatch_with_env(env, [&](auto, void* storage, size_t& bytes, cudaStream_t stream) {
        return detail::exact::reduce<accum_t>(
          storage, bytes, d_in, d_out, detail::make_num_items_dispatch_arg(num_items), transform_op, init, stream);
      });
#endif
'''
WRAPPERS = '''template <class F>
void everywhere(F f)
{
  REQUIRE(cudaSuccess == f(cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)));
  REQUIRE(cudaSuccess == cudaDeviceSynchronize());
}
'''
WRAPPER = '''template <class... As>
void {name}(As... args)
{{
  everywhere([&](auto env) {{ return {api}(args..., env); }});
}}
'''


def replaced(text, old, new, times=1):
    """The text with `old`, which must occur `times` times, replaced by `new`."""
    if text.count(old) != times:
        sys.exit(f"patch.py: {old.strip().splitlines()[0]!r} occurs {text.count(old)} times, not {times}: "
                 "another version of CCCL; take the one that README.md names")
    return text.replace(old, new)


def edit(path, *edits):
    text = path.read_text()
    for each in edits:
        text = replaced(text, *each)
    path.write_text(text)


def patch_headers(cub):
    ours = cub / "detail/onefold"
    if ours.exists():
        sys.exit(f"patch.py: {cub} is patched already; unpack the snapshot again")
    ours.mkdir()
    for header in [ROOT / "single/onefold_exact.hpp", *(ROOT / "single").glob("*.cuh")]:
        shutil.copy(header, ours)
    shutil.copy(ROOT / "bench/cccl/exact_reduce.cuh", cub / "detail")
    include = "#include <cub/detail/env_dispatch.cuh>\n"
    added = (include, include + "#include <cub/detail/exact_reduce.cuh>\n")
    place = "      // Only instantiated with `plus<float|double>`"
    edit(cub / "device/device_reduce.cuh", added, (place, REDUCE + place))

    path = cub / "device/device_segmented_reduce.cuh"
    parts = path.read_text().split(REFUSAL)
    if len(parts) != 8:
        sys.exit(f"patch.py: {path} refuses gpu_to_gpu {len(parts) - 1} times, not 7: another version of CCCL")
    variable = SEGMENTED.replace("SEGMENTS", "detail::exact::VariableSegments<BeginOffsetIteratorT, EndOffsetIteratorT>"
                                             "{d_begin_offsets, d_end_offsets}")
    fixed = SEGMENTED.replace("SEGMENTS", "detail::exact::FixedSegments{segment_size}")
    # The first refusal is that of ArgMin and ArgMax; the last four repeat that of fixed_size_env_impl.
    text = parts[0] + REFUSAL + parts[1] + variable + parts[2] + fixed + "".join(parts[3:])
    path.write_text(replaced(text, *added))


def make_test(test):
    text = (test / "catch2_test_device_segmented_reduce.cu").read_text()
    begin, end = text.index("DECLARE_LAUNCH_WRAPPER"), text.index("// %PARAM%")
    wrappers = WRAPPERS + "".join(
        WRAPPER.format(name=f"device_segmented_{name.lower()}", api=f"cub::DeviceSegmentedReduce::{name}")
        for name in ("Reduce", "Sum", "Min", "Max"))
    argument = [line for line in text[begin:end].splitlines() if "Arg" in line]
    text = text[:begin] + wrappers + "\n".join(argument) + "\n\n" + text[end:]
    text = replaced(text, "#if TEST_TYPES == 0",
                    "#if TEST_TYPES == 4\nusing full_type_list = c2h::type_list<type_pair<float>, type_pair<double>>;\n"
                    "#elif TEST_TYPES == 0")
    text = replaced(text, "#include <numeric>", "#include <numeric>\n#include <cuda/__execution/require.h>")
    # All sums of the reference are exact, then rounded by the conversion to the type of the results.
    text = replaced(text, "reduction_op, accum_t{}, expected", "std::plus<__float128>{}, __float128{}, expected")
    text = replaced(text, "op_t{}, accum_t{}, expected", "std::plus<__float128>{}, __float128{}, expected")
    text = replaced(text, "op_t{}, accum_t{}, h_expected", "std::plus<__float128>{}, __float128{}, h_expected")
    text = replaced(text, "reduction_op, default_constant, expected",
                    "std::plus<__float128>{}, __float128{default_constant}, expected")
    text = replaced(text, "c2h::gen(C2H_SEED(2), in_items);",
                    "c2h::gen(C2H_SEED(2), in_items, input_t{-1000}, input_t{1000});", 2)
    (test / "catch2_test_device_segmented_reduce_exact.cu").write_text(text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    patch_headers(root / "cub/cub")
    make_test(root / "cub/test")


main()
