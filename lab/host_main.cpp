// `onefold lab run FILE` without a kernel's arguments: runs the file's own main() and its launches.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <thread>

#include "lab/host_session.hpp"
#include "lab/kernel_archive.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/host_header.hpp"
#include "onefold/error.hpp"
#include "onefold/system/child.hpp"
#include "onefold/system/library.hpp"
#include "onefold/system/temporary.hpp"

namespace onefold::lab {
namespace {

struct Table {
  ONEFOLD_HOST_TABLE
};
struct Name {
  void* host;
  const char* name;
};

// Global, since main() calls functions without an argument of ours. main() ends at exit or if a
// launch is given up; its frames, which may allow no exceptions, are left at once.
Session* session = nullptr;
std::jmp_buf end_of_main;
int status_of_main = 0;
std::string failure_of_main;  // what() of an exception
const std::function<void()>* after_launch = nullptr;

// The session, its engine and the frames of main() are of one thread.
constexpr std::string_view second_thread =
    "a second thread of main() calls CUDA, but on the simulated machine only one thread may do so";
std::thread::id thread_of_main;
const std::function<void(const std::string&)>* tell_parent = nullptr;
std::string told_last;
void refuse_other_threads() {
  if (std::this_thread::get_id() == thread_of_main) return;
  (*tell_parent)(std::string(second_thread) + told_last);
  std::_Exit(0);
}

// main() may take 10 ns of processor time for each step of the budget, not counting launches. Then
// the system ends its process.
double seconds_of_main(const KernelOptions& o) {
  return std::max(0.2, static_cast<double>(o.budget) * 1e-8);
}
double seconds_left = 0;

std::string text_of_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  std::string name = type == nullptr ? "an exception" : ptx::demangled(type->name());
  try {
    throw;
  } catch (const std::exception& e) {
    name += fmt::format(": {}", e.what());
  } catch (...) {
  }
  return name;
}

// Stops main()'s clock during a call of the machine; records where the call is.
class Call {
 public:
  Call() {
    refuse_other_threads();
    session->enter();
  }
  Call(const Call&) = delete;
  ~Call() {
    session->leave();
    system::end_after_processor_time(left_);
  }

 private:
  double left_ = system::end_after_processor_time(0);
};

// The table's functions; most are calls of the machine.
template <auto f, class R, class... A>
R hook(A... a) {
  const Call call;
  return (session->*f)(a...);
}
template <auto f, class R, class... A>
R told(A... a) {
  refuse_other_threads();
  return (session->*f)(a...);
}
void hook_leave(int status) {
  refuse_other_threads();
  status_of_main = status;
  std::longjmp(end_of_main, 1);
}
// Calls what launches kernels, and leaves main() if one is given up.
int launched(auto&& call) {
  refuse_other_threads();
  int result = 0;
  bool given_up = true;
  system::end_after_processor_time(0);
  try {
    session->enter();
    result = call();
    session->leave();
    (*after_launch)();
    system::end_after_processor_time(seconds_left);
    given_up = session->given_up();
  } catch (...) {
    failure_of_main = text_of_exception();
  }
  if (given_up) hook_leave(0);
  return result;
}
int hook_launch(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
                int cooperative, void* stream) {
  return launched(
      [&] { return session->launch(name, shape, arguments, shared, cooperative != 0, stream); });
}
int hook_watches(const void* p) {  // by any thread that reads or writes files
  return std::this_thread::get_id() == thread_of_main && session->watches(p) ? 1 : 0;
}
int hook_graph(int use, void* a, void* b, std::size_t n) {
  return launched([&] { return session->graph(use, a, b, n); });
}

int call_main(int (*main_of_file)(int, char**), std::vector<char*>& words) {
  status_of_main = 0;
  failure_of_main.clear();
  if (setjmp(end_of_main) == 0) {
    try {
      status_of_main = main_of_file(static_cast<int>(words.size()) - 1, words.data());
    } catch (...) {
      failure_of_main = "main() threw " + text_of_exception();
    }
  }
  return status_of_main;
}

struct Library {
  explicit Library(const std::string& path) {
    std::string why;
    handle = system::open_library(path, why);
    if (handle == nullptr) throw Error(ErrorCode::unsupported, fmt::format("lab run: {}", why));
  }
  template <class T>
  T* symbol(const char* name) const {
    return reinterpret_cast<T*>(system::find_in_library(handle, name));
  }
  void* handle = nullptr;
};

// Says how main()'s process ended, if main() did not return.
std::string death(const system::ChildEnd& end) {
  if (end.signal != 0) {
    return fmt::format("main() was ended by signal {} ({})", end.signal,
                       system::name_of_signal(end.signal));
  }
  return fmt::format("main() ended its process with status {}", end.status);
}

// Returns the name in the module of a kernel that the host calls `name`: NVRTC gives another one to
// static kernels and to those of namespaces without a name. Empty: it is not there.
std::string name_in(const ptx::Module& module, const std::string& name) {
  const ptx::Function* f = module.find(name);
  if (f != nullptr) return f->entry ? name : "";
  const std::string wanted = ptx::source_name(name);
  for (const ptx::Function& each : module.functions) {
    if (each.entry && each.defined && ptx::source_name(each.name) == wanted) return each.name;
  }
  return "";
}

// Returns the kernels' names from the library, whose global objects may do anything meanwhile.
std::vector<std::string> names_in(const std::string& library, KernelResult& r) {
  const system::ChildEnd end = system::run_in_child([&](const auto& send) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) return;
    const Library loaded(library);
    const auto* names = loaded.symbol<const Name>("onefold_names");
    std::string all;
    for (int k = 0; k < *loaded.symbol<const int>("onefold_name_count"); ++k) {
      all += std::string(names[k].name) + "\n";
    }
    send(all);
  });
  std::vector<std::string> names;
  if (!end.done) r.failure = "before main(): " + death(end);
  std::istringstream lines(end.last);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

