// onefold OP[,OP...] FILE...: `fold` itself may be left out.
#include <algorithm>

#include "cli/alias.hpp"
#include "cli/each.hpp"
#include "cli/groups.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "cli/windows.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::cli {
namespace {

// Returns whether --output gets an array of one op's answers while they are computed. Refuses types
// that .npy lacks before anything is read.
bool streams_array(const Arguments& arguments, const std::vector<const OpRow*>& ops) {
  if (!arguments.output.ends_with(".npy") || ops.size() != 1) return false;
  // .npy cannot hold bf16, which comes only from --dtype or --result.
  if (const auto input = arguments.input.dtype) {
    npy_header(result_type(*ops[0], *input, arguments.fold), {});
  } else if (const auto& asked = arguments.fold.result) {
    npy_header(*asked, {});
  }
  return true;
}

// Refuses --ddof if no op reads it.
void check_correction(const Arguments& arguments, const std::vector<const OpRow*>& ops) {
  const auto reads = [](const OpRow* op) { return op->about->uses_ddof; };
  if (!arguments.correction || std::any_of(ops.begin(), ops.end(), reads)) return;
  throw Error(ErrorCode::bad_option,
              "--ddof: " + names_of(ops) + " has no divisor n - K; leave --ddof out");
}

void run_fold(Arguments& arguments) {
  if (arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "fold needs an op: onefold fold sum FILE");
  }
  const Query query(own_names(arguments.words[0]), arguments.fold);
  check_correction(arguments, query.ops);
  const bool groups = !arguments.input.by.empty();
  const bool streams = !groups && streams_array(arguments, query.ops);
  const std::vector<std::string> files = input_files(arguments, 1);
  check_each(arguments);
  if (arguments.windows.asked()) return fold_windows(query, files, arguments);
  const io::TimeColumns columns = io::time_columns(query, files, arguments);
  if (columns.any(true)) {
    if (columns.any(false)) return fold_beside_times(query, files, arguments, columns);
    return fold_times(query, files, arguments);
  }
  if (groups) return fold_groups(query, files, arguments);
  if (arguments.each) return fold_each(query, files, arguments, {}, true);
  const bool here = io::answers_here(arguments.input.peers);
  Peers* const peers = arguments.input.peers;
  const bool several = streams && peers != nullptr && peers->ranks() > 1;
  std::unique_ptr<OutputFile> file = output_of(arguments);
  std::unique_ptr<OutputShare> part;
  const bool shared = several && share_output(file.get(), *peers, part);
  io::AnswerBuffer elsewhere;
  AnswerSink* const sink = !streams ? nullptr
                           : here   ? static_cast<AnswerSink*>(&*file)
                           : shared ? static_cast<AnswerSink*>(&*part)
                                    : &elsewhere;

  io::Notes notes;
  const Answers answers = fold_with_progress(query, files, arguments, notes, sink);
  if (shared) end_shares(file.get(), *peers, part.get());
  if (!here) return;
  const PlaceText place = column_text(notes);
  check_statuses(answers, arguments.fold, place);
  if (streams) {
    refuse_status(answers.list[0], file->place_of_bad(), file->first_bad(), arguments.fold, place);
  }
  say(notes);
  say_missing(notes, query, arguments.input.missing_is_nan);
  if (streams) return file->end(answers.list[0].shape, is_in_parts(notes, 0));
  give_answers(answers, notes, arguments, file);
}

constexpr const Option* fold_options[] = {
    &option::axis,        &option::keepdims,    &option::nan,        &option::ddof,
    &option::where,       &option::initial,     &option::empty_nan,  &option::weights,
    &option::fweights,    &option::offsets,     &option::correction, &option::result,
    &option::dtype,       &option::shape,       &option::offset,     &option::format,
    &option::header,      &option::columns,     &option::by,         &option::sort,
    &option::top,         &option::no_sort,     &option::delimiter,  &option::missing,
    &option::bad_lines,   &option::decimal,     &option::thousands,  &option::numbers,
    &option::non_numbers, &option::date_format, &option::skip,       &option::comment,
    &option::units,       &option::unite,       &option::let,        &option::each,
    &option::files_from,  &option::null,        &option::keep_going, &option::rolling,
    &option::cumulative,  &option::over,        &option::within,     &option::min_periods,
    &option::closed,      &option::memory,      &option::mpi,        &option::json,
    &option::precision,   &option::output,      &option::progress,   &option::threads,
    &option::device,      &option::target,      &option::help,       &option::version};

}  // namespace

const Verb fold_verb{
    .name = "fold",
    .usage = "OP[,OP...] FILE...",
    .idea = "Compute one or more statistics of files, in one pass.",
    .options = fold_options,
    .examples =
        "onefold sum data.npy                     # one value\n"
        "onefold mean,var,min,argmax data.npy     # several, in one pass\n"
        "onefold mean --axis 0 data.csv           # of each column\n"
        "onefold mean,std --by city weather.csv   # of each group\n"
        "onefold sum --by city --top 5 sales.csv  # the five largest sums\n"
        "onefold mean --where 'age > 30' t.csv    # of some rows\n"
        "seq 10 | onefold sum                     # of numbers from a pipe\n"
        "onefold fold sum data.npy                # the same as onefold sum\n"
        "onefold std --ddof 1 --nan omit x.txt    # without NaN\n"
        "onefold sum --dtype f32 --shape 1000x4 --offset 128 x.bin\n"
        "onefold mean --where sea.npy data.npy    # where the mask is true\n"
        "onefold average --weights w.npy x.npy    # weighted\n"
        "onefold mean,var --weights qty t.csv     # weighted by a column\n"
        "onefold sum --offsets o.npy x.npy        # of segments\n"
        "onefold mean --rolling 7 t.csv           # of the last 7 rows, at each row\n"
        "onefold sum --cumulative --by k t.csv    # running totals of groups\n"
        "onefold sum --by k --over day --within 7D t.csv  # of the last 7 days\n"
        "onefold corr a.npy b.npy                 # of two arrays\n"
        "onefold corr --columns x,y t.csv         # of two columns\n"
        "onefold slope --columns x,y --by k t.csv # of each group\n"
        "mpirun -n 8 onefold mean,var --mpi huge.npy\n"
        "onefold max --axis -1 --output max.npy data.npy\n"
        "onefold mean,std --by city --output m.csv sales.csv",
    .run = run_fold};

}  // namespace onefold::cli
