#include "onefold/cpu/family/near.hpp"

#include <vector>

#include "onefold/cpu/copy_grid.hpp"

namespace onefold::cpu_backend {

uint64_t ElementFilter::neutral(Statistic of) const {
  const Size bits = 8 * bytes_of(dtype);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const bool least = of == Statistic::least, extreme = least || of == Statistic::greatest;
  if (is_floating(dtype)) {
    const FloatFormat f = float_format(dtype);
    const uint64_t infinity = infinity_bits(dtype);
    const uint64_t one = (infinity >> 1) & ~((uint64_t{1} << f.mantissa_bits) - 1);
    if (extreme) return infinity | (least ? 0 : sign);
    return of == total_of(Term::zero) ? one : sign;
  }
  if (!extreme) return of == total_of(Term::zero) ? 1 : 0;
  if (dtype == DType::boolean) return least ? 1 : 0;
  if (kind_of(dtype) == Kind::signed_integer) return least ? sign - 1 : sign;
  return least ? sign | (sign - 1) : 0;
}

NearPanel::NearPanel(const Shape& s, Size bytes, int inputs, const Panel& p)
    : panel(p),
      columns_(s.columns),
      outer_(columns_ ? p.elements : p.answers),
      inner_(columns_ ? p.answers : p.elements) {
  const auto pack = [&](const std::byte*& x, int64_t& row, int64_t& element,
                        std::unique_ptr<std::byte[]>& memory) {
    memory.reset(new std::byte[outer_ * inner_ * bytes]);
    int64_t &outer = columns_ ? element : row, &inner = columns_ ? row : element;
    copy_grid(x, outer_, outer, inner_, inner, bytes, memory.get());
    x = memory.get();
    inner = static_cast<int64_t>(bytes);
    outer = static_cast<int64_t>(bytes * inner_);
  };
  if (s.packed) pack(panel.x, panel.row, panel.element, memory_);
  if (inputs > 1 && s.packed_y) pack(panel.y, panel.y_row, panel.y_element, memory_y_);
}

// Reads the mask of n elements, starting at element `at`.
void NearPanel::read_mask(Selection& s, const ElementFilter& of, Size at, Size n) const {
  const int64_t run = columns_ ? panel.mask_element : panel.mask_row;
  const int64_t step = columns_ ? panel.mask_row : panel.mask_element;
  const bool joins = inner_ == 1 || run == step * static_cast<int64_t>(inner_) || !of.by_mask();
  s.n = s.taken = 0;
  while (n != 0) {
    const Size o = at / inner_, i = at % inner_, m = joins ? n : std::min(n, inner_ - i);
    s.append(of.ways, of.where,
             panel.mask + static_cast<int64_t>(o) * run + static_cast<int64_t>(i) * step,
             inner_ == 1 ? run : step, m);
    at += m;
    n -= m;
  }
}

void NearPanel::leave_out(const ElementFilter& of, uint64_t fill, bool widen, Size* taken,
                          Size wrap) {
  Size bytes = bytes_of(of.dtype);
  const SelectWays::Elements& ways = of.ways.of(bytes);
  const Size n = outer_ * inner_;
  const auto inner_bytes = static_cast<int64_t>(inner_ * bytes);
  int64_t run = columns_ ? panel.element : panel.row;
  // Short runs are copied first. Runs without gaps are copied as one run; columns as a few runs,
  // whose counts are then added.
  if (run != inner_bytes && inner_ < 64) {
    memory_.reset(new std::byte[n * bytes]);
    copy_grid(panel.x, outer_, run, inner_, static_cast<int64_t>(bytes), bytes, memory_.get());
    panel.x = memory_.get();
    run = inner_bytes;
  }
  const Size together = run != inner_bytes ? 1
                        : columns_         ? std::clamp<Size>(512 / inner_, 1, outer_)
                                           : outer_;
  const Size length = together * inner_;
  std::unique_ptr<std::byte[]> kept(new std::byte[n * bytes + 64]);
  std::vector<uint8_t> counts(columns_ ? length + 64 : 0);
  const uint64_t greatest = of.nan ? infinity_bits(of.dtype) : ~uint64_t{0};
  Selection s;
  for (Size at = 0, m; at < n; at += m) {
    const Size o = at / length, i = at % length;
    m = std::min({length - i, n - at, Selection::most});
    read_mask(s, of, at, m);
    const std::byte* const x =
        panel.x + static_cast<int64_t>(o * together) * run + static_cast<int64_t>(i * bytes);
    ways.replace(x, s.word, m, greatest, fill, kept.get() + at * bytes);
    if (columns_) {
      of.ways.count(s.word, m, counts.data() + i);
      continue;
    }
    Size answer = at / inner_, end = (answer + 1) * inner_ - at;
    for (Size k = 0; k < m; end += inner_) {
      const Size next = std::min(end, m);
      taken[answer++] += of.ways.ones(s.word, k, next);
      k = next;
    }
  }
  for (Size k = 0; columns_ && k < length; k += wrap) {
    for (Size a = 0; a < wrap; ++a) taken[a] += counts[k + a];
  }

  if (widen) {
    std::unique_ptr<std::byte[]> wide(new std::byte[n * sizeof(double) + 64]);
    of.ways.widen(reinterpret_cast<const float*>(kept.get()), n,
                  reinterpret_cast<double*>(wide.get()));
    kept = std::move(wide);
    bytes = sizeof(double);
  }
  memory_ = std::move(kept);
  panel.x = memory_.get();
  (columns_ ? panel.row : panel.element) = static_cast<int64_t>(bytes);
  (columns_ ? panel.element : panel.row) = static_cast<int64_t>(bytes * inner_);
  panel.y = panel.x;
  panel.y_row = panel.row;
  panel.y_element = panel.element;
}

}  // namespace onefold::cpu_backend
