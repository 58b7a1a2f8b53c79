#include "onefold/tables/window_fold.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "generate.hpp"
#include "io/files.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;
using test::Scratch;

struct Rows {
  std::vector<std::string> keys;
  std::vector<std::vector<std::byte>> data;
  std::vector<std::vector<Status>> status;
  friend bool operator==(const Rows&, const Rows&) = default;
};

Rows windows_of(const std::string& ops, const std::vector<std::string>& files,
                const io::FileRequest& asked, const io::Limits& limits) {
  Rows all;
  io::Notes notes;
  io::fold_row_windows(Query(ops), files, asked, limits, {}, notes, [&](const io::Grouped& rows) {
    all.keys.insert(all.keys.end(), rows.keys.begin(), rows.keys.end());
    all.data.resize(rows.answers.list.size());
    all.status.resize(rows.answers.list.size());
    for (std::size_t k = 0; k < all.data.size(); ++k) {
      const Answer& a = rows.answers.list[k];
      all.data[k].insert(all.data[k].end(), a.data.begin(), a.data.end());
      all.status[k].insert(all.status[k].end(), a.status.begin(), a.status.end());
    }
  });
  return all;
}

std::string random_table(Random& random, int rows) {
  std::string text = "k,t,x,y\n";
  int time = 0;
  for (int i = 0; i < rows; ++i) {
    time += static_cast<int>(test::pick(random, 0, 3));
    text += std::to_string(test::pick(random, 0, 3)) + "," + std::to_string(time);
    for (int c = 0; c < 2; ++c) {
      const auto kind = test::pick(random, 0, 11);
      text += "," + (kind == 0   ? ""
                     : kind == 1 ? "-0"
                     : kind == 2 ? "1234567890123456.789"
                                 : std::to_string(test::pick(random, 0, 999)) + ".25");
    }
    text += "\n";
  }
  return text;
}

TEST(WindowFold, HasTheSameBitsForPiecesOfAnySize) {
  Random random(5);
  const Scratch folder;
  const std::string file = folder.write("t.csv", random_table(random, 3000));
  const auto check = [&](const std::string& ops, io::FileRequest asked) {
    asked.input.guess = true;
    asked.input.columns = "x,y";
    const Rows whole = windows_of(ops, {file}, asked, {});
    ASSERT_EQ(whole.status[0].size() % 3000, 0u);
    for (const Size bytes : {50u, 700u, 5000u}) {
      for (const int threads : {1, 3}) {
        asked.fold.threads = threads;
        io::Limits small;
        small.text_chunk_bytes = bytes;
        EXPECT_EQ(windows_of(ops, {file}, asked, small), whole) << ops << bytes << "," << threads;
      }
    }
  };
  for (const char* ops : {"sum,mean,count", "var,min,argmax", "corr,dot"}) {
    io::FileRequest asked;
    asked.windows.width = 7;
    check(ops, asked);
    asked.windows.width = 400;
    check(ops, asked);
    asked.input.by = "k";
    check(ops, asked);
    asked.windows = {.over = "t", .within = "9", .least = 2};
    check(ops, asked);
    asked.input.by = "";
    check(ops, asked);
    asked.windows = {.cumulative = true};
    check(ops, asked);
    asked.input.by = "k";
    check(ops, asked);
  }
}

// Of all kinds that a sum is carried along by: short decimals, wide ones, and others.
std::string random_number(Random& random) {
  const auto kind = test::pick(random, 0, 12);
  if (kind == 0) return "";
  if (kind == 1) return "-0";
  if (kind == 2) return "0.30000000000000000001";
  if (kind == 3) return "-1e-300";
  if (kind == 4) return random() % 2 == 0 ? "1e22" : "-1e22";
  if (kind == 5) return random() % 8 == 0 ? "-inf" : "0.007";
  return std::to_string(static_cast<int>(test::pick(random, 0, 2000)) - 1000) + ".5";
}

TEST(WindowFold, OfAllRowsUpToEachIsTheirFoldAlone) {
  const Scratch folder;
  const std::string header = "k,x,y\n";
  for (uint64_t seed = 1; seed <= test::scaled(36u); ++seed) {
    Random random(seed);
    const bool by = seed % 2 == 0, left = seed % 9 < 3;
    const char* const ops[] = {"sum,mean,argmax", "var,min,argmin", "corr,dot"};
    const Query query(ops[seed % 3]);
    io::FileRequest asked;
    asked.input.guess = true;
    asked.input.columns = "x,y";
    if (seed % 4 < 2) asked.input.dtype = DType::f64;
    std::vector<std::string> files;
    std::map<std::string, std::string> rows_of;  // of each key
    std::vector<std::optional<Answers>> alone;
    for (int f = 0; f < 2; ++f) {
      std::string text = header;
      for (int i = 0; i < 30; ++i) {
        const std::string key = by ? "k" + std::to_string(random() % 4) : "k";
        std::string& rows = rows_of[key];
        std::string row = key + ",0.25,-3\n";  // no window behind it is empty
        if (!rows.empty())
          row = key + "," + random_number(random) + "," + random_number(random) + "\n";
        text += row;
        const std::string before = rows;
        rows += row;
        alone.emplace_back();
        if (left && before.empty()) continue;
        io::Notes notes;
        asked.input.opened = io::no_files_yet();  // another call, and another file
        const std::string file = folder.write("alone.csv", header + (left ? before : rows));
        alone.back() = io::fold_asked(query, {file}, asked, {}, notes);
      }
      files.push_back(folder.write(std::to_string(f) + ".csv", text));
    }
    if (by) asked.input.by = "k";
    asked.windows.cumulative = true;
    if (left) asked.windows.closed = {.left = true, .right = false};
    asked.fold.threads = static_cast<int>(seed % 3);
    io::Limits limits;
    limits.text_chunk_bytes = test::pick_log(random, 20, 2000);
    const Rows found = windows_of(query.names(), files, asked, limits);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      for (std::size_t k = 0; alone[i] && k < alone[i]->list.size(); ++k) {
        const Answer& a = alone[i]->list[k];
        const auto* const at = found.data[k].data() + i * a.data.size();
        ASSERT_EQ(std::vector(at, at + a.data.size()), a.data) << seed << ", row " << i << a.op;
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
