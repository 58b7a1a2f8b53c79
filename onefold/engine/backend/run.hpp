// Runs a Plan on the backend that it names: the processor or a device.
#pragma once

#include <functional>
#include <span>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"

namespace onefold::backend {

// Returns the plan, if its backend can run it.
//   throws  no_backend, misaligned: before any work, even where there is nothing to fold
Plan checked(Plan plan);

// Folds a job: a plan's nest, segments or labels.
//   outputs  in host memory; the call waits for them. Those of segments and labels may be on the
//            device of the plan if they have statuses: then segments are queued on the plan's
//            stream, and labels are waited for
//   threads  plan.threads, or one per core; the caller's thread is one of them
//   throws   no_backend, device_failed, out_of_memory: for a device only; and what labels.refuse
//            throws: then nothing is written
void fold(const Job& job);

// Gathers the state of each answer and passes it on in canonical form: `done(first, n, states)` is
// called for each answer once, in any order and from several threads.
//   table    null, or a table of plan.answers slices: it may get the answers whose words are known
//            without a state
//   throws   as fold
void run(const Plan& plan, const void* x, const void* y, const Done& done,
         StateTable* table = nullptr);

// If a device's memory holds the arrays and all outputs: queues the work on the plan's stream and
// returns. Otherwise does nothing and returns false.
//   jobs  have nests; if their plans name a communicator, several jobs are sent in one message
bool queue(std::span<const Job> jobs);

// Writes to an output on the host or on a device.
void write(const Plan& plan, void* to, const void* from, std::size_t bytes);

// Adds the elements of a nest to existing states, which are canonical before and after. The state
// of answer a begins at states[a * plan.layout.words].
//   plan  its nest is not used
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

// Two plans for the processor: one with all accumulators except decimals, one with decimals only.
// Both keep the layout of the plan's states.
Plan without_decimals(const Plan& plan);
Plan decimals_of(const Plan& plan);

// The digits by which n numbers of a text differ from their f64
// (onefold/engine/plan/decimal_terms.hpp).
struct SpeltTerms {
  std::span<const DecimalTerm> terms;
  Size first, n;  // positions of the n f64, from x on
  // Returns the state of f64 number i, for i in 0..n-1; null: that number is left out. Without a
  // function, all numbers are contiguous and belong to one state.
  std::function<int64_t*(Size)> state_of;
};
// Adds numbers of a text. x must be writable: a number with terms is 0 during the call.
//   throws  out_of_range: a number has digits below 10^-1080
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states,
            const SpeltTerms& spelt);
// add_terms adds terms to a state of the plan, which holds decimals. add_bins adds sums of decimals
// to it and clears them.
void add_terms(const Plan& plan, std::span<const DecimalTerm> terms, int64_t* state);
void add_bins(const Plan& plan, decimal::Bins& bins, int64_t* state);

// If a backend reads into memory of its own: adds elements that must still be read, such as a
// file's, to a state. Otherwise does nothing and returns false.
//   plan   its nest is not used; it must not have a mask
//   first  the index of element 0
bool gather_read(const Plan& plan, Size elements, Size first, const Read& read, int64_t* state);

}  // namespace onefold::backend
