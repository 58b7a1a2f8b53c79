#include "lab/host_main.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>

#include "lab/kernel_judge.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/process.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

// Declared as in lab/ptx/host_header.hpp, which the file includes.
struct Table {
  void* (*allocate)(std::size_t bytes);
  void* (*managed)(std::size_t bytes);
  int (*copy)(void* to, const void* from, std::size_t bytes);
  int (*fill)(void* to, int value, std::size_t bytes);
  int (*symbol)(const char* name, std::size_t offset, void* host, std::size_t bytes, int to_device);
  int (*launch)(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
                int cooperative);
  void (*leave)(int status);
};
struct Name {
  const void* host;
  const char* name;
};

constexpr int invalid_value = 1, no_memory = 2, invalid_configuration = 9;
constexpr std::size_t most_memory = std::size_t{1} << 32;

// One run of main(): the machine, its memory, and what was launched.
class Session {
 public:
  Session(const KernelOptions& o, const ptx::Program& program,
          const std::vector<std::string>& kernels)
      : options_(o),
        program_(program),
        kernels_(kernels),
        gpu_({.chip = o.chip,
              .schedule = 1,
              .count = true,
              .scopes = program.scopes(),
              .observer = nullptr,
              .budget = o.budget}),
        run_(gpu_) {
    program.place(run_, run_.arrays);
  }

  void* allocate(std::size_t bytes) {
    used_ += bytes;
    if (used_ > most_memory) return nullptr;
    const std::string& name = names_.emplace_back(fmt::format("allocation {}", names_.size() + 1));
    const unsigned grain = program_.grain(4);
    const auto put = [&]<class T>(T) {
      return gpu_.allocate<T>(name.c_str(), (bytes + sizeof(T) - 1) / sizeof(T), nullptr).space;
    };
    run_.arrays.push_back(grain == 1   ? put(uint8_t{})
                          : grain == 2 ? put(uint16_t{})
                                       : put(uint32_t{}));
    return reinterpret_cast<void*>(run_.arrays.size() * ptx::array_span);
  }
  // Memory of the host that is copied before each launch and after it.
  void* managed(std::size_t bytes) {
    void* device = allocate(bytes);
    if (device == nullptr) return nullptr;
    Managed& m = managed_.emplace_back();
    m.host.resize(std::max<std::size_t>(bytes, 1));
    m.device = reinterpret_cast<uint64_t>(device);
    return m.host.data();
  }
  int copy(void* to, const void* from, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    if (!read(from, data) || !write(to, data)) return invalid_value;
    return 0;
  }
  int fill(void* to, int value, std::size_t bytes) {
    return write(to, std::vector<std::byte>(bytes, static_cast<std::byte>(value))) ? 0
                                                                                   : invalid_value;
  }
  int symbol(const char* name, std::size_t offset, void* host, std::size_t bytes, bool to_device) {
    const auto there = program_.place_of(name);
    if (!there || offset + bytes > there->bytes) return invalid_value;
    if (there->constant) {
      std::byte* at = run_.constants.data() + there->at + offset;
      std::memcpy(to_device ? static_cast<void*>(at) : host, to_device ? host : at, bytes);
      return 0;
    }
    void* device = reinterpret_cast<void*>(there->at + offset);
    return to_device ? copy(device, host, bytes) : copy(host, device, bytes);
  }
  int launch(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
             bool cooperative) {
    const KernelLaunch l{.kernel = ptx::written_name(name),
                         .grid = {shape[0], shape[1], shape[2]},
                         .block = {shape[3], shape[4], shape[5]},
                         .shared = shared,
                         .arguments = {}};
    const auto at = std::find(kernels_.begin(), kernels_.end(), name);
    const uint64_t threads = dim(l.block).count();
    if (at == kernels_.end()) return invalid_value;
    const auto k = static_cast<std::size_t>(at - kernels_.begin());
    const uint64_t most = program_.kernel(k).most_threads;
    if (threads == 0 || threads > 1024 || dim(l.grid).count() == 0 ||
        dim(l.grid).count() > (1u << 24) || (most != 0 && threads > most)) {
      return invalid_configuration;
    }
    if (std::find(launches.begin(), launches.end(), l) == launches.end()) launches.push_back(l);
    prepare(run_, program_, k, l);
    place_arguments(k, arguments);
    for (const Managed& m : managed_) write(reinterpret_cast<void*>(m.device), m.host);
    run_.launch(cooperative);
    for (Managed& m : managed_) read(reinterpret_cast<void*>(m.device), m.host);
    std::fputs(run_.printed.c_str(), stdout);
    run_.printed.clear();
    const std::vector<sim::Flaw> flaws = gpu_.report().flaws;
    given_up_ = !run_.failure.empty() || std::any_of(flaws.begin(), flaws.end(), out_of_budget);
    return 0;
  }
  // A launch was abandoned, so main() ends there.
  bool given_up() const { return given_up_; }

