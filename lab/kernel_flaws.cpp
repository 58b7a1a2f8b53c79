#include "lab/kernel_flaws.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/kernel_declared.hpp"
#include "lab/kernel_judge.hpp"
#include "lab/ptx/compile.hpp"

namespace onefold::lab {

std::string place_of(const sim::Site& s) {
  const std::string_view file(s.file);
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), s.line);
}

namespace {

class Teller {
 public:
  Teller(const KernelOptions& o, const ptx::Program& p) : options_(o), program_(p) {
    if (o.file.ends_with(".cu")) source_ = ptx::without_comments(source_of(o));
    const auto same = [&](const KernelLaunch& l) {
      return l.grid == o.launches[0].grid && l.block == o.launches[0].block;
    };
    if (o.own_main || !std::all_of(o.launches.begin(), o.launches.end(), same)) return;
    if (!o.launches.empty()) grid_ = dim(o.launches[0].grid), block_ = dim(o.launches[0].block);
  }

  std::string sentence(const sim::Flaw& f) const {
    return fmt::format("{}: {}", name_of(f.kind), what(f));
  }

 private:
  std::string what(const sim::Flaw& f) const {
    const std::string at = place_of(f.at);
    switch (f.kind) {
      case sim::FlawKind::race:
        return fmt::format(
            "{} is {} at {} by {}, and {} at {} by {}, {}", element(f), done(f.other_did),
            place_of(f.other), who(f, 1, f.other_block), done(f.did), at, who(f, 0, f.block),
            f.apart ? "in two streams without an event or synchronisation between them"
                    : "with nothing between them");
      case sim::FlawKind::barrier_not_reached:
        if (f.threads.empty()) {
          return fmt::format("{}: other threads of block {} wait at another barrier", at,
                             block(f.block));
        }
        return fmt::format("{}: {} of block {} never reach this barrier{}{}", at, threads(f),
                           block(f.block), elsewhere(f), left(f));
      case sim::FlawKind::absent_lane:
        if (f.mask == 0 && f.threads.size() == 2) {
          return fmt::format(
              "{}: thread {} of block {} reads from thread {}, which does not execute this step",
              at, thread(f, 0), block(f.block), thread(f, 1));
        }
        return fmt::format(
            "{}: mask {:#010x} names {} of block {}, which do not execute this step{}", at, f.mask,
            threads(f), block(f.block), elsewhere(f));
      case sim::FlawKind::bad_mask:
        return fmt::format("{}: {}", at, mask(f));
      case sim::FlawKind::split_warp:
        return fmt::format(
            "{}: __activemask() gave {:#010x} for this __syncwarp after lanes of "
            "the warp diverged (thread {} of block {}): a GPU may give fewer; pass a mask of the "
            "lanes that must meet",
            at, f.mask, thread(f, 0), block(f.block));
      case sim::FlawKind::uninitialised:
        if (*f.space == '\0') {
          return fmt::format(
              "{}: the value used here comes from a local variable that thread {} of "
              "block {} has not set",
              at, thread(f, 0), block(f.block));
        }
        return fmt::format("{}: {} is read before any thread has written it: thread {} of block {}",
                           at, element(f), thread(f, 0), block(f.block));
      case sim::FlawKind::out_of_bounds:
        if (std::string_view(f.space).starts_with("freed ")) {
          return fmt::format("{}: {} is {} by thread {} of block {} after cudaFree", at,
                             element(f).substr(6), done(f.did), thread(f, 0), block(f.block));
        }
        return fmt::format("{}: {} is out of bounds, and is {} by thread {} of block {}", at,
                           element(f), done(f.did), thread(f, 0), block(f.block));
      case sim::FlawKind::misaligned:
        return fmt::format(
            "{}: {} bytes at byte {} of {} are {} by thread {} of block {}; an "
            "access must be aligned to its size",
            at, f.bytes, f.offset, array(f), done(f.did), thread(f, 0), block(f.block));
      case sim::FlawKind::mixed_barrier:
        return fmt::format(
            "{}: thread {} of block {} reaches this barrier for its next round, but nothing orders "
            "it after thread {}, which reached it for the previous round: which threads meet is "
            "left to chance; give each group of threads its own barrier number",
            at, thread(f, 0), block(f.block), thread(f, 1));
      case sim::FlawKind::no_progress:
        return wait(f, at);
      case sim::FlawKind::bad_call:  // main() reports these itself
      case sim::FlawKind::dirty_ticket:
      case sim::FlawKind::wrong_result:
        break;
    }
    return at;
  }

