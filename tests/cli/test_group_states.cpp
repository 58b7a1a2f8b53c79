// gather --by, merge and answer of states of groups; --each --by; --no-sort.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "cli/refusal.hpp"
#include "onefold/engine/crc32.hpp"
#include "onefold/tables/group_states.hpp"
#include "scaled.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

const std::string first =
                      "city,year,temp,rain\nOslo,2024,0.1,3\nRome,2024,11,0\nOslo,2023,0.2,NA\n",
                  second = "city,year,temp,rain\nBern,2024,1.5,3\nOslo,2024,0.2,1\n";

std::string state_of(const Folder& folder, const std::string& name, const std::string& text,
                     std::vector<std::string> more = {"mean,var,min", "--by", "city"}) {
  const std::string state = folder.path(name);
  more.insert(more.begin(), "gather");
  more.insert(more.end(), {folder.write(name + ".csv", text), "--state", state});
  const Ran ran = run_program(more);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return state;
}

std::string out_of(const std::vector<std::string>& words) {
  const Ran ran = run_program(words);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(GroupStates, AnswerAsAFoldOfAllFilesInAnyOrderOfMerging) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", first), b = state_of(folder, "b.of", second),
                    ab = folder.path("ab.of"), ba = folder.path("ba.of");
  const std::string whole = out_of({"mean,var,min", "--by", "city", a + ".csv", b + ".csv"});
  EXPECT_EQ(out_of({"answer", "mean,var,min", a, b}), whole);
  EXPECT_EQ(out_of({"answer", "mean,var,min", b, a}), whole);
  out_of({"merge", a, b, "--state", ab});
  out_of({"merge", b, a, "--state", ba});
  EXPECT_EQ(read_file(ab), read_file(ba));
  EXPECT_EQ(out_of({"digest", ab}).substr(0, 64), out_of({"digest", ba}).substr(0, 64));
  EXPECT_EQ(out_of({"answer", "mean", "--sort", "-temp_mean", "--top", "1", "--json", ab}),
            "{\"by\": {\"city\": \"Rome\"}, \"year\": {\"mean\": 2024.0}, "
            "\"temp\": {\"mean\": 11.0}, \"rain\": {\"mean\": 0.0}}\n");
}

TEST(GroupStates, HaveNumberedPartsExpressionsAndSeveralKeys) {
  const Folder folder;
  const std::vector<std::string> how{"sum",     "--by",  "city,year",         "--columns",
                                     "double",  "--let", "double = temp * 2", "--where",
                                     "rain < 5"};
  auto numbered = how;
  numbered.insert(numbered.end(), {"--part", "1"});
  const std::string a = state_of(folder, "a.of", first, numbered);
  numbered.back() = "2";
  const std::string b = state_of(folder, "b.of", second, numbered);
  EXPECT_EQ(out_of({"answer", "sum", "--parts", "1..2", a, b}),
            "city\tyear\tsum\nBern\t2024\t3\nOslo\t2024\t0.6\nRome\t2024\t22\n");
  const std::string copy = folder.path("copy.of");
  std::filesystem::copy_file(a, copy);
  expect_refusal({"answer", "sum", a, copy}, ErrorCode::overlap,
                 "part 1 is also in an earlier state");
  expect_refusal({"answer", "sum", a, a}, ErrorCode::overlap, "passed twice");
  expect_refusal({"answer", "sum", "--parts", "1..3", a, b}, ErrorCode::bad_state,
                 "missing parts: 3");
}

TEST(GroupStates, SayWhyTheyAreRefused) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", first),
                    y = state_of(folder, "y.of", first, {"mean,var,min", "--by", "year"}),
                    c = state_of(folder, "c.of", first,
                                 {"mean,var,min", "--by", "city", "--columns", "temp"}),
                    plain = state_of(folder, "p.of", first, {"mean", "--columns", "temp"}),
                    to = folder.path("to.of");
  expect_refusal({"answer", "mean", a, y}, ErrorCode::bad_state,
                 "the keys of one are city, those of another are year");
  expect_refusal({"answer", "mean", a, c}, ErrorCode::bad_state,
                 "the columns of one are year, temp, rain");
  expect_refusal({"answer", "mean", a, plain}, ErrorCode::bad_state, "this state has no groups");
  expect_refusal({"answer", "mean", plain, a}, ErrorCode::bad_state, "this state has groups");
  expect_refusal({"answer", "max", a}, ErrorCode::bad_option, "was not gathered for this op");
  expect_refusal({"remove", a, a, "--state", to}, ErrorCode::bad_state, "cannot be removed");
  expect_refusal({"answer", "mean", "--sort", "mean", plain}, ErrorCode::bad_option, "has none");
  expect_refusal({"gather", "argmax", "--by", "city", a + ".csv", "--state", to},
                 ErrorCode::bad_option, "argmax returns an index");
  expect_refusal({"gather", "sum", "--by", "city", a + ".csv", "--share", "1/2", "--state", to},
                 ErrorCode::bad_option, "--share");
}

std::vector<std::byte> bytes_of_file(const std::string& path) {
  const std::string text = read_file(path);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

void sign(std::vector<std::byte>& bytes, std::size_t begin, std::size_t end) {
  const uint32_t crc = crc32_of(bytes.data() + begin, end - begin - 4);
  std::memcpy(bytes.data() + end - 4, &crc, 4);
}

// Whatever the bytes are, they are refused as bad_state, or they are what would be saved.
void expect_safe(const std::vector<std::byte>& bytes, const std::string& what) {
  try {
    const io::GroupStates loaded = io::GroupStates::load(bytes);
    EXPECT_EQ(loaded.save(), bytes) << what;
    static_cast<void>(loaded.answer("mean,var,min", {}));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_state) << what << ": " << e.what();
  }
}

