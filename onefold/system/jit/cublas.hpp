// Products of int8 matrices by cuBLASLt, which is found at run time; it is never linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>

namespace onefold::jit {

class CublasLt {
 public:
  // Opens it for the current context. Null: it is not found, or fails, or ONEFOLD_CUBLASLT is
  // "none".
  static std::unique_ptr<CublasLt> open();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  // `count` products c[r][s] = sum of a[r][k] b[s][k] over `inner` k. Rows of a and b follow one
  // another, rows of c are `row` elements apart; a, b and c of the next product begin so many
  // elements later. Extents are multiples of 16.
  struct Product {
    uint64_t rows, columns, inner, row;
    int count;
    uint64_t a, b, c;
    friend auto operator<=>(const Product&, const Product&) = default;
  };
  struct Memory {
    uint64_t address;
    std::size_t bytes;
  };
  // Queues the products on a stream; returns false, and has done nothing, if the library has no
  // kernel for them.
  //   adds  to what c has; else c is only written
  bool multiply(const Product& product, uint64_t a, uint64_t b, uint64_t c, bool adds,
                const Memory& workspace, void* stream);

 private:
  explicit CublasLt(void* handle);
  struct Plan;
  Plan* plan_of(const Product& product, std::size_t workspace_bytes);

  void* handle_;
  std::mutex mutex_;
  std::map<Product, std::unique_ptr<Plan>> plans_;
};

}  // namespace onefold::jit
