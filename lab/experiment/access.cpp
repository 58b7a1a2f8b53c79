// How global memory is accessed: offsets, strides, permutations, gathers, widths, caches.
#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/rung/access.hpp"

namespace onefold::lab {
namespace {

constexpr unsigned block = 256;

// The transactions of a warp's request under the chip's rules, from its lanes' addresses in order.
struct Price {
  uint64_t transactions = 0, moved = 0;
};

Price price(const sim::Chip& chip, std::span<const uint64_t> address, unsigned bytes) {
  Price p;
  for (std::size_t from = 0; from < address.size(); from += chip.request_lanes) {
    const auto lanes = address.subspan(from, chip.request_lanes);
    if (chip.coalescing == sim::Coalescing::in_order) {
      bool together = lanes[0] % (16 * bytes) == 0;
      for (std::size_t k = 0; k < lanes.size(); ++k) {
        together = together && lanes[k] == lanes[0] + k * bytes;
      }
      // The half-warp pays one transaction (two for 16 bytes a lane), or each lane pays 32 bytes.
      const uint64_t all = 16 * bytes, most = bytes == 16 ? 2 : 1;
      p.transactions += together ? most : lanes.size();
      p.moved += together ? all : 32 * lanes.size();
    } else if (chip.coalescing == sim::Coalescing::segments) {
      std::map<uint64_t, std::set<uint64_t>> segments;  // of 128 bytes: the 32-byte parts used
      for (const uint64_t a : lanes) segments[a / 128].insert(a % 128 / 32);
      for (const auto& [segment, parts] : segments) {
        const uint64_t first = *parts.begin(), last = *parts.rbegin();
        p.transactions += 1;
        p.moved += first == last ? 32 : first / 2 == last / 2 ? 64 : 128;
      }
    } else {
      std::set<uint64_t> lines;
      for (const uint64_t a : lanes) lines.insert(a / chip.line_bytes);
      p.transactions += lines.size();
      p.moved += lines.size() * chip.line_bytes;
    }
  }
  return p;
}

class Cases {
 public:
  Cases(Workbench& bench, Size n, uint64_t seed) : bench_(bench), n_(n) {
    const auto room = [&](Size elements) { return random_bytes((elements + 64) * 4, seed); };
    x_ = room(n);
    // The simulated machine runs a quarter of the threads. Its memory has room for all strides, so
    // indices need not wrap around.
    strided_ = bench.simulated() ? room(n / 4 * 64) : x_;
    if (!bench.simulated()) copy_gbps_ = bench.copy_gbps(n * 4).best();
  }

  void set_chip(const sim::Chip& chip, const char* name) { chip_ = chip, chip_name_ = name; }
  double copy_gbps() const { return copy_gbps_; }

  template <class K>
  void add(Params params, Size parameter) {
    using T = typename K::X;
    const bool apart = bench_.simulated() && std::is_same_v<K, access::stride>;
    const Input x = apart ? strided_ : x_;
    const Size n = apart ? n_ / 4 : n_ * 4 / sizeof(T);
    const Size elements = x->size() / 4 - 64;
    const Sizes sizes{{parameter, n, elements - 1, static_cast<Size>(std::countr_zero(elements))}};
    if (bench_.simulated()) params.insert(params.begin(), {"chip", std::string(chip_name_)});
    Case c =
        cold_case(kernel_of<K>(), std::move(params), static_cast<unsigned>((n + block - 1) / block),
                  block, sizes, x, n * sizeof(T));
    c.job.chip = chip_;
    c.right = [=](std::span<const std::byte> y) {
      return all_right(n, [&](std::size_t i) {
        const Size from = K::place(static_cast<unsigned>(i), sizes);
        return std::memcmp(&y[i * sizeof(T)], x->data() + from * sizeof(T), sizeof(T)) == 0;
      });
    };
    // The first warps give the prediction, since all warps of a GPU's 2^26 threads are alike.
    Price loads, stores;
    const Size warps = std::min<Size>(n / 32, 4096);
    for (Size w = 0; w < warps; ++w) {
      std::array<uint64_t, 32> from{}, to{};
      for (unsigned lane = 0; lane < 32; ++lane) {
        const auto i = static_cast<unsigned>(w * 32 + lane);
        from[lane] = K::place(i, sizes) * sizeof(T);
        to[lane] = i * sizeof(T);
      }
      const Price l = price(chip_, from, sizeof(T)), s = price(chip_, to, sizeof(T));
      loads.transactions += l.transactions, loads.moved += l.moved;
      stores.transactions += s.transactions, stores.moved += s.moved;
    }
    const double asked = double(warps) * 32 * sizeof(T);
    c.note = [=, limit = copy_gbps_](Point& p, const Ran& ran) {
      if (ran.ms) {
        p.gbps = 2 * double(n * sizeof(T)) / (*ran.ms * 1e6);
        const double predicted = 2 * asked / double(loads.moved + stores.moved);
        p.figures = {{"sectors", double(loads.transactions) / double(warps), {}},
                     {"of_copy", *p.gbps / limit, predicted}};
        return;
      }
      const sim::Traffic& t = ran.report.counters.global_load;
      p.figures = {{"transactions", double(t.count) / (double(n) / 32),
                    double(loads.transactions) / double(warps)},
                   {"efficiency", double(t.bytes) / double(t.moved), asked / double(loads.moved)}};
    };
    all_.push_back(std::move(c));
  }

  std::vector<Case> take() { return std::move(all_); }

