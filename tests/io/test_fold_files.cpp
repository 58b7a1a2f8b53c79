// Files of arrays give the bits that the same arrays give in memory: orders, byte orders, offsets,
// several files, axes, strips, threads, maps, reads and pipes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "generate.hpp"
#include "io/files.hpp"
#include "io/fold_files.hpp"
#include "io/sigbus.hpp"

namespace onefold {
namespace {

using test::Folder;
using test::npy_dict;
using test::npy_header;
using test::pick;
using test::Pipe;
using test::Random;

std::string bytes_of_data(const test::Data& d) {
  return {reinterpret_cast<const char*>(d.data()), d.bytes()};
}

std::string bytes_of_doubles(const std::vector<double>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(double)};
}

std::string npy(const std::vector<double>& v, const Dims& shape, bool fortran = false) {
  return npy_header(npy_dict("<f8", shape, fortran)) + bytes_of_doubles(v);
}

std::string show(const Answers& answers) {
  std::string s;
  for (const Answer& a : answers.list) {
    s += a.op + " " + to_string(a.shape) + ":";
    for (Size i = 0; i < a.size(); ++i) {
      s += " " + std::to_string(a[i].bits);
      if (a.status[i] != Status::ok) s += std::string(name_of(a.status[i]));
    }
    s += "\n";
  }
  return s;
}

// Elements of a C-order array in Fortran order.
std::string to_fortran(const std::string& c, const Dims& shape, unsigned bytes) {
  std::string out(c.size(), ' ');
  const std::size_t n = c.size() / bytes;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t index = i, to = 0, step = 1;
    for (int d = 0; d < shape.rank(); ++d) step *= static_cast<std::size_t>(shape[d]);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const auto extent = static_cast<std::size_t>(shape[d]);
      step /= extent;
      to += index % extent * step;
      index /= extent;
    }
    std::memcpy(&out[to * bytes], &c[i * bytes], bytes);
  }
  return out;
}

// One random case: an array cut into files along its first axis.
void check_case(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random r(seed);
  const auto chance = [&](unsigned one_in) { return pick(r, 1, one_in) == 1; };
  auto t = static_cast<DType>(pick(r, 0, dtype_count - 1));
  const bool raw = t == bf16;
  const int rank = static_cast<int>(pick(r, raw ? 1 : 0, 4));
  Dims shape;
  const uint64_t most[] = {1, 3000, 60, 16, 9};
  for (int d = 0; d < rank; ++d) {
    shape.push_back(static_cast<int64_t>(pick(r, chance(40) ? 0 : 1, most[rank])));
  }
  std::size_t n = 1;
  for (const int64_t extent : shape) n *= static_cast<std::size_t>(extent);
  const auto all = test::generators(t);
  test::Data data = test::generate(all[pick(r, 0, all.size() - 1)], t, n, seed);
  // Ties, so that the first index matters.
  if (chance(2)) {
    for (std::size_t i = 0; i < n; ++i)
      data.set(i, data.bits(pick(r, 0, std::min<std::size_t>(n - 1, 3))));
  }

  std::vector<int64_t> list;
  for (int d = 0; d < rank; ++d) {
    if (chance(2)) list.push_back(chance(2) ? d : d - rank);
  }
  Options options{.keepdims = chance(3), .threads = static_cast<int>(pick(r, 1, 3))};
  if (!chance(3)) options.axes = Axes(std::span<const int64_t>(list));
  const char* requests[] = {"sum", "min,argmin", "argmax", "mean,var,argmin,max",
                            "count,sumsq,ptp"};
  const std::string ops = requests[pick(r, 0, 4)];

  const Folder folder;
  std::vector<std::string> files;
  const std::size_t parts = rank == 0 ? 1 : pick(r, 1, 3);
  const unsigned bytes = bytes_of(t);
  const std::string whole = bytes_of_data(data);
  const auto rows = rank == 0 ? 0 : static_cast<std::size_t>(shape[0]);
  std::size_t row = 0;
  io::InputOptions input;
  if (raw) {
    input.dtype = t;
    input.format = "raw";
    input.offset = pick(r, 0, 9);
    if (chance(2) || parts > 1 || rank != 1) input.shape = shape;
  }
  std::vector<std::unique_ptr<Pipe>> pipes;
  const bool pipe = chance(4);
  for (std::size_t p = 0; p < (raw ? 1 : parts); ++p) {
    const std::size_t end = p + 1 == parts || raw ? rows : pick(r, row, rows);
    Dims part = shape;
    std::string part_bytes = whole;
    if (rank > 0) {
      part[0] = static_cast<int64_t>(end - row);
      const std::size_t row_bytes = rows == 0 ? 0 : whole.size() / rows;
      part_bytes = whole.substr(row * row_bytes, (end - row) * row_bytes);
    }
    std::string content;
    if (raw) {
      content = std::string(input.offset, 'x') + part_bytes;
    } else {
      const bool fortran = chance(2), swapped = chance(3);
      if (fortran) part_bytes = to_fortran(part_bytes, part, bytes);
      if (swapped) part_bytes = test::swap_elements(part_bytes, bytes);
      std::string dict = npy_dict(test::descr_of(t, swapped), part, fortran);
      // Half of the headers leave the elements misaligned.
      if (chance(2)) dict.insert(dict.size() - 1, (64 - (10 + dict.size()) % 64) % 64, ' ');
      content = npy_header(dict) + part_bytes;
    }
    const std::string name = "part" + std::to_string(p);
    if (pipe) {
      pipes.push_back(std::make_unique<Pipe>(folder.path(name), content));
      files.push_back(folder.path(name));
    } else {
      files.push_back(folder.write(name, content));
    }
    row = end;
  }

  io::Limits limits;
  if (!chance(3)) {
    limits = {.window_bytes = pick(r, 30, 20000),
              .most_window_bytes = pick(r, 1, 20000),
              .least_window_bytes = 1,
              .state_bytes = pick(r, 1, 100000),
              .group_bytes = pick(r, 1, 20000)};
  }
  const std::string expected = test::error_of([&] { fold(ops, {data.data(), t, shape}, options); });
  const std::string got = test::error_of([&] {
    const Answers a = io::fold_files(ops, files, input, options, {}, limits);
    EXPECT_EQ(show(a), show(fold(ops, {data.data(), t, shape}, options)))
        << ops << " of " << name_of(t) << " " << to_string(shape);
  });
  if (pipe && got.starts_with("needs_seek")) return;
  EXPECT_EQ(got, expected) << ops << " of " << name_of(t) << " " << to_string(shape);
}

TEST(FoldFiles, GivesTheBitsOfMemoryWhenReading) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    check_case(seed);
    if (HasFailure()) return;
  }
}

TEST(FoldFiles, GivesTheBitsOfMemoryWhenMapping) {
  io::install_sigbus_guard();
  for (uint64_t seed = 1001; seed <= 1400; ++seed) {
    check_case(seed);
    if (HasFailure()) return;
  }
}

TEST(FoldFiles, SumsOneFile) {
  const Folder folder;
  const auto path = folder.write("x.npy", npy({1, 2, 3.5}, {3}));
  EXPECT_EQ(io::fold_files("sum", {path}, {}, {}).get<double>("sum"), 6.5);
}

}  // namespace
}  // namespace onefold
