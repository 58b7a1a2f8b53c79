// How folds on a device are divided among lanes, blocks and parts, worked out on the host for every
// op, type and many shapes: nothing is empty, and every element and answer is somebody's.
#include "onefold/cuda/deal.hpp"

#include <gtest/gtest.h>

#include "check.hpp"
#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/cuda/segments.hpp"
#include "onefold/cuda/weighted.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::cuda_backend;
using kernel::Deal;
using kernel::Walk;

constexpr DType types[] = {f64, f32, f16, bf16, i64, u64, i32, u32, i16, u16, i8, u8, boolean};
constexpr Size of_block = kernel::block_warps, block_threads = 32 * of_block;

// Notes what is wrong with a partition.
class Check {
 public:
  void that(bool holds, const char* rule) {
    if (!holds) broken_ += (broken_.empty() ? "" : ", ") + std::string(rule);
  }
  const std::string& broken() const { return broken_; }

 private:
  std::string broken_;
};

void check_columns(Check& check, const LaunchDeal& dealt, const NestInput& in, Size bytes,
                   int words) {
  const Deal& d = dealt.deal;
  const bool any = dealt.walk == Walk::columns;
  check.that(d.team == 32 || d.team == block_threads, "a team is a warp or a block");
  check.that(d.lanes >= 1 && d.lanes <= d.team, "a team has a row of lanes");
  const auto w =
      static_cast<Size>(dealt.walk == Walk::single_columns
                            ? 1
                            : kernel::columns_of_lane(static_cast<unsigned>(bytes), words, !any));
  check.that(d.tiles * d.lanes * w >= d.width, "tiles cover a row");
  const Size outer = in.answers / in.axis[0].extent, parts = any ? d.parts : 1;
  check.that(dealt.blocks * (block_threads / d.team) * d.batch >= outer * d.tiles * parts,
             "teams for all tiles");
  if (!any) return;
  check.that(d.part >= 1 && d.part * d.parts >= d.rows, "parts cover the rows");
  check.that(d.rows << d.copy_bits >= in.elements, "rows cover the elements");
  if (d.parts == 1) return;
  const Size tiles = outer * d.tiles, each = static_cast<Size>(std::max(words, 1));
  check.that(d.parts * tiles <= Workspace::scratch_tickets, "a ticket for each part");
  check.that(d.parts * tiles * d.lanes * w * each <= Workspace::scratch_words, "scratch");
}

void check_rows(Check& check, const Plan& plan, const LaunchDeal& dealt, const NestInput& in,
                int words, bool selects) {
  const Deal& d = dealt.deal;
  const bool by_part = dealt.walk == Walk::long_rows, any = dealt.walk == Walk::any_rows;
  const Size lanes =
      by_part ? 32
      : any
          ? Size{1} << d.lane_bits
          : Size{1} << (static_cast<unsigned>(dealt.walk) - static_cast<unsigned>(Walk::even_rows));
  check.that(lanes >= 1 && lanes <= 32, "lanes of a warp");
  const auto rows = static_cast<Size>(kernel::rows_of_lane(words, selects && plan.inputs == 2));
  const Size tile = by_part ? 1 : 32 / lanes * rows, tiles = quotient(in.answers, tile);
  check.that(dealt.blocks * of_block * d.batch >= tiles * d.parts, "warps for all tiles");
  if (!any && !by_part) {
    check.that(d.loads * (16 / bytes_of(plan.dtype)) == in.elements, "loads cover a row");
    return;
  }
  check.that(d.rows * d.length == in.elements, "runs cover the elements");
  check.that(d.part >= 1 && d.part * d.parts >= d.rows, "parts cover the runs");
  check.that(d.parts == 1 || d.parts % of_block == 0, "parts are of whole blocks");
}

void check_short_rows(Check& check, const Plan& plan, const LaunchDeal& dealt,
                      const NestInput& in) {
  const Deal& d = dealt.deal;
  const auto arrays = static_cast<Size>(plan.inputs);
  check.that(d.turn >= 1, "lanes of a bank");
  check.that(32 * d.batch * in.elements * bytes_of(plan.dtype) * arrays <= 4096, "staged rows");
  check.that(dealt.blocks * of_block * 32 * d.batch >= in.answers, "lanes for all rows");
}

void check_blocks(Check& check, const LaunchDeal& dealt, const NestInput& in) {
  check.that(dealt.deal.part >= 1 && dealt.deal.part * dealt.deal.parts >= in.elements,
             "parts cover the elements");
  check.that(dealt.warps >= 1 && dealt.warps <= of_block, "warps of a block");
}

