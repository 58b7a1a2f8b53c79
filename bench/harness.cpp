#include "harness.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

namespace bench {
namespace {

double quantile(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
}

std::string first_line_of(const char* command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "";
  std::string s(line.data());
  while (!s.empty() && s.back() == '\n') s.pop_back();
  return s;
}

}  // namespace

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds_of(const std::function<void()>& call) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  call();
  return now() - start;
}

Share compare(const std::function<void()>& baseline, const std::function<void()>& candidate,
              int pairs) {
  baseline();
  candidate();
  std::vector<double> ratio, base, cand;
  for (int i = 0; i < pairs; ++i) {
    const double t0 = seconds();
    baseline();
    const double t1 = seconds();
    candidate();
    const double t2 = seconds();
    base.push_back(t1 - t0);
    cand.push_back(t2 - t1);
    ratio.push_back(base.back() / cand.back());
  }
  return {quantile(ratio, 0.5), quantile(ratio, 0.25), quantile(ratio, 0.75), quantile(cand, 0.5),
          quantile(base, 0.5)};
}

double median_seconds(const std::function<void()>& f, int samples, int repeats) {
  f();
  std::vector<double> t;
  for (int i = 0; i < samples; ++i) {
    const double t0 = seconds();
    for (int k = 0; k < repeats; ++k) f();
    t.push_back((seconds() - t0) / repeats);
  }
  return quantile(t, 0.5);
}

Buffer::Buffer(std::size_t n) : bytes(n) {
  const std::size_t huge = std::size_t{2} << 20;
  void* p = mmap(nullptr, (n + huge) / huge * huge, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  madvise(p, n, MADV_HUGEPAGE);
  data = static_cast<std::byte*>(p);
  for (std::size_t i = 0; i < n; i += 4096) data[i] = std::byte{0};
}
Buffer::~Buffer() {
  const std::size_t huge = std::size_t{2} << 20;
  munmap(data, (bytes + huge) / huge * huge);
}

nlohmann::json provenance(int argc, char** argv) {
  std::string command;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (i == 0) word = word.substr(word.rfind('/') + 1);
    command += (i > 0 ? " " : "") + word;
  }
  return {{"machine", first_line_of("lscpu | sed -n 's/^Model name: *//p'") + ", family " +
                          first_line_of("lscpu | sed -n 's/^CPU family: *//p'") + " model " +
                          first_line_of("lscpu | sed -n 's/^Model: *//p'") + ", " +
                          std::to_string(std::thread::hardware_concurrency()) + " cores"},
          {"date", first_line_of("date -u +%Y-%m-%d")},
          {"commit", first_line_of("git rev-parse --short HEAD 2>/dev/null")},
          {"compiler", "g++ " __VERSION__},
          {"command", command}};
}

std::string option(int argc, char** argv, const std::string& name, const std::string& otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == "--" + name) return argv[i + 1];
  }
  return otherwise;
}

}  // namespace bench
