// Faults of one rank, before one of its calls of MPI. The library that has them stands between a
// program and MPI: test programs link it, `onefold` gets it by LD_PRELOAD and the fault by
// ONEFOLD_TEST_FAULT=KIND:RANK:CALL.
#pragma once

#include <atomic>

namespace onefold::test {

struct Fault {
  enum Kind {
    none,
    killed,   // by SIGKILL
    starved,  // its next allocation fails
    spent,    // all its later allocations fail
    late,     // for 20 ms
    broken,   // it can read no file any more
    slow,     // late before every call from `call` on, by up to 2 ms
  };
  Kind kind = none;
  int rank = -1;
  long call = 0;
};

struct Faults {
  Fault next;
  long calls = 0;                            // of MPI that this rank has made
  bool reached = false;                      // has `next` come?
  std::atomic<long> allocations = 0;         // that were asked for
  std::atomic<long> allocations_left = -1;   // that succeed until one fails; < 0: all
  std::atomic<bool> no_more_memory = false;  // all fail
  std::atomic<bool> no_more_files = false;
};
extern Faults faults;

}  // namespace onefold::test
