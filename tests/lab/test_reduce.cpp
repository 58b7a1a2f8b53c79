// The experiment as the program runs it: options and table.
#include <gtest/gtest.h>

#include <sstream>

#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/plugin.hpp"
#include "onefold/error.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

std::string refusal(const ReduceOptions& o) {
  try {
    reduce(o);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    return e.what();
  }
  return "";
}

std::string refusal_of_rows(const ReduceOptions& o) {
  try {
    rows_of(o, 132);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    return e.what();
  }
  return "";
}

TEST(Reduce, RunsEveryRungAndTwin) {
  const ReduceResult r = reduce({.n = "2^12+3", .machine = "sim"});
  std::size_t twins = 0;
  for (const ReduceRow& row : r.rows) twins += row.twin;
  EXPECT_EQ(r.rows.size() - twins, simulated_rungs().size());
  EXPECT_GT(twins, 20u);
  EXPECT_TRUE(r.flawless);
  EXPECT_TRUE(r.agree);
}

TEST(Reduce, ShowsAFlawHappening) {
  // In lock-step, as on chips before Volta, the sum is right. In any other order it is wrong.
  for (const auto& [schedules, right] : {std::pair{"1", true}, std::pair{"2", false}}) {
    const auto r = reduce({.rungs = {"unroll_last_six"}, .machine = "sim", .schedules = schedules});
    ASSERT_EQ(r.rows.size(), 2u);
    EXPECT_TRUE(r.rows[0].outcome.correct);
    EXPECT_EQ(r.rows[1].outcome.correct, right);
    EXPECT_TRUE(r.rows[1].outcome.report.has(sim::FlawKind::race));
    EXPECT_TRUE(r.flawless);  // published versions never count
  }
}

TEST(Reduce, PrintsARowARungAndWhetherTheyAgree) {
  const std::string t = to_table(reduce({.rungs = {"sequential"}, .n = "1000", .machine = "sim"}));
  EXPECT_NE(t.find("sequential "), t.npos);
  EXPECT_NE(t.find("sequential (as published)"), t.npos);
  EXPECT_NE(t.find("16.34 GB/s, GTX 280"), t.npos);
  EXPECT_NE(t.find("\nresults agree\n"), t.npos);
}

TEST(Reduce, BeginsWithThePathOfTenEverywhere) {
  const auto names = [](const ReduceOptions& o) {
    std::vector<std::string_view> list;
    for (const ReduceRow& row : reduce(o).rows) {
      if (!row.twin) list.push_back(row.rung->name);
    }
    return list;
  };
  const auto path = names({.rungs = {"path"}, .n = "1000", .machine = "sim"});
  auto all = names({.n = "1000", .machine = "sim"});
  ASSERT_EQ(path.size(), 10u);
  all.resize(10);
  EXPECT_EQ(all, path);
  EXPECT_EQ(path.front(), "naive");
  EXPECT_EQ(path.back(), "onefold_itself");
}

TEST(Reduce, NamesWhatIsLegal) {
  EXPECT_NE(refusal({.rungs = {"nonsense"}}).find("choose one of naive, "), std::string::npos);
  EXPECT_NE(refusal({.block = "48"}).find("32, 64, 128"), std::string::npos);
  EXPECT_NE(refusal({.type = "f16"}).find("i32, i64, f32, f64"), std::string::npos);
  EXPECT_NE(refusal({.chip = "sm_1"}).find("cc10, cc12, cc20, sm_90"), std::string::npos);
  EXPECT_NE(refusal({.n = "2^99"}).find("the largest possible value is"), std::string::npos);
  EXPECT_NE(refusal({.op = "mul"}).find("sum, min, max"), std::string::npos);
  EXPECT_NE(refusal({.sweep = "x"}).find("block, grid, n"), std::string::npos);
  EXPECT_NE(refusal({.rungs = {"redux"}, .type = "f32"}).find("type i32"), std::string::npos);
  EXPECT_NE(refusal({.grid = "0"}).find("the smallest possible value is 1"), std::string::npos);
  EXPECT_NE(refusal({.schedules = "0"}).find("the smallest possible value is 1"),
            std::string::npos);
  EXPECT_NE(refusal({.offset = "3"}).find("a multiple of 4"), std::string::npos);
  EXPECT_NE(refusal({.offset = "256"}).find("the largest possible value is 255"),
            std::string::npos);
  EXPECT_NE(refusal({.rungs = {"redux"}, .sweep = "n", .op = "min"}).find("op sum"),
            std::string::npos);
  EXPECT_NE(refusal({.machine = "tpu"}).find("gpu, sim"), std::string::npos);
}