std::string flaws_of(const Plan& plan, const NestDeal& deal, const NestInput& in) {
  Check check;
  const LaunchDeal& dealt = deal.dealt;
  const kernel::OpSet ops =
      cuda_backend::bits_of(plan.ops) | (dealt.digits ? kernel::by_digits : 0);
  const int words =
      visit(plan.dtype, [&]<class T>() { return kernel::total_words_of<T>(ops, deal.selects); });
  check.that(dealt.blocks >= 1 && dealt.blocks < 1u << 31, "blocks");
  check.that(dealt.deal.batch >= 1, "batch");
  if (kernel::is_columns(dealt.walk)) {
    check_columns(check, dealt, in, bytes_of(plan.dtype), words);
  } else if (kernel::is_rows(dealt.walk)) {
    check_rows(check, plan, dealt, in, words, deal.selects);
  } else if (dealt.walk == Walk::short_rows) {
    check_short_rows(check, plan, dealt, in);
  } else {
    check.that(dealt.walk == Walk::nest, "a known walk");
    check_blocks(check, dealt, in);
  }
  return check.broken();
}

// Each op alone, and ops together: those of one array, and those of two.
std::vector<std::string> op_sets() {
  std::vector<std::string> sets{"mean,var,min,max", "sum,max,count_nan", "argmin,argmax,sum,norm2",
                                "corr,cov,slope,intercept,cosine"};
  for (const OpRow& op : op_rows()) sets.emplace_back(op.name);
  return sets;
}

// Arrays that are never read, of one shape and of several layouts.
struct Request {
  Dims shape, strides;
  uint64_t at = 4096;  // the address of the first element
  Options options;
  Plan plan(const std::string& ops, DType t) const {
    const ArrayRef x(reinterpret_cast<const void*>(at), t, shape, strides);
    const bool two = find_op(ops.substr(0, ops.find(','))).about->inputs == 2;
    return make_plan(ops, x, two ? &x : nullptr, options);
  }
};

Request request_of(const Dims& shape, const Dims& axes, DType t, Size variant) {
  Request r{.shape = shape, .strides = row_major(shape, t), .options = {.axes = Axes(axes)}};
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  if (variant % 5 == 1) {  // the first axis is the fastest
    int64_t step = bytes;
    for (int d = 0; d < shape.rank(); ++d) {
      r.strides[d] = step;
      step *= shape[d];
    }
  }
  if (variant % 5 == 2) {  // every second element
    for (int d = 0; d < shape.rank(); ++d) r.strides[d] *= 2;
  }
  if (variant % 3 == 1) r.at += static_cast<uint64_t>(bytes);
  if (variant % 7 == 3) {
    r.options.where = Mask(ArrayRef(reinterpret_cast<const void*>(8192), boolean, shape));
  }
  r.options.nan = static_cast<NanPolicy>(variant % 11 % 3);
  return r;
}

std::string flaws_of(const std::string& ops, DType t, const Request& r, Size multiprocessors,
                     bool few_f64) {
  const Plan plan = r.plan(ops, t);
  if (is_whole(plan, plan.nest) || plan.answers == 0 || plan.elements == 0) return "";
  const void* const first = reinterpret_cast<const void*>(r.at);
  NestInput in = input_of(plan, plan.nest, Addresses(Arrays(plan, plan.nest, first, first)));
  Results results{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}};
  const std::vector<Destination> to(plan.ops.size(), {4096, 8192});
  place(results, plan, to);
  Deal all;
  all.answers = in.answers;
  const NestDeal deal = deal_of(plan, plan.nest, in, results, all, true, multiprocessors, few_f64);
  const std::string flaws = flaws_of(plan, deal, in);
  if (flaws.empty()) return "";
  return ops + " of " + name_of(t) + ", shape " + to_string(r.shape) + ", strides " +
         to_string(r.strides) + ", " + std::to_string(multiprocessors) +
         " multiprocessors: " + flaws;
}

