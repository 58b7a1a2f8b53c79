// Folds along axes on a device against the best plain read of as much memory in the same run.
//
//   bench/gpu_axes [--mib 1024] [--replays 9] [--only rows,columns] [--ops sum] [--types f32]
//                  [--lengths 3,100] [--check 16]
//
//   lengths  rows and columns of these lengths only, of one op each (`--ops`, or sum)
//   check    so many answers of each case (one, where they are of more than 2^20 elements) are
//            folded by the processor too: a line says where they differ
//   line     ops, type, shape, axes; us of a replayed graph; share = (bytes of input, mask and
//            answers) / time / plain read; GB/s of input
//   where    a byte an element, half of them 1
//   data     N(0,1), made on the host, one stretch of 64 MiB again and again
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gpu_reader.hpp"
#include "onefold/onefold.hpp"
#include "onefold/planned.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

struct Case {
  const char* family;
  std::string ops;
  DType dtype;
  std::vector<int64_t> shape;  // 0: as many as fit
  std::vector<int64_t> axes;
  int64_t step = 1;  // of the axis before the last: only each step-th index
  bool where = false;

  bool of_two() const { return std::strcmp(family, "pairs") == 0; }
  Size count() const { return static_cast<Size>(std::ranges::count(ops, ',')) + 1; }
};

// Pairs whose answers are f64.
void add_wide_pairs(std::vector<Case>& all) {
  for (const char* ops : {"cov", "corr", "cosine", "average"}) {
    all.push_back({"pairs", ops, f64, {0, 64}, {1}});
    all.push_back({"pairs", ops, f64, {0, 1024}, {1}});
  }
  for (const char* ops : {"mse", "corr", "max_abs_diff"}) {
    all.push_back({"pairs", ops, i32, {0, 64}, {1}});
    all.push_back({"pairs", ops, i32, {0, 1024}, {1}});
  }
  all.push_back({"pairs", "corr", f64, {0, 1000}, {0}});
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int64_t n : {2, 3, 4, 5, 7, 8, 16, 30, 32, 64, 100, 256, 1000, 1024, 4096, 1 << 20}) {
    all.push_back({"rows", "sum", f32, {0, n}, {1}});
  }
  for (const int64_t n : {2, 4, 16, 64, 256, 1024}) {
    all.push_back({"rows", "sum", f64, {0, n}, {1}});
    all.push_back({"rows", "sum", bf16, {0, n}, {1}});
    if (n >= 64) all.push_back({"rows", "sum", f16, {0, n}, {1}});
  }
  for (const int64_t n : {4, 16, 64, 256, 1024}) {
    all.push_back({"rows", "var", f32, {0, n}, {1}});
    all.push_back({"rows", "max", f32, {0, n}, {1}});
    all.push_back({"rows", "mean", f32, {0, n}, {1}});
    all.push_back({"rows", "argmax", f32, {0, n}, {1}});
    all.push_back({"rows", "sum", i32, {0, n}, {1}});
    all.push_back({"rows", "any", i8, {0, n}, {1}});
  }
  for (const int64_t n : {3, 4, 16, 64, 256, 1024, 65536}) {
    all.push_back({"columns", "sum", f32, {0, n}, {0}});
  }
  for (const int64_t n : {3, 64, 1024}) {
    all.push_back({"columns", "sum", f64, {0, n}, {0}});
    all.push_back({"columns", "sum", bf16, {0, n}, {0}});
    all.push_back({"columns", "sum", f16, {0, n}, {0}});
    all.push_back({"columns", "var", f32, {0, n}, {0}});
    all.push_back({"columns", "max", f32, {0, n}, {0}});
    all.push_back({"columns", "argmax", f32, {0, n}, {0}});
  }
  for (const int64_t n : {2, 4, 16}) all.push_back({"columns", "sum", f32, {n, 0}, {0}});
  all.push_back({"middle", "sum", f32, {0, 64, 64}, {1}});
  all.push_back({"middle", "sum", f32, {0, 100, 7}, {1}});
  all.push_back({"middle", "sum", bf16, {0, 64, 64}, {1}});
  all.push_back({"middle", "sum", f32, {0, 256, 3}, {1}});
  all.push_back({"apart", "sum", f32, {0, 1024, 1024}, {0, 2}});
  all.push_back({"apart", "var", f32, {0, 1024, 1024}, {0, 2}});
  for (const char* ops : {"sum", "mean", "max", "var"}) {
    all.push_back({"where", ops, f32, {0}, {0}, 1, true});
    all.push_back({"where", ops, f32, {0, 64}, {1}, 1, true});
    all.push_back({"where", ops, f32, {0, 1024}, {1}, 1, true});
    all.push_back({"where", ops, f32, {0, 64}, {0}, 1, true});
  }
  all.push_back({"where", "sum", f32, {0, 4}, {1}, 1, true});
  all.push_back({"where", "sum", f32, {0, 64, 64}, {1}, 1, true});
  all.push_back({"where", "sum", f64, {0, 256}, {1}, 1, true});
  all.push_back({"where", "sum", bf16, {0, 256}, {1}, 1, true});
  // Two arrays, each of half as many bytes.
  for (const char* ops : {"mse", "mae", "max_abs_diff", "distance", "dot", "corr", "cosine", "cov",
                          "slope", "average"}) {
    all.push_back({"pairs", ops, f32, {0, 64}, {1}});
    all.push_back({"pairs", ops, f32, {0, 1024}, {1}});
  }
  for (const char* ops : {"mse", "corr"}) {
    all.push_back({"pairs", ops, f32, {0, 16}, {1}});
    all.push_back({"pairs", ops, f32, {0, 1000}, {0}});
    all.push_back({"pairs", ops, f32, {0, 64, 64}, {1}});
    all.push_back({"pairs", ops, f32, {0}, {0}});
    all.push_back({"pairs", ops, bf16, {0, 64}, {1}});
    all.push_back({"pairs", ops, bf16, {0, 1024}, {1}});
    all.push_back({"pairs", ops, f32, {0, 64}, {1}, 1, true});
    all.push_back({"pairs", ops, f32, {0, 1024}, {1}, 1, true});
  }
  for (const char* ops :
       {"mse,mae,max_abs_diff,distance", "cov,corr,slope,intercept", "mse,corr,cosine,average"}) {
    all.push_back({"pairs", ops, f32, {0, 64}, {1}});
    all.push_back({"pairs", ops, f32, {0, 1024}, {1}});
  }
  for (const char* ops : {"mae", "max_abs_diff", "dot", "cosine", "cov", "slope", "average"}) {
    all.push_back({"pairs", ops, f32, {0, 64}, {1}, 1, true});
    all.push_back({"pairs", ops, f32, {0, 1024}, {1}, 1, true});
  }
  all.push_back({"pairs", "mse", f64, {0, 64}, {1}});
  all.push_back({"pairs", "mse", f64, {0, 1024}, {1}});
  add_wide_pairs(all);
  all.push_back({"strided", "sum", f32, {0, 512, 512}, {2}, 2});
  return all;
}