std::string notes(const ReduceOptions& o) {
  std::string all;
  for (const std::string& note : rows_of(o, 0).notes) all += note + '\n';
  return all;
}

// No plugin is beside this program.
// A published kernel may be right at a power of two; then the table names an n at which it is
// wrong.
TEST(Reduce, SaysWhereAPublishedKernelShowsItsFlaw) {
  const ReduceResult r = reduce({.n = "2^12", .machine = "sim"});
  for (const ReduceRow& row : r.rows) {
    if (!row.twin) continue;
    EXPECT_NE(row.outcome.report.flaws.empty(), flaws_elsewhere(row).empty()) << row.rung->name;
  }
  EXPECT_NE(to_table(r).find("none here; at n = 1000: "), std::string::npos);
  EXPECT_NE(to_json(r).find("\"flaws_elsewhere\": \"at n = 1000: "), std::string::npos);
}

TEST(Reduce, FitsItsTableToATerminal) {
  const ReduceResult r = reduce({.rungs = {"modulo", "ticket"}, .n = "1000", .machine = "sim"});
  const auto widest = [&](std::size_t columns) {
    std::istringstream lines(to_table(r, columns));
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("modulo") || line.starts_with("rung"))
        most = std::max(most, line.size());
    }
    return most;
  };
  EXPECT_GT(widest(0), 120u);
  EXPECT_LE(widest(80), 80u);
  EXPECT_LE(widest(120), 120u);
}

TEST(Reduce, SaysInALineWhyThereIsNoCub) {
  EXPECT_NE(why_no_cub().find("onefold_cub.so"), std::string::npos);
  EXPECT_NE(why_no_cub().find("build it where CMake finds nvcc, or set $ONEFOLD_CUB_PLUGIN"),
            std::string::npos);
  EXPECT_EQ(why_no_cub().find('\n'), std::string::npos);
  const auto rows = rows_of({}, 132);
  EXPECT_NE(std::find(rows.notes.begin(), rows.notes.end(), "cub is left out: " + why_no_cub()),
            rows.notes.end());
  for (const int multiprocessors : {0, 132}) {
    try {
      rows_of({.rungs = {"cub"}}, multiprocessors);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::no_backend);
      EXPECT_TRUE(std::string(e.what()).starts_with("lab reduce: rung cub cannot run: "));
    }
  }
  int32_t x = 1;
  EXPECT_THROW(cub_sum(&x, 1, &x, {}), std::runtime_error);
}

// No text of ours predicts the launches of a library.
TEST(Reduce, LeavesALibrarysCallOutOfTheCounters) {
  const auto rows = rows_of({.counters = true}, 132);
  for (const ReduceRow& row : rows.rows) EXPECT_TRUE(row.rung->about.flow != Flow::library);
  EXPECT_NE(std::find(rows.notes.begin(), rows.notes.end(),
                      "rungs without prediction for --counters are left out: onefold_itself"),
            rows.notes.end());
  EXPECT_NE(refusal_of_rows({.rungs = {"onefold_itself"}, .counters = true}).find("--counters"),
            std::string::npos);
}

TEST(Reduce, SaysWhichOptionsDoNotApply) {
  const std::string no_cub = "cub is left out: CUB runs on a GPU, not on a simulated one\n";
  EXPECT_EQ(notes({}), no_cub);
  EXPECT_EQ(notes({.rungs = {"modulo"}, .grid = "8"}),
            "--grid applies to none of these kernels: other kernels determine the number of blocks "
            "from n\n");
  EXPECT_EQ(
      notes({.rungs = {"ticket", "redux", "modulo"}, .grid = "8"}),
      "--grid does not apply to modulo: other kernels determine the number of blocks from n\n");
  EXPECT_NE(notes({.grid = "8"}).find("--grid applies to many_elements_a_thread, "),
            std::string::npos);
  EXPECT_EQ(notes({.rungs = {"cpu_loop", "ticket"}, .offset = "4"}),
            "--offset does not apply to cpu_loop: kernels on the host read the input in place\n");
  EXPECT_EQ(notes({.rungs = {"reduction_1"}, .block = "512"}),
            "reduction_1 as published supports only blocks of 256\n");
  EXPECT_NE(notes({.op = "max"}).find("rungs without op max are left out: naive, modulo, "),
            std::string::npos);
  EXPECT_EQ(
      notes({.rungs = {"onefold_itself"}, .block = "512"}),
      "--block applies to none of these kernels: kernels on the host have no blocks, and a library "
      "chooses its own\n");
  EXPECT_EQ(notes({.type = "f64"}), no_cub + "rungs without type f64 are left out: redux\n");
  const std::string table =
      to_table(reduce({.rungs = {"modulo"}, .n = "99", .grid = "8", .machine = "sim"}));
  EXPECT_NE(table.find("\nnote: --grid applies to none of these"), table.npos);
  EXPECT_TRUE(table.ends_with("\nresults agree\n"));
}

