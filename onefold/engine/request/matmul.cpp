// Products of matrices as the op dot of two views with strides of 0.
#include "onefold/matmul.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/matrix_product.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse_shapes(const ArrayRef& a, const ArrayRef& b, const std::string& why) {
  throw Error(ErrorCode::shape_mismatch,
              "matmul: shapes " + to_string(a.shape) + " and " + to_string(b.shape) + ": " + why);
}

void check_options(const Options& given) {
  const char* const option = option_beside(
      given, {".result", ".wide", ".nan", ".device", ".stream", ".threads", ".target", ".nccl"});
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option,
              std::string("matmul: ") + option + " is not supported for a product; leave it out");
}

// Both operands with the axes (.., m, n, k), of which the last is folded.
struct Views {
  ArrayRef a, b;
};

Views views_of(const ArrayRef& a, const ArrayRef& b) {
  const int ra = a.shape.rank(), rb = b.shape.rank();
  if (ra == 0 || rb == 0)
    refuse_shapes(
        a, b, "one operand is a single number, without axes; pass arrays with one axis or more");
  const int batch = std::max({ra - 2, rb - 2, 0});
  if (batch > max_rank - 3) {
    refuse_shapes(a, b, "at most " + std::to_string(max_rank - 1) + " axes are supported");
  }
  const int fold_b = rb == 1 ? 0 : rb - 2;
  if (a.shape[ra - 1] != b.shape[fold_b]) {
    refuse_shapes(a, b,
                  "the last axis of the first array has " + std::to_string(a.shape[ra - 1]) +
                      " elements, but the " + (rb == 1 ? "only" : "second-to-last") +
                      " axis of the second array has " + std::to_string(b.shape[fold_b]) +
                      "; they must be equal");
  }
  Views v{{a.data, a.dtype, {}, {}}, {b.data, b.dtype, {}, {}}};
  v.a.device = a.device;
  v.b.device = b.device;
  const auto add = [&](int64_t extent, int64_t step_a, int64_t step_b) {
    v.a.shape.push_back(extent);
    v.b.shape.push_back(extent);
    v.a.strides.push_back(step_a);
    v.b.strides.push_back(step_b);
  };
  for (int d = batch; d > 0; --d) {
    const int in_a = ra - 2 - d, in_b = rb - 2 - d;
    const int64_t m = in_a < 0 ? 1 : a.shape[in_a], n = in_b < 0 ? 1 : b.shape[in_b];
    if (m != n && m != 1 && n != 1) {
      refuse_shapes(a, b, "the axes before the last two do not broadcast");
    }
    add(m == 1 ? n : m, m == 1 ? 0 : a.strides[in_a], n == 1 ? 0 : b.strides[in_b]);
  }
  if (ra > 1) add(a.shape[ra - 2], a.strides[ra - 2], 0);
  if (rb > 1) add(b.shape[rb - 1], 0, b.strides[rb - 1]);
  add(a.shape[ra - 1], a.strides[ra - 1], b.strides[fold_b]);
  return v;
}

Options with_axis(const Options& options) {
  check_options(options);
  Options o = options;
  o.axes = Axes(-1);
  return o;
}

}  // namespace

MatmulWorkspace::MatmulWorkspace(int device, void* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  if (address % 256 != 0) {
    throw Error(ErrorCode::bad_option,
                "matmul: the workspace's address is not a multiple "
                "of 256; take it from the device's allocator");
  }
  LentMemory& lent = lent_memory();
  device_ = lent.device, memory_ = reinterpret_cast<void*>(lent.address), bytes_ = lent.bytes;
  lent = {device, address, bytes};
}

MatmulWorkspace::~MatmulWorkspace() {
  lent_memory() = {device_, reinterpret_cast<uint64_t>(memory_), bytes_};
}

Answer matmul(const ArrayRef& a, const ArrayRef& b, const Options& options) {
  const Options o = with_axis(options);
  const Views v = views_of(a, b);
  Answer answer = std::move(fold("dot", v.a, v.b, o).list[0]);
  answer.op = "matmul";
  return answer;
}

void matmul_into(const OutputRef& out, const ArrayRef& a, const ArrayRef& b,
                 const Options& options) {
  const Options o = with_axis(options);
  const Views v = views_of(a, b);
  fold_into(out, "dot", v.a, v.b, o);
}