// Types that an op does not take are refused by the plan.
bool takes(const std::string& ops, DType t) {
  try {
    request_of(Dims(2, 2), Dims(int64_t{0}), t, 0).plan(ops, t);
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <class F>
void for_each_request(F f) {
  for (const std::string& ops : op_sets()) {
    for (const DType t : types) {
      if (takes(ops, t)) f(ops, t);
    }
  }
}

constexpr Size chips[] = {1, 20, 132, 148};

TEST(Deal, DividesRowsAndColumnsOfEveryOpTypeAndShape) {
  const std::vector<int64_t> extents{1,   2,   3,   7,   8,   16,  17,   31,   33,   64,     65,
                                     100, 128, 255, 257, 512, 513, 1024, 1025, 4097, 100'000};
  Size variant = 0;
  for_each_request([&](const std::string& ops, DType t) {
    for (const int64_t rows : extents) {
      for (const int64_t columns : extents) {
        for (const int64_t axis : {0, 1}) {
          ++variant;
          const Request r = request_of(Dims(rows, columns), Dims(axis), t, variant);
          ASSERT_EQ(flaws_of(ops, t, r, chips[variant / 3 % 4], variant % 2 == 0), "");
        }
      }
    }
  });
}

TEST(Deal, DividesThreeAxesOfEveryOpAndType) {
  const std::vector<int64_t> extents{1, 3, 17, 64, 300, 2049};
  const std::vector<Dims> folded{Dims(int64_t{0}),
                                 Dims(int64_t{1}),
                                 Dims(int64_t{2}),
                                 Dims(int64_t{0}, int64_t{1}),
                                 Dims(int64_t{0}, int64_t{2}),
                                 Dims(int64_t{1}, int64_t{2})};
  Size variant = 0;
  for_each_request([&](const std::string& ops, DType t) {
    for (Size k = 0; k < extents.size() * extents.size() * extents.size(); ++k) {
      const Size n = extents.size();
      const Dims shape(extents[k / n / n], extents[k / n % n], extents[k % n]);
      ++variant;
      const Request r = request_of(shape, folded[variant % folded.size()], t, variant);
      ASSERT_EQ(flaws_of(ops, t, r, chips[variant / 7 % 4], variant % 2 == 0), "");
    }
  });
}

TEST(Deal, DividesSegmentsOfEveryOpAndType) {
  Size variant = 0;
  for_each_request([&](const std::string& ops, DType t) {
    for (const int64_t n : {1, 7, 1000, 100'000, 30'000'000}) {
      for (const int64_t width : {1, 3, 64}) {
        for (const Size segments : {Size{1}, Size{7}, Size{1000}, Size{1'000'000}}) {
          const Request r = request_of(Dims(n, width), Dims(int64_t{0}), t, ++variant);
          Plan plan = r.plan(ops, t);
          plan.answers *= segments;
          const auto strided = [&](int d) {
            const int64_t s = r.strides[d];
            return Axis{.extent = static_cast<Size>(r.shape[d]), .stride = {s, s, 1}};
          };
          backend::Segments cut{.count = segments, .nest = {.bytes = bytes_of(t)}};
          cut.nest.axes = {strided(0), strided(1)};
          const NestInput in = input_of(plan, cut, {}, 4096);
          Results results{.state = 0, .correction = {}, .nan = plan.nan, .place = {}};
          const std::vector<Destination> to(plan.ops.size(), {4096, 8192});
          place(results, plan, to);
          const Size all = chips[variant % 4];
          const LaunchDeal dealt = deal_of_segments(plan, in, results, all);
          Check check;
          check.that(dealt.blocks >= 1 && dealt.blocks < 1u << 31, "blocks");
          if (dealt.walk == Walk::segments) {
            const Deal& d = dealt.deal;
            check.that(d.lanes >= 1 && d.lanes <= 32 && d.batch >= 1 && d.part >= 1, "lanes");
            check.that(dealt.blocks * of_block * d.lanes * d.batch >= in.answers, "all segments");
            check.that(d.most_parts <= Workspace::segment_parts, "a ticket for each part");
          }
          ASSERT_EQ(check.broken(), "") << ops << " of " << name_of(t) << ", " << segments
                                        << " segments of shape " << to_string(r.shape);
        }
      }
    }
  });
}

TEST(Deal, DividesWeightedElements) {
  Size variant = 0;
  for (const DType t : {f64, f32, f16, i32}) {
    for (const int64_t rows : {1, 2, 31, 32, 33, 257, 5000, 1'000'000}) {
      for (const int64_t columns : {1, 2, 31, 33, 64, 1000}) {
        for (const int64_t axis : {0, 1}) {
          const Request r = request_of(Dims(rows, columns), Dims(axis), t, ++variant);
          const ArrayRef x(reinterpret_cast<const void*>(r.at), t, r.shape, r.strides);
          Options options = r.options;
          options.weights = x;
          const Plan plan = plan_any("mean,var", x, nullptr, options);
          const Size all = chips[variant % 4];
          const WeightedInput in = input_of(plan, nullptr, {}, all);
          Check check;
          const Size at_once = Size{1} << in.answer_bits;
          check.that(in.answer_bits <= kernel::weighted_bits, "lanes of a block");
          check.that(in.parts >= 1 && in.longest >= 1, "parts");
          check.that(in.parts == 1 || quotient(in.answers, at_once) * in.parts * at_once *
                                              kernel::most_weighted_words <=
                                          Workspace::scratch_words,
                     "scratch");
          ASSERT_EQ(check.broken(), "") << name_of(t) << ", shape " << to_string(r.shape);
        }
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
