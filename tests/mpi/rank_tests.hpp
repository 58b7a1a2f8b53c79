// Tests that every rank runs; each checks for itself, and any that fails fails the run.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "onefold/mpi_plan.hpp"
#include "onefold/mpi_states.hpp"

namespace onefold::test {

inline int rank = 0, ranks = 0, failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::fprintf(stderr, "rank %d of %d, %s:%d: %s\n", ::onefold::test::rank, \
                   ::onefold::test::ranks, __FILE__, __LINE__, #condition);     \
      ++::onefold::test::failures;                                              \
    }                                                                           \
  } while (false)

// The code and message that a call ends with.
template <class F>
std::pair<ErrorCode, std::string> caught(F f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {ErrorCode::ok, ""};
}

// Each rank fails in turn, in each way, at each step.
void every_fault();
// Merges states in every way, for a rank that is killed before one of its calls.
void merge_in_every_way();

}  // namespace onefold::test
