#include "onefold/tables/window_fold.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "generate.hpp"
#include "io/files.hpp"

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

Rows windows_of(const std::string& ops, const std::string& file, const io::FileRequest& asked,
                const io::Limits& limits) {
  Rows all;
  io::Notes notes;
  io::fold_row_windows(Query(ops), {file}, asked, limits, {}, notes, [&](const io::Grouped& rows) {
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
    const Rows whole = windows_of(ops, file, asked, {});
    ASSERT_EQ(whole.status[0].size() % 3000, 0u);
    for (const Size bytes : {50u, 700u, 5000u}) {
      for (const int threads : {1, 3}) {
        asked.fold.threads = threads;
        io::Limits small;
        small.text_chunk_bytes = bytes;
        EXPECT_EQ(windows_of(ops, file, asked, small), whole) << ops << bytes << "," << threads;
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
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
