// Compares the whole program with plain reading of a file in the page cache, and on text with
// datamash.
//
//   file [--bytes 1073741824] [--pairs 31] [--directory .] [--json FILE]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace {

void run(const std::string& command) {
  const int status = std::system((command + " >/dev/null").c_str());
  if (status != 0) throw std::runtime_error(command + " failed");
}

// Runs a program without a shell.
void run_program(std::vector<std::string> words) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    dup2(open("/dev/null", O_WRONLY), 1);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(words[0] + " failed");
}

// Reads a file and does nothing else: no program that copies the file's bytes takes less time.
void pread_all(const std::string& file, std::size_t block, int threads) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(file.c_str(), O_RDONLY);
    const auto bytes = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
    const auto part = bytes / static_cast<std::size_t>(threads);
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < static_cast<std::size_t>(threads); ++t) {
      pool.emplace_back([=] {
        std::vector<char> buffer(block);
        for (std::size_t at = t * part; at < (t + 1) * part; at += block) {
          if (pread(fd, buffer.data(), block, static_cast<off_t>(at)) <= 0) break;
        }
      });
    }
    for (auto& thread : pool) thread.join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

void write_binary(const std::string& file, std::size_t bytes) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> block(1 << 20);
  for (double& v : block) v = normal(random);
  std::ofstream out(file, std::ios::binary);
  for (std::size_t at = 0; at < bytes; at += block.size() * 8) {
    out.write(reinterpret_cast<const char*>(block.data()),
              static_cast<std::streamsize>(std::min(bytes - at, block.size() * 8)));
  }
}

std::size_t write_text(const std::string& file, const char* format, std::size_t lines) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  FILE* out = std::fopen(file.c_str(), "w");
  for (std::size_t i = 0; i < lines; ++i) {
    if (std::strchr(format, 'd') != nullptr) {
      std::fprintf(out, "%ld\n", static_cast<long>(random() % 2000000) - 1000000);
    } else {
      const std::string f = std::string(format) + "\n";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      std::fprintf(out, f.c_str(), normal(random));
#pragma GCC diagnostic pop
    }
  }
  const auto bytes = static_cast<std::size_t>(std::ftell(out));
  std::fclose(out);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = std::stoull(bench::option(argc, argv, "bytes", "1073741824"));
  const int pairs = std::stoi(bench::option(argc, argv, "pairs", "31"));
  const std::string directory = bench::option(argc, argv, "directory", ".");
  nlohmann::json result = bench::provenance(argc, argv);
  const std::string program = PROGRAM;

  const std::string binary = directory + "/bench.raw";
  write_binary(binary, bytes);
  for (const int threads : {1, 2}) {
    std::size_t block = 0;
    double best = 1e30;
    for (const std::size_t b : {64u << 10, 256u << 10, 1u << 20}) {
      const double t = bench::median_seconds([&] { pread_all(binary, b, threads); }, 5);
      if (t < best) best = t, block = b;
    }
    const auto share = bench::compare([&] { pread_all(binary, block, threads); },
                                      [&] {
                                        run_program({program, "sum", binary, "--dtype", "f64",
                                                     "--threads", std::to_string(threads)});
                                      },
                                      pairs);
    fmt::print(
        "sum f64 of a cached file, {} thread(s): {:.3f} [{:.3f}, {:.3f}] of plain pread "
        "({:.1f} GB/s; pread of {} KiB {:.1f} GB/s)\n",
        threads, share.median, share.low, share.high,
        static_cast<double>(bytes) * 1e-9 / share.candidate, block >> 10,
        static_cast<double>(bytes) * 1e-9 / share.baseline);
    result["file"].push_back({{"threads", threads},
                              {"share", share.median},
                              {"quartiles", {share.low, share.high}},
                              {"gbps", static_cast<double>(bytes) * 1e-9 / share.candidate},
                              {"goal", 0.90}});
  }
  std::remove(binary.c_str());

  const bool datamash = std::system("command -v datamash >/dev/null") == 0;
  for (const char* format : {"%.17g", "%.6f", "%d", "%.3e"}) {
    const std::string text = directory + "/bench.txt";
    const std::size_t size = write_text(text, format, 20000000);
    const double ours =
        bench::median_seconds([&] { run(fmt::format("{} sum {} --threads 1", program, text)); }, 5);
    const double theirs =
        datamash ? bench::median_seconds([&] { run("datamash sum 1 < " + text); }, 1) : 0;
    fmt::print("text {:<6} {:.3f} GB/s on one core (goal 0.6){}\n", format,
               static_cast<double>(size) * 1e-9 / ours,
               datamash ? fmt::format("; datamash {:.3f}: {:.1f} times slower",
                                      static_cast<double>(size) * 1e-9 / theirs, theirs / ours)
                        : "");
    result["text"].push_back(
        {{"format", format},
         {"gbps_a_core", static_cast<double>(size) * 1e-9 / ours},
         {"datamash_gbps", datamash ? static_cast<double>(size) * 1e-9 / theirs : 0},
         {"goal", 0.6}});
    std::remove(text.c_str());
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
