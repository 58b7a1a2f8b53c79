#include "law/random/problem.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::law {
namespace {

Placed place_data(Random& r, const Draw& d, DType t, const Dims& shape, std::string_view name) {
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  const Dims strides = some_strides(r, shape, bytes, d.strided);
  int64_t low = 0;
  const auto span = static_cast<Size>(span_of(shape, strides, low) + bytes);
  const Size n = span / static_cast<Size>(bytes) + 1;
  Data memory = some_data(r, name, t, n);
  if (d.specials && is_floating(t)) memory = with_specials(r, std::move(memory));
  return place(r, shape, strides, memory, span);
}

// y lies as x does, or anyhow: equal, negated, off by a few bits, or of other data.
Placed place_partner(Random& r, const Draw& d, const Data& xs) {
  const auto bytes = static_cast<int64_t>(bytes_of(d.type));
  const bool related = d.y_data == "itself" || d.y_data == "turned" || d.y_data == "near";
  if (!related) return place_data(r, d, d.type, d.shape, d.y_data);
  Data y = xs;
  const uint64_t sign = uint64_t{1} << (8 * bytes_of(d.type) - 1);
  for (Size i = 0; i < y.size() && d.type != DType::boolean; ++i) {
    const uint64_t bits = y.bits(i);
    if (d.y_data == "turned") y.set(i, is_floating(d.type) ? bits ^ sign : 0 - bits);
    if (d.y_data == "near") y.set(i, bits ^ (r() % 4));
  }
  return place(r, d.shape, row_major(d.shape, d.type), y, y.size() * static_cast<Size>(bytes));
}

// Selects no element, all, some, runs of them, or one.
void select(Random& r, Data& mask) {
  const auto kind = r() % 6;
  const Size run = 1 + r() % 700, n = mask.size();
  bool on = false;
  for (Size i = 0; i < n; ++i) {
    if (i % run == 0) on = r() % 2 == 0;
    const bool taken = kind == 0   ? r() % 64 == 0
                       : kind == 1 ? true
                       : kind == 2 ? r() % 2 == 0
                       : kind == 3 ? r() % 16 != 0
                       : kind == 4 ? on
                                   : false;
    mask.set(i, taken ? 1 + r() % 255 : 0);
  }
  if (kind == 5 && n > 0) mask.set(r() % n, 1);
}

Data some_counts(Random& r, DType t, Size n) {
  Data counts(t, n);
  const Size limits[] = {2, 30, 120, 1};
  const auto kind = r() % 4;
  for (Size i = 0; i < n; ++i) counts.set(i, kind == 3 ? 1 : r() % 2 * (r() % limits[kind]));
  return counts;
}

// 1 to 3; -2 to 2, whose sum is often 0; anything; ones.
Data some_weights(Random& r, DType t, Size n, uint64_t kind) {
  if (kind == 3) return some_data(r, "ones", t, n);
  const auto names = test::generators(t);
  if (kind == 2) return some_data(r, names[r() % names.size()], t, n);
  Data weights(t, n);
  for (Size i = 0; i < n; ++i) {
    const double v =
        kind == 0 ? 1 + static_cast<double>(r() % 3) : static_cast<double>(r() % 5) - 2;
    const auto integer = static_cast<uint64_t>(static_cast<int64_t>(v));
    weights.set(i, is_floating(t) ? test::bits_near(t, v) : t == DType::boolean ? 1 : integer);
  }
  return weights;
}

std::vector<int64_t> some_offsets(Random& r, int64_t n) {
  std::vector<int64_t> offsets{0};
  const auto kind = r() % 5;
  const auto equal = static_cast<int64_t>(1 + r() % 40);
  while (offsets.back() < n && offsets.size() < 3000) {
    const int64_t left = n - offsets.back();
    const auto length =
        static_cast<int64_t>(kind == 0   ? r() % 3
                             : kind == 1 ? static_cast<Size>(equal)
                             : kind == 2 ? test::pick_log(r, 1, static_cast<Size>(left))
                             : kind == 3 ? r() % 40
                                         : test::pick_log(r, 1, 700) - 1);
    offsets.push_back(offsets.back() + std::min(length, left));
  }
  if (r() % 3 == 0) offsets.push_back(offsets.back());
  if (offsets.size() > 1 && r() % 4 == 0) offsets.erase(offsets.begin());
  if (offsets.size() > 1 && r() % 4 == 0) offsets.pop_back();
  return offsets;
}

}  // namespace

