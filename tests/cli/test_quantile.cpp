// Quantiles by the program: the definition, types, and inputs that are read twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "cli/out_of.hpp"
#include "generate.hpp"
#include "onefold/engine/quantile/rank_search.hpp"
#include "onefold/tables/quantiles.hpp"
#include "scaled.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

TEST(Quantile, LiesBetweenItsNeighbours) {
  EXPECT_EQ(out_of({"median"}, "3 1 2"), "2\n");
  EXPECT_EQ(out_of({"median"}, "4 1 2 3"), "2.5\n");
  EXPECT_EQ(out_of({"quantile", "--q", "0,0.25,0.5,1"}, "10 20 30"),
            "q0\t10\nq0.25\t15\nq0.5\t20\nq1\t30\n");
  // The quantile 0.1 of 11 numbers is the second, although 0.1 is no f64.
  EXPECT_EQ(out_of({"quantile", "--q", "0.1"}, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"), "0.1\n");
  EXPECT_EQ(out_of({"median", "--json"}, ""), "{\"median\": null}\n");
  EXPECT_EQ(out_of({"median"}, "1 nan 3"), "nan\n");
  EXPECT_EQ(out_of({"median", "--nan", "omit"}, "1 nan 3"), "2\n");
  EXPECT_EQ(out_of({"median"}, "-0 -0"), "-0\n");
  EXPECT_EQ(out_of({"median"}, "inf 1 -inf 2"), "1.5\n");
  EXPECT_EQ(out_of({"median"}, "1e308 1.7e308"), "1.35e+308\n");
  EXPECT_EQ(out_of({"median", "--dtype", "i64"}, "9007199254740993 9007199254740995 1"),
            "9007199254740992\n");
  EXPECT_EQ(out_of({"median", "--dtype", "f32"}, "0.1 0.1"), "0.1\n");
}

TEST(Quantile, OrdersEveryType) {
  for (const char* type : {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32"}) {
    EXPECT_EQ(out_of({"quantile", "--q", "0,0.5,1", "--dtype", type}, "29 100 5"),
              "q0\t5\nq0.5\t29\nq1\t100\n")
        << type;
  }
  EXPECT_EQ(out_of({"median", "--dtype", "u8"}, "192 29 7"), "29\n");
  EXPECT_EQ(out_of({"median", "--dtype", "u32"}, "4294967295 1 2147483648"), "2147483648\n");
  EXPECT_EQ(out_of({"median", "--dtype", "i8"}, "-128 127 -1"), "-1\n");
}

TEST(Quantile, TakesNineteenDigits) {
  // h is 1.8 and slightly more: 10 (h - 1) rounds to 8.000000000000002.
  EXPECT_EQ(out_of({"quantile", "--q", "0.9000000000000001"}, "0 0 10"), "8.000000000000002\n");
  EXPECT_EQ(out_of({"quantile", "--q", "0.9999999999999999999", "--dtype", "i64"},
                   "9223372036854775807 -9223372036854775808"),
            "9.223372036854776e+18\n");
  EXPECT_EQ(out_of({"quantile", "--q", "0.0000000000000000001"}, "0 1"), "1e-19\n");
}

TEST(Quantile, TakesOtherDefinitions) {
  for (const auto& [method, answer] :
       std::vector<std::pair<std::string, std::string>>{{"linear", "17"},
                                                        {"lower", "10"},
                                                        {"higher", "20"},
                                                        {"nearest", "20"},
                                                        {"midpoint", "15"},
                                                        {"inverted_cdf", "20"},
                                                        {"averaged_inverted_cdf", "20"},
                                                        {"closest_observation", "10"},
                                                        {"interpolated_inverted_cdf", "10.5"},
                                                        {"hazen", "15.5"},
                                                        {"weibull", "14"},
                                                        {"median_unbiased", "15"},
                                                        {"normal_unbiased", "15.125"}}) {
    EXPECT_EQ(out_of({"quantile", "--q", "0.35", "--method", method}, "10 20 30"), answer + "\n");
  }
  // Ties are rounded to even.
  EXPECT_EQ(out_of({"quantile", "--q", "0.25,0.75", "--method", "nearest"}, "10 20 30"),
            "q0.25\t10\nq0.75\t30\n");
  EXPECT_EQ(
      run_program({"quantile", "--q", "0.5", "--method", "best"}, {.stdin_text = "1"}).error,
      "onefold: --method \"best\" is not valid; choose one of linear, lower, higher, nearest, "
      "midpoint, inverted_cdf, averaged_inverted_cdf, closest_observation, "
      "interpolated_inverted_cdf, hazen, weibull, median_unbiased, normal_unbiased\n");
}

TEST(Quantile, IsOfEachColumnOfATable) {
  EXPECT_EQ(out_of({"median"}, "k,x,y\na,1,2\nb,,4\nc,3,9\n"), "x\t2\ny\t4\n");
  EXPECT_EQ(out_of({"median", "--columns", "y"}, "k,x,y\na,1,2\nb,,4\nc,3,9\n"), "4\n");
  EXPECT_EQ(out_of({"quantile", "--q", ".5,1", "--json"}, "x,y\n1,2\n3,5\n"),
            "{\"q.5\": {\"x\": 2.0, \"y\": 3.5}, \"q1\": {\"x\": 3.0, \"y\": 5.0}}\n");
}

TEST(Quantile, RefusesWhatIsNone) {
  for (const char* list : {"1.5", "-0.1", "x", "", "0.5,", ".",
                           "0.12345678901234567890123456789012345678", "11", "50%"}) {
    const Ran ran = run_program({"quantile", "--q", list}, {.stdin_text = "1 2"});
    EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_option)) << list << ran.out;
  }
  EXPECT_EQ(run_program({"quantile"}, {.stdin_text = "1"}).status,
            exit_status(ErrorCode::bad_option));
  EXPECT_EQ(run_program({"median", "--nan", "raise"}, {.stdin_text = "1 nan"}).status,
            exit_status(ErrorCode::nan_found));
}

// Numbers that do not fit in memory are found pass by pass.
TEST(Quantile, IsTheSameInLittleMemory) {
  const Folder folder;
  for (uint64_t seed = 0; seed < test::scaled(60u); ++seed) {
    Random r(seed);
    const std::size_t n = pick(r, 1, 3000);
    const auto all = generators(DType::f64);
    const Data data = generate(all[seed % all.size()], DType::f64, n, seed);
    std::vector<double> x(n);
    std::memcpy(x.data(), data.at(0), 8 * n);
    std::erase_if(x, [](double v) { return std::isnan(v); });
    const std::string path =
        folder.write("x.bin", {reinterpret_cast<const char*>(x.data()), 8 * x.size()});
    io::InputOptions input;
    input.format = "raw";
    input.dtype = DType::f64;
    io::Limits limits;
    limits.state_bytes = 16 * pick(r, 1, 200);
    std::vector<Quantile> quantiles;
    for (uint64_t part = 0; part <= 10; ++part) quantiles.push_back({{part, 10}, "q"});
    io::Notes notes;
    const Answers answers = io::quantiles_of_files(quantiles, {path}, input, {}, {}, limits, notes);
    std::sort(x.begin(), x.end(), [](double a, double b) {
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    });
    for (uint64_t part = 0; part <= 10 && !x.empty(); ++part) {
      if (part * (x.size() - 1) % 10 != 0) continue;
      const double right = x[part * (x.size() - 1) / 10];
      ASSERT_EQ(answers.list[part].only().bits, bit_cast<uint64_t>(right)) << seed << " " << part;
    }
  }
}

TEST(RankSearch, FindsKeysOfManyColumnsInAnyRoom) {
  for (uint64_t seed = 0; seed < test::scaled(200u); ++seed) {
    Random r(seed);
    const Size columns = pick(r, 1, 60);
    std::vector<std::vector<uint64_t>> keys(columns);
    const unsigned bits = static_cast<unsigned>(pick(r, 1, 64));
    for (auto& column : keys) {
      for (Size n = pick(r, 1, 40); n > 0; --n)
        column.push_back(pick(r, 0, ~uint64_t{0}) >> (64 - bits) << pick(r, 0, 64 - bits) % 64);
    }
    RankSearch search(columns, pick(r, 0, 400));
    Size passes = 0;
    do {
      ASSERT_LE(++passes, 9u);
      for (Size c = 0; c < columns; ++c) search.add(c, keys[c]);
      if (passes > 1) continue;
      for (Size c = 0; c < columns; ++c) {
        EXPECT_EQ(search.count(c), keys[c].size());
        for (Size k = 0; k < keys[c].size(); k += 3) search.want(c, k);
      }
    } while (!search.end_pass());
    for (Size c = 0; c < columns; ++c) {
      std::sort(keys[c].begin(), keys[c].end());
      for (Size k = 0; k < keys[c].size(); k += 3) ASSERT_EQ(search.key(c, k), keys[c][k]) << seed;
    }
  }
}

TEST(RankSearch, EndsWhereTheKeysChangeBetweenPasses) {
  for (const Size room : {Size{0}, Size{10}, Size{1000}}) {
    RankSearch search(1, room);
    std::vector<uint64_t> keys(2000);
    for (uint64_t& key : keys) key = 5;
    search.add(0, keys);
    search.want(0, Size{1000});
    Size passes = 1;
    const auto others = [&] {
      for (; !search.end_pass(); ++passes) {
        if (passes > 9) return;
        for (uint64_t& key : keys) key = uint64_t{passes} << 60;
        search.add(0, keys);
      }
    };
    EXPECT_TRUE(test::error_of(others).starts_with("read_failed: quantiles: the numbers differ"))
        << room;
  }
}

// Each of three ranks has some of the keys, and room for some numbers of them.
TEST(RankSearch, OfRanksFindsTheKeysOfAll) {
  constexpr int ranks = 3;
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    std::vector<std::vector<uint64_t>> keys(2), mine[ranks];
    for (auto& m : mine) m.resize(2);
    Random r(seed);
    const auto bits = static_cast<unsigned>(pick(r, 1, 64));
    for (Size c = 0; c < 2; ++c) {
      for (Size n = pick(r, 1, 60); n > 0; --n) {
        keys[c].push_back(pick(r, 0, ~uint64_t{0}) >> (64 - bits));
        mine[pick(r, 0, ranks - 1)][c].push_back(keys[c].back());
      }
      std::sort(keys[c].begin(), keys[c].end());
    }
    std::barrier all_here(ranks);
    const std::vector<Size>* lists[ranks];
    const auto search_on = [&](int rank, Size room) {
      RankSearch search(2, room);
      const auto sums = [&](std::vector<Size>& counts) {
        lists[rank] = &counts;
        all_here.arrive_and_wait();
        std::vector<Size> sum(counts.size());
        for (const std::vector<Size>* list : lists) {
          for (Size k = 0; k < sum.size(); ++k) sum[k] += (*list)[k];
        }
        all_here.arrive_and_wait();
        counts = sum;
        all_here.arrive_and_wait();
      };
      bool first = true;
      do {
        if (first || search.reads()) {
          for (Size c = 0; c < 2; ++c) search.add(c, mine[rank][c]);
        }
        search.add_up(sums);
        for (Size c = 0; c < 2 && first; ++c) {
          EXPECT_EQ(search.count(c), keys[c].size());
          for (Size k = 0; k < keys[c].size(); k += 3) search.want(c, k);
        }
        first = false;
      } while (!search.end_pass());
      for (Size c = 0; c < 2; ++c) {
        for (Size k = 0; k < keys[c].size(); k += 3) EXPECT_EQ(search.key(c, k), keys[c][k]);
      }
    };
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back(search_on, rank, pick(r, 0, 60));
    }
    for (std::thread& t : threads) t.join();
  }
}

// Numbers that do not fit memory and come from a pipe cannot be read again.
TEST(Quantile, SaysWhereAPipeIsTooLong) {
  std::string text;
  for (int k = 0; k < 5000000; ++k) text += std::to_string(k) + "\n";
  const Ran ran = run_program({"median", "--memory", "32MiB"}, {.stdin_text = text});
  EXPECT_EQ(ran.status, exit_status(ErrorCode::needs_seek)) << ran.out << ran.error;
  const Folder folder;
  EXPECT_EQ(out_of({"median", "--memory", "32MiB", folder.write("t.txt", text)}, ""),
            "2499999.5\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