  std::vector<KernelLaunch> launches;
  sim::Report report() const { return gpu_.report(); }
  const ptx::Running& running() const { return run_; }

 private:
  struct Managed {
    std::vector<std::byte> host;
    uint64_t device = 0;
  };

  // The array at a device address; null and true if the address is the host's.
  bool find(const void* p, std::size_t bytes, sim::Space*& space, uint64_t& offset) const {
    offset = reinterpret_cast<uint64_t>(p);
    space = run_.array_at(offset);
    return space == nullptr || (offset <= space->bytes && bytes <= space->bytes - offset);
  }
  bool read(const void* from, std::vector<std::byte>& data) const {
    sim::Space* space = nullptr;
    uint64_t at = 0;
    if (!find(from, data.size(), space, at)) return false;
    if (!data.empty())
      std::memcpy(data.data(), space != nullptr ? space->base + at : from, data.size());
    return true;
  }
  bool write(void* to, const std::vector<std::byte>& data) {
    sim::Space* space = nullptr;
    uint64_t at = 0;
    if (!find(to, data.size(), space, at)) return false;
    if (data.empty()) return true;
    if (space == nullptr) {
      std::memcpy(to, data.data(), data.size());
      return true;
    }
    // Whole elements of the shadow: what lies around the bytes stays.
    const uint64_t grain = space->grain, from = at / grain * grain,
                   end = (at + data.size() + grain - 1) / grain * grain;
    std::vector<std::byte> all(space->base + from, space->base + end);
    std::memcpy(all.data() + (at - from), data.data(), data.size());
    const auto put = [&]<class T>(T) {
      gpu_.write(sim::Pointer<T>{space, from}, reinterpret_cast<const T*>(all.data()),
                 all.size() / sizeof(T));
    };
    grain == 1 ? put(uint8_t{}) : grain == 2 ? put(uint16_t{}) : put(uint32_t{});
    return true;
  }
  void place_arguments(std::size_t k, void** arguments) {
    run_.arguments.assign(run_.code->param_bytes, std::byte{0});
    std::size_t offset = 0, j = 0;
    for (const ptx::Variable& p : program_.kernel(k).params) {
      const std::size_t align = std::max<std::size_t>(p.align, 8);
      offset = (offset + align - 1) / align * align;
      std::byte* to = run_.arguments.data() + offset;
      std::memcpy(to, arguments[j++], p.bytes);
      offset += std::max<std::size_t>(p.bytes, 8);
      uint64_t value = 0;
      if (p.bytes == sizeof value) std::memcpy(&value, to, sizeof value);
      for (const Managed& m : managed_) {
        const auto host = reinterpret_cast<uint64_t>(m.host.data());
        if (p.bytes != 8 || value < host || value >= host + m.host.size()) continue;
        value += m.device - host;
        std::memcpy(to, &value, sizeof value);
        break;
      }
    }
  }

  const KernelOptions& options_;
  const ptx::Program& program_;
  const std::vector<std::string>& kernels_;
  sim::Engine gpu_;
  ptx::Running run_;
  std::deque<std::string> names_;
  std::deque<Managed> managed_;
  std::size_t used_ = 0;
  bool given_up_ = false;
};

// The functions that main() calls have no argument of ours. main() ends where it calls exit, and
// where a launch is given up: frames of the file, which may not take exceptions, are left at once.
Session* session = nullptr;
std::jmp_buf end_of_main;
int status_of_main = 0;
std::exception_ptr error_of_main;

void* hook_allocate(std::size_t n) { return session->allocate(n); }
void* hook_managed(std::size_t n) { return session->managed(n); }
int hook_copy(void* to, const void* from, std::size_t n) { return session->copy(to, from, n); }
int hook_fill(void* to, int v, std::size_t n) { return session->fill(to, v, n); }
int hook_symbol(const char* name, std::size_t at, void* host, std::size_t n, int to_device) {
  return session->symbol(name, at, host, n, to_device != 0);
}
void hook_leave(int status) {
  status_of_main = status;
  std::longjmp(end_of_main, 1);
}
bool launched(int& result, const char* name, const unsigned* shape, void** arguments,
              std::size_t shared, int cooperative) {
  try {
    result = session->launch(name, shape, arguments, shared, cooperative != 0);
    return !session->given_up();
  } catch (...) {
    error_of_main = std::current_exception();
    return false;
  }
}
int hook_launch(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
                int cooperative) {
  int result = 0;
  if (!launched(result, name, shape, arguments, shared, cooperative)) hook_leave(0);
  return result;
}

