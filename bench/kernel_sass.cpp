// Shows the machine code of our kernels, without a device. So one can see whether a change of their
// source changes the machine code.
//
//   kernel_sass [--chip sm_90] [--only sum:f32,var:bf16] [--states 0] [--axes 0] [--into FOLDER]
//   kernel_sass ... > before; (edit); kernel_sass ... > after; diff before after
//
//   --only   an op or several joined by +, and a type: mean+var:f32
//   line     for each kernel: ops, type and launch; registers, bytes of stack and of shared memory,
//            instructions, and their hash; a module's first line also has NVRTC's ms. Changes of
//            names and files leave the lines the same
//   --axes   shows kernels that fold along axes, also with masks, instead of those for whole arrays
//   --into   keeps the cubins, for nvdisasm -c, and the sources
//   --compile 0   only writes the sources, which kernel_ptx.py compares
//   needs    NVRTC
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "harness.hpp"
#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/cuda/shipped.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

constexpr const char* cases =
    "sum:f32,sum:f64,sum:bf16,sum:f16,sum:i8,sum:i16,sum:i64,norm1:f32,sumsq:f32,sumsq:f64,"
    "sumsq:bf16,sumsq:f16,sumsq:i32,var:f32,var:f64,var:bf16,var:f16,var:i8,max:f32,max:i8,"
    "max:f16,argmax:f32,argmax:f64,argmin:u8,ptp:bf16,any:f32,any:i64,count_nonzero:bf16,"
    "count_nonzero:u8,count_nan:f64,dot:f32,dot:f64,dot:bf16,dot:f16,dot:i32,describe:f32,"
    "describe:f64,describe:bf16,describe:i8";
constexpr const char* describe =
    "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,argmax,norm1,norm2";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string s; std::getline(in, s, ',');) words.push_back(s);
  return words;
}

DType type_of(std::string_view name) {
  for (int k = 0; k < dtype_count; ++k) {
    if (name == name_of(static_cast<DType>(k))) return static_cast<DType>(k);
  }
  throw std::runtime_error("there is no type " + std::string(name));
}

