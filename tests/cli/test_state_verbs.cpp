// gather, merge, answer: states in files.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "cli/refusal.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

void run_well(const std::vector<std::string>& arguments) {
  const Ran ran = run_program(arguments);
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out + ran.error, "");
}

TEST(StateVerbs, LeaveNothingOnAFullDisk) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1\n2\n"), state = folder.path("x.of");
  run_well({"gather", "sum", x, "--state", state});
  const Surroundings full{.in_child = [] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};  // bytes of a file; a state has more
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }};
  for (const char* name : {"new.of", "x.of"}) {
    const Ran ran = run_program({"gather", "mean,var", x, "--state", folder.path(name)}, full);
    EXPECT_EQ(ran.status, exit_status(ErrorCode::cannot_write)) << ran.error;
    EXPECT_NE(ran.error.find("cannot be written"), std::string::npos) << ran.error;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("new.of")));
  EXPECT_EQ(run_program({"answer", "sum", state}).out, "3\n");  // the old state is unchanged
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 2);
}

TEST(StateVerbs, InfoTellsWhatAStateCanAnswer) {
  const Folder folder;
  const std::string csv = folder.write("t.csv", "city,x\na,1\nb,2\nb,3\n");
  const std::string one = folder.path("one.of"), groups = folder.path("groups.of");
  run_well({"gather", "mean,min", "--columns", "x", csv, "--state", one, "--part", "3"});
  run_well({"gather", "sum", "--by", "city", csv, "--state", groups});
  EXPECT_EQ(run_program({"info", one}).out,
            "name\ttype\tshape\tmissing\n"
            "-\tf64 state: count, count_inf, count_nan, mean, min, sum; part 3\t(3,)\t-\n");
  EXPECT_EQ(run_program({"info", groups}).out,
            "name\ttype\tshape\tmissing\n"
            "city\tkey\t(2,)\t-\n"
            "x\tf64 state: count, count_inf, count_nan, mean, sum\t(2,)\t-\n");
  EXPECT_NE(run_program({"info", "--json", groups}).out.find("\"format\": \"state\""),
            std::string::npos);
  for (const std::string& state : {one, groups}) {
    for (const char* verb : {"sum", "describe"}) {
      EXPECT_NE(run_program({verb, state}).error.find("see onefold help answer"),
                std::string::npos);
    }
  }
  const std::string damaged = folder.write("bad.of", read_file(one).substr(0, 60));
  EXPECT_EQ(run_program({"info", damaged}).status, exit_status(ErrorCode::bad_state));
}

// A file counts once, by whatever name; other files may have equal data, and then equal bytes.
TEST(StateVerbs, CountAFileOnceAndEqualFilesEach) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1\n2\n"), a = folder.path("a.of"),
                    copy = folder.path("copy.of"), link = folder.path("link.of"),
                    hard = folder.path("hard.of"), all = folder.path("all.of");
  run_well({"gather", "sum", x, "--state", a});
  std::filesystem::copy_file(a, copy);
  std::filesystem::create_symlink(a, link);
  std::filesystem::create_hard_link(a, hard);
  for (const std::string& again : {a, link, hard, folder.path("./a.of")}) {
    expect_refusal({"answer", "sum", a, again}, ErrorCode::overlap, "passed twice");
    expect_refusal({"merge", a, again, "--state", all}, ErrorCode::overlap, "passed twice");
    expect_refusal({"remove", a, copy, again, again, "--state", all}, ErrorCode::overlap,
                   "passed twice");
  }
  const Ran ran = run_program({"answer", "sum", a, copy});
  EXPECT_EQ(ran.out, "6\n");
  EXPECT_NE(ran.error.find("merge " + copy + ": an earlier state has the same bytes"),
            std::string::npos)
      << ran.error;
  EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
  EXPECT_EQ(run_program({"merge", a, copy, "--state", all}).status, 0);
  EXPECT_EQ(run_program({"answer", "sum", all}).out, "6\n");
}

