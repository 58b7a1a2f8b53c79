// Compares one call with its peers in C++, for sizes 1 to 2^27: Eigen and std::reduce(par_unseq),
// which are not exact. They take turns, five times; the shortest time of each counts. With --serve
// it answers peers.py, which compares with NumPy.
//
//   peers [--max-log2 27] [--json FILE]
//   peers --serve 1      reads lines "op type n threads", writes nanoseconds a call
#include <fmt/format.h>

#include <Eigen/Core>
#include <execution>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data.hpp"
#include "onefold/onefold.hpp"

namespace {

using onefold::DType;

int repeats_for(int64_t n) { return static_cast<int>(std::max<int64_t>(1, 4000000 / (n + 4000))); }
int samples_for(int64_t n) { return n > (1 << 24) ? 1 : 7; }
constexpr int turns = 5;

double time_of(const std::function<void()>& f, int64_t n) {
  return bench::median_seconds(f, samples_for(n), repeats_for(n)) * 1e9;
}

double time_of(const std::string& op, const onefold::ArrayRef& x, int64_t n, int threads) {
  const onefold::Options options{.threads = threads};
  // Calls the typed function if there is one, as a C++ user would.
  return onefold::visit(x.dtype, [&]<class T>() {
    const std::span<const T> s(static_cast<const T*>(x.data), static_cast<std::size_t>(n));
    if (op == "sum") return time_of([&] { bench::keep(onefold::sum(s, options)); }, n);
    if (op == "mean") return time_of([&] { bench::keep(onefold::mean(s, options)); }, n);
    if (op == "var") return time_of([&] { bench::keep(onefold::var(s, options)); }, n);
    if (op == "min") return time_of([&] { bench::keep(onefold::min(s, options)); }, n);
    return time_of([&] { bench::keep(onefold::argmax(s, options)); }, n);
  });
}

template <class T>
void compare(bench::Buffer& buffer, int max_log2, nlohmann::json& result) {
  bench::fill(buffer, onefold::dtype_of<T>, "normal");
  const T* data = reinterpret_cast<const T*>(buffer.data);
  for (int k = 0; k <= max_log2; k += k < 20 ? 2 : 1) {
    const int64_t n = int64_t{1} << k;
    using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const Array> eigen(data, n);
    struct Peer {
      const char* op;
      const char* name;
      std::function<void()> call;
    };
    const Peer peers[] = {
        {"sum", "Eigen", [&] { bench::keep(eigen.sum()); }},
        {"sum", "std::reduce",
         [&] { bench::keep(std::reduce(std::execution::par_unseq, data, data + n)); }},
        {"min", "Eigen", [&] { bench::keep(eigen.minCoeff()); }},
        {"mean", "Eigen", [&] { bench::keep(eigen.mean()); }},
        {"var", "Eigen", [&] { bench::keep((eigen - eigen.mean()).square().mean()); }},
        {"argmax", "Eigen",
         [&] {
           Eigen::Index i = 0;
           eigen.maxCoeff(&i);
           bench::keep(i);
         }},
    };
    for (const Peer& peer : peers) {
      // Eigen uses one thread, std::reduce all cores.
      const int threads = std::string(peer.name) == "Eigen" ? 1 : 0;
      double theirs = std::numeric_limits<double>::infinity(), ours = theirs;
      for (int turn = 0; turn < turns; ++turn) {
        theirs = std::min(theirs, time_of(peer.call, n));
        ours = std::min(ours, time_of(peer.op, {data, onefold::dtype_of<T>, {n}}, n, threads));
      }
      fmt::print("{:<6} {:<4} 2^{:<3} {:<12} {:>12.1f} ns  onefold {:>12.1f} ns  {:>6.2f}{}\n",
                 peer.op, name_of(onefold::dtype_of<T>), k, peer.name, theirs, ours, theirs / ours,
                 theirs < ours ? "  behind" : "");
      std::fflush(stdout);
      result["rows"].push_back({{"op", peer.op},
                                {"type", name_of(onefold::dtype_of<T>)},
                                {"log2_n", k},
                                {"peer", peer.name},
                                {"threads", threads},
                                {"peer_ns", theirs},
                                {"onefold_ns", ours}});
    }
  }
}

void serve(bench::Buffer& buffer) {
  std::string filled, op, type;
  int64_t n = 0;
  int threads = 0;
  while (std::cin >> op >> type >> n >> threads) {
    const DType dtype = type == "f32" ? onefold::f32 : onefold::f64;
    if (type != filled) {
      bench::fill(buffer, dtype, "normal");
      filled = type;
    }
    std::cout << time_of(op, {buffer.data, dtype, {n}}, n, threads) << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int max_log2 = std::stoi(bench::option(argc, argv, "max-log2", "27"));
  bench::Buffer buffer(std::size_t{8} << max_log2);
  if (bench::option(argc, argv, "serve", "0") == "1") {
    serve(buffer);
    return 0;
  }
  nlohmann::json result = bench::provenance(argc, argv);
  compare<float>(buffer, max_log2, result);
  compare<double>(buffer, max_log2, result);
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
