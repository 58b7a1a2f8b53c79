// What ranks have folded, on its way to the first one. All ranks make each of these calls.
#pragma once

#include <vector>

#include "api/output.hpp"
#include "api/peers.hpp"
#include "group/state_table.hpp"
#include "io/input.hpp"

namespace onefold::io {

// This rank's share of n things; all of them, where there are no other ranks.
inline Share share_of(const Peers* peers) {
  return peers == nullptr ? Share{} : Share{peers->rank(), peers->ranks()};
}
// Whether this process has the answers in the end.
inline bool answers_here(const Peers* peers) { return peers == nullptr || peers->first(); }

// The answers of one op that a rank keeps for the file that the first one writes.
class HeldAnswers : public AnswerSink {
 public:
  void begin(DType, int) override {}
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override;

 private:
  friend class MetAnswers;
  std::mutex mutex_;
  std::vector<std::byte> bytes_;
};

// Answers side by side.
struct AnswerRun {
  Size first = 0, n = 0;
};

// Where a rank's answers go: those of the first one to `sink` or to memory.
class MetAnswers {
 public:
  //   sink  of the first rank; on the others it is not used, but there where the first has one
  MetAnswers(Peers* peers, AnswerSink* sink) : peers_(peers), sink_(sink) {}
  // What answers go to as they are rounded; null: to memory.
  AnswerSink* sink() { return sink_ != nullptr && !answers_here(peers_) ? &held_ : sink_; }
  // Brings the answers of the other ranks to the first one, whose output has room for all.
  //   runs   that this rank has answered, where they go to memory
  //   shift  is added to the place of each
  void meet(Output& output, const std::vector<AnswerRun>& runs, Size shift = 0);

 private:
  Peers* peers_;
  AnswerSink* sink_;
  HeldAnswers held_;
};

// The same of answers in memory: runs of them one rank after another, as one array of n answers.
void meet(Peers& peers, Answers& answers, const AnswerRun& mine);

// Merges the canonical states of all ranks into those of the first one.
void meet(Peers& peers, const Plan& plan, StateTable& states);

// What ranks send, piece by piece. Tables are those of n states that keep counts, which are 0.
//   throws  bad_state: the bytes end early, or are of something else
void append(std::vector<std::byte>& to, const void* from, Size bytes);
inline void append(std::vector<std::byte>& to, Size number) { append(to, &number, sizeof number); }
void append(std::vector<std::byte>& to, const StateTable& states);
std::span<const std::byte> take(std::span<const std::byte>& from, Size bytes);
Size take_number(std::span<const std::byte>& from);
StateTable states_from(std::span<const std::byte>& from, const Plan& plan, Size n);

}  // namespace onefold::io