namespace {

// Copies of a matrix's vectors, one after another, each with room for one more element.
class Longer {
 public:
  //   axis  that of the vectors; the other one is folded
  Longer(const ArrayRef& x, int axis)
      : bytes_(bytes_of(x.dtype)),
        vectors_(x.shape[axis]),
        n_(x.shape[1 - axis] + 1),
        data_(static_cast<Size>(vectors_ * n_) * bytes_) {
    for (int64_t v = 0; v < vectors_; ++v) {
      const auto* from = static_cast<const std::byte*>(x.data) + v * x.strides[axis];
      for (int64_t k = 0; k + 1 < n_; ++k, from += x.strides[1 - axis]) {
        std::memcpy(at(v, k), from, bytes_);
      }
    }
  }
  // Sets the elements that are added.
  //   stride  in bytes, from that of one vector to the next one's
  void set(const std::byte* from, int64_t stride) {
    for (int64_t v = 0; v < vectors_; ++v, from += stride) std::memcpy(at(v, n_ - 1), from, bytes_);
  }
  ArrayRef row(DType t, int64_t v) const { return {at(v, 0), t, Dims(n_)}; }
  ArrayRef rows(DType t) const { return {data_.data(), t, Dims(vectors_, n_)}; }
  ArrayRef columns(DType t) const {
    const auto step = static_cast<int64_t>(bytes_);
    return {data_.data(), t, Dims(n_, vectors_), Dims(step, n_ * step)};
  }

 private:
  std::byte* at(int64_t v, int64_t k) { return &data_[static_cast<Size>(v * n_ + k) * bytes_]; }
  const std::byte* at(int64_t v, int64_t k) const {
    return &data_[static_cast<Size>(v * n_ + k) * bytes_];
  }
  Size bytes_;
  int64_t vectors_, n_;
  std::vector<std::byte> data_;
};

// Returns the bits of 1.
uint64_t one_of(DType t) {
  switch (t) {
    case DType::f16:
      return 0x3c00;
    case DType::bf16:
      return 0x3f80;
    case DType::f32:
      return 0x3f800000;
    case DType::f64:
      return 0x3ff0000000000000;
    default:
      return 1;
  }
}

// Refuses operands that have no sum with their product.
void check_sum(const OutputRef& out, const ArrayRef& c, const ArrayRef& a, const ArrayRef& b) {
  const auto refuse = [](ErrorCode code, const std::string& why) {
    throw Error(code, "addmm: " + why);
  };
  if (a.shape.rank() != 2 || b.shape.rank() != 2) {
    refuse(ErrorCode::shape_mismatch, "both operands must be matrices, but the shapes are " +
                                          to_string(a.shape) + " and " + to_string(b.shape));
  }
  for (const ArrayRef* const x : {&a, &b, &c}) {
    if (x->device.type != Device::Type::automatic && x->device.type != Device::Type::cpu) {
      refuse(ErrorCode::bad_option,
             "only arrays on the host are supported, but one is on a device; copy it to the host");
    }
    if (x->dtype != a.dtype) {
      refuse(ErrorCode::type_mismatch, std::string("the arrays are ") + name_of(a.dtype) + " and " +
                                           name_of(x->dtype) + "; convert one of them");
    }
  }
  const Dims shape(a.shape[0], b.shape[1]);
  if (out.shape != shape) {
    refuse(ErrorCode::shape_mismatch, "the output has shape " + to_string(out.shape) +
                                          ", but the product has shape " + to_string(shape) +
                                          "; they must be equal");
  }
  const int rank = c.shape.rank();
  bool fits = rank <= 2;
  for (int d = 1; d <= std::min(rank, 2); ++d) {
    fits = fits && (c.shape[rank - d] == 1 || c.shape[rank - d] == shape[2 - d]);
  }
  if (!fits) {
    refuse(ErrorCode::shape_mismatch, "c has shape " + to_string(c.shape) +
                                          ", which does not broadcast to the product's shape " +
                                          to_string(shape));
  }
}

}  // namespace

void addmm_into(const OutputRef& out, const ArrayRef& c, const ArrayRef& a, const ArrayRef& b,
                const Options& options) {
  check_options(options);
  check_sum(out, c, a, b);
  views_of(a, b);
  const DType t = a.dtype;
  const int rank = c.shape.rank();
  const auto stride = [&](int from_last) {
    return rank < from_last || c.shape[rank - from_last] == 1 ? 0 : c.strides[rank - from_last];
  };
  const int64_t down = stride(2), across = stride(1);
  const auto* const first = static_cast<const std::byte*>(c.data);
  const uint64_t bits = one_of(t);
  const auto* const one = reinterpret_cast<const std::byte*>(&bits);  // little-endian
  Longer rows(a, 0), columns(b, 1);
  if (down != 0 && across != 0) {
    rows.set(one, 0);
    const Dims strides = out.strides.rank() == 0 ? row_major(out.shape, out.dtype) : out.strides;
    for (int64_t i = 0; i < out.shape[0]; ++i) {
      columns.set(first + i * down, across);
      const int64_t places = i * strides[0] / static_cast<int64_t>(bytes_of(out.dtype));
      matmul_into(
          {static_cast<std::byte*>(out.data) + i * strides[0], out.dtype, Dims(out.shape[1]),
           Dims(strides[1]), out.status == nullptr ? nullptr : out.status + places},
          rows.row(t, i), columns.columns(t), options);
    }
    return;
  }
  rows.set(down != 0 ? first : one, down);
  columns.set(down != 0 ? one : first, down != 0 ? 0 : across);
  matmul_into(out, rows.rows(t), columns.columns(t), options);
}

}  // namespace onefold
