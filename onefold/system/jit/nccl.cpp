#include "onefold/system/jit/nccl.hpp"

#include "onefold/system/library.hpp"

namespace onefold::jit {
namespace {

// The functions that are called, as nccl.h declares them.
using Code = int;  // 0: success
constexpr int int64_type = 4, sum_operation = 0;
constexpr Code in_progress = 7;

#define ONEFOLD_NCCL(X)                                                     \
  X(ncclCommCount, void*, int*)                                             \
  X(ncclCommUserRank, void*, int*)                                          \
  X(ncclCommCuDevice, void*, int*)                                          \
  X(ncclCommGetAsyncError, void*, Code*)                                    \
  X(ncclAllReduce, const void*, void*, std::size_t, int, int, void*, void*) \
  X(ncclAllGather, const void*, void*, std::size_t, int, void*, void*)      \
  X(ncclGroupStart)                                                         \
  X(ncclGroupEnd)

struct Functions {
#define X(name, ...) Code (*name)(__VA_ARGS__) = nullptr;
  ONEFOLD_NCCL(X)
#undef X
  const char* (*ncclGetErrorString)(Code) = nullptr;
  std::string why;  // empty: usable

  // The NCCL that made the caller's communicators is already in the process, perhaps as part of the
  // program. Another copy of NCCL could not use them.
  Functions() {
    void* const library = system::library_in_process("libnccl.so.2");
    const auto find = [&](auto& f, const char* name) {
      f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(
          system::find_in_library(library, name));
      if (f == nullptr && why.empty()) {
        why = std::string("NCCL is not loaded in this process: ") + name +
              " was found neither in libnccl.so.2 nor in the program; first load the NCCL that "
              "created .nccl";
      }
    };
#define X(name, ...) find(name, #name);
    ONEFOLD_NCCL(X)
#undef X
    find(ncclGetErrorString, "ncclGetErrorString");
  }
};
const Functions& nccl() {
  static const Functions functions;
  if (!functions.why.empty()) throw NcclError(functions.why);
  return functions;
}

void check_nccl(Code code, const char* call) {
  if (code == 0 || code == in_progress) return;
  throw NcclError(std::string(call) + ": " + nccl().ncclGetErrorString(code) + " (NCCL error " +
                  std::to_string(code) + ")");
}
#define CHECKED(name, ...) check_nccl(nccl().name(__VA_ARGS__), #name)

}  // namespace

Communicator::Communicator(void* comm) : comm_(comm) {
  CHECKED(ncclCommCount, comm, &ranks_);
  CHECKED(ncclCommUserRank, comm, &rank_);
  CHECKED(ncclCommCuDevice, comm, &device_);
  check_asynchronous();
}

void Communicator::check_asynchronous() const {
  Code code = 0;
  CHECKED(ncclCommGetAsyncError, comm_, &code);
  check_nccl(code, "an earlier collective of this communicator failed");
}

void Communicator::exchange(const Sum& sum, const Gather& gathering, void* stream) const {
  CHECKED(ncclGroupStart);
  const auto pointer = [](uint64_t address) { return reinterpret_cast<void*>(address); };
  try {
    if (sum.n != 0) {
      CHECKED(ncclAllReduce, pointer(sum.words), pointer(sum.words), sum.n, int64_type,
              sum_operation, comm_, stream);
    }
    if (gathering.n != 0) {
      CHECKED(ncclAllGather, pointer(gathering.from), pointer(gathering.to), gathering.n,
              int64_type, comm_, stream);
    }
  } catch (const NcclError&) {
    nccl().ncclGroupEnd();
    throw;
  }
  CHECKED(ncclGroupEnd);
}

}  // namespace onefold::jit