uint64_t hash_of(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

struct Code {
  int instructions = 0;
  uint64_t hash = 0;
};

// Returns each kernel's code, from the sections of a cubin; an instruction has 16 bytes.
std::map<std::string, Code> code_of(std::string_view image) {
  const auto at = [&]<class T>(std::size_t offset, T) {
    T v;
    std::memcpy(&v, image.substr(offset, sizeof v).data(), sizeof v);
    return v;
  };
  // ELF-64: e_shoff, e_shentsize, e_shnum, e_shstrndx; sh_name, sh_offset, sh_size.
  const auto table = at(0x28, uint64_t{});
  const auto step = at(0x3a, uint16_t{}), count = at(0x3c, uint16_t{}),
             names = at(0x3e, uint16_t{});
  const auto offset_of = [&](uint64_t k) { return at(table + k * step + 0x18, uint64_t{}); };
  std::map<std::string, Code> all;
  for (uint64_t k = 0; k < count; ++k) {
    const std::string name = image.data() + offset_of(names) + at(table + k * step, uint32_t{});
    if (!name.starts_with(".text.")) continue;
    const auto code = image.substr(offset_of(k), at(table + k * step + 0x20, uint64_t{}));
    all[name.substr(6)] = {static_cast<int>(code.size() / 16), hash_of(code)};
  }
  return all;
}

// Registers, stack and shared memory of each kernel, from the output of ptxas.
std::map<std::string, std::string> usage_of(const std::string& log) {
  static const std::regex kernel(
      "entry function '(\\w+)'[^]*?(\\d+) bytes stack frame[^]*?Used (\\d+) registers([^\\n]*)"),
      shared("(\\d+) bytes smem");
  std::map<std::string, std::string> all;
  for (std::sregex_iterator i(log.begin(), log.end(), kernel), end; i != end; ++i) {
    const std::string rest = (*i)[4];
    std::smatch m;
    all[(*i)[1]] =
        fmt::format("{:>3} registers {:>4} stack {:>6} shared", (*i)[3].str(), (*i)[2].str(),
                    std::regex_search(rest, m, shared) ? m[1].str() : "0");
  }
  return all;
}

void print(const std::string& what, const std::vector<cuda_backend::Kernel>& module,
           const std::string& chip, const std::filesystem::path& folder, bool compiles) {
  const auto file_of = [&](const cuda_backend::KernelKey& key, const char* ending) {
    const int number = static_cast<int>(key.stage) + static_cast<int>(key.walk);
    std::string stem = fmt::format("{}.{}.{}{}{}{}", what, chip, number,
                                   key.selects ? ".where" : "", key.ops == 0 ? ".state" : "",
                                   (key.ops & kernel::by_digits) != 0 ? ".digits" : "");
    std::replace(stem.begin(), stem.end(), ':', '.');
    return std::ofstream(folder / (stem + ending), std::ios::binary);
  };
  if (!compiles) {
    file_of(module.front().key, ".cu") << cuda_backend::source_of(module);
    return;
  }
  using Clock = std::chrono::steady_clock;
  const std::string source = cuda_backend::source_of(module);
  const auto begin = Clock::now();
  const std::string options[] = {"--ptxas-options=-v"};
  const auto made = jit::Nvrtc::get().compile(source, chip, jit::device_headers(), options);
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (made.image.empty()) throw std::runtime_error("NVRTC refuses " + source + made.log);
  auto code = code_of({made.image.data(), made.image.size()});
  auto usage = usage_of(made.log);
  for (const auto& [key, shape] : module) {
    const std::string name = cuda_backend::function_name(key);
    const int number = static_cast<int>(key.stage) + static_cast<int>(key.walk);
    fmt::print("{:<16} {} {} {} {:>6} instructions {:016x} {:>6.0f} ms\n", what,
               key.selects    ? "where "
               : key.ops == 0 ? "state "
                              : "answer",
               number, usage[name], code[name].instructions, code[name].hash,
               &key == &module.front().key ? ms : 0.0);
    if (folder.empty()) continue;
    file_of(key, ".cubin")
        .write(made.image.data(), static_cast<std::streamsize>(made.image.size()));
    file_of(key, ".cu") << source;
  }
  std::fflush(stdout);
}

// Returns the kernels that fold along axes, by totals if totals can answer the ops.
std::vector<std::vector<cuda_backend::Kernel>> axes_of(const std::string& ops, DType dtype,
                                                       const cuda_backend::Chip& chip) {
  using kernel::Walk;
  const auto rows = parse_ops(ops);
  std::vector<std::vector<cuda_backend::Kernel>> modules;
  for (const bool selects : {false, true}) {
    for (const auto walk :
         {Walk::nest, Walk::any_rows, Walk::long_rows, Walk::short_rows, Walk::columns,
          Walk::undecided, Walk::even_columns, Walk::single_columns, kernel::rows_by(0),
          kernel::rows_by(2), kernel::rows_by(5), Walk::segments, Walk::long_segments,
          Walk::undecided_segments}) {
      if (selects && walk == Walk::short_rows) continue;
      if ((walk == Walk::undecided || walk == Walk::undecided_segments) &&
          !cuda_backend::may_be_undecided(dtype, cuda_backend::bits_of(rows)))
        continue;
      const bool few = cuda_backend::has_few_f64(chip.name),
                 digits = !selects && (kernel::is_rows(walk) || kernel::is_columns(walk) ||
                                       (walk == Walk::undecided && few));
      const uint32_t bits = cuda_backend::bits_of(rows);
      const bool by_digits = digits && cuda_backend::sums_by_digits(dtype, bits, few);
      const cuda_backend::KernelKey key{.dtype = dtype,
                                        .set = needs_of(rows),
                                        .ops = bits | (by_digits ? kernel::by_digits : 0),
                                        .walk = walk,
                                        .selects = selects};
      modules.push_back({{key, cuda_backend::shape_of(key, chip.name, chip.shared_bytes)}});
    }
  }
  return modules;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string name = bench::option(argc, argv, "chip", "sm_90");
  const bool states = bench::option(argc, argv, "states", "0") != "0";
  const bool axes = bench::option(argc, argv, "axes", "0") != "0";
  const std::filesystem::path folder = bench::option(argc, argv, "into", "");
  const bool compiles = bench::option(argc, argv, "compile", "1") != "0";
  if (!folder.empty()) std::filesystem::create_directories(folder);
  const auto chips = cuda_backend::known_chips();
  const auto chip = std::find_if(chips.begin(), chips.end(),
                                 [&](const cuda_backend::Chip& c) { return c.name == name; });
  if (chip == chips.end()) throw std::runtime_error("no chip is called " + name);
  for (const std::string& one : words_of(bench::option(argc, argv, "only", cases))) {
    const std::size_t colon = one.find(':');
    const std::string op = one.substr(0, colon);
    std::string ops = op == "describe" ? describe : op;
    std::replace(ops.begin(), ops.end(), '+', ',');
    const DType dtype = type_of(one.substr(colon + 1));
    for (const auto& module :
         axes ? axes_of(ops, dtype, *chip) : cuda_backend::modules_of(ops, dtype, *chip)) {
      if (module.front().key.ops == 0 && !states) continue;
      print(one, module, name, folder, compiles);
    }
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "kernel_sass: {}\n", e.what());
  return 1;
}
