// Random calls on many streams, in graphs, and with results on the host; some of them fail. All
// that was queued gives the processor's bits.
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "driver/device.hpp"
#include "generate.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr std::size_t few = 3000;                                // takes one launch
constexpr std::size_t followed = (std::size_t{1} << 20) + 5000;  // takes two launches
constexpr std::size_t most_slots = 400;

// Data with a few numbers that the first launch leaves to the second.
Data data() {
  Data x = generate("normal", f64, followed, 1);
  for (std::size_t i = 0; i < followed; i += 100003) {
    x.set(i, std::bit_cast<uint64_t>(std::ldexp(1.0, static_cast<int>(i % 1000))));
  }
  return x;
}

class Calls {
 public:
  explicit Calls(uint64_t seed) : random_(seed) {
    x_.write(std::vector<double>(values_, values_ + followed));
    control().deferred = true;
  }
  ~Calls() {
    control().deferred = false;
    control().fail_at = -1;
  }

  void run(int stages) {
    for (int step = 0; step < stages; ++step) {
      const std::size_t kind = random_() % 100;
      if (kind < 15 || streams_.empty()) {
        streams_.push_back(std::make_unique<Stream>());
        if (streams_.size() > 8) drop_stream(0);
      } else if (kind < 18) {
        drop_stream(random_() % streams_.size());
      } else if (kind < 70) {
        queue_one(stream(), false);
      } else if (kind < 84) {
        capture();
      } else if (kind < 94) {
        replay();
      } else if (kind < 98) {
        host_result();
      } else {
        check();
      }
      if (testing::Test::HasFailure()) return;
    }
    check();
  }

 private:
  struct Part {
    std::size_t begin = 0, n = 0;
  };
  struct Captured {
    std::unique_ptr<Graph> graph;
    const Stream* stream;  // replayed there: two at once would share memory
    std::map<std::size_t, Part> writes;
  };

  const Stream& stream() { return *streams_[random_() % streams_.size()]; }

  Part part() {
    const std::size_t n = random_() % 3 == 0 ? followed - 1000 : 1 + random_() % few;
    return {random_() % (followed - n), n};
  }
  ArrayRef ref(const Part& p) const {
    return {x_.data() + 8 * p.begin, f64, Dims(static_cast<int64_t>(p.n))};
  }
  uint64_t right(const Part& p) const {
    const double sum = fold("sum", ArrayRef(values_ + p.begin, f64, Dims(p.n))).get<double>("sum");
    return std::bit_cast<uint64_t>(sum);
  }

  // Sometimes lets one call of the driver fail; returns false if `call` threw because of that.
  template <class F>
  bool completes(F&& call) {
    if (random_() % 5 == 0) {
      control().fail_at = control().calls + static_cast<long>(random_() % 10);
      control().code = 999;
    }
    bool done = true;
    try {
      call();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::device_failed) << e.what();
      done = false;
    }
    control().fail_at = -1;
    return done;
  }

  // Queues the sum of a part; if that fails, the contents of its slot are unknown.
  std::optional<std::pair<std::size_t, Part>> queue_one(const Stream& s, bool captured) {
    if (used_ == most_slots) check();
    const std::size_t slot = used_++;
    const Part p = part();
    const bool queued = completes([&] {
      fold_into({out_.data() + 8 * slot, f64, Dims(1)}, "sum", ref(p),
                {.device = cuda(), .stream = s.get()});
    });
    if (!queued) return {};
    if (!captured) expected_[slot] = p;
    return std::pair{slot, p};
  }

  void capture() {
    if (used_ + 4 > most_slots) check();
    const Stream& s = stream();
    Captured c{.graph = nullptr, .stream = &s, .writes = {}};
    bool all = true;
    c.graph = std::make_unique<Graph>(s, [&] {
      for (std::size_t k = 0; k <= random_() % 3; ++k) {
        if (const auto queued = queue_one(s, true)) {
          c.writes.insert(*queued);
        } else {
          all = false;
        }
      }
    });
    if (all) graphs_.push_back(std::move(c));
  }

  void replay() {
    if (graphs_.empty()) return;
    const Captured& c = graphs_[random_() % graphs_.size()];
    c.graph->replay(*c.stream);
    for (const auto& [slot, p] : c.writes) expected_[slot] = p;
  }

  void host_result() {
    const Part p = part();
    uint64_t sum = right(p);
    if (completes([&] {
          const Options options{.device = cuda(), .stream = stream().get()};
          sum = std::bit_cast<uint64_t>(fold("sum", ref(p), options).get<double>("sum"));
        })) {
      EXPECT_EQ(sum, right(p));
    }
  }

  void drop_stream(std::size_t k) {
    const Stream* const gone = streams_[k].get();
    std::erase_if(graphs_, [&](const Captured& c) { return c.stream == gone; });
    streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // Waits for all work, and destroys the graphs, so that their slots can be used again.
  void check() {
    gpu_.synchronize_all();
    control().deferred = false;
    const auto sums = out_.read<uint64_t>(most_slots);
    for (const auto& [slot, p] : expected_) {
      EXPECT_EQ(sums[slot], right(p)) << "slot " << slot << ", " << p.n << " from " << p.begin;
    }
    EXPECT_EQ(control().flaws, "");
    graphs_.clear();
    expected_.clear();
    used_ = 0;
    gpu_.fill(out_.address(), 0xa5, 8 * most_slots);
    gpu_.synchronize();
    control().deferred = true;
  }

  static inline const Data data_ = data();
  const double* const values_ = reinterpret_cast<const double*>(data_.data());
  Random random_;
  jit::Gpu gpu_;
  DeviceBytes x_{gpu_, 8 * followed}, out_{gpu_, 8 * most_slots};
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Captured> graphs_;
  std::map<std::size_t, Part> expected_;
  std::size_t used_ = 0;
};

TEST(RandomCalls, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 2; ++seed) {
    SCOPED_TRACE(seed);
    Calls(seed).run(300);
    if (HasFailure()) return;
  }
}

TEST(LongRandomCalls, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 2; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Calls(seed).run(1000);
    if (HasFailure()) return;
  }
}

}  // namespace ONEFOLD_FILE
