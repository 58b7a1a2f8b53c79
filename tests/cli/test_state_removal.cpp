// The verbs remove and digest: states after a part was removed, and digests that two sites compare.
#include <gtest/gtest.h>

#include "cli/refusal.hpp"
#include "onefold/error.hpp"
#include "onefold/states.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// Makes the state of a text, as part k if k is not 0.
std::string state_of(const Folder& folder, const std::string& name, const std::string& text,
                     int part = 0, const std::string& ops = "mean,var") {
  const std::string x = folder.write("x.txt", text), state = folder.path(name);
  std::vector<std::string> words{"gather", ops, x, "--state", state};
  if (part != 0) words.insert(words.end(), {"--part", std::to_string(part)});
  const Ran ran = run_program(words);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return state;
}

std::string digest_of(const std::string& state) {
  return run_program({"digest", state}).out.substr(0, 64);
}

TEST(StateRemoval, GivesTheBytesOfTheRest) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", "1\n1e300\n"), b = state_of(folder, "b.of", "3\n"),
                    c = state_of(folder, "c.of", "-7\n"), all = folder.path("all.of"),
                    rest = folder.path("rest.of");
  EXPECT_EQ(run_program({"merge", a, b, c, "--state", all}).status, 0);
  EXPECT_EQ(run_program({"remove", all, b, c, "--state", rest}).status, 0);
  EXPECT_EQ(read_file(rest), read_file(a));
  const std::string list = folder.write("list", all + "\n" + c + "\n" + b + "\n");
  EXPECT_EQ(run_program({"remove", "--files-from", list, "--state", "-"}).out, read_file(a));
}

TEST(StateRemoval, KeepsTheNumbersOfPartsThatAreLeft) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", "1\n", 1), b = state_of(folder, "b.of", "3\n", 2),
                    c = state_of(folder, "c.of", "5\n", 3), all = folder.path("all.of"),
                    rest = folder.path("rest.of");
  EXPECT_EQ(run_program({"merge", a, b, "--state", all}).status, 0);
  EXPECT_EQ(run_program({"remove", all, a, "--state", rest}).status, 0);
  EXPECT_EQ(read_file(rest), read_file(b));
  expect_refusal({"remove", all, c, "--state", rest}, ErrorCode::bad_state, "part 3 is not in ");
  expect_refusal({"remove", rest, a, "--state", rest}, ErrorCode::bad_state, "part 1 is not in ");
  expect_refusal({"remove", all, state_of(folder, "d.of", "1\n"), "--state", rest},
                 ErrorCode::bad_state,
                 "are numbered differently; pass a state that was merged into ");
}

TEST(StateRemoval, SaysWhyItIsRefused) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", "1\n2\n", 0, "max"),
                    b = state_of(folder, "b.of", "2\n"), to = folder.path("rest.of");
  expect_refusal({"remove", a, a, "--state", to}, ErrorCode::bad_state,
                 "remove " + a + ": remove: the states contain extremes (greatest)");
  expect_refusal({"remove", a, b, "--state", to}, ErrorCode::bad_state, "the states differ");
  expect_refusal({"remove", a, "--state", to}, ErrorCode::bad_option,
                 "the states to take out of it");
  expect_refusal({"remove", b, b}, ErrorCode::bad_option, "--state");
}

TEST(StateDigest, IsTheSameForAnyPartsAndOrder) {
  const Folder folder;
  const std::string a = state_of(folder, "a.of", "1\n1e300\n", 1),
                    b = state_of(folder, "b.of", "3\n", 2), all = folder.path("all.of"),
                    whole = state_of(folder, "whole.of", "3\n1\n1e300\n");
  EXPECT_EQ(run_program({"merge", b, a, "--state", all}).status, 0);
  EXPECT_EQ(digest_of(all), digest_of(whole));
  EXPECT_NE(digest_of(a), digest_of(whole));
  const Ran two = run_program({"digest", whole, all});
  EXPECT_EQ(two.out, digest_of(whole) + "  " + whole + "\n" + digest_of(all) + "  " + all + "\n");
}

TEST(StateDigest, IsThatOfSlicesToo) {
  const Folder folder;
  const std::vector<double> x = {1, 2, 3, 4};
  const States states = gather_states("mean", ArrayRef(x.data(), f64, Dims(2, 2)), {.axes = {0}});
  const std::vector<std::byte> bytes = states.save();
  const std::string file = folder.write(
      "many.of", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(digest_of(file), states.digest());
  expect_refusal({"digest", folder.write("bad.of", "1folds\r\n and no more")}, ErrorCode::bad_state,
                 "bad.of");
  expect_refusal({"digest"}, ErrorCode::bad_option, "digest needs states");
  expect_refusal({"digest", folder.path("none.of")}, ErrorCode::cannot_open, "none.of");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