// Runs main() in this process. Sends what is found after each launch that finds something, and at
// the end.
void run_here(const KernelOptions& o, const ptx::Program& program,
              const std::vector<std::string>& kernels, const std::string& library,
              const std::vector<std::string>& arguments, const Order& order,
              const std::function<void(const std::string&)>& send) {
  const Library loaded(library);
  Session one(o, program, kernels, order);
  session = &one;
  thread_of_main = std::this_thread::get_id();
  tell_parent = &send;
  *loaded.symbol<Table>("onefold_host") = {
      hook<&Session::allocate>,     hook<&Session::managed>,
      hook<&Session::pinned>,       hook<&Session::share>,
      hook<&Session::release>,      hook<&Session::release_pinned>,
      hook<&Session::copy>,         hook<&Session::fill>,
      hook<&Session::symbol>,       hook_launch,
      told<&Session::allow_shared>, hook_leave,
      told<&Session::at>,           told<&Session::asked>,
      told<&Session::stream>,       hook<&Session::wait>,
      hook<&Session::reset>,        hook_graph,
      told<&Session::refuse_call>,  hook_watches,
      told<&Session::describe>};
  const auto* names = loaded.symbol<const Name>("onefold_names");
  const auto is_managed = loaded.symbol<int(const void*)>("onefold_is_managed");
  for (int k = 0; k < *loaded.symbol<const int>("onefold_name_count"); ++k) {
    if (is_managed(names[k].host) != 0) one.manage(names[k].host, names[k].name);
  }
  std::vector<std::string> copies{o.file};
  copies.insert(copies.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (std::string& w : copies) words.push_back(w.data());
  words.push_back(nullptr);
  const auto found = [&] {
    KernelResult r;
    r.chip = o.chip.name;
    const sim::Report report = one.report();
    r.failure = one.running().failure.empty() ? failure_of_main : one.running().failure;
    r.steps = one.running().steps;
    r.longest = one.running().longest;
    r.launches = one.launches;
    r.counted = one.counted;
    add_flaws(r, report, one.given_up(), o, program, order.remark());
    std::ptrdiff_t first = 0;  // what kernels do after a refused call may be caused by it
    for (const Session::Refused& f : one.refused()) {
      if (std::find(r.flaws.begin(), r.flaws.end(), f.text) != r.flaws.end()) continue;
      const auto at = f.first ? first++ : std::ssize(r.flaws);
      r.report.flaws.insert(r.report.flaws.begin() + at, f.flaw);
      r.flaws.insert(r.flaws.begin() + at, f.text);
    }
    merge_lines(r, report);
    return r;
  };
  const auto tell_all = [&](const KernelResult& r) {
    send(told_last = o.film ? program_page_data(r, one.films) : packed(r));
  };
  std::size_t known = 0;
  const std::function<void()> tell = [&] {
    const std::size_t now = one.report().flaws.size() + one.refused().size() + one.launches.size();
    if (std::exchange(known, now) != now) tell_all(found());
  };
  after_launch = &tell;
  seconds_left = seconds_of_main(o);
  system::end_after_processor_time(seconds_left);
  // A main() without parameters is also called with two arguments, and ignores them.
  const int status = call_main(loaded.symbol<int(int, char**)>("main"), words);
  one.enter();
  loaded.symbol<void()>("onefold_finish")();
  system::end_after_processor_time(0);
  KernelResult r = found();
  r.leaked = one.leaked();
  r.unwaited = one.unwaited();
  r.expectations.push_back({"main()==0", status == 0, fmt::format("{}", status)});
  tell_all(r);
}

// Puts a second thread's call behind the flaws that were found before it.
//   throws  unsupported: there are none
void end_at_second_thread(system::ChildEnd& end, bool film) {
  if (!end.last.starts_with(second_thread)) return;
  end.last.erase(0, second_thread.size());
  if (film) return;
  KernelResult r;
  if (!end.last.empty()) unpack(end.last, r);
  if (r.flaws.empty()) {
    throw Error(ErrorCode::unsupported, fmt::format("lab run: {}", second_thread));
  }
  r.failure = second_thread;
  end.last = packed(r);
}

// Runs main() again, without its output, under orders in which blocks interleave, and adds what
// only these show.
void run_other_orders(const ptx::Program& program,
                      const std::function<system::ChildEnd(const Order&)>& run, KernelResult& r) {
  constexpr uint64_t budget = 1 << 24, steps_of_run = 1 << 21;
  const uint64_t draws = std::max<uint64_t>(budget / (r.steps + steps_of_run), 2);
  const std::size_t expected = r.expectations.size();
  for (unsigned k = 0; k < draws && r.flaws.empty() && r.clean(); ++k, ++r.drawn) {
    const Order order = order_named(fmt::format("{}", 2 + k), program);
    const system::ChildEnd end = run(order);
    if (end.last.empty() || end.out_of_time) continue;
    KernelResult other;
    other.kept = r.kept;
    unpack(end.last, other);
    if (std::any_of(other.report.flaws.begin(), other.report.flaws.end(), out_of_budget)) {
      ++r.unfinished;
      continue;
    }
    if (!end.done && other.failure.empty()) other.failure = death(end);
    if (!other.failure.empty()) r.failure = other.failure + order.remark();
    r.kept = other.kept;
    r.flaws = other.flaws;
    r.report.flaws = other.report.flaws;
    for (std::size_t e = 0; e < std::min(expected, other.expectations.size()); ++e) {
      if (other.expectations[e].holds) continue;
      r.expectations[e] = other.expectations[e];
      r.expectations[e].order = order.name();
    }
  }
}

}  // namespace

