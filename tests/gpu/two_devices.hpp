// Checks for two devices, real or simulated.
#pragma once

#include <atomic>
#include <cmath>
#include <thread>

#include "gpu/device.hpp"
#include "onefold/fold.hpp"
#include "onefold/states.hpp"

namespace onefold::test {

// A device that holds 1,000 f64 of one value, and a stream.
class Holder {
 public:
  Holder(int index, double value) : device_(cuda(index)), gpu_(index) {
    const jit::Gpu::Current current(gpu_);
    memory_ = std::make_unique<DeviceBytes>(gpu_, 8000);
    memory_->write(std::vector<double>(1000, value));
    stream_ = std::make_unique<Stream>();
  }
  ~Holder() {
    const jit::Gpu::Current current(gpu_);
    stream_ = nullptr;
    memory_ = nullptr;
  }
  ArrayRef ref() const { return {memory_->data(), f64, Dims(1000)}; }
  Options options() const { return {.device = device_, .stream = stream_->get()}; }

 private:
  Device device_;
  jit::Gpu gpu_;
  std::unique_ptr<DeviceBytes> memory_;
  std::unique_ptr<Stream> stream_;
};

// The sum, or the error's code.
inline std::pair<double, ErrorCode> sum_of(const ArrayRef& x, const Options& options) {
  try {
    return {fold("sum", x, options).get<double>("sum"), ErrorCode::ok};
  } catch (const Error& e) {
    return {0, e.code()};
  }
}

inline void expect_devices_fold_their_own_memory() {
  const Holder first(0, 0.5), second(1, 0.25);
  for (int round = 0; round < 2; ++round) {  // whatever context the last fold left current
    EXPECT_EQ(sum_of(first.ref(), first.options()), std::pair(500.0, ErrorCode::ok));
    EXPECT_EQ(sum_of(second.ref(), second.options()), std::pair(250.0, ErrorCode::ok));
    EXPECT_EQ(sum_of(second.ref(), first.options()), std::pair(0.0, ErrorCode::bad_option));
    // A stream of the other device is refused.
    Options mixed = first.options();
    mixed.stream = second.options().stream;
    EXPECT_EQ(sum_of(first.ref(), mixed), std::pair(0.0, ErrorCode::bad_option));
    const std::vector<double> host(100, 1.5);
    EXPECT_EQ(sum_of(host, {.device = cuda(1)}), std::pair(150.0, ErrorCode::ok));
    EXPECT_EQ(sum_of(host, {.device = cuda(0)}), std::pair(150.0, ErrorCode::ok));
  }
}

// A first fold opens its device; the caller's device stays current.
inline void expect_the_callers_device_stays() {
  jit::Gpu mine(1);
  const std::vector<double> host(100, 1.5);
  EXPECT_EQ(sum_of(host, {.device = cuda(0)}), std::pair(150.0, ErrorCode::ok));
  const uint64_t memory = mine.allocate(8);
  EXPECT_EQ(jit::whereabouts(reinterpret_cast<void*>(memory)).device, 1);
  mine.free(memory);
}

// Two devices share host data: the bytes are those of one device, whatever the shape.
inline void expect_devices_share_data_of_the_host(const char* ops, std::size_t elements) {
  std::vector<double> x(elements);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(static_cast<double>(i * 2654435761u % 1000) - 500, static_cast<int>(i % 40));
  }
  for (const Device d : {cuda({0, 1}), cuda_all(), cuda(1)}) {
    const ArrayRef whole(x.data(), f64, {static_cast<int64_t>(x.size())});
    EXPECT_EQ(gather(ops, whole, {.device = d}).save(), gather(ops, whole, {.device = cpu}).save());
    for (const Axes& axes : {Axes(0), Axes(1), Axes(0, 2)}) {
      const ArrayRef grid(x.data(), f64, {30, 50, 7});
      const Answers a = fold(ops, grid, {.axes = axes, .device = d});
      const Answers b = fold(ops, grid, {.axes = axes});
      for (std::size_t k = 0; k < a.list.size(); ++k) {
        EXPECT_EQ(a.list[k].data, b.list[k].data) << a.list[k].op;
        EXPECT_EQ(a.list[k].status, b.list[k].status) << a.list[k].op;
      }
    }
  }
  const Holder first(0, 0.5);
  EXPECT_EQ(sum_of(first.ref(), {.device = cuda_all()}), std::pair(0.0, ErrorCode::bad_option));
  EXPECT_EQ(sum_of(x, {.device = cuda({0, 5})}), std::pair(0.0, ErrorCode::no_backend));
  EXPECT_EQ(sum_of(x, {.device = cuda({0, -1})}), std::pair(0.0, ErrorCode::no_backend));
}

// An array in parts: one on each device, and one on the host.
inline void expect_parts_are_one_array() {
  const Holder a(0, 0.5), b(1, -0.25);
  std::vector<double> c(100, 3.0);
  c[7] = -9;
  std::vector<double> all(2100, 0.5);
  std::fill_n(all.begin() + 1000, 1000, -0.25);
  std::copy(c.begin(), c.end(), all.begin() + 2000);
  ArrayRef on_a = a.ref(), on_b = b.ref();
  on_a.device = cuda(0);
  on_b.device = cuda(1);
  const char* ops = "sum";
  const Part in_order[] = {{on_a, {}, a.options().stream}, {on_b}, {c}};
  EXPECT_EQ(gather({.ops = ops, .parts = in_order}), gather(ops, all));
  const Part anyhow[] = {{c, 2000}, {on_b, 1000}, {on_a, 0}};
  EXPECT_EQ(gather({.ops = ops, .parts = anyhow}), gather(ops, all));
  on_b.device = cuda(0);
  const Part wrong[] = {{on_a}, {on_b}};
  try {
    gather({.ops = ops, .parts = wrong});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    EXPECT_EQ(std::string(e.what()).find("part 1: "), 0u) << e.what();
  }
}

inline void expect_devices_fold_at_once(int rounds) {
  const Holder first(0, 0.5), second(1, 0.25);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const Holder& mine = k % 2 == 0 ? first : second;
      const double expected = k % 2 == 0 ? 500 : 250;
      for (int i = 0; i < rounds; ++i) {
        if (sum_of(mine.ref(), mine.options()) != std::pair(expected, ErrorCode::ok)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace onefold::test