// Each share must come exactly once: a share twice, a missing one, or one of another number of
// shares is an error.
TEST(StateVerbs, CountSharesOnce) {
  const Folder folder;
  const std::string x =
      folder.write("x.npy", npy("<f8", "(5,)", bytes_of_list<double>({1, 2, 4, 8, 16})));
  std::vector<std::string> states;
  for (int k = 1; k <= 3; ++k) {
    states.push_back(folder.path(std::to_string(k) + ".of"));
    run_well({"gather", "sum", x, "--share", std::to_string(k) + "/3", "--state", states.back()});
  }
  const std::string half = folder.path("half.of"), two = folder.path("two.of");
  EXPECT_EQ(run_program({"answer", "sum", states[2], states[0], states[1]}).out, "31\n");
  expect_refusal({"answer", "sum", states[0], states[2]}, ErrorCode::bad_state,
                 "of 3 shares, some are missing: 2");
  const std::string copy = folder.path("copy.of");
  std::filesystem::copy_file(states[0], copy);
  expect_refusal({"answer", "sum", states[0], copy, states[2]}, ErrorCode::overlap, "part 1 is");
  run_well({"gather", "sum", x, "--share", "1/2", "--part", "1", "--state", half});
  expect_refusal(
      {"answer", "sum", half, states[1]}, ErrorCode::bad_state,
      "this state was gathered with --share K/3, but the earlier states with --share K/2; "
      "gather all with the same number of shares");
  expect_refusal({"gather", "sum", x, "--share", "1/2", "--part", "2", "--state", half},
                 ErrorCode::bad_option, "leave --part out");
  run_well({"merge", states[0], states[1], "--state", two});
  EXPECT_EQ(run_program({"answer", "sum", two, states[2]}).out, "31\n");
  EXPECT_EQ(run_program({"answer", "sum", two, "--parts", "1..2"}).out, "7\n");
  expect_refusal({"answer", "sum", two, "--parts", "1..3"}, ErrorCode::bad_state,
                 "missing parts: 3");
  for (const char* list : {"1-3/2", "0/3", "1/x", "1/", "/3"}) {
    const std::string bad =
        folder.write("bad.of", "onefold-parts " + std::string(list) + "\n" + "rest");
    expect_refusal({"answer", "sum", bad}, ErrorCode::bad_state, "its list of parts is damaged");
  }
}
// A share knows the length of all files, and their types, shapes and columns.
TEST(StateVerbs, RefuseSharesOfDifferentFiles) {
  const Folder folder;
  const auto zeros = [](const std::string& shape, std::size_t n) {
    return npy("<f8", shape, bytes_of_list(std::vector<double>(n)));
  };
  const std::string ten = folder.write("10.npy", zeros("(10,)", 10)),
                    twenty = folder.write("20.npy", zeros("(20,)", 20)),
                    table = folder.write("5x2.npy", zeros("(5, 2)", 10)),
                    text = folder.write("a.txt", "1\n2\n"),
                    more = folder.write("b.txt", "1\n2\n3\n"),
                    columns = folder.write("c.csv", "hot,cold\n1,2\n");
  const auto share = [&](const char* k, const std::string& file, const std::string& column = "") {
    const std::string state = folder.path(std::string(k) + ".of");
    std::vector<std::string> words{"gather",  "sum", file, "--share", std::string(k) + "/2",
                                   "--state", state};
    if (!column.empty()) words.insert(words.end(), {"--columns", column});
    run_well(words);
    return state;
  };
  const auto expect_refused = [&](const std::string& why) {
    for (const char* verb : {"answer", "merge"}) {
      std::vector<std::string> words{verb};
      if (verb[0] == 'a') words.push_back("sum");
      words.insert(words.end(), {folder.path("1.of"), folder.path("2.of")});
      if (verb[0] == 'm') words.insert(words.end(), {"--state", folder.path("all.of")});
      expect_refusal(words, ErrorCode::bad_state,
                     "2.of: merge: the states are shares of different files (" + why);
    }
  };
  share("1", ten);
  share("2", twenty);
  expect_refused("one of 10 elements, the other of 20 elements)");
  share("2", table);
  expect_refused("both of 10 elements, but with different types, shapes or columns)");
  share("1", text);
  share("2", more);
  expect_refused("one of 4 bytes, the other of 6 bytes)");
  share("1", columns, "hot");
  share("2", columns, "cold");
  expect_refused("both of 13 bytes, but with different types, shapes or columns)");
  share("2", columns, "hot");
  EXPECT_EQ(run_program({"answer", "sum", folder.path("1.of"), folder.path("2.of")}).out, "1\n");
}
TEST(StateVerbs, FindADamagedListOfParts) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1 2 3"), good = folder.path("good.of");
  run_well({"gather", "sum", x, "--part", "17", "--state", good});
  const std::string bytes = read_file(good), line = bytes.substr(0, bytes.find('\n'));
  for (std::size_t at = std::string("onefold-parts ").size(); at < line.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = damaged[at] == '3' ? '4' : '3';
    expect_refusal({"answer", "sum", folder.write("bad.of", damaged)}, ErrorCode::bad_state,
                   "its list of parts is damaged");
  }
  // Files of old versions have no checksum in that line.
  const std::string old = "onefold-parts 17" + bytes.substr(line.size());
  EXPECT_EQ(run_program({"answer", "sum", "--parts", "17", folder.write("old.of", old)}).out,
            "6\n");
}
// Workers are killed at any moment and run again, some shares twice: the state is that of one pass.
TEST(StateVerbs, SurviveWorkersThatAreKilled) {
  const Folder folder;
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(i * 7919 % 1000 + 0.25);
  const std::string all = folder.write("x.npy", npy("<f8", "(20000,)", bytes_of_list(values)));
  constexpr int parts = 40;
  std::vector<int> left;
  for (int k = 1; k <= parts; ++k) left.push_back(k);
  std::vector<std::string> states;
  uint64_t random = 1;
  const auto draw = [&](uint64_t n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % n;
  };
  int killed = 0;
  std::set<int> written;
  while (!left.empty()) {
    const std::size_t at = draw(left.size());
    const int k = left[at];
    const std::string state = folder.path(std::to_string(k) + ".of");
    const bool kill = draw(4) == 0;
    const Ran ran = run_program({"gather", "mean,var", all, "--share",
                                 std::to_string(k) + "/" + std::to_string(parts), "--state", state},
                                {.in_child = [&] {
                                  const rlimit limit{50, 50};  // so the state is never complete
                                  if (kill) ::setrlimit(RLIMIT_FSIZE, &limit);
                                }});
    if (kill) {
      ++killed;
      EXPECT_NE(ran.status, 0);
      EXPECT_EQ(std::filesystem::exists(state), written.contains(k));
      continue;
    }
    EXPECT_EQ(ran.status, 0) << ran.error;
    written.insert(k);
    if (draw(5) == 0) continue;  // its end was not reported, so it runs again
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    states.push_back(state);
  }
  EXPECT_GT(killed, 3);
  std::vector<std::string> answer = {"answer", "mean,var"};
  answer.insert(answer.end(), states.begin(), states.end());
  EXPECT_EQ(run_program(answer).out, run_program({"mean,var", all}).out);
  answer.pop_back();
  expect_refusal(answer, ErrorCode::bad_state, "some are missing");
}

