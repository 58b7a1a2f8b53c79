// `onefold lab run`: a kernel of the user's, on the simulated machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel_suppress.hpp"
#include "onefold/array.hpp"
#include "onefold/machine/sim/chip.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

// An array or a number that kernels are given, and afterwards what it holds.
struct KernelArgument {
  std::string name{};
  bool is_array = false;
  DType dtype = DType::i32;
  bool typed = false;             // a number without a type takes that of the parameter
  Size n = 0;                     // of an array
  bool written = false;           // an array has contents before the first launch
  std::vector<std::byte> data{};  // of an array
  Size unwritten = 0;             // elements that nobody has written
  std::string value{};            // of a number, as written

  bool operator==(const KernelArgument&) const = default;
};

// 'in:i32[2^14]=iota, out:i32[64], n=16384, s={in, i32:5}'. What stands after = : iota, zeros,
// ones, rand, a number, [1, 2, 3] or @FILE, whose bytes are the elements; of a struct its members.
//   throws  bad_option, cannot_open
std::vector<KernelArgument> kernel_arguments(const std::string& text, uint64_t seed);
// -2^63 to 2^64 - 1; nothing where it is written otherwise.
__extension__ typedef __int128 Wide;
std::optional<Wide> whole_number(std::string_view s);
// Parts between commas that are in no bracket.
std::vector<std::string> split_list(std::string_view text, char mark = ',');

// A struct as a kernel takes it. Arrays are pointers in it: where, and which of the arguments.
struct StructBytes {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, std::size_t>> pointers;
};
// '{in, i32:5, f32[2]:[0.5, 1]}'. throws bad_option
StructBytes struct_bytes(const std::string& name, const std::string& text,
                         const std::vector<KernelArgument>& all);

// "64", "8,4" or "8x4x2".
struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
  bool operator==(const Extent3&) const = default;
};

struct KernelLaunch {
  std::string kernel;  // empty: the only one that there is
  Extent3 grid, block;
  std::size_t shared = 0;              // bytes beside the static ones
  std::vector<std::string> arguments;  // names, or numbers; empty: all, in order
  bool operator==(const KernelLaunch&) const = default;
};
// 'reduce0<<<64, 256, 1024>>>(in, out, n); reduce0<<<1, 64, 256>>>(out, out, 64)'
//   throws  bad_option
std::vector<KernelLaunch> kernel_launches(const std::string& text);
// [{"kernel": "reduce0", "grid": 64, "block": [16, 16], "shared": 1024, "args": ["in", "out", 5]}]
//   throws  cannot_open, bad_option
std::vector<KernelLaunch> kernel_launches_of_file(const std::string& file);
//   throws  cannot_open, also where it holds more than `most` bytes: a device may hold any number
std::string text_of_file(const std::string& file, std::size_t most = std::size_t{1} << 26);
Extent3 extent_of(const std::string& option, const std::string& text);
std::string extent_text(const Extent3& e);

// By option, as the command line has them: {"grid", "64"}.
using WrittenOptions = std::map<std::string, std::string, std::less<>>;

struct KernelOptions {
  std::string file;                   // .cu or .ptx
  std::optional<std::string> text{};  // what it holds, where it is not read
  WrittenOptions sources{};           // by file: texts that PTX names, where they are not read
  std::string compiler;               // "nvrtc" or "clang"; empty: the first that is there
  std::string arch = "80";
  bool as_written = false;  // as -G compiles: every access is made
  std::vector<KernelLaunch> launches;
  std::vector<KernelArgument> arguments;
  sim::Chip chip = sim::sm_90;
  unsigned schedules = 2;
  bool cooperative = false;
  uint64_t budget = uint64_t{1} << 32;  // steps of all threads
  std::vector<std::string> expect;      // "out[0]==5", "sum(out)==7"
  std::vector<std::string> print;       // names
  std::vector<Suppression> allowed;     // beside those in the source
  bool own_main = false;                // launches are those of main()
  bool film = false;                    // step by step too, for a page
};

// Of `onefold lab run FILE`.
//   throws  bad_option, cannot_open
KernelOptions kernel_options(const std::string& file, const WrittenOptions& options);

// What no GPU takes.  throws  bad_option
void check_launches(const KernelOptions& o);

struct KernelFilm;  // lab/kernel_page.hpp

struct KernelExpectation {
  std::string text;
  bool holds = false;
  std::string found;  // what stands on the left
};

// A flaw that the author allows.
struct KernelSuppressed {
  sim::Flaw flaw;
  std::string text, reason;
  bool in_source = false;
};

struct KernelResult {
  std::string file, compiler;
  std::vector<KernelLaunch> launches;
  std::vector<KernelArgument> arguments;  // as the first schedule left them
  std::vector<std::string> unsteady;      // arrays that another schedule left otherwise
  std::vector<KernelExpectation> expectations;
  std::vector<std::string> print;
  std::string chip;
  unsigned schedules = 0;
  std::string printed;               // by the kernel
  std::string failure;               // why it was given up: a trap, an assertion
  sim::Report report;                // places by line
  uint64_t steps = 0;                // instructions of PTX, of all threads, and
  uint64_t longest = 0;              // of the one that took most
  std::shared_ptr<const void> kept;  // the names in it
  std::vector<std::string> flaws;    // a sentence each of report.flaws
  std::vector<KernelSuppressed> suppressed;
  std::vector<Suppression> unused;  // suppressions that match no flaw
  std::string does_not_compile;     // what the compiler says; nothing else is known then
  std::shared_ptr<const KernelFilm> film{};
  bool clean() const;  // no failure, no flaw, and all that was expected
};

//   throws  cannot_open, bad_option; type_mismatch: an argument of another type than the kernel's
//           parameter; DoesNotCompile; unsupported: an instruction that is not known, named with
//           its line
KernelResult run_kernel(const KernelOptions& options);
std::string to_table(const KernelResult& r);
std::string to_json(const KernelResult& r);
// Whether `out[0]==5` holds. throws bad_option
KernelExpectation expectation_of(const std::string& text, const std::vector<KernelArgument>& all);
// "sum 64, min 1, max 1" of an array, exact.
std::string sum_text(const KernelArgument& a);
// An element of an array as text.
std::string element_text(const KernelArgument& a, Size i);
double element_value(const KernelArgument& a, Size i);

}  // namespace onefold::lab