TEST(Reduce, NamesWhatARungHasNoKernelFor) {
  EXPECT_EQ(refusal_of_rows({.rungs = {"sequential"}, .block = "1"}),
            "lab: block \"1\" is not valid; sequential has types i32, i64, f32, f64, op sum, "
            "blocks of 32, 64, 128, 256, 512, 1024");
  EXPECT_NE(refusal_of_rows({.rungs = {"redux"}, .type = "f64"})
                .find("type \"f64\" is not valid; redux has type i32, "),
            std::string::npos);
  EXPECT_NE(refusal_of_rows({.rungs = {"sequential"}, .op = "min"})
                .find("op \"min\" is not valid; sequential has "),
            std::string::npos);
}

TEST(Reduce, RefusesOptionsOfTheSimulatedMachineOnAGpu) {
  for (const ReduceOptions& o : {ReduceOptions{.chip = "cc10"}, ReduceOptions{.schedules = "2"}}) {
    EXPECT_THROW(rows_of(o, 132), Error);
    EXPECT_NO_THROW(rows_of(o, 0));
  }
}

TEST(Reduce, SweepsBlocksGridsAndLengths) {
  const auto rows = [](const char* what) {
    return reduce({.rungs = {"reduction1_kernel"}, .n = "2^14", .sweep = what, .machine = "sim"})
        .rows.size();
  };
  EXPECT_EQ(rows("block"), 6u);
  EXPECT_EQ(rows("grid"), 5u);
  EXPECT_EQ(rows("n"), 3u);
  // Rows that would be equal are merged; a published version with a fixed block has one row.
  EXPECT_EQ(rows_of({.rungs = {"modulo"}, .sweep = "grid"}, 0).rows.size(), 2u);
  EXPECT_EQ(rows_of({.rungs = {"reduction_1"}, .sweep = "block"}, 0).rows.size(), 7u);
  EXPECT_EQ(rows_of({.rungs = {"cpu_loop"}, .sweep = "block"}, 0).rows.size(), 1u);
  EXPECT_EQ(rows_of({.rungs = {"ticket"}, .sweep = "grid"}, 132).rows.back().setting.grid,
            64 * 132u);
}

TEST(Reduce, RunsEveryTypeAndTheOpsThatATextHas) {
  for (const char* type : {"i32", "i64", "f32", "f64"}) {
    EXPECT_TRUE(reduce({.n = "5000", .type = type, .machine = "sim"}).flawless) << type;
  }
  for (const char* op : {"min", "max"}) {
    const auto r = reduce({.n = "5000", .op = op, .machine = "sim"});
    EXPECT_TRUE(r.flawless) << op;
    EXPECT_GE(r.rows.size(), 6u);
  }
}

TEST(Reduce, CountsAMisalignedInputsExtraSectors) {
  const auto sectors = [](const char* offset) {
    return reduce({.rungs = {"reduction1_kernel"}, .offset = offset, .machine = "sim"})
        .rows[0]
        .outcome.report.counters.global_load.count;
  };
  EXPECT_EQ(sectors("0"), (1u << 16) / 8 + 2);  // the array, and 16 partial sums in 2 sectors
  EXPECT_EQ(sectors("4"), (1u << 11) * 5 + 2);  // each load of a warp touches a fifth of its bytes
}

TEST(Reduce, ShowsTheOldChipsRules) {
  const auto transactions = [](const char* chip) {
    return reduce({.rungs = {"reduction1_kernel"}, .offset = "4", .machine = "sim", .chip = chip})
        .rows[0]
        .outcome.report.counters.global_load.count;
  };
  // With an offset of one element, c.c. 1.0 pays for each lane, c.c. 1.2 for one or two segments.
  EXPECT_GT(transactions("cc10"), 1u << 16);
  EXPECT_LT(transactions("cc12"), 1u << 14);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