TEST(GroupStates, ThatAreDamagedAreRefused) {
  const Folder folder;
  const std::vector<std::byte> good = bytes_of_file(
      state_of(folder, "a.of", first, {"mean,var,min", "--by", "city,year", "--columns", "temp"}));
  expect_safe(good, "whole");
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_THROW(io::GroupStates::load(std::span(good).first(n)), Error) << n;
    std::vector<std::byte> bad = good;
    bad[n] ^= std::byte{1};
    EXPECT_THROW(io::GroupStates::load(bad), Error) << n;
  }
}

// With checksums made anew, as somebody would who means harm.
TEST(GroupStates, ThatAreForgedAreRefusedOrHonest) {
  const Folder folder;
  const std::vector<std::byte> good = bytes_of_file(
      state_of(folder, "a.of", first, {"mean,var,min", "--by", "city,year", "--columns", "temp"}));
  const std::string text(reinterpret_cast<const char*>(good.data()), good.size());
  const std::size_t inner = text.find("1folds");
  ASSERT_NE(inner, text.npos);
  std::mt19937_64 random(7);
  for (int trial = 0; trial < test::scaled(20000); ++trial) {
    std::vector<std::byte> bad = good;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < changes; ++k) {
      const std::size_t at = random() % (bad.size() - 8);
      const std::byte values[] = {std::byte{0}, std::byte{1}, std::byte{0x7f}, std::byte{0xff},
                                  static_cast<std::byte>(random())};
      bad[at] = values[random() % 5];
    }
    if (random() % 8 == 0) bad.resize(inner + 8 + random() % (bad.size() - inner - 8));
    sign(bad, inner, bad.size() - 4);
    sign(bad, 0, bad.size());
    expect_safe(bad, "trial " + std::to_string(trial));
  }
}

TEST(GroupsOfEachFile, HaveItsNameAsTheFirstKey) {
  const Folder folder;
  const std::string a = folder.write("a.csv", first), b = folder.write("b.csv", second),
                    none = folder.path("none.csv"), to = folder.path("to.csv");
  const std::string answer = "file\tcity\tmax\n" + b + "\tBern\t1.5\n" + b + "\tOslo\t0.2\n" + a +
                             "\tOslo\t0.2\n" + a + "\tRome\t11\n";
  const std::vector<std::string> how{"max", "--by", "city", "--columns", "temp", "--each"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), how.begin(), how.end());
    return more;
  };
  EXPECT_EQ(out_of(with({b, a})), answer);
  const Ran some = run_program(with({b, none, a, "--keep-going"}));
  EXPECT_EQ(some.out, answer);
  EXPECT_EQ(some.status, exit_status(ErrorCode::cannot_open));
  EXPECT_NE(some.error.find("1 of 3 files"), std::string::npos);
  out_of(with({a, "--output", to}));
  EXPECT_EQ(read_file(to), "file,city,max\n" + a + ",Oslo,0.2\n" + a + ",Rome,11\n");
  EXPECT_EQ(out_of({"describe", "--by", "city", "--columns", "temp", "--each", a, b}).substr(0, 16),
            "file\tcity\tcount\t");
  EXPECT_EQ(out_of({"argmax", "--by", "city", "--columns", "temp", "--each", a}),
            "file\tcity\targmax\n" + a + "\tOslo\t2\n" + a + "\tRome\t1\n");
  const std::string other = folder.write("c.csv", "city,wind\nOslo,3\n");
  expect_refusal({"sum", "--by", "city", "--each", a, other}, ErrorCode::shape_mismatch,
                 "its columns differ from those of the first file");
}

TEST(GroupsOfEachFile, MayBeOfTimes) {
  const Folder folder;
  const std::string a = folder.write("a.csv", "who,at\nx,2024-01-02\ny,2024-01-01\n"),
                    b = folder.write("b.csv", "who,at\nx,2023-05-05\n");
  EXPECT_EQ(out_of({"min", "--columns", "at", "--each", a, b}),
            "file\tmin\n" + a + "\t2024-01-01\n" + b + "\t2023-05-05\n");
  EXPECT_EQ(out_of({"min", "--columns", "at", "--by", "who", "--each", a, b}),
            "file\twho\tmin\n" + a + "\tx\t2024-01-02\n" + a + "\ty\t2024-01-01\n" + b +
                "\tx\t2023-05-05\n");
}

TEST(GroupsWithoutSort, StandInTheOrderOfTheirFirstRows) {
  const Folder folder;
  std::string text = "k,v\n", expected = "k\tcount\n";
  for (int k = 5000; k-- > 0;) {
    text += std::to_string(k * 7919 % 5003) + ",1\n";
    expected += std::to_string(k * 7919 % 5003) + "\t20\n";
  }
  const std::string rows = text.substr(4);
  for (int k = 1; k < 20; ++k) text += rows;
  const std::string x = folder.write("x.csv", text);
  for (const char* const threads : {"1", "4"}) {
    EXPECT_EQ(out_of({"count", "--by", "k", "--no-sort", "--threads", threads, x}), expected);
  }
  const std::string a = folder.write("a.csv", first), b = folder.write("b.csv", second);
  EXPECT_EQ(out_of({"max", "--by", "city", "--columns", "temp", "--no-sort", a, b}),
            "city\tmax\nOslo\t0.2\nRome\t11\nBern\t1.5\n");
  expect_refusal({"max", "--by", "city", "--no-sort", "--sort", "max", a}, ErrorCode::bad_option,
                 "--sort does not apply");
  expect_refusal({"max", "--no-sort", a}, ErrorCode::bad_option,
                 "--no-sort applies only to groups");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
