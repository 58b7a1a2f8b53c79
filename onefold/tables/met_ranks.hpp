// Sends the results of all ranks to the first rank. All of these functions are collective.
#pragma once

#include <string_view>
#include <vector>

#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/peers.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

// This rank's share of the work; all of it, if there are no other ranks.
inline Share share_of(const Peers* peers) {
  return peers == nullptr ? Share{} : Share{peers->rank(), peers->ranks()};
}
// Whether this process gets the answers.
inline bool answers_here(const Peers* peers) { return peers == nullptr || peers->first(); }

// The answers of one op that a rank holds until the first rank writes them to a file.
class AnswerBuffer : public AnswerSink {
 public:
  void begin(DType, int) override {}
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override;
  bool writes() const override { return false; }

 private:
  friend class MetAnswers;
  std::mutex mutex_;
  std::vector<std::byte> bytes_;
};

// A run of consecutive answers.
struct AnswerRun {
  Size first = 0, n = 0;
};

// Where a rank's answers go. On the first rank that is `sink` or memory.
class MetAnswers {
 public:
  //   sink    if the first rank has one, all others have one, too
  //   placed  each rank knows the numbers of its answers among all answers, so its sink can write
  //           them
  MetAnswers(Peers* peers, AnswerSink* sink, bool placed)
      : peers_(peers),
        sink_(sink),
        holds_(sink != nullptr && !answers_here(peers) && !(placed && sink->writes())) {}
  // The sink that takes answers as soon as they are rounded; null: they stay in memory.
  AnswerSink* sink() { return holds_ ? &held_ : sink_; }
  // Sends the answers of the other ranks to the first rank, whose output has room for all of them.
  //   runs   the answers that this rank has computed, if answers go to memory
  //   shift  is added to the number of each answer
  void meet(Output& output, const std::vector<AnswerRun>& runs, Size shift = 0);

 private:
  Peers* peers_;
  AnswerSink* sink_;
  bool holds_;
  AnswerBuffer held_;
};

// Does the same for answers in memory: joins the ranks' runs, in the order of ranks, to one array
// of n answers.
void meet(Peers& peers, Answers& answers, const AnswerRun& mine);

// Merges the canonical states of all ranks into those of the first one.
void meet(Peers& peers, const Plan& plan, StateTable& states);

// Replaces each count by its sum over all ranks.
void sum_counts(Peers& peers, std::vector<Size>& counts);

// Appends to a message between ranks, or takes from its front. Tables have n states, and counts of
// 0.
//   throws  bad_state: the message ends early, or contains something else
void append(std::vector<std::byte>& to, const void* from, Size bytes);
inline void append(std::vector<std::byte>& to, Size number) { append(to, &number, sizeof number); }
inline void append_text(std::vector<std::byte>& to, std::string_view text) {
  append(to, text.size());
  append(to, text.data(), text.size());
}
void append(std::vector<std::byte>& to, const StateTable& states);
std::span<const std::byte> take(std::span<const std::byte>& from, Size bytes);
Size take_number(std::span<const std::byte>& from);
std::string_view take_text(std::span<const std::byte>& from);  // a view of the message's memory
StateTable states_from(std::span<const std::byte>& from, const Plan& plan, Size n);

}  // namespace onefold::io