  std::string thread(unsigned number) const { return ptx::place_in(block_, number); }
  std::string thread(const sim::Flaw& f, std::size_t k) const {
    return thread(k < f.threads.size() ? f.threads[k] : 0);
  }
  std::string block(unsigned number) const { return ptx::place_in(grid_, number); }
  std::string who(const sim::Flaw& f, std::size_t k, unsigned of) const {
    if (k < f.threads.size() && f.threads[k] == sim::Races::host_thread) return "a call of main()";
    return fmt::format("thread {} of block {}", thread(f, k), block(of));
  }
  static const char* done(sim::Kind k) {
    return k == sim::Kind::load    ? "read"
           : k == sim::Kind::store ? "written"
                                   : "changed by an atomic";
  }
  std::string elsewhere(const sim::Flaw& f) const {
    return f.other.line == 0 ? ""
                             : fmt::format("; thread {} is at {}", thread(f, 0), place_of(f.other));
  }
  std::string left(const sim::Flaw& f) const {
    return f.ended.line == 0 ? ""
                             : fmt::format("; thread {} has ended, last at {}, without reaching it",
                                           thread(f, 0), place_of(f.ended));
  }
  std::string mask(const sim::Flaw& f) const {
    if (f.mask == f.other_mask) {
      return fmt::format(
          "{} of block {} run{} this step with mask {:#010x}, which does not include {}",
          threads(f), block(f.block), f.threads.size() == 1 ? "s" : "", f.mask,
          f.threads.size() == 1 ? "it" : "them");
    }
    const std::string other =
        f.other_mask == 0 ? "another" : fmt::format("mask {:#010x}", f.other_mask);
    return fmt::format(
        "thread {} of block {} runs this step with mask {:#010x}, and thread {}, which is in this "
        "mask, with {}; all lanes must pass the same mask",
        thread(f, 0), block(f.block), f.mask, thread(f, 1), other);
  }
  std::string wait(const sim::Flaw& f, const std::string& at) const {
    if (f.after_flaw) {
      return fmt::format(
          "{}: thread {} of block {} did not end after a barrier or a warp-wide step that some "
          "threads missed; the run was stopped {} steps later; if it should end, pass --budget {}",
          at, thread(f, 0), block(f.block), options_.budget_after_flaw, options_.budget);
    }
    if (*f.space == '\0') {
      return fmt::format(
          "{}: the budget of {} steps (--budget) is used up in thread {} of block {}; if it should "
          "end, pass a smaller size or --budget {}",
          at, options_.budget, thread(f, 0), block(f.block), 16 * options_.budget);
    }
    std::string what = fmt::format("{}: thread {} of block {} waits for {}", at, thread(f, 0),
                                   block(f.block), element(f));
    if (f.other.line != 0) {
      what += fmt::format(", last written at {} by thread {} of block {}", place_of(f.other),
                          thread(f, 1), block(f.other_block));
    } else if (!f.further_on) {
      what += ", which no thread writes";
    }
    if (f.further_on) {
      what +=
          "; later blocks have not started, and CUDA does not promise that they start while "
          "this one waits: launch all together (";
      what += options_.own_main ? "cudaLaunchCooperativeKernel)" : "--cooperative)";
    }
    return what;
  }
  std::string threads(const sim::Flaw& f) const {
    std::string s = f.threads.size() == 1 ? "thread" : "threads";
    for (std::size_t k = 0; k < std::min<std::size_t>(f.threads.size(), 4); ++k) {
      s += fmt::format("{}{}", k == 0 ? " " : ", ", thread(f.threads[k]));
    }
    if (f.threads.size() > 4) s += fmt::format(" and {} more", f.threads.size() - 4);
    return s;
  }

