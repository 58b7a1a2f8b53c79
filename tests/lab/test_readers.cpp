// All readers and atomics of an element count, regardless of how many there are and where.
#include <gtest/gtest.h>

#include <random>

#include "run.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

// Each block except `silent` reads x[0] and counts itself by fence and atomic. The last block that
// counts writes x[0]. All counted blocks are ordered before the write.
Report readers(unsigned blocks, unsigned silent, unsigned schedule, bool by_atomic = false) {
  return run(
      {.grid = blocks, .block = 32}, 64,
      [=](Sim m, P x, P y) {
        if (m.thread() != 0) return;
        if (by_atomic) {
          m.add(x, 0, 1);
        } else {
          const int v = x[0];
          y[m.block()] = v;
        }
        if (m.block() == silent) return;
        m.fence();
        const int drawn = m.add(x, 1, 1);  // the value was 1
        m.fence();
        const int others = int(blocks) - (silent < blocks ? 1 : 0);
        if (m.branch(drawn == others)) x[0] = 7;
      },
      schedule);
}

TEST(Readers, AreAllOrderedBeforeAWriteOrARaceIsTold) {
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    for (const bool by_atomic : {false, true}) {
      EXPECT_EQ(kinds(readers(30, 30, schedule, by_atomic)), Kinds{}) << schedule;
      for (unsigned silent = 0; silent < 30; ++silent) {
        const Report r = readers(30, silent, schedule, by_atomic);
        // The silent block may come last; then the write comes before its read.
        EXPECT_EQ(kinds(r), Kinds{FlawKind::race}) << silent << " " << schedule;
        const Flaw& f = r.flaws.at(0);
        EXPECT_TRUE(f.other_block == silent || f.block == silent) << silent;
      }
    }
  }
}

// Warps of a block read s[0] and meet at a barrier; one warp does not come to it.
TEST(Readers, OfABlockAreAllOrderedBeforeAWriteOrARaceIsTold) {
  for (unsigned silent = 1; silent < 32; ++silent) {
    for (unsigned schedule = 0; schedule < 3; ++schedule) {
      const Report r = run(
          {.grid = 1, .block = 1024}, 1024,
          [=](Sim m, P x, P y) {
            auto s = shared<int, 2, struct s_>(m);
            const auto t = m.thread();
            if (t < 2) s[t] = 0;
            m.sync();
            const int v = s[0];
            y[t] = v;
            m.sync_warp();
            const unsigned warp = unsigned(t) / 32;
            if (m.lane() != 0 || m.branch(warp == silent)) return;
            m.fence();
            const int drawn = m.add(s, 1, 1);
            m.fence();
            if (m.branch(drawn == 30)) s[0] = x[0];
          },
          schedule);
      ASSERT_EQ(kinds(r), Kinds{FlawKind::race}) << silent;
      const unsigned one = r.flaws[0].threads.at(0) / 32, other = r.flaws[0].threads.at(1) / 32;
      EXPECT_TRUE(one == silent || other == silent) << silent;
    }
  }
}

TEST(Readers, EachStandAtTheirOwnLine) {
  unsigned first = 0, second = 0;
  const Report r = run(two_blocks, 64, [&](Sim m, P x, P y) {
    const auto t = m.thread();
    if (m.block() == 0) {
      first = __LINE__ + 1;
      if (t == 0) y[0] = x[5];
      second = __LINE__ + 1;
      if (t == 1) y[1] = x[5];
    } else if (t == 2) {
      x[5] = 3;
    }
  });
  ASSERT_EQ(kinds(r), Kinds{FlawKind::race});
  ASSERT_EQ(r.flaws.size(), 2u);
  EXPECT_EQ(r.flaws[0].other.line, first);
  EXPECT_EQ(r.flaws[0].threads, (std::vector<unsigned>{2, 0}));
  EXPECT_EQ(r.flaws[1].other.line, second);
  EXPECT_EQ(r.flaws[1].threads, (std::vector<unsigned>{2, 1}));
  EXPECT_EQ(r.flaws[0].did, Kind::store);
  EXPECT_EQ(r.flaws[0].other_did, Kind::load);
}