int call_main(int (*main_of_file)(int, char**), std::vector<char*>& words) {
  status_of_main = 0;
  error_of_main = nullptr;
  if (setjmp(end_of_main) == 0) {
    status_of_main = main_of_file(static_cast<int>(words.size()) - 1, words.data());
  }
  std::fflush(stdout);
  return status_of_main;
}

// The name with template arguments, "void sum<256>(int const*, int)"; empty if the kernel is no
// template.
std::string instantiation(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  const std::string s = text == nullptr ? "" : text;
  std::free(text);
  return s.find('<') < s.find('(') ? "template __global__ " + s + ";\n" : "";
}

}  // namespace

bool has_main(const std::string& text) {
  for (auto at = text.find("main("); at != text.npos; at = text.find("main(", at + 1)) {
    if (at >= 4 && text.compare(at - 4, 4, "int ") == 0) return true;
  }
  return false;
}

KernelResult run_main(const KernelOptions& o, const std::vector<std::string>& arguments) {
  const std::string source = text_of_file(o.file);
  const ptx::TemporaryFolder folder;
  const std::string library = folder.path() + "/main.so";
  ptx::compile_host({.file = o.file, .text = source}, library);
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("lab run: main() of {}: {}", o.file, dlerror()));
  }
  const auto* names = static_cast<const Name*>(dlsym(loaded, "onefold_names"));
  const int count = *static_cast<const int*>(dlsym(loaded, "onefold_name_count"));
  // For templates, main() names the instantiations.
  std::string text = source + "\n";
  for (int k = 0; k < count; ++k) text += instantiation(names[k].name);
  const ptx::Compiled made = ptx::compile({.file = o.file,
                                           .text = text,
                                           .compiler = o.compiler,
                                           .arch = o.arch,
                                           .as_written = o.as_written});
  KernelResult r;
  r.file = o.file;
  r.compiler = made.compiler + ", main() by clang";
  r.chip = o.chip.name;
  r.schedules = 1;
  const std::string name = o.file.substr(o.file.rfind('/') + 1);
  const auto kept =
      std::make_shared<const ptx::Module>(ptx::parse(made.ptx, name + ", compiled", o.file));
  r.kept = kept;
  std::vector<std::string> kernels;
  for (int k = 0; k < count; ++k) {
    const ptx::Function* f = kept->find(names[k].name);
    if (f != nullptr && f->entry) kernels.emplace_back(names[k].name);
  }
  const ptx::Program program(*kept, kernels);
  Session one(o, program, kernels);
  session = &one;
  *static_cast<Table*>(dlsym(loaded, "onefold_host")) = {
      hook_allocate, hook_managed, hook_copy, hook_fill, hook_symbol, hook_launch, hook_leave};
  std::vector<std::string> copies{o.file};
  copies.insert(copies.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& w : copies) words.push_back(w.data());
  words.push_back(nullptr);
  // A main() without parameters is called with two arguments all the same, and ignores them.
  void* entry = dlsym(loaded, "main");
  if (entry == nullptr) {
    throw Error(ErrorCode::unsupported, fmt::format("lab run: {} has no int main()", o.file));
  }
  const int status = call_main(reinterpret_cast<int (*)(int, char**)>(entry), words);
  if (error_of_main) std::rethrow_exception(error_of_main);
  const sim::Report report = one.report();
  r.failure = one.running().failure;
  r.steps = one.running().steps;
  r.longest = one.running().longest;
  r.launches = one.launches;
  add_flaws(r, report, one.given_up(), o, program);
  merge_lines(r, report);
  std::vector<Suppression> allowed = suppressions_of_source(o.file, source);
  allowed.insert(allowed.end(), o.allowed.begin(), o.allowed.end());
  suppress(r, std::move(allowed));
  r.expectations.push_back({"main()==0", status == 0, fmt::format("{}", status)});
  return r;  // the library stays loaded: handlers that main() registered for exit may be in it
}

}  // namespace onefold::lab