int64_t number_of(DType t, uint64_t bits) {
  const int unused = 64 - 8 * static_cast<int>(bytes_of(t));
  if (onefold::kind_of(t) != onefold::Kind::signed_integer) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << unused) >> unused;
}

Problem::Problem(const Draw& d)
    : draw(d),
      options(d.options),
      xs(d.type, 0),
      ys(d.type, 0),
      weights(d.type, 0),
      labels(DType::i64, 0) {
  Random r(d.seed);
  x_place_ = place_data(r, d, d.type, d.shape, d.x_data);
  x = x_place_.array;
  xs = in_c_order(x, d.shape);
  Random other(d.seed + 1);
  if (d.two()) {
    y_place_ = place_partner(other, d, xs);
    y = y_place_.array;
    ys = in_c_order(y, d.shape);
    const bool weighs = std::all_of(d.ops.begin(), d.ops.end(),
                                    [](const OpRow* op) { return op->about->takes_weights; });
    y_is_weights = weighs && d.weighing == Weighing::none && d.seed % 2 == 0;
    if (y_is_weights) options.weights = y;
  }
  make_mask();
  make_weights();
  make_groups();
  if (d.initial) {
    Random third(d.seed + 2);
    Data value = some_data(third, d.x_data, d.type, 3);
    if (is_floating(d.type) && third() % 4 == 0) value = with_specials(third, std::move(value));
    options.initial = Scalar(d.type, value.bits(d.seed % 3));
  }
}

void Problem::make_mask() {
  if (draw.selected == Selected::all) return;
  Random r(draw.seed + 3);
  const Dims shape = some_broadcast(r, draw.shape),
             strides = some_strides(r, shape, 1, draw.strided);
  int64_t low = 0;
  Data mask(DType::boolean, static_cast<Size>(span_of(shape, strides, low)) + 1);
  select(r, mask);
  mask_place_ = place(r, shape, strides, mask, mask.size());
  const Data all = in_c_order(mask_place_.array, draw.shape);
  for (Size i = 0; i < all.size(); ++i) taken.push_back(all.bits(i) != 0);
  if (draw.selected == Selected::by_bools) {
    options.where = Mask(mask_place_.array);
    return;
  }
  const Size first = r() % 20;
  bits_.resize((mask.size() + first + 7) / 8);
  for (Size i = 0; i < mask.size(); ++i) {
    if (mask.bits(i) != 0) bits_[(first + i) / 8] |= std::byte{1} << (first + i) % 8;
  }
  Mask m = Mask::of_bits(bits_.data(), first + static_cast<Size>(-low), shape);
  m.array.strides = strides;
  options.where = m;
}

void Problem::make_weights() {
  if (draw.weighing == Weighing::none) return;
  Random r(draw.seed + 4);
  static constexpr DType whole[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                    DType::u8, DType::u16, DType::u32, DType::u64};
  const bool repeats = draw.weighing == Weighing::fweights;
  const DType t = repeats ? whole[r() % std::size(whole)] : draw.type;
  const Dims shape = some_broadcast(r, draw.shape),
             strides = some_strides(r, shape, static_cast<int64_t>(bytes_of(t)), false);
  const Size n = std::max<Size>(law::elements_of(shape), 1);
  const auto kind = r() % 4;
  weights_are_counts = !repeats && kind == 0;
  const Data memory = repeats ? some_counts(r, t, n) : some_weights(r, t, n, kind);
  weight_place_ = place(r, shape, strides, memory, memory.bytes());
  weights = in_c_order(weight_place_.array, draw.shape);
  (repeats ? options.fweights : options.weights) = weight_place_.array;
  for (Size i = 0; i < weights.size() && (repeats || weights_are_counts); ++i) {
    Size times = weights.bits(i);
    for (Size k = 1; k < 4 && is_floating(t); ++k) {
      if (weights.bits(i) == test::bits_near(t, static_cast<double>(k))) times = k;
    }
    counts.push_back(times);
  }
}