  // The variable that was accessed.
  struct Touched {
    std::string name;
    Declared type{};     // element 0: the name alone tells where
    int64_t offset = 0;  // bytes from its beginning to the access
    bool by_byte = false;
  };
  Touched touched(const ptx::Variable& v, int64_t offset, const sim::Flaw& f) const {
    Touched t{ptx::variable_name(v.name), {}, offset};
    if (const auto d = declared_in(source_, t.name)) t.type = *d;
    if (t.type.element != 0) return t;
    // Compilers declare all arrays as bytes. The alignment then tells the element's size, but not
    // for `extern __shared__`, which is aligned to 16.
    t.type.element = v.element > 1 ? v.element : std::min<std::size_t>(v.align, 16);
    if (v.is_extern && v.align >= 16) t.type.element = f.bytes;
    t.by_byte = t.type.element == 0;
    return t;
  }
  Touched touched(const sim::Flaw& f) const {
    const std::string_view name(f.space);
    if (name == "shared") {
      // An address of 32 bits, which may be below the array.
      const int64_t at = static_cast<int32_t>(f.offset);
      const auto [v, inside] = program_.shared_at(at);
      if (v != nullptr) return touched(*v, inside, f);
      return {"shared memory", {}, at, true};
    }
    if (name == "constant memory") {
      const auto [v, inside] = program_.constant_at(f.offset);
      if (v != nullptr) return touched(*v, inside, f);
    }
    for (const KernelArgument& a : options_.arguments) {
      if (name == a.name && a.is_array)
        return {a.name, {.element = bytes_of(a.dtype), .inner = {}}, f.offset};
    }
    if (const ptx::Variable* v = program_.global(name)) return touched(*v, f.offset, f);
    if (name == "no shared memory") {
      return {fmt::format("shared memory, which the launch did not request ({}),",
                          options_.own_main ? "its third argument" : "--shared")};
    }
    if (name == "no array")
      return {fmt::format("address {:#x}, which is outside all arrays,", f.offset)};
    // The element type of memory that main() allocates, and of a thread's own memory, is not known.
    return {std::string(name), {}, f.offset, true};
  }
  std::string element(const sim::Flaw& f) const {
    const Touched t = touched(f);
    if (t.by_byte) return fmt::format("{} at byte {}", t.name, t.offset);
    if (t.type.element == 0) return t.name;
    const auto size = static_cast<int64_t>(t.type.element);
    const int64_t index = t.offset < 0 ? -((-t.offset + size - 1) / size) : t.offset / size;
    return t.name + index_text(t.type, index);
  }
  std::string array(const sim::Flaw& f) const { return touched(f).name; }

