// Runs a Plan on the backend that it names: the processor or a device.
#pragma once

#include <functional>
#include <span>

#include "backend/backend.hpp"
#include "plan/decimal_terms.hpp"

namespace onefold::backend {

// The plan, if its backend can run it.
//   throws  no_backend, misaligned: before any work, even where there is nothing to fold
Plan checked(Plan plan);

// Folds a job: a plan's nest, segments or labels.
//   outputs  of the host, and waited for. Of segments and labels on a device, with statuses, they
//            may be there: segments are queued on the plan's stream, labels are waited for
//   threads  plan.threads, or one per core; the caller's thread is one of them
//   throws   no_backend, device_failed, out_of_memory: for a device only; what labels.refuse
//            throws, and then nothing is written
void fold(const Job& job);

// Gathers every answer's state and hands it over, canonical, as `done(first, n, states)`: each
// answer once, in any order and from several threads.
//   table    null, or of plan.answers slices: answers whose words are known without a state may go
//            there instead
//   throws   as fold
void run(const Plan& plan, const void* x, const void* y, const Done& done,
         StateTable* table = nullptr);

// On a device whose memory holds the arrays and all outputs: queues the work on the plan's stream,
// and returns. Otherwise nothing is done, and false.
//   jobs  of nests; several go in one message of the communicator that all their plans name
bool queue(std::span<const Job> jobs);

// Writes to an output, wherever it is.
void write(const Plan& plan, void* to, const void* from, std::size_t bytes);

// Adds the elements of a nest to states that exist, canonical before and after: those of answer a
// to states[a * plan.layout.words].
//   plan  all but its nest
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

// The plan's accumulators but that of decimals, for the processor, and that one alone; states are
// those of the plan.
Plan without_decimals(const Plan& plan);
Plan decimals_of(const Plan& plan);

// What a text spells of n f64 beyond their bits (plan/decimal_terms.hpp).
struct SpeltTerms {
  std::span<const DecimalTerm> terms;
  Size first, n;  // places of the f64 that stand from x on
  // The state of an f64 from x on, by 0..n-1; null: it is in none. No function: all are in one, and
  // stand side by side.
  std::function<int64_t*(Size)> state_of;
};
// The same of the numbers of a text, where those with terms are 0 for a while: x may be written.
//   throws  out_of_range: a number has digits below 10^-1080
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states,
            const SpeltTerms& spelt);
// Adds terms to a state of the plan, which holds decimals; and sums of decimals, which are none
// afterwards.
void add_terms(const Plan& plan, std::span<const DecimalTerm> terms, int64_t* state);
void add_bins(const Plan& plan, decimal::Bins& bins, int64_t* state);

// Adds elements that are yet to be read, such as a file's, to a state, where a backend reads into
// memory of its own; otherwise nothing is done, and false.
//   plan   all but its nest, and of no mask
//   first  the index of element 0
bool gather_read(const Plan& plan, Size elements, Size first, const Read& read, int64_t* state);

}  // namespace onefold::backend
