// Merges states of one kind over MPI many times. Ranks agree on the kind once; after that each
// merge is one collective.
//
//   onefold::mpi::MergePlan plan(gather("mean,var", part), comm);   // a state like those to merge
//   while (more) State all = plan.allreduce([&] { return gather("mean,var", next_part()); });
//
// As in onefold/mpi.hpp: header only, collective, equal bits. The first word of each row says
// whether its rank failed; if one did, all ranks throw.
#pragma once

#include "onefold/mpi_rows.hpp"

namespace onefold::mpi {

class MergePlan {
 public:
  // Collective. A rank may pass State() if another rank passes a state of the kind. States of ops
  // that answer with an index are merged as mpi::allreduce does.
  //   throws  on all ranks alike: bad_state: states of different kinds; out_of_memory
  MergePlan(const State& like, MPI_Comm comm) : comm_(comm) {
    agreed_.emplace(detail::gather_and_greet<State, Message>(
        [&] { return like; }, [](const Message& m) { return m.carried(); }, [](const Message&) {},
        comm));
    if (!agreed_->message || agreed_->message->words_each() == 0) return;
    detail::together(
        [&] {
          row_.resize(agreed_->message->words_each());
          how_.emplace(*agreed_->message);
        },
        comm);
  }
  MergePlan(const MergePlan&) = delete;
  MergePlan& operator=(const MergePlan&) = delete;

  // Returns the merged state of all ranks, with equal bytes on each.
  //   throws  on all ranks alike: the error of one rank; bad_state: its state is of another kind
  //   cost    one collective, of one word more than a state has
  template <std::invocable Gather>
  requires(std::same_as<std::invoke_result_t<Gather>, State>) State allreduce(Gather&& gather) {
    if (!how_) return mpi::allreduce(gather, comm_);
    const Message& message = *agreed_->message;
    State room;
    const detail::Failure failed = detail::failure_of([&] {
      message.put_row(gather(), row_);
      room = message.source();
    });
    if (failed.code != ErrorCode::ok) row_[0] = 1;
    how_->allreduce(row_, comm_);
    if (row_[0] != 0) {
      detail::together(
          [&] {
            if (failed.code != ErrorCode::ok) throw Error(failed.code, failed.why);
          },
          comm_);
    }
    return message.merged_row(row_, std::move(room));
  }
  State allreduce(const State& mine) {
    return allreduce([&] { return mine; });
  }

 private:
  MPI_Comm comm_;
  std::optional<detail::RankStates<Message>> agreed_;
  std::vector<int64_t> row_;
  std::optional<detail::RowOperator<Message>> how_;  // empty: mpi::allreduce merges
};

}  // namespace onefold::mpi