KernelResult run_main(const KernelOptions& options, const std::vector<std::string>& arguments) {
  KernelOptions o = options;
  o.own_main = true;
  const std::string source = source_of(o);
  const system::TemporaryFolder folder;
  const std::string library = folder.path() + "/main.so";
  ptx::compile_host({.file = o.file, .text = source}, library);
  KernelResult r;
  r.file = o.file;
  r.chip = o.chip.name;
  r.schedules = 1;
  const std::vector<std::string> names = names_in(library, r);
  if (!r.failure.empty()) return r;
  std::string text = source + "\n";
  text += ptx::uses_of(names);
  const ptx::Compiled made = ptx::compile({.file = o.file,
                                           .text = text,
                                           .compiler = o.compiler,
                                           .arch = o.arch,
                                           .program = true,
                                           .as_written = o.as_written});
  r.compiler = made.compiler + ", main() by clang";
  r.warnings = made.warnings;
  const std::string name = o.file.substr(o.file.rfind('/') + 1);
  const ptx::Module module = ptx::parse(made.ptx, name + ", compiled", o.file);
  std::vector<std::string> kernels, in_module;
  for (const std::string& n : names) {
    const std::string found = name_in(module, n);
    if (found.empty()) continue;
    kernels.push_back(n);
    in_module.push_back(found);
  }
  const ptx::Program program(module, in_module, names);
  const Order first = order_named(o.order.empty() ? "1" : o.order, program);
  const bool film = std::exchange(o.film, false);
  const auto run = [&](const Order& order) {
    system::ChildEnd end = system::run_in_child([&](const auto& send) {
      for (std::FILE* f : {stdout, stderr}) {
        if (&order != &first && std::freopen("/dev/null", "w", f) == nullptr) return;
      }
      run_here(o, program, kernels, library, arguments, order, send);
    });
    end_at_second_thread(end, o.film);
    return end;
  };
  const system::ChildEnd end = run(first);
  if (!end.last.empty()) unpack(end.last, r);
  if (end.out_of_time) {
    r.report.flaws.push_back({.kind = sim::FlawKind::no_progress, .times = 1});
    r.flaws.push_back(
        fmt::format("no_progress: main() has used {:.3g} s of processor time since its last "
                    "launch, which is the limit for a budget of {} steps; pass a larger --budget",
                    seconds_of_main(o), o.budget));
  } else if (!end.done && r.failure.empty()) {
    r.failure = death(end);
  }
  if (r.failure.empty() && r.flaws.empty() && r.launches.empty()) {
    r.failure = "main() ended without launching a kernel, so there is nothing to check";
  }
  std::vector<Suppression> allowed = suppressions_of_source(o.file, source);
  allowed.insert(allowed.end(), o.allowed.begin(), o.allowed.end());
  if (end.done && o.order.empty() && o.draws && program.decides() && r.clean()) {
    run_other_orders(program, run, r);
  }
  suppress(r, std::move(allowed));
  if (film && !r.launches.empty()) {
    o.film = true;
    r.page = run({}).last;
  }
  return r;
}

}  // namespace onefold::lab
