// Draws random folds and judges every answer: exit status 1 if one is wrong.
//
//   onefold_random_folds [--draws 1000000] [--seed 1] [--first 0] [--only sum,f32,axes]
//
//   --first   the number of the first draw; with --draws 1 it repeats one
//   --only    names of ops, types and kinds of folds (draw.hpp)
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "law/random/trial.hpp"

namespace {

using namespace onefold::law;

char now[400] = "";  // how to repeat the draw that runs

// An access outside of an array ends the program; it still says which draw it was.
void die(int number) {
  static_cast<void>(!::write(STDOUT_FILENO, now, std::strlen(now)));
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void print(const Tally& tally) {
  for (const auto& [of, rows] : tally) {
    std::printf("\n%-15s %12s %14s\n", of.c_str(), "folds", "answers");
    for (const auto& [name, judged] : rows) {
      std::printf("%-15s %12llu %14llu\n", name.c_str(),
                  static_cast<unsigned long long>(judged.folds),
                  static_cast<unsigned long long>(judged.answers));
    }
  }
}

int run(uint64_t draws, uint64_t seed, uint64_t first, const std::string& only) {
  const Choice choice = choice_of(only);
  Tally tally;
  uint64_t tried = 0, wrong_draws = 0;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t k = first; tried < draws && wrong_draws < 100; ++k, ++tried) {
    const Draw d = draw(seed, k, choice);
    std::snprintf(now, sizeof now, "onefold_random_folds --seed %llu --first %llu --draws 1%s%s\n",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(k),
                  only.empty() ? "" : " --only ", only.c_str());
    const std::optional<std::string> what = wrong(d, &tally);
    if (!what) continue;
    ++wrong_draws;
    const Draw small = shrunk(d);
    std::printf("%s  %s: %s\n  smallest: %s: %s\n", now, describe(d).c_str(), what->c_str(),
                describe(small).c_str(), wrong(small).value_or("").c_str());
    std::fflush(stdout);
  }
  print(tally);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("\n%llu draws of seed %llu in %.0f s, %llu of them wrong\n",
              static_cast<unsigned long long>(tried), static_cast<unsigned long long>(seed),
              spent.count(), static_cast<unsigned long long>(wrong_draws));
  return wrong_draws == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t draws = 1000000, seed = 1, first = 0;
  std::string only;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ::signal(number, die);
  try {
    for (int k = 1; k < argc; k += 2) {
      const std::string name = argv[k], value = k + 1 < argc ? argv[k + 1] : "";
      if (name == "--only") {
        only = value;
      } else if (name == "--draws") {
        draws = std::stoull(value);
      } else if (name == "--seed") {
        seed = std::stoull(value);
      } else if (name == "--first") {
        first = std::stoull(value);
      } else {
        throw std::invalid_argument(name +
                                    " is not an option; --draws, --seed, --first and --only are");
      }
    }
    return run(draws, seed, first, only);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "onefold_random_folds: %s\n", e.what());
    return 2;
  }
}
