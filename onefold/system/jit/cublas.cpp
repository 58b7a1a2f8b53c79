#include "onefold/system/jit/cublas.hpp"

#include <cstring>
#include <string>

#include "onefold/system/environment.hpp"
#include "onefold/system/jit/loaded.hpp"
#include "onefold/system/library.hpp"

namespace onefold::jit {
namespace {

// The functions and values that are used, as cublasLt.h declares them.
using Code = int;  // 0: success
constexpr int compute_int32 = 72, int8_type = 3, int32_type = 10;
constexpr int transpose_first = 3, batch_count = 5, batch_offset = 6, most_workspace = 1;
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  Code state;
  float waves;
  int reserved[4];
};

#define ONEFOLD_CUBLASLT(X)                                                               \
  X(cublasLtCreate, void**)                                                               \
  X(cublasLtDestroy, void*)                                                               \
  X(cublasLtMatmulDescCreate, void**, int, int)                                           \
  X(cublasLtMatmulDescDestroy, void*)                                                     \
  X(cublasLtMatmulDescSetAttribute, void*, int, const void*, std::size_t)                 \
  X(cublasLtMatrixLayoutCreate, void**, int, uint64_t, uint64_t, int64_t)                 \
  X(cublasLtMatrixLayoutDestroy, void*)                                                   \
  X(cublasLtMatrixLayoutSetAttribute, void*, int, const void*, std::size_t)               \
  X(cublasLtMatmulPreferenceCreate, void**)                                               \
  X(cublasLtMatmulPreferenceDestroy, void*)                                               \
  X(cublasLtMatmulPreferenceSetAttribute, void*, int, const void*, std::size_t)           \
  X(cublasLtMatmulAlgoGetHeuristic, void*, void*, void*, void*, void*, void*, void*, int, \
    Heuristic*, int*)                                                                     \
  X(cublasLtMatmul, void*, void*, const void*, const void*, void*, const void*, void*,    \
    const void*, const void*, void*, void*, void*, const Algorithm*, void*, std::size_t, void*)

struct Functions {
#define X(name, ...) Code (*name)(__VA_ARGS__) = nullptr;
  ONEFOLD_CUBLASLT(X)
#undef X
  bool usable = false;

  Functions() {
    const char* const chosen = system::environment("ONEFOLD_CUBLASLT");
    if (chosen != nullptr && std::string(chosen) == "none") return;
    void* library = nullptr;
    if (chosen == nullptr) {  // a framework's, rather than another copy
      for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
        if (library == nullptr) library = system::library_in_process(name);
        if (library != nullptr && system::find_in_library(library, "cublasLtCreate") == nullptr) {
          library = nullptr;
        }
      }
    }
    if (library == nullptr) {
      library = load(toolkit_names("ONEFOLD_CUBLASLT", "libcublasLt", "cublas")).handle;
    }
    if (library == nullptr) return;
    usable = true;
#define X(name, ...)                                                                \
  name = reinterpret_cast<decltype(name)>(system::find_in_library(library, #name)); \
  usable = usable && name != nullptr;
    ONEFOLD_CUBLASLT(X)
#undef X
  }
};
const Functions& cublas() {
  static const Functions functions;
  return functions;
}

}  // namespace

// The descriptions of a kind of product, and the library's kernel for it.
struct CublasLt::Plan {
  void *operation = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;
  Algorithm algorithm{};
  bool found = false;

  Plan(void* handle, const Product& p, std::size_t workspace_bytes) {
    // The library's matrices lie by columns: it multiplies b, transposed, by a, to c's columns.
    constexpr int transposed = 1;
    if (cublas().cublasLtMatmulDescCreate(&operation, compute_int32, int32_type) != 0 ||
        cublas().cublasLtMatmulDescSetAttribute(operation, transpose_first, &transposed,
                                                sizeof transposed) != 0 ||
        !lay_out(a, int8_type, p.inner, p.rows, p.inner, p.count, p.a) ||
        !lay_out(b, int8_type, p.inner, p.columns, p.inner, p.count, p.b) ||
        !lay_out(c, int32_type, p.columns, p.rows, p.row, p.count, p.c)) {
      return;
    }
    void* preference = nullptr;
    if (cublas().cublasLtMatmulPreferenceCreate(&preference) != 0) return;
    Heuristic best{};
    int n = 0;
    found = cublas().cublasLtMatmulPreferenceSetAttribute(
                preference, most_workspace, &workspace_bytes, sizeof workspace_bytes) == 0 &&
            cublas().cublasLtMatmulAlgoGetHeuristic(handle, operation, b, a, c, c, preference, 1,
                                                    &best, &n) == 0 &&
            n == 1 && best.state == 0;
    algorithm = best.algorithm;
    cublas().cublasLtMatmulPreferenceDestroy(preference);
  }
  ~Plan() {
    for (void* layout : {a, b, c}) {
      if (layout != nullptr) cublas().cublasLtMatrixLayoutDestroy(layout);
    }
    if (operation != nullptr) cublas().cublasLtMatmulDescDestroy(operation);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

 private:
  static bool lay_out(void*& layout, int type, uint64_t rows, uint64_t columns, uint64_t apart,
                      int count, uint64_t next) {
    const auto offset = static_cast<int64_t>(next);
    return cublas().cublasLtMatrixLayoutCreate(&layout, type, rows, columns,
                                               static_cast<int64_t>(apart)) == 0 &&
           cublas().cublasLtMatrixLayoutSetAttribute(layout, batch_count, &count, sizeof count) ==
               0 &&
           cublas().cublasLtMatrixLayoutSetAttribute(layout, batch_offset, &offset,
                                                     sizeof offset) == 0;
  }
};

std::unique_ptr<CublasLt> CublasLt::open() {
  void* handle = nullptr;
  if (!cublas().usable || cublas().cublasLtCreate(&handle) != 0) return nullptr;
  return std::unique_ptr<CublasLt>(new CublasLt(handle));
}

CublasLt::CublasLt(void* handle) : handle_(handle) {}
// The context, and with it the handle's memory, may be gone at the end of the process.
CublasLt::~CublasLt() = default;

CublasLt::Plan* CublasLt::plan_of(const Product& product, std::size_t workspace_bytes) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Plan>& plan = plans_[product];
  if (plan == nullptr) plan = std::make_unique<Plan>(handle_, product, workspace_bytes);
  return plan->found ? plan.get() : nullptr;
}

bool CublasLt::multiply(const Product& product, uint64_t a, uint64_t b, uint64_t c, bool adds,
                        const Memory& workspace, void* stream) {
  Plan* const plan = plan_of(product, workspace.bytes);
  if (plan == nullptr) return false;
  const auto pointer = [](uint64_t address) { return reinterpret_cast<void*>(address); };
  constexpr int one = 1;
  const int beta = adds ? 1 : 0;
  return cublas().cublasLtMatmul(handle_, plan->operation, &one, pointer(b), plan->b, pointer(a),
                                 plan->a, &beta, pointer(c), plan->c, pointer(c), plan->c,
                                 &plan->algorithm, pointer(workspace.address), workspace.bytes,
                                 stream) == 0;
}

}  // namespace onefold::jit
