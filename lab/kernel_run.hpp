// `onefold lab run`: runs a user's kernel on the simulated machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel_suppress.hpp"
#include "lab/whole_value.hpp"
#include "onefold/array.hpp"
#include "onefold/machine/sim/chip.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

// An array or a number that kernels get as argument; after the run, what it contains.
struct KernelArgument {
  std::string name{};
  bool is_array = false;
  DType dtype = DType::i32;
  bool typed = false;             // false: a number that takes the parameter's type
  Size n = 0;                     // if an array: its length
  bool written = false;           // an array that has contents before the first launch
  std::vector<std::byte> data{};  // if an array: its contents
  Size unwritten = 0;             // elements that nobody has written
  std::string value{};            // if a number: its text

  bool operator==(const KernelArgument&) const = default;
};

// Reads 'in:i32[2^14]=iota, out:i32[64], n=16384, s={in, i32:5}'. After = : iota, zeros, ones,
// rand, a number, [1, 2, 3] or @FILE, whose bytes are the elements; for a struct its members.
//   throws  bad_option, cannot_open
std::vector<KernelArgument> kernel_arguments(const std::string& text, uint64_t seed);
// An integer from -2^63 to 2^64 - 1; nothing if the text is none.
std::optional<Wide> whole_number(std::string_view s);
// Splits at commas that are outside of brackets.
std::vector<std::string> split_list(std::string_view text, char mark = ',');

// A struct as a kernel takes it. Arrays in it are pointers: offset, and number of the argument.
struct StructBytes {
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::size_t, std::size_t>> pointers;
};
// Reads '{in, i32:5, f32[2]:[0.5, 1]}'. throws bad_option
StructBytes struct_bytes(const std::string& name, const std::string& text,
                         const std::vector<KernelArgument>& all);

// Reads "64", "8,4" or "8x4x2".
struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
  bool operator==(const Extent3&) const = default;
};

struct KernelLaunch {
  std::string kernel;  // empty: the file's only kernel
  Extent3 grid, block;
  std::size_t shared = 0;              // dynamic shared memory
  std::vector<std::string> arguments;  // names or numbers; empty: all arguments, in order
  bool operator==(const KernelLaunch&) const = default;
};
// Reads 'reduce0<<<64, 256, 1024>>>(in, out, n); reduce0<<<1, 64, 256>>>(out, out, 64)'.
//   throws  bad_option
std::vector<KernelLaunch> kernel_launches(const std::string& text);
//   throws  cannot_open, also if the file has more than `most` bytes, since a device may be endless
std::string text_of_file(const std::string& file, std::size_t most = std::size_t{1} << 26);
Extent3 extent_of(const std::string& option, const std::string& text);
std::string extent_text(const Extent3& e);

// Options by name, as on the command line: {"grid", "64"}.
using WrittenOptions = std::map<std::string, std::string, std::less<>>;

// What a text from stdin is called, in the working folder.
inline const std::string file_of_stdin = "kernel.cu";

struct KernelOptions {
  std::string file;                   // .cu or .ptx
  std::optional<std::string> text{};  // the file's contents, if it need not be read
  WrittenOptions sources{};           // texts of files that PTX names, if they need not be read
  std::string compiler;               // "nvrtc" or "clang"; empty: the first that is found
  std::string arch = "80";
  bool as_written = false;  // compile as -G does: every access is made
  std::vector<KernelLaunch> launches;
  std::vector<KernelArgument> arguments;
  sim::Chip chip = sim::sm_90;
  unsigned schedules = 2;
  bool cooperative = false;
  uint64_t budget = uint64_t{1} << 32;             // the most steps of all threads of a launch
  uint64_t budget_after_flaw = uint64_t{1} << 23;  // as sim::Options has it; with --budget: all
  std::vector<std::string> expect;                 // "out[0]==5", "sum(out)==7"
  std::vector<std::string> print;                  // names of arrays
  std::vector<Suppression> allowed;  // suppressions in addition to those in the source
  bool own_main = false;             // main() makes the launches
  bool draws = true;    // also orders in which blocks interleave, as many as take 0.2 s, or two
  std::string order{};  // only this order, by the name that a report gives it
  unsigned preemptions = 0;  // of small orders the most departures; 0: none are tried
  unsigned actors = 2;       // of small orders the most blocks in flight
  bool film = false;         // also record step by step, for a page
};