// A waiting thread reads the same word many times; these accesses are stored once.
TEST(Readers, ThatComeAgainAreKeptOnce) {
  Histories all;
  History h;
  const auto block_of = [](Stamp s) { return static_cast<unsigned>(s.phase) / 10; };
  for (unsigned turn = 0; turn < 2000; ++turn) {
    for (unsigned block = 0; block < 50; ++block) {
      Stamp s = stamp(10 * (block + 1) + turn / 500, turn % 64, 0);
      all.add(h, s, block, 0, block_of);
    }
  }
  EXPECT_LE(h.room, 256u);
}

// An atomic of block scope does not synchronise with other blocks.
TEST(Readers, RaceWithAtomicsOfTheScopeOfAnotherBlock) {
  for (const bool narrow : {false, true}) {
    for (const bool one_block : {false, true}) {
      Engine gpu({.schedule = 1});
      const int zero = 0;
      const auto x = gpu.allocate<int>("x", 1, &zero);
      launch(gpu, one_block ? two_warps : two_blocks, [&] {
        gpu.access(*x.space, 0, 4, Kind::atomic, Caller::here(),
                   narrow ? Strength::of_block : Strength::strong);
      });
      EXPECT_EQ(gpu.report().has(FlawKind::race), narrow && !one_block);
    }
  }
}

// Checks random programs against all pairs of accesses; happens-before uses all their actions.
struct Step {
  enum What { read, write, add, release, acquire, barrier } what;
  unsigned word;
};

TEST(Readers, OfRandomBlocksRaceWhereNoChainOfReleasesOrdersThem) {
  std::mt19937_64 random(5);
  for (unsigned turn = 0; turn < 300; ++turn) {
    // Blocks run one after another under schedule 1, so that each sees all releases before it.
    const unsigned blocks = 2 + unsigned(random() % 12);
    std::vector<std::vector<Step>> text(blocks);
    for (auto& t : text) {
      for (unsigned k = 1 + unsigned(random() % 4); k != 0; --k) {
        const unsigned dice = unsigned(random() % 16);
        t.push_back({dice == 0   ? Step::write
                     : dice < 8  ? Step::read
                     : dice < 12 ? Step::release
                                 : Step::acquire,
                     unsigned(random() % 2)});
      }
    }
    // Vector clocks of all blocks: the first known[b][o] steps of o are before b's next step.
    std::vector<std::vector<unsigned>> known(blocks, std::vector<unsigned>(blocks));
    std::vector<std::vector<unsigned>> word(2, std::vector<unsigned>(blocks));
    struct Done {
      unsigned block, at, word;
      bool write;
    };
    std::vector<Done> done;
    bool races = false;
    for (unsigned b = 0; b < blocks; ++b) {
      for (unsigned k = 0; k < text[b].size(); ++k) {
        const Step s = text[b][k];
        known[b][b] = k;
        const auto join = [&](auto& into, const auto& from) {
          for (unsigned o = 0; o < blocks; ++o) into[o] = std::max(into[o], from[o]);
        };
        if (s.what == Step::release) {
          join(word[s.word], known[b]);
        } else if (s.what == Step::acquire) {
          join(known[b], word[s.word]);
        } else {
          const bool write = s.what == Step::write;
          for (const Done& d : done) {
            races = races || (d.block != b && d.word == s.word && (d.write || write) &&
                              d.at >= known[b][d.block]);
          }
          done.push_back({b, k, s.word, write});
        }
      }
    }
    const Report r = run({.grid = blocks, .block = 32}, 8, [&](Sim m, P x, P) {
      if (m.thread() != 0) return;
      for (const Step& s : text[m.block()]) {
        if (s.what == Step::read) {
          const int v = x[s.word];
          static_cast<void>(v);
        } else if (s.what == Step::write) {
          x[s.word] = 1;
        } else if (s.what == Step::release) {
          m.fence();
          m.add(x, 4 + s.word, 1);
        } else {
          m.add(x, 4 + s.word, 0);
          m.fence();
        }
      }
    });
    ASSERT_EQ(r.has(FlawKind::race), races) << turn;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
