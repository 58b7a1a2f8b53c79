#include "api/quicker_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

#include "forks.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace {

constexpr Size least = Size{16} << 30;
constexpr Size probe = Size{256} << 20;  // larger than caches

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB/s", bytes / 1e9);
  return text;
}

double rate(const ArrayRef& x, Size bytes, const Options& options) {
  double best = 0;
  // The first run, which opens the device and compiles, is not counted.
  for (int run = 0; run < 4; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    fold("sum", x, options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (run > 0) best = std::max(best, static_cast<double>(bytes) / seconds.count());
  }
  return best;
}

}  // namespace

HostRates measure_rates(Size bytes, int threads) {
  const std::vector<float> data(bytes / sizeof(float), 1.0f);
  HostRates rates;
  rates.processor = rate(data, bytes, {.device = cpu, .threads = threads});
  try {
    rates.devices = rate(data, bytes, {.device = cuda_all(), .threads = threads});
  } catch (const Error& e) {
    if (e.code() != ErrorCode::no_backend) throw;
  }
  return rates;
}

HostRates host_rates(int threads) {
  static std::mutex mutex;
  static std::map<int, HostRates> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(threads);
  if (is_new) {
    try {
      at->second = measure_rates(probe, threads);
    } catch (...) {
      known.erase(at);
      throw;
    }
  }
  return at->second;
}

QuickerDevice quicker_device(Size bytes, const HostRates& rates) {
  if (bytes < least) {
    return {cpu, "the processor is done with " + std::to_string(bytes) +
                     " bytes before a device is open"};
  }
  if (rates.devices == 0) return {cpu, "there is no device of CUDA"};
  const bool device = rates.devices > rates.processor;
  return {device ? cuda_all() : cpu, "measured here, data of the host: the processor folds " +
                                         gigabytes(rates.processor) + ", devices " +
                                         gigabytes(rates.devices)};
}

QuickerDevice quicker_device(Size bytes, int threads) {
  // A child of fork must not wait for host_rates' lock, which a thread of its parent may have held.
  static constinit FirstUse measuring;
  if (bytes >= least && !measuring.is_here()) {
    return {cpu, "the process that this one was forked from has used what devices there are"};
  }
  return quicker_device(bytes, bytes < least ? HostRates() : host_rates(threads));
}

}  // namespace onefold