void Problem::make_groups() {
  Random r(draw.seed + 5);
  if (draw.kind == Kind::segments) offsets = some_offsets(r, draw.shape[0]);
  if (!draw.by_groups()) return;
  static constexpr DType types[] = {DType::boolean, DType::i8,  DType::i16, DType::i32, DType::i64,
                                    DType::u8,      DType::u16, DType::u32, DType::u64};
  const DType t = types[r() % std::size(types)];
  const Size n = xs.size();
  groups = test::pick_log(r, 1, t == DType::boolean ? 2 : 100);
  const int64_t from = draw.kind == Kind::keys && r() % 2 == 0 ? -50 : 0;
  std::vector<int64_t> list(n);
  for (int64_t& v : list) {
    const bool negative = onefold::kind_of(t) == onefold::Kind::signed_integer;
    v = static_cast<int64_t>(r() % groups) + (negative ? from : 0);
  }
  const auto order = r() % 3;
  if (order == 0) std::sort(list.begin(), list.end());
  labels = Data(t, n);
  const auto bytes = static_cast<int64_t>(bytes_of(t)), step = 1 + static_cast<int64_t>(r() % 2);
  labels_.resize(static_cast<Size>(bytes * step) * (n + 1));
  for (Size i = 0; i < n; ++i) {
    labels.set(i, static_cast<uint64_t>(list[i]));
    std::memcpy(labels_.data() + i * static_cast<Size>(bytes * step), labels.at(i),
                static_cast<Size>(bytes));
  }
  label_array = ArrayRef(labels_.data(), t, Dims(static_cast<int64_t>(n)), Dims(bytes * step));
  keys = list;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Dims Problem::output() const {
  if (draw.kind == Kind::labels || draw.kind == Kind::running) {
    return Dims(static_cast<int64_t>(groups));
  }
  if (draw.kind == Kind::keys) return Dims(static_cast<int64_t>(keys.size()));
  Dims shape;
  if (draw.kind == Kind::segments) shape.push_back(static_cast<int64_t>(offsets.size()) - 1);
  for (int d = 0; d < draw.shape.rank(); ++d) {
    const bool folded =
        draw.kind == Kind::segments ? d == 0 : draw.folded[static_cast<std::size_t>(d)];
    if (!folded) shape.push_back(draw.shape[d]);
    if (folded && draw.options.keepdims) shape.push_back(1);
  }
  return shape;
}

Size Problem::answers() const { return law::elements_of(output()); }

std::vector<Size> Problem::elements_of(Size answer) const {
  std::vector<Size> list;
  if (draw.by_groups()) {
    const int64_t key = draw.kind == Kind::keys ? keys[answer] : static_cast<int64_t>(answer);
    for (Size i = 0; i < xs.size(); ++i) {
      if (number_of(labels.dtype(), labels.bits(i)) == key) list.push_back(i);
    }
    return list;
  }
  if (draw.kind == Kind::segments) {
    const Size n = static_cast<Size>(draw.shape[0]), columns = n == 0 ? 0 : xs.size() / n;
    if (columns == 0) return list;
    const Size s = answer / columns, column = answer % columns;
    for (auto i = static_cast<Size>(offsets[s]); i < static_cast<Size>(offsets[s + 1]); ++i) {
      list.push_back(i * columns + column);
    }
    return list;
  }
  // The first element, then all that differ along folded axes.
  const int rank = draw.shape.rank();
  Size first = 0, step = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const auto extent = static_cast<Size>(draw.shape[d]);
    if (!draw.folded[static_cast<std::size_t>(d)]) {
      first += answer % extent * step;
      answer /= extent;
    }
    step *= extent;
  }
  list = {first};
  std::vector<Size> steps(static_cast<std::size_t>(rank), 1);
  for (int d = rank - 1; d > 0; --d) {
    steps[static_cast<std::size_t>(d - 1)] =
        steps[static_cast<std::size_t>(d)] * static_cast<Size>(draw.shape[d]);
  }
  for (int d = 0; d < rank; ++d) {
    if (!draw.folded[static_cast<std::size_t>(d)]) continue;
    std::vector<Size> more;
    for (const Size at : list) {
      for (Size k = 0; k < static_cast<Size>(draw.shape[d]); ++k) {
        more.push_back(at + k * steps[static_cast<std::size_t>(d)]);
      }
    }
    list = std::move(more);
  }
  return list;
}

}  // namespace onefold::law