TEST(StateVerbs, TakeTheStatesOfAFolder) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1\n2\n4\n8\n"), states = folder.path("states");
  std::filesystem::create_directory(states);
  expect_refusal({"answer", "sum", states}, ErrorCode::cannot_open,
                 "this folder has no states, which are named *.of");
  for (const char* k : {"1", "2", "3", "4"}) {
    run_well({"gather", "sum,max", x, "--share", k + std::string("/4"), "--state",
              states + "/" + k + ".of"});
  }
  folder.write("states/notes.txt", "no state");
  folder.write("states/.onefold-7-0.tmp", "half a st");
  EXPECT_EQ(run_program({"answer", "sum,max", states}).out, "sum\t15\nmax\t8\n");
  EXPECT_EQ(run_program({"answer", "sum", states + "/"}).out, "15\n");
  run_well({"merge", states, "--parts", "1..4", "--state", folder.path("all.of")});
  EXPECT_EQ(run_program({"answer", "sum", folder.path("all.of")}).out, "15\n");
  expect_refusal({"answer", "sum", folder.path("all.of"), states}, ErrorCode::overlap,
                 "is also in an earlier state");
  folder.write("states/5.of", "no state");
  expect_refusal({"answer", "sum", states}, ErrorCode::bad_state, "5.of");
}

