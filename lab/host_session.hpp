// One run of a file's own main(): the machine, its memory, and the launches.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/host_graph.hpp"
#include "lab/host_order.hpp"
#include "lab/kernel_orders.hpp"
#include "lab/kernel_page.hpp"
#include "onefold/system/closed_pages.hpp"

namespace onefold::lab {

// What main() does with a variable of the device: `ptx/host_header.hpp` has the same numbers.
enum SymbolUse : int { copy_from, copy_to, address, size };
// What main() does with streams and events, and what it waits for.
enum StreamUse : int {
  next_call,
  create_stream,
  create_event,
  record_event,
  wait_for_event,
  destroy_stream,
  destroy_event,
  elapsed,  // stream, event: two events
  known     // event: the name of the call that asks
};
enum Awaited : int { all, one_stream, one_event };
enum GraphUse : int {
  begin_capture,  // a: stream
  end_capture,    // a: stream, b: the graph
  captured,       // a: stream
  host_call,      // a: stream, b: function and its argument; 1: the stream is not captured
  create_graph,   // b: the graph
  copy_graph,     // a: from, b: the graph
  destroy_graph,
  begin_node,    // a: graph, b: the n nodes before it; null: node n is another call
  end_node,      // a: graph; the number of nodes
  update_graph,  // a: graph, b: from
  launch_graph   // a: graph, b: stream
};

// Errors of CUDA, by its numbers.
enum Refusal : int {
  invalid_value = 1,
  invalid_configuration = 9,
  invalid_symbol = 13,
  invalid_direction = 21,
  invalid_function = 98,
  invalid_handle = 400,
  illegal_state = 401,
  already_registered = 712,
  not_registered = 713,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_unjoined = 904,
  capture_isolation = 905,
  capture_implicit = 906,
  captured_event = 907,
  update_failure = 910
};

inline bool is_freed(const sim::Space& s) { return std::string_view(s.name).starts_with("freed "); }

class Session {
 public:
  // `kernels`: the kernels' mangled names.
  Session(const KernelOptions& o, const ptx::Program& program,
          const std::vector<std::string>& kernels, const Order& order);

  // Calls of main(); they return cudaError_t's numbers. A null pointer: out of memory.
  void* allocate(std::size_t bytes);
  // Host memory, copied before each launch and after it; kernels know it by the same address.
  void* managed(std::size_t bytes);
  // A variable with __managed__, which main() has at `host`.
  void manage(void* host, const char* name);
  // Memory of cudaMallocHost, from and to which copies run while main() goes on.
  void* pinned(std::size_t bytes);
  // cudaHostRegister, or with 0 bytes cudaHostUnregister; for pinned memory, that it is mapped.
  int share(void* p, std::size_t bytes);
  int release(void* p);
  int release_pinned(void* p);
  int copy(void* to, const void* from, std::size_t bytes, int kind);
  int fill(void* to, int value, std::size_t bytes);
  // use: SymbolUse
  int symbol(const char* name, std::size_t offset, void* host, std::size_t bytes, int use);
  int launch(const char* name, const unsigned* shape, void** arguments, std::size_t shared,
             bool cooperative, void* stream);
  // cudaFuncAttributeMaxDynamicSharedMemorySize of a kernel.
  int allow_shared(const char* name, std::size_t bytes);
  // cudaFuncGetAttributes: bytes of static shared memory, of constants and of local memory, threads
  // of a block, registers, and bytes of dynamic shared memory.
  int describe(const char* name, std::size_t* facts);
  // Bytes that main() has not freed.
  std::size_t leaked() const { return used_; }
  // Whether main() has not waited for a kernel that printed.
  bool unwaited() const { return !order_.ended(printed_); }
  // cudaDeviceReset frees all.
  void reset() { used_ = 0, order_.wait_for_all(); }
  // Whether it is memory that may be closed.
  bool watches(const void* p) { return host_memory_at(p) != nullptr; }
  // A call whose arguments the header refuses.
  int refuse_call(int error, const char* why) { return refuse(error, why); }
  // use: StreamUse; next_call: it is queued in the stream, and main() does not wait for it.
  void* stream(int use, void* stream, void* event);
  // awaited: Awaited
  int wait(int awaited, void* handle);
  // use: GraphUse, which says what a, b and n are.
  int graph(int use, void* a, void* b, std::size_t n);
  // Before and after each call: memory that queued work uses is closed to main() between them.
  void enter();
  void leave();
  // main() has read the last error, so refused calls are not an oversight.
  void asked() {
    std::erase_if(refused_, [](const Refused& r) { return r.told_by_last_error; });
  }
  // Tells where the next call is.
  void at(const char* file, unsigned line) { place_ = {file, line, 0}; }

