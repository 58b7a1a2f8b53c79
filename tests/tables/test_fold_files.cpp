// Files of arrays give the bits that the same arrays give in memory: orders, byte orders, offsets,
// several files, axes, strips, threads, maps, reads and pipes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "expect_error.hpp"
#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/system/file_window.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/fold_files.hpp"
#include "scaled.hpp"
#include "tables/held_answers.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::npy_dict;
using test::npy_header;
using test::pick;
using test::Pipe;
using test::Random;
using test::Scratch;

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

// Returns the elements of a C-order array in Fortran order.
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

// Tests a random case: an array that is cut into files along its first axis.
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

  const Scratch folder;
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
    test::AnswerBuffer held;
    const bool sink = ops.find(',') == ops.npos && chance(2);
    Answers a =
        io::fold_files({ops, options}, files, input, {}, limits, nullptr, sink ? &held : nullptr);
    if (sink) a = held.all(a);
    EXPECT_EQ(show(a), show(fold(ops, {data.data(), t, shape}, options)))
        << ops << " of " << name_of(t) << " " << to_string(shape);
  });
  if (pipe && got.starts_with("needs_seek")) return;
  EXPECT_EQ(got, expected) << ops << " of " << name_of(t) << " " << to_string(shape);
}

TEST(FoldFiles, GivesTheBitsOfMemoryWhenReading) {
  for (uint64_t seed = 1; seed <= test::scaled(400u); ++seed) {
    check_case(seed);
    if (HasFailure()) return;
  }
}

TEST(FoldFiles, GivesTheBitsOfMemoryWhenMapping) {
  system::install_sigbus_guard();
  for (uint64_t seed = 1001; seed <= 1400; ++seed) {
    check_case(seed);
    if (HasFailure()) return;
  }
}

TEST(FoldFiles, RefusesMoreAnswersThanAreAllowed) {
  const Scratch folder;
  const auto path = folder.write("x.npy", npy_header(npy_dict("<f8", {3000000000, 0})));
  test::expect_error(ErrorCode::out_of_memory, {"3000000000 answers", "--output"}, [&] {
    io::fold_files({"sum", {.axes = {1}}}, {path}, {}, {}, {.answer_bytes = 100 << 20});
  });
  // If no answer has a value, the first answer's error is reported.
  test::AnswerBuffer held;
  io::fold_files({"min", {.axes = {1}}}, {path}, {}, {}, {.answer_bytes = 100 << 20}, nullptr,
                 &held);
}

TEST(FoldFiles, SumsOneFile) {
  const Scratch folder;
  const auto path = folder.write("x.npy", npy({1, 2, 3.5}, {3}));
  EXPECT_EQ(io::fold_files("sum", {path}, {}).get<double>("sum"), 6.5);
}

// Pairs of every order, byte order, axis, and of elements that are not aligned.
TEST(FoldFiles, FoldsPairsOfFilesOfAnyOrder) {
  const Scratch folder;
  Random r(7);
  const Dims shape(5, 7, 3);
  std::vector<double> x(105), y(105);
  for (double& v : x) v = static_cast<double>(pick(r, 0, 1000)) - 500;
  for (double& v : y) v = static_cast<double>(pick(r, 0, 1000)) / 8;
  const auto write = [&](const std::string& name, const std::vector<double>& v, bool fortran,
                         bool swapped) {
    std::string data = bytes_of_doubles(v);
    if (fortran) data = to_fortran(data, shape, 8);
    if (swapped) data = test::swap_elements(data, 8);
    std::string dict = npy_dict(swapped ? ">f8" : "<f8", shape, fortran);
    dict.insert(dict.size() - 1, pick(r, 0, 9), ' ');
    return folder.write(name, npy_header(dict) + data);
  };
  for (unsigned k = 0; k < 16; ++k) {
    const auto a = write("a", x, (k & 1) != 0, (k & 2) != 0);
    const auto b = write("b", y, (k & 4) != 0, (k & 8) != 0);
    for (const Axes& axes : {Axes(), Axes(0), Axes(1), Axes(2), Axes(0, 2), Axes::none()}) {
      const Options options{.axes = axes, .threads = 2};
      const io::Limits small{
          .window_bytes = 500, .least_window_bytes = 1, .state_bytes = 9000, .group_bytes = 2000};
      for (const io::Limits& limits : {io::Limits(), small}) {
        for (const char* ops : {"dot", "mse,mae", "corr"}) {
          EXPECT_EQ(show(io::fold_files({ops, options}, {a, b}, {}, {}, limits)),
                    show(fold(ops, {x.data(), f64, shape}, {y.data(), f64, shape}, options)))
              << ops << k;
        }
      }
    }
  }
}

TEST(FoldFiles, SaysHowItWillGo) {
  const Scratch folder;
  const auto path = folder.write("x.raw", "");
  std::filesystem::resize_file(path, 16000000);
  const auto plan = [&](const Dims& shape, const Axes& axes) {
    return io::plan_files({"sum", {.axes = axes}}, {path}, {.dtype = f64, .shape = shape});
  };
  const io::FilePlan columns = plan({10, 200000}, {0});
  EXPECT_EQ(columns.format, "raw");
  EXPECT_EQ(columns.shape, Dims(10, 200000));
  EXPECT_EQ(columns.bytes, 16000000u);
  EXPECT_GT(columns.strips, 1u);
  EXPECT_EQ(columns.access, "reads");
  EXPECT_EQ(plan({200000, 10}, {0}).strips, 1u);
  EXPECT_EQ(plan({10, 200000}, {1}).strips, 1u);
  EXPECT_EQ(io::plan_files("sum", {path}, {.format = "text"}).access, "text");
  EXPECT_FALSE(io::plan_files("sum", {path}, {.format = "text"}).shape_known);
}

TEST(FoldFiles, OfAPipeInStripsNeedsSeek) {
  const Scratch folder;
  const io::Limits small{.state_bytes = 5000};
  const auto error = [&](const std::string& content, const io::InputOptions& input) {
    const Pipe pipe(folder.path("p"), content);
    const std::string e = test::error_of([&] {
      io::fold_files({"sum", {.axes = {0}}}, {pipe.path()}, input, {}, small);
    });
    std::filesystem::remove(pipe.path());
    return e;
  };
  EXPECT_TRUE(error(std::string(800, 'x'), {.format = "raw", .dtype = u8, .shape = Dims(2, 400)})
                  .starts_with("needs_seek"));
  std::string line;
  for (int k = 0; k < 100; ++k) line += "1 ";
  EXPECT_TRUE(error(line + "\n" + line + "\n", {.format = "text"}).starts_with("needs_seek"));
}

TEST(FoldFiles, ReportsItsProgress) {
  const Scratch folder;
  std::vector<double> v(100000, 1.0);
  const auto path = folder.write("x.npy", npy(v, {100000}));
  Size last = 0, total = 0;
  io::fold_files("sum", {path}, {},
                 [&](Size done, Size of) {
                   EXPECT_GT(done, last);
                   last = done;
                   total = of;
                 },
                 {.window_bytes = 10000, .least_window_bytes = 1});
  EXPECT_EQ(last, 800000u);
  EXPECT_EQ(total, 800000u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
