#include "backend/cpu/family/ends.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::cpu_backend {
namespace {

// The values that several panels leave, one after another, are a panel again.
class End {
 public:
  End(const Shape& shape, const Group& g, const EndWanted& wanted)
      : shape_(shape), g_(g), wanted_(wanted), decided_(g.answers, 1) {}

  void fold(std::byte* values, int64_t* places) {
    const Size folds = places == nullptr ? rows_at_once(shape_, g_.answers, wanted_.bytes) : 1;
    if (folds > 1) return fold_few(values, folds);
    Odometer folded(shape_.folded);
    const Size again = Odometer::count(shape_.folded);
    if (again == 1) return gather(panel_at(g_.x), values, places);
    std::vector<std::byte> each(again * g_.answers * wanted_.bytes);
    for (Size f = 0; f < again; ++f) {
      folded.set(f);
      gather(panel_at(g_.x + folded.offset), each.data() + f * row_bytes(), nullptr);
    }
    join(each.data(), again, values);
  }

  const std::vector<uint8_t>& decided() const { return decided_; }

 private:
  Size row_bytes() const { return g_.answers * wanted_.bytes; }
  Panel panel_at(const std::byte* x) const {
    return {x, shape_.answer.stride[0], shape_.element.stride[0], g_.answers,
            shape_.element.extent};
  }
  const PanelExtremes::Ways& ways() const {
    return wanted_.greatest ? wanted_.ways->greatest : wanted_.ways->least;
  }

  void gather(const Panel& p, std::byte* values, int64_t* places) {
    std::vector<uint8_t> sure(p.answers);
    const auto f = shape_.rows ? ways().rows : ways().columns;
    if (f(p, values, places, sure.data()) == p.answers) return;
    for (Size k = 0; k < p.answers; ++k) decided_[k % g_.answers] &= sure[k];
  }
  void join(const std::byte* each, Size n, std::byte* values) {
    const auto bytes = static_cast<int64_t>(wanted_.bytes);
    std::vector<uint8_t> sure(g_.answers);
    ways().columns({each, bytes, static_cast<int64_t>(row_bytes()), g_.answers, n}, values, nullptr,
                   sure.data());
  }

  // Several rows as one, of more columns.
  void fold_few(std::byte* values, Size folds) {
    const Size rows = shape_.element.extent / folds, rest = shape_.element.extent % folds;
    const Size again = Odometer::count(shape_.folded), kept = folds + rest;
    const auto wide = static_cast<int64_t>(folds * row_bytes());
    std::vector<std::byte> each(again * kept * row_bytes());
    Odometer folded(shape_.folded);
    for (Size f = 0; f < again; ++f) {
      folded.set(f);
      const std::byte* x = g_.x + folded.offset;
      std::byte* to = each.data() + f * kept * row_bytes();
      gather({x, shape_.answer.stride[0], wide, g_.answers * folds, rows}, to, nullptr);
      std::memcpy(to + wide, x + static_cast<int64_t>(rows) * wide, rest * row_bytes());
    }
    std::vector<uint8_t> sure(g_.answers);
    const Panel p{each.data(), static_cast<int64_t>(wanted_.bytes),
                  static_cast<int64_t>(row_bytes()), g_.answers, again * kept};
    if (ways().columns(p, values, nullptr, sure.data()) == g_.answers) return;
    for (Size k = 0; k < g_.answers; ++k) decided_[k] &= sure[k];
  }

  const Shape& shape_;
  const Group& g_;
  const EndWanted& wanted_;
  std::vector<uint8_t> decided_;
};

}  // namespace

bool takes_end(const Shape& shape, const Nest& nest, const EndWanted& wanted) {
  if (!shape.rows && !shape.columns) return false;
  if (!wanted.placed) return Odometer::count(shape.folded) <= 256;
  const bool in_order = shape.element.extent == 1 || (shape.element.step == 1 && nest.index == 0);
  return shape.folded.empty() && in_order &&
         (shape.rows || shape.element.extent < wanted.ways->most_placed);
}

void fold_end(const Shape& shape, const Group& g, const EndWanted& wanted,
              std::vector<uint8_t>& open) {
  const Size bytes = wanted.placed ? sizeof(int64_t) : wanted.bytes;
  const int64_t step = shape.answer.step;
  std::byte* const out = wanted.out + g.first * bytes;
  std::vector<std::byte> values(step == 1 && !wanted.placed ? 0 : g.answers * wanted.bytes);
  std::vector<int64_t> places(wanted.placed && step != 1 ? g.answers : 0);
  std::byte* const to = values.empty() ? out : values.data();
  int64_t* const where = !wanted.placed ? nullptr
                         : step == 1    ? reinterpret_cast<int64_t*>(out)
                                        : places.data();
  End end(shape, g, wanted);
  end.fold(to, where);
  const auto* const from =
      wanted.placed ? reinterpret_cast<const std::byte*>(where) : static_cast<const std::byte*>(to);
  for (Size i = 0; step != 1 && i < g.answers; ++i) {
    const auto at = static_cast<int64_t>(i) * step * static_cast<int64_t>(bytes);
    std::memcpy(out + at, from + i * bytes, bytes);
  }
  for (Size i = 0; i < g.answers; ++i) {
    if (end.decided()[i] != 0) continue;
    open.resize(g.answers);
    open[i] = 1;
  }
}

}  // namespace onefold::cpu_backend