TEST(StateVerbs, WriteToStdoutAndReadFromStdin) {
  const Folder folder;
  const std::string y = folder.path("y.of");
  run_well({"gather", "sum", folder.write("y.txt", "5\n"), "--part", "2", "--state", y});
  const Ran x =
      run_program({"gather", "sum", "-", "--part", "1", "--state", "-"}, {.stdin_text = "1\n2\n"});
  EXPECT_EQ(x.status, 0) << x.error;
  const Ran both =
      run_program({"merge", "-", y, "--parts", "1..2", "--state", "-"}, {.stdin_text = x.out});
  EXPECT_EQ(both.status, 0) << both.error;
  EXPECT_EQ(run_program({"answer", "sum", "-"}, {.stdin_text = both.out}).out, "8\n");
}

TEST(StateVerbs, AnswerAsOneFoldOfAllParts) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1e300\n1\n2.5\n"),
                    b = folder.write("b.npy",
                                     npy("<f8", "(2,)", bytes_of_list<double>({-1e300, 4}))),
                    c = folder.write("c.csv", "7\n0.25\n");
  std::vector<std::string> states;
  for (const std::string& file : {a, b, c}) {
    states.push_back(file + ".of");
    // A text that is folded with an array has f64 numbers.
    run_well({"gather", "mean,var,min", file, "--dtype", "f64", "--state", states.back()});
  }
  const std::string all = folder.path("all.of");
  run_well({"merge", states[2], states[0], states[1], "--state", all});
  const Ran one = run_program({"mean,var,min", "--ddof", "1", a, b, c});
  EXPECT_EQ(run_program({"answer", "mean,var,min", "--ddof", "1", all}).out, one.out);
  EXPECT_EQ(
      run_program({"answer", "mean,var,min", "--ddof", "1", states[0], states[1], states[2]}).out,
      one.out);
  EXPECT_EQ(run_program({"answer", "mean", "--json", all}).out,
            run_program({"mean", "--json", a, b, c}).out);
  // Several files can be gathered into one state.
  const std::string together = folder.path("together.of");
  run_well({"gather", "mean,var,min", a, b, c, "--state", together});
  EXPECT_EQ(read_file(together), read_file(all));
}

TEST(StateVerbs, GatherAColumnOfTables) {
  const Folder folder;
  const std::string a = folder.write("a.csv", "city,temp,sold\nOslo,1.5,7\nRome,NA,8\nx,-3,9\n"),
                    b = folder.write("b.csv", "city;temp;sold\nBern;4;1\nBonn;x;2\n"),
                    ops = "mean,var,argmax,count", as = folder.path("a.of"),
                    bs = folder.path("b.of");
  run_well({"gather", ops, "--columns", "temp", "--nan", "omit", a, "--state", as});
  const Ran skips = run_program({"gather", ops, "--columns", "temp", "--nan", "omit", "--first",
                                 "3", "--bad-lines", "skip", b, "--state", bs});
  EXPECT_EQ(skips.status, 0);
  EXPECT_NE(skips.error.find("1 bad line was left out"), std::string::npos) << skips.error;
  EXPECT_EQ(run_program({"answer", ops, bs, as}).out,
            "mean\t0.8333333333333334\nvar\t8.38888888888889\nargmax\t3\ncount\t3\n");
  EXPECT_EQ(
      run_program({ops, "--columns", "temp", "--nan", "omit", "--bad-lines", "skip", a, b}).out,
      "column\tmean\tvar\targmax\tcount\ntemp\t0.8333333333333334\t8.38888888888889\t3\t3\n");
  expect_refusal({"gather", "mean", a, "--state", as}, ErrorCode::unsupported,
                 "2 columns of numbers; choose one with --columns");
  const std::string c = folder.write("c.csv", "hot,city\n1,a\n2,b\n"), cs = folder.path("c.of");
  const Ran says = run_program({"gather", "sum", c, "--state", cs});
  EXPECT_EQ(says.error, "onefold: a column without numbers is left out: city\n");
  EXPECT_EQ(run_program({"answer", "sum", cs}).out, "3\n");
  expect_refusal({"gather", "sum", "--columns", "1", c, b, "--state", cs},
                 ErrorCode::shape_mismatch, "its only column of numbers is called ");
}