  const KernelOptions& options_;
  const ptx::Program& program_;
  std::string source_;
  ptx::Dim grid_{}, block_{};  // if all launches have the same
};

std::string fix_of_race(const sim::Flaw& f) {
  if (f.apart) {
    return "queue both in one stream, or write cudaEventRecord(e, first) and "
           "cudaStreamWaitEvent(second, e) between them, or cudaDeviceSynchronize(); streams with "
           "cudaStreamNonBlocking do not wait for the default stream";
  }
  const bool writes = f.did == sim::Kind::store && f.other_did == sim::Kind::store;
  const bool tests = (f.did == sim::Kind::atomic && f.other_did == sim::Kind::load) ||
                     (f.did == sim::Kind::load && f.other_did == sim::Kind::atomic);
  if (f.threads.size() < 2 || f.block != f.other_block) {
    return writes
               ? "blocks run at the same time: let each write elements of its own, or one of them "
                 "write this one, even if all write the same value; to sum, use atomicAdd"
               : "blocks run at the same time, and only atomics with fences order them: read in a "
                 "second launch, or write to another array; if all change one element, use one "
                 "atomic (atomicAdd, atomicMax)";
  }
  const bool one_line = f.at.line != 0 && place_of(f.at) == place_of(f.other);
  if (one_line && writes) {
    return "several threads write one element: let one of them do it (if (threadIdx.x == 0) ...), "
           "even if all write the same value; if each adds to it, sum within the block first";
  }
  if (one_line && tests) {
    return "this is a plain read next to an atomic: leave it out, since the atomic tests the value "
           "itself, or read through a volatile pointer";
  }
  std::string fix =
      one_line ? "both are in one statement: in a loop, write __syncthreads() between its rounds; "
                 "if threads without an element of their own come here, keep them out (if (t < n) "
                 "...); if all add to one element, sum within the block and let one thread write; "
                 "if each thread has an element of its own, read into a variable and write it "
                 "after __syncthreads()"
               : "write __syncthreads() between the two, where all threads of the block reach it";
  if (f.threads[0] / 32 == f.threads[1] / 32) {
    fix +=
        ", or, if no other warp uses these elements, __syncwarp(): since Volta (sm_70) lanes of "
        "a warp do not run in lockstep, and volatile orders nothing";
  }
  // A barrier does not help `if (x > y[0]) y[0] = x`.
  const auto line_of = [&](sim::Kind k) { return k == f.did ? f.at.line : f.other.line; };
  const bool changes =
      f.did != f.other_did && !one_line && line_of(sim::Kind::load) < line_of(sim::Kind::store);
  return changes ? fix +
                       "; if several threads change one element, use one atomic (atomicAdd, "
                       "atomicMax) instead"
                 : fix;
}

}  // namespace

std::string fix_of(const sim::Flaw& f) {
  switch (f.kind) {
    case sim::FlawKind::race:
      return fix_of_race(f);
    case sim::FlawKind::barrier_not_reached:
      return "all threads must reach the same barrier: move it out of the if, and guard the work "
             "(if (i < n) ...) instead of returning";
    case sim::FlawKind::absent_lane:
      return "all lanes of the mask must run the step: move it out of the if, or name the lanes "
             "that take part with __ballot_sync(~0u, condition) before the branch";
    case sim::FlawKind::bad_mask:
      return "compute the mask before the branch, with __ballot_sync(~0u, condition), and pass all "
             "lanes the same one; since Volta (sm_70) the mask says which lanes wait for each "
             "other";
    case sim::FlawKind::split_warp:
      return "since Volta (sm_70) lanes need not reconverge after a branch, and __activemask() "
             "does not make them: compute the mask before the branch, with __ballot_sync";
    case sim::FlawKind::uninitialised:
      return *f.space == '\0' ? "initialise the variable where it is declared; a division by the "
                                "constant 0 has no value either"
                              : "memory starts uninitialised, shared memory too: write it first "
                                "(cudaMemset, or =zeros in --args); if another thread writes it, a "
                                "barrier is missing between the two";
    case sim::FlawKind::out_of_bounds:
      if (std::string_view(f.space).starts_with("freed ")) return "";
      if (f.space == std::string_view("no array")) {
        return "pass the kernel device memory: data of main() must be copied (cudaMalloc, "
               "cudaMemcpy), or be managed (cudaMallocManaged)";
      }
      return "guard the access (if (i < n) ...), or allocate as many elements as the launch uses";
    default:
      return "";
  }
}

std::string fix_of_failure(const std::string& failure) {
  return failure.find(ptx::divides_by_zero) == failure.npos
             ? ""
             : "guard the division (if (d != 0) ...): a GPU reports no error and goes on with an "
               "arbitrary value";
}

std::string lost_text(const std::map<sim::Site, uint64_t>& lost) {
  if (lost.empty()) return "";
  const auto& [at, threads] = *lost.begin();
  return fmt::format("atomicCAS at {} fails in {} and is not retried until it succeeds: {} lost",
                     place_of(at), threads == 1 ? "1 thread" : fmt::format("{} threads", threads),
                     threads == 1 ? "its update is" : "their updates are");
}

std::string flaw_sentence(const sim::Flaw& f, const KernelOptions& o, const ptx::Program& program) {
  return Teller(o, program).sentence(f);
}

}  // namespace onefold::lab