// Reads the options of `onefold lab run FILE`.
//   throws  bad_option, cannot_open
KernelOptions kernel_options(const std::string& file, const WrittenOptions& options);

// Returns the text of the file that is run. throws cannot_open
inline std::string source_of(const KernelOptions& o) {
  return o.text ? *o.text : text_of_file(o.file);
}

// Refuses launches that no GPU could run. throws bad_option
void check_launches(const KernelOptions& o);

// What the machine counted in a launch; in equal launches of a main() together.
struct LaunchCounts {
  uint64_t times = 0, steps = 0, flops = 0;
  unsigned registers = 0;  // of a thread
  unsigned shared = 0;     // bytes of a block
  sim::Counters counters;
};

struct KernelFilm;  // lab/kernel_page.hpp

struct KernelExpectation {
  std::string text;
  bool holds = false;
  std::string found;     // the value of the left side
  std::string steady{};  // of steady(out): the array's name
  std::string order{};   // where it holds under the first order: another, where it does not
  std::string inputs{};  // of a sum that does not hold: "y[0] lacks x[4], x[9]"
};

// An array that another order left with other contents.
struct KernelUnsteady {
  std::string name, order;
};

// A flaw that the author allows, with the reason.
struct KernelSuppressed {
  sim::Flaw flaw;
  std::string text, reason;
  bool in_source = false;
};

struct KernelResult {
  std::string file, compiler;
  std::vector<KernelLaunch> launches;
  std::vector<LaunchCounts> counted;      // of each launch, in the first order
  std::vector<KernelArgument> arguments;  // as the first schedule left them
  std::vector<KernelUnsteady> unsteady;
  std::vector<KernelExpectation> expectations;
  std::vector<std::string> print;
  std::string chip;
  unsigned schedules = 0;
  unsigned drawn = 0, small_orders = 0;  // orders in which blocks interleave
  unsigned unfinished = 0;               // of these, given up since they took too long
  bool all_small = false;                // all small orders were tried
  std::string printed;                   // by the kernel
  std::string failure;                   // why the run was given up: a trap, an assertion
  sim::Report report;                    // its locations are lines
  uint64_t steps = 0;                    // PTX instructions of all threads,
  uint64_t longest = 0;                  // and of the thread that took most
  bool unwaited = false;                 // main() ended without waiting for a kernel that printed
  std::size_t leaked = 0;                // bytes of cudaMalloc that main() has not freed
  std::shared_ptr<const void> kept;      // keeps the names in `report` alive
  std::vector<std::string> flaws;        // a sentence for each of report.flaws
  std::vector<KernelSuppressed> suppressed;
  std::vector<Suppression> unused;  // suppressions that match no flaw
  std::string warnings;             // the compiler's: a line for each
  std::string does_not_compile;     // the compiler's message; nothing else is known then
  std::shared_ptr<const KernelFilm> film{};
  std::string page{};     // of a main(): the data of its page
  bool clean() const;     // no failure, no flaw, and all expectations hold
  bool expected() const;  // all expectations hold
};

//   throws  cannot_open, bad_option; type_mismatch: an argument does not have the parameter's type;
//           DoesNotCompile; unsupported: an unknown instruction, which the message names with its
//           line
KernelResult run_kernel(const KernelOptions& options);
// Runs the file's own main(); its output goes to stdout at once. Launches run in one order of
// threads, but races are found in any. A status other than 0 is an expectation that does not hold.
//   throws  as run_kernel; unsupported: there is no clang++
KernelResult run_main(const KernelOptions& options, const std::vector<std::string>& arguments);
std::string to_table(const KernelResult& r);
std::string to_json(const KernelResult& r);
// A row for each launch: lanes, divergence, efficiency of loads and stores.
std::string to_csv(const KernelResult& r);
// Evaluates an expectation such as `out[0]==5`. throws bad_option
KernelExpectation expectation_of(const std::string& text, const std::vector<KernelArgument>& all);
// Returns "sum 64, min 1, max 1" for an array, exactly.
std::string sum_text(const KernelArgument& a);
// Returns an element of an array as text.
std::string element_text(const KernelArgument& a, Size i);
double element_value(const KernelArgument& a, Size i);

}  // namespace onefold::lab