  // A launch was given up, so main() must end.
  bool given_up() const { return given_up_; }
  // A call that CUDA refuses, or another fault of main()'s calls, and why.
  struct Refused {
    sim::Flaw flaw;
    std::string text;
    bool told_by_last_error = false;  // a launch, whose error only cudaGetLastError tells
    bool first = false;               // no kernel had a flaw before it
  };
  const std::vector<Refused>& refused() const { return refused_; }
  sim::Report report() const { return gpu_.report(); }
  const ptx::Running& running() const { return run_; }

  std::vector<KernelLaunch> launches;
  std::vector<LaunchCounts> counted;  // of each of them
  std::vector<FilmedLaunch> films;    // of the first of them, if the options say so

 private:
  // Managed, pinned or registered memory.
  struct HostMemory {
    HostMemory(const char* kind, auto... memory) : name(kind), host(memory...) {}
    const char* name;
    system::ClosedPages host;
    uint64_t device = 0;  // where kernels have it; 0: they do not
    bool freed = false;   // closed for good
  };
  // Queued work that reads or writes it, until main() has waited for the work.
  struct HostUse {
    HostMemory* memory;
    std::size_t from, to;
    bool writes;
    HostOrder::Work work;
    std::string by;  // "k" or "the copy at x.cu:3"
  };
  struct Place {
    sim::Space* space = nullptr;  // null: host memory
    uint64_t at = 0;
  };

  // What a captured stream adds to, and after which nodes.
  struct Capture {
    HostGraph* graph = nullptr;
    HostGraph::Numbers after{};
    std::size_t replaced = 0;  // from 1: the call is another one of this node
  };

  int break_capture(int error, const std::string& why);
  std::optional<int> keep(std::uintptr_t stream, const char* kind, std::function<int()> call);
  int check_stream(std::uintptr_t stream, const char* what);
  int check_event(std::uintptr_t event, const char* what);
  int record(std::uintptr_t event, std::uintptr_t stream);
  int wait_for(std::uintptr_t stream, std::uintptr_t event);
  int end_capture(std::uintptr_t stream, void** made);
  int launch_graph(HostGraph& g, std::uintptr_t stream);
  Place find(const void* p);
  HostMemory* host_memory_at(const void* p);
  Place on_device(const void* p);
  bool place_on_device(HostMemory& m);
  void forget(const HostMemory* m);
  void queue(std::uintptr_t stream);
  void note(const void* p, std::size_t bytes, bool writes);
  void use(HostMemory& m, std::size_t from, std::size_t to, bool writes, const std::string& by);
  void use_reads(HostMemory& m, const sim::Space& s, uint32_t begin, const std::string& by);
  int refuse(int error, const std::string& why, bool of_launch = false,
             sim::FlawKind kind = sim::FlawKind::bad_call);
  int check(const Place& p, std::size_t bytes, const char* verb);
  void read(const Place& from, const void* host, std::span<std::byte> to) const;
  void write(void* to, std::span<const std::byte> data);
  void write(const Place& to, std::span<const std::byte> data, bool noted);
  int check_launch(const KernelLaunch& l, std::size_t k);
  void place_arguments(std::size_t k, void** arguments);
  std::vector<KernelArgument> arrays_of(std::size_t k, void** arguments) const;
  void place_pinned_arguments();
  void run(const KernelLaunch& l, std::size_t k, void** arguments, bool cooperative);

  const KernelOptions& options_;
  const ptx::Program& program_;
  const std::vector<std::string>& kernels_;
  sim::Engine gpu_;
  ptx::Running run_;
  std::deque<std::string> names_;
  std::list<HostMemory> memory_;
  HostOrder order_;
  HostOrder::Work work_;     // of this call
  HostOrder::Work printed_;  // the last one that printed
  std::uintptr_t next_stream_ = 0;
  bool queued_ = false;    // main() does not wait for this call
  bool replayed_ = false;  // a graph makes it
  std::list<HostGraph> graphs_;
  std::map<std::uintptr_t, Capture> captures_, captured_events_;
  std::set<std::uintptr_t> recorded_, untimed_;  // events
  std::vector<HostUse> uses_;
  std::map<std::string, std::size_t> allowed_shared_;  // of kernels that ask for more than 48 KiB
  std::size_t used_ = 0;
  bool given_up_ = false;
  sim::Site place_{};
  std::size_t moments_ = 0;  // of all films
  std::vector<Refused> refused_;
};

}  // namespace onefold::lab