TEST(StateVerbs, TakeWhatSaysWhatNothingGives) {
  const Folder folder;
  const std::string nothing = folder.path("nothing.of"), x = folder.path("x.of");
  run_well({"gather", "min,sum", "--dtype", "f64", folder.write("nothing.txt", "\n"), "--state",
            nothing});
  expect_refusal({"answer", "min", nothing}, ErrorCode::empty_input, "--empty-nan");
  EXPECT_EQ(run_program({"answer", "min", "--empty-nan", nothing}).out, "nan\n");
  EXPECT_EQ(run_program({"answer", "min,sum", "--initial", "7", nothing}).out, "min\t7\nsum\t7\n");
}

TEST(StateVerbs, KeepIndicesByTheFirst) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2 3"), b = folder.write("b.txt", "9 0 9");
  run_well({"gather", "argmax,argmin", a, "--state", folder.path("a.of")});
  run_well({"gather", "argmax,argmin", b, "--first", "3", "--state", folder.path("b.of")});
  EXPECT_EQ(run_program({"answer", "argmax,argmin", folder.path("b.of"), folder.path("a.of")}).out,
            "argmax\t3\nargmin\t4\n");
  expect_refusal({"answer", "argmax", folder.path("a.of"), folder.path("a.of")}, ErrorCode::overlap,
                 "a.of");
}

TEST(StateVerbs, KnowWhichPartsThereAre) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1 2 3");
  std::vector<std::string> states;
  for (int k = 1; k <= 4; ++k) {
    states.push_back(folder.path(std::to_string(k) + ".of"));
    run_well({"gather", "sum", x, "--part", std::to_string(k), "--state", states.back()});
  }
  const std::string all = folder.path("all.of");
  run_well({"merge", states[0], states[1], states[3], "--state", all});
  EXPECT_TRUE(read_file(all).starts_with("onefold-parts 1-2,4 3751bf2d\n"));
  EXPECT_EQ(run_program({"answer", "sum", all, states[2], "--parts", "1..4"}).out, "24\n");
  EXPECT_EQ(run_program({"answer", "sum", all}).out, "18\n");
  expect_refusal({"answer", "sum", all, "--parts", "1..6"}, ErrorCode::bad_state,
                 "missing parts: 3,5-6");
  expect_refusal({"merge", all, states[2], "--parts", "1-2,4", "--state", folder.path("y.of")},
                 ErrorCode::bad_state, "unexpected parts: 3");
  expect_refusal({"answer", "sum", all, states[3]}, ErrorCode::overlap, "part 4");
  run_well({"gather", "sum", x, "--state", folder.path("none.of")});
  expect_refusal({"answer", "sum", all, folder.path("none.of")}, ErrorCode::bad_state,
                 "this state has no part number, but earlier states do; gather it again "
                 "with --part");
  expect_refusal({"answer", "sum", folder.path("none.of"), "--parts", "1"}, ErrorCode::bad_state,
                 "--part");
}

TEST(StateVerbs, RefuseWhatIsNoState) {
  const Folder folder;
  const std::string x = folder.write("x.txt", "1 2 3"), good = folder.path("good.of");
  run_well({"gather", "sum", x, "--part", "7", "--state", good});
  const std::string bytes = read_file(good);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    expect_refusal({"answer", "sum", folder.write("bad.of", bytes.substr(0, n))},
                   ErrorCode::bad_state, "bad.of");
    if (n > 40) n += 7;
  }
  expect_refusal({"answer", "var", good}, ErrorCode::bad_option, "var");
  expect_refusal({"answer", "sum", x}, ErrorCode::bad_state, "x.txt");
  expect_refusal({"gather", "sum", x}, ErrorCode::bad_option, "--state");
  expect_refusal({"gather", "sum", x, "--state", good, "--part", "1..x"}, ErrorCode::bad_option,
                 "--part");
  expect_refusal({"merge", good}, ErrorCode::bad_option, "--state");
  EXPECT_EQ(read_file(good), bytes);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
