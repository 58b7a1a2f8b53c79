#include "onefold/engine/plan/table.hpp"

#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "onefold/core/named.hpp"
#include "onefold/engine/plan/alias.hpp"
#include "onefold/engine/plan/decimal_words.hpp"
#include "onefold/engine/plan/nearest.hpp"
#include "onefold/engine/plan/no_op.hpp"
#include "onefold/error.hpp"
#include "onefold/generated/op.inl"

namespace onefold {
namespace {

template <class A>
constexpr bool has_state = Small<A> || SmallPair<A>;

template <class A>
struct AccumulatorOperations {
  static_assert(FitsLimbs<A>, "one lift adds more digits to a limb than 64 bits take uncarried");
  static void clear(int64_t* w) {
    if constexpr (has_state<A>) {
      store_state<A>(w, {});
    } else {
      std::memset(w, 0, static_cast<std::size_t>(A::words) * sizeof *w);
    }
  }
  static void merge(int64_t* into, const int64_t* from) {
    if constexpr (has_state<A>) {
      typename A::State a = load_state<A>(into);
      A::merge(a, load_state<A>(from));
      store_state<A>(into, a);
    } else {
      for (int k = 0; k < A::words; ++k) into[k] += from[k];
      canonicalise(into);
    }
  }
  static void merge_each(int64_t* into, const int64_t* from, Size step, Size n) {
    if constexpr (has_state<A>) {
      for (Size i = 0; i < n; ++i) merge(into + i * step, from + i * step);
    }
  }
  static void canonicalise(int64_t* w) {
    if constexpr (requires { A::base; }) {
      carry_decimals(w);
    } else if constexpr (!has_state<A>) {
      A::canonicalise(w);
    }
  }
  static constexpr int flag() {
    if constexpr (requires { A::not_negative_zero; }) return A::not_negative_zero;
    return -1;
  }
  static constexpr int limbs() {
    if constexpr (requires { A::limbs; }) return A::limbs;
    if constexpr (requires { A::base; }) return A::words;
    return 0;
  }
  static constexpr int64_t base() {
    if constexpr (requires { A::base; }) return A::base;
    return int64_t{1} << 32;
  }
  static constexpr AccumulatorRow row(const char* name) {
    return {.name = name,
            .words = A::words,
            .limbs = limbs(),
            .base = base(),
            .inputs = TwoInputs<A> || SmallPair<A> ? 2 : 1,
            .indexed = Small<A>,
            .additive = !has_state<A>,
            .flag = flag(),
            .clear = clear,
            .merge = merge,
            .merge_each = merge_each,
            .canonicalise = canonicalise};
  }
};

template <template <class> class A>
constexpr std::array<AccumulatorRow, dtype_count> rows(const char* name) {
  return {
#define ONEFOLD_DTYPE(dtype, spelling, type, kind, bytes) AccumulatorOperations<A<type>>::row(name),
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  };
}

constexpr std::array<AccumulatorRow, dtype_count> accumulator_rows[] = {
#define ONEFOLD_ENTRY(name) rows<accumulator::name>(#name),
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
};

template <class Op>
constexpr Recipe (*recipe_of())(const Named&) {
  if constexpr (has_recipe<Op>) {
    return &recipe_for<Op>;
  } else {
    return nullptr;
  }
}

constexpr auto ops = [] {
  std::array rows{
#define ONEFOLD_ENTRY(name) \
  OpRow{0, #name, &op::name##_::about, &op::name##_::finish, recipe_of<op::name##_>()},
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  };
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].index = k;
  return rows;
}();

template <class F>
void for_each(const Layout& layout, DType t, F f) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (layout.offset[a] >= 0) f(row_of(static_cast<Accumulator>(a), t), layout.offset[a]);
  }
}

}  // namespace

const AccumulatorRow& row_of(Accumulator a, DType t) {
  return accumulator_rows[static_cast<int>(a)][static_cast<std::size_t>(t)];
}

std::span<const OpRow> op_rows() { return ops; }

const OpRow& find_op(std::string_view name) {
  for (const OpRow& row : ops) {
    if (name == row.name) return row;
  }
  if (const Alias* const alias = find_alias(name)) return find_op(alias->op);
  if (const NoOp no = why_no_op(name); !no.why.empty()) {
    throw Error(ErrorCode::unknown_op, no.why + no.instead);
  }
  std::string known;
  std::vector<std::string_view> names;
  for (const OpRow& row : ops) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
    names.push_back(row.name);
  }
  throw Error(ErrorCode::unknown_op, "no op is called \"" + std::string(name) + "\"" +
                                         did_you_mean(name, names) + "; the ops are " + known);
}

Layout layout_of(Accumulators set, DType t) {
  Layout layout;
  for (int a = 0; a < every_accumulator; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (!set.has(accumulator)) {
      layout.offset[a] = -1;
      continue;
    }
    layout.offset[a] = layout.words;
    layout.words += row_of(accumulator, t).words;
  }
  return layout;
}

void carry(const AccumulatorRow& row, int64_t* digit, int n) {
  if (row.base == decimal::base) return decimal::carry(digit, n);
  carry(digit, n);
}

void clear(int64_t* state, const Layout& layout, DType t) {
  for_each(layout, t, [&](const AccumulatorRow& row, int at) { row.clear(state + at); });
}
void merge(int64_t* into, const int64_t* from, const Layout& layout, DType t) {
  for_each(layout, t, [&](const AccumulatorRow& row, int at) { row.merge(into + at, from + at); });
}
void canonicalise(int64_t* state, const Layout& layout, DType t) {
  for_each(layout, t, [&](const AccumulatorRow& row, int at) { row.canonicalise(state + at); });
}

}  // namespace onefold