// Rows or columns of given lengths, instead of the usual cases.
std::vector<Case> cases_of(const std::string& family, const std::string& ops,
                           const std::string& lengths) {
  std::vector<Case> all;
  std::istringstream words(lengths);
  for (std::string n; std::getline(words, n, ',');) {
    for (const DType t : {f32, f64, bf16, f16, i32, i8}) {
      const bool rows = family != "columns";
      all.push_back({rows ? "rows" : "columns", ops, t, {0, std::stoll(n)}, {rows ? 1 : 0}});
    }
  }
  std::ranges::stable_sort(all, {}, &Case::dtype);  // arrays are filled once
  return all;
}

std::string text_of(const std::vector<int64_t>& list) {
  std::string s;
  for (const int64_t v : list) s += (s.empty() ? "" : ",") + std::to_string(v);
  return "(" + s + ")";
}

Dims dims_of(const std::vector<int64_t>& list) {
  Dims d;
  for (const int64_t v : list) d.push_back(v);
  return d;
}

}  // namespace

int main(int argc, char** argv) {
  Size mib = 1024;
  int replays = 9;
  Size check = 0;
  std::string only, ops, types, lengths;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string option = argv[k], value = argv[k + 1];
    if (option == "--mib") mib = std::stoull(value);
    if (option == "--replays") replays = std::stoi(value);
    if (option == "--only") only = value;
    if (option == "--ops") ops = value;
    if (option == "--types") types = "," + value + ",";
    if (option == "--lengths") lengths = value;
    if (option == "--check") check = std::stoull(value);
  }
  const Size bytes = mib << 20;
  // The second array begins half a piece before the second half of the memory, so its data differ.
  const Size piece = std::min(Size{64} << 20, bytes / 2);
  const Size second = bytes / 2 - piece / 2;
  jit::Gpu gpu;
  const uint64_t x = gpu.allocate(bytes), out = gpu.allocate(bytes * 2 + 256),
                 mask = gpu.allocate(bytes / 2);
  std::mt19937_64 random(1);
  std::vector<std::byte> taken(Size{1} << 20);
  for (std::byte& b : taken) b = static_cast<std::byte>(random() & 1);
  for (Size at = 0; at < bytes / 2; at += taken.size()) {
    gpu.copy_in(mask + at, taken.data(), std::min(taken.size(), bytes / 2 - at));
  }
  std::normal_distribution<double> normal;
  std::map<DType, std::vector<std::byte>> made;
  const auto fill = [&](DType t) {
    std::vector<std::byte>& host = made[t];
    const Size n = host.empty() ? piece / bytes_of(t) : 0;
    host.resize(piece);
    for (Size i = 0; i < n; ++i) {
      const double v = normal(random);
      const auto put = [&](auto e) { std::memcpy(&host[i * sizeof e], &e, sizeof e); };
      if (t == f64) put(v);
      if (t == f32) put(static_cast<float>(v));
      if (t == bf16) {
        put(static_cast<uint16_t>(bit_cast<uint32_t>(static_cast<float>(v)) >> 16));
      }
      if (t == f16) {
        const uint32_t b = bit_cast<uint32_t>(static_cast<float>(v)), a = b & 0x7fffffffu;
        put(static_cast<uint16_t>((b >> 16 & 0x8000u) |
                                  (a < 113u << 23 ? 0 : (a - (112u << 23)) >> 13)));
      }
      if (t == i32) put(static_cast<int32_t>(v * 1e6));
      if (t == i8) put(static_cast<int8_t>(v * 40));
    }
    for (Size at = 0; at < bytes; at += piece) {
      gpu.copy_in(x + at, host.data(), std::min(piece, bytes - at));
    }
  };
  const auto image = jit::Nvrtc::get().compile(bench::gpu_reader, gpu.facts().chip).image;
  void* const read = gpu.function(gpu.load(image), "read8");
  const auto plain = [&] {
    uint64_t p = x, o = out;
    unsigned long n = bytes / 16;
    void* args[] = {&p, &n, &o};
    return gpu.median_ms(
        [&] { gpu.launch(read, {.grid = static_cast<unsigned>(n / 2048), .block = 256}, args); },
        replays);
  };
  // Compares some answers with the processor's, whose elements are copied to contiguous memory.
  const auto differs = [&](const Case& c, const ArrayRef& array, const DType result, Size answers,
                           Size elements) -> std::string {
    const std::vector<std::byte>& host = made[c.dtype];
    const Size each = elements / answers, bytes_each = bytes_of(c.dtype);
    std::vector<std::byte> run(each * bytes_each), other(run.size()), got(bytes_of(result));
    const Size list = answers * got.size();  // bytes of all answers of one op
    const Size some = each > Size{1} << 20 ? 1 : std::min(check, answers);
    const auto all = std::make_unique<bool[]>(each);
    for (Size k = 0; k < some; ++k) {
      const Size answer = k == 0 ? answers - 1 : k == 1 ? 0 : random() % answers;
      for (Size e = 0; e < each; ++e) {
        Size of_answer = answer, of_element = e, offset = 0;
        for (int d = array.shape.rank() - 1; d >= 0; --d) {
          const bool folded = std::find(c.axes.begin(), c.axes.end(), d) != c.axes.end();
          Size& number = folded ? of_element : of_answer;
          const auto extent = static_cast<Size>(array.shape[d]);
          offset += number % extent * static_cast<Size>(array.strides[d]);
          number /= extent;
        }
        std::memcpy(&run[e * bytes_each], &host[offset % piece], bytes_each);
        std::memcpy(&other[e * bytes_each], &host[(offset + second) % piece], bytes_each);
        all[e] = !c.where || taken[offset / bytes_each % taken.size()] != std::byte{};
      }
      const Dims shape(static_cast<int64_t>(each));
      const ArrayRef one(run.data(), c.dtype, shape);
      Options options;
      options.where = Mask(ArrayRef(all.get(), DType::boolean, shape));
      const ArrayRef two(other.data(), c.dtype, shape);
      const Answers answers_of_one =
          c.of_two() ? fold(c.ops, one, two, options) : fold(c.ops, one, options);
      for (Size op = 0; op < c.count(); ++op) {
        const Value expected = answers_of_one.list[op][0];
        gpu.copy_out(got.data(), out + op * list + answer * got.size(), got.size());
        if (std::memcmp(&expected.bits, got.data(), got.size()) != 0) {
          return "  DIFFERS at answer " + std::to_string(answer);
        }
      }
    }
    return "";
  };
  DType filled = DType::boolean;
  double best = 0;
  const auto list = lengths.empty() ? cases() : cases_of(only, ops.empty() ? "sum" : ops, lengths);
  for (const Case& c : list) {
    if (!only.empty() && only.find(c.family) == std::string::npos) continue;
    if (!ops.empty() && ops != c.ops) continue;
    if (!types.empty() && types.find("," + std::string(name_of(c.dtype)) + ",") == types.npos) {
      continue;
    }
    if (filled != c.dtype) {
      fill(c.dtype);
      filled = c.dtype;
      best = std::max(best, static_cast<double>(bytes) / plain() / 1e6);
    }
    std::vector<int64_t> shape = c.shape;
    int64_t known = 1;
    for (const int64_t e : shape) known *= e == 0 ? 1 : e;
    for (int64_t& e : shape) {
      const Size there = c.of_two() ? bytes / 2 : bytes;
      if (e == 0) e = static_cast<int64_t>(there / bytes_of(c.dtype)) / known;
    }
    Dims strides = row_major(dims_of(shape), c.dtype);
    if (c.step != 1) {
      const auto d = static_cast<int>(shape.size()) - 2;
      strides[d] *= c.step;
      shape[static_cast<std::size_t>(d)] /= c.step;
    }
    const ArrayRef array(reinterpret_cast<const std::byte*>(x), c.dtype, dims_of(shape), strides);
    Size elements = 1, answers = 1;
    Dims kept;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      elements *= static_cast<Size>(shape[d]);
      const auto axis = static_cast<int64_t>(d);
      if (std::find(c.axes.begin(), c.axes.end(), axis) != c.axes.end()) continue;
      answers *= static_cast<Size>(shape[d]);
      kept.push_back(shape[d]);
    }
    const DType result = c.ops == "argmax"         ? i64
                         : c.ops == "any"          ? DType::boolean
                         : c.dtype != i32          ? c.dtype
                         : !c.of_two()             ? i64
                         : c.ops == "max_abs_diff" ? DType::u64
                                                   : f64;
    Options options{.axes = Axes(dims_of(c.axes)), .device = cuda(), .stream = gpu.stream()};
    if (c.where) {
      options.where =
          Mask(ArrayRef(reinterpret_cast<const std::byte*>(mask), DType::boolean, dims_of(shape)));
    }
    try {
      std::vector<OutputRef> to;
      for (Size op = 0; op < c.count(); ++op) {
        const uint64_t at = out + op * answers * bytes_of(result);
        to.push_back({reinterpret_cast<std::byte*>(at), result, kept});
      }
      const ArrayRef other(reinterpret_cast<const std::byte*>(x + second), c.dtype, dims_of(shape),
                           strides);
      const PlannedFold fold(c.ops, array, c.of_two() ? &other : nullptr, options);
      const auto run = [&] { fold.into(to); };
      run();
      gpu.synchronize();
      const double ms = gpu.median_ms(run, replays);
      const Size each = bytes_of(c.dtype) * (c.of_two() ? 2 : 1) + (c.where ? 1 : 0);
      const double in = static_cast<double>(elements * each),
                   all = in + static_cast<double>(c.count() * answers * bytes_of(result));
      fmt::print("{:8} {:6} {:5} {:20} {:8} {:9.1f} us {:6.3f} {:7.0f} GB/s{}{}\n", c.family, c.ops,
                 name_of(c.dtype), text_of(shape), text_of(c.axes), 1e3 * ms, all / ms / 1e6 / best,
                 in / ms / 1e6, c.of_two() && c.where ? " where" : "",
                 check == 0 ? "" : differs(c, array, result, answers, elements));
    } catch (const std::exception& e) {
      fmt::print("{} {} {} {}: {}\n", c.family, c.ops, name_of(c.dtype), text_of(shape), e.what());
    }
    std::fflush(stdout);
  }
  fmt::print("plain read {:.0f} GB/s\n", best);
}