 private:
  Workbench& bench_;
  Size n_;
  Input x_, strided_;
  double copy_gbps_ = 0;
  sim::Chip chip_ = sim::sm_90;
  const char* chip_name_ = "";
  std::vector<Case> all_;
};

// Sets of 16 KiB to 1 GiB; every multiprocessor reads its set until each block has read 16 MiB.
std::vector<Case> working_sets(const Workbench& bench, const Input& x) {
  constexpr unsigned threads = 1024;
  constexpr Size each = (Size{16} << 20) / 16;  // vectors a block
  const auto grid = static_cast<unsigned>(bench.multiprocessors()) * 2;
  std::vector<Case> cases;
  for (Size bytes = Size{16} << 10; bytes <= x->size(); bytes *= 4) {
    const Size apart = std::max<Size>(bytes / 16 / grid, 1);
    Case c =
        warm_case(kernel_of<access::working_set>(), {{"KiB", static_cast<int64_t>(bytes >> 10)}},
                  grid, threads, {{bytes / 16, each, apart}}, x, std::size_t{grid} * threads * 4);
    c.right = [=](std::span<const std::byte> y) {
      const auto of_block = [&](std::size_t b) {
        std::vector<uint32_t> sum(threads);
        for (Size k = 0; k < each; ++k) {
          const Size at = (b * apart + k) % (bytes / 16);
          sum[k % threads] += element<Vector16<uint32_t>>(*x, at).sum();
        }
        return std::memcmp(&y[b * threads * 4], sum.data(), threads * std::size_t{4}) == 0;
      };
      return all_right(grid, of_block, 1);
    };
    c.note = [=](Point& p, const Ran& ran) {
      p.gbps = double(grid) * double(each) * 16 / (*ran.ms * 1e6);
    };
    cases.push_back(std::move(c));
  }
  return cases;
}

void add_patterns(Cases& cases) {
  const auto number = [](Size v) { return Param{static_cast<int64_t>(v)}; };
  for (Size o = 0; o <= 64; ++o) cases.add<access::offset<float>>({{"offset", number(o)}}, o);
  for (Size s = 1; s <= 64; ++s) cases.add<access::stride>({{"stride", number(s)}}, s);
  for (const Size f : {1u, 5u, 31u}) cases.add<access::permuted>({{"lane_times", number(f)}}, f);
  cases.add<access::gather>({}, 0);
  cases.add<access::streaming>({}, 0);
}

// Adds accesses of 8 and 16 bytes a lane.
void add_widths(Cases& cases) {
  for (const Size o : {0u, 1u}) {
    const Param offset{static_cast<int64_t>(o)};
    cases.add<access::offset<double>>({{"bytes", int64_t{8}}, {"offset", offset}}, o);
    cases.add<access::offset<Vector16<float>>>({{"bytes", int64_t{16}}, {"offset", offset}}, o);
  }
}

Findings run(Workbench& bench, const ExperimentOptions& options) {
  const auto at = options.find("n");
  Size n = bench.simulated() ? Size{1} << 14 : Size{1} << 26;
  if (at != options.end()) n = number("n", at->second, 1024, bench.simulated() ? 1 << 20 : 1 << 26);
  if (!std::has_single_bit(n)) refuse("n", at->second, "write a power of two such as 2^14");
  Cases cases(bench, n, seed_of(options));
  Findings found;
  if (!bench.simulated()) {
    add_patterns(cases);
    add_widths(cases);
    found.limit_gbps = cases.copy_gbps();
    found.points = bench.measure(cases.take());
    const Size most = std::min<Size>(n * 16, Size{1} << 30);
    for (Point& p : bench.measure(working_sets(bench, random_bytes(most, seed_of(options))))) {
      found.points.push_back(std::move(p));
    }
    return found;
  }
  sim::Chip l1_off = sim::chips[2];
  l1_off.line_bytes = 32;  // loads that bypass L1 move sectors of L2
  const std::pair<sim::Chip, const char*> chips[] = {{sim::chips[0], "cc10"},
                                                     {sim::chips[1], "cc12"},
                                                     {sim::chips[2], "cc20"},
                                                     {l1_off, "cc20, L1 off"},
                                                     {sim::sm_90, "sm_90"}};
  for (const auto& [chip, name] : chips) {
    const bool asked = !options.contains("chip") || options.at("chip") == chip.name;
    if (!asked) continue;
    cases.set_chip(chip, name);
    add_patterns(cases);
    add_widths(cases);
  }
  found.points = bench.measure(cases.take());
  const auto place = [](const Point& p) { return std::pair(p.name, p.params.size()); };
  std::stable_sort(found.points.begin(), found.points.end(),
                   [&](const Point& a, const Point& b) { return place(a) < place(b); });
  found.remarks = {
      "caches are not simulated, so working sets need a GPU. Text 002 gives Fermi's L1 lines of "
      "256 "
      "bytes; the hardware's, and ours, have 128"};
  return found;
}

}  // namespace

const Experiment access_experiment{
    .name = "access",
    .idea = "global memory by offsets, strides, permutations and gathers, on old chips and new",
    .question = "How many bytes are moved for each byte that a warp requests?",
    .prediction =
        "sectors of 32 bytes: 32 neighbours of 4 bytes touch 4, or 5 if misaligned; a stride s "
        "touches min(4 s, 32); on c.c. 1.0 a misaligned half-warp pays 32 bytes a lane, 1/8",
    .lesson =
        "Neighbouring lanes should read neighbouring words. Alignment hardly matters since caches "
        "came; strides and gathers cost as much as ever.",
    .options = "n counters replays",
    .run = run};

}  // namespace onefold::lab
