#include "onefold/tables/asked.hpp"

#include <algorithm>

#include "onefold/engine/plan/check.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/load.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/weighted_columns.hpp"

namespace onefold::io {
bool is_stream(const std::string& path) {
  using enum system::FileFacts::Kind;
  const auto kind =
      (path == "-" ? system::facts_of(system::standard_input) : system::facts_of(path)).kind;
  return kind == pipe || kind == other;
}

Limits limits_of(const FileRequest& asked, const std::vector<std::string>& files) {
  constexpr Size usual = Size{100} << 20;
  // Folds of groups or with weights, and input from a pipe, cannot read the files a second time. So
  // what does not fit into memory is an error there.
  const bool once = !asked.input.by.empty() || weighs_rows(asked) ||
                    std::any_of(files.begin(), files.end(), is_stream);
  Size memory = asked.memory;
  if (memory == 0) memory = once ? std::max(usual, system::available_memory() / 4) : usual;
  Limits limits;
  const double share = static_cast<double>(memory) / usual;
  const auto scale = [&](Size& bytes) {
    bytes = static_cast<Size>(static_cast<double>(bytes) * share);
  };
  if (share < 1) {
    for (Size* bytes : {&limits.state_bytes, &limits.window_bytes, &limits.text_batch_bytes,
                        &limits.table_bytes}) {
      scale(*bytes);
    }
  } else if (once) {
    limits.state_bytes += memory - usual;
  } else {
    scale(limits.state_bytes);
  }
  limits.group_copies = asked.copies;
  // Answers wait in memory until it is known that none of them is an error.
  if (const Size free = system::available_memory(); free > 0) limits.answer_bytes = free / 2;
  return limits;
}

void refuse_beside(const std::string& what, const char* other) {
  if (other == nullptr) return;
  throw Error(ErrorCode::bad_option,
              what + ", so " + other + " does not apply; leave one of them out");
}

namespace {

// The files of weights and offsets for a fold of one file in memory.
SideFiles beside_of(const Query& query, const std::vector<std::string>& files,
                    const FileRequest& asked) {
  const SideFiles beside{asked.weights, asked.fweights, asked.offsets};
  if (beside.any() && files.size() != 1) {
    throw Error(ErrorCode::bad_option,
                query.names() + ": --weights, --fweights and --offsets apply to one file, but " +
                    std::to_string(files.size()) + " were given");
  }
  if (!asked.offsets.empty()) {
    const FileRequest& a = asked;
    refuse_beside("--offsets divides the first axis into segments", !a.fold.axes.all() ? "--axis"
                                                                    : a.fold.keepdims ? "--keepdims"
                                                                                      : nullptr);
  }
  return beside;
}

// Each rank folds its share of the segments and treats all other segments as empty.
Answers fold_segments_on_ranks(const std::string& ops, const FileArray& x, FileArray& offsets,
                               const Options& options, Peers& peers) {
  const ArrayRef all = offsets.ref();
  AnswerRun mine;
  if (all.shape.rank() == 1 && all.shape[0] > 0) {
    const auto segments = static_cast<Size>(all.shape[0]) - 1;
    const Share share = share_of(&peers);
    mine = {share.begin(segments), share.end(segments) - share.begin(segments)};
    const Size bytes = bytes_of(offsets.dtype), end = mine.first + mine.n;
    const auto copy = [&](Size from, Size to) {
      std::copy_n(offsets.bytes.begin() + static_cast<std::ptrdiff_t>(from * bytes), bytes,
                  offsets.bytes.begin() + static_cast<std::ptrdiff_t>(to * bytes));
    };
    for (Size k = 0; k < mine.first; ++k) copy(mine.first, k);
    for (Size k = end + 1; k <= segments; ++k) copy(end, k);
  }
  Answers answers = fold_segments(ops, x.ref(), offsets.ref(), options);
  // The answers of a segment are contiguous.
  const Size each = answers.list[0].shape.rank() == 0 || answers.list[0].shape[0] == 0
                        ? 0
                        : answers.list[0].size() / static_cast<Size>(answers.list[0].shape[0]);
  meet(peers, answers, {mine.first * each, mine.n * each});
  return answers;
}

// Weights and offsets stand beside an array in memory.
Answers fold_in_memory(const Query& query, const std::vector<std::string>& files,
                       const FileRequest& asked) {
  const std::string ops = query.names();
  Options options = query.options;
  FileArray weights, fweights;
  if (!asked.weights.empty()) {
    weights = load_array(asked.weights);
    options.weights = weights.ref();
  }
  if (!asked.fweights.empty()) {
    fweights = load_array(asked.fweights);
    options.fweights = fweights.ref();
  }
  Peers* const peers = asked.input.peers;
  if (asked.offsets.empty()) {
    if (!answers_here(peers)) return {};  // the first rank folds everything
    FileArray x = load_array(files[0], asked.input);
    if (weights.dtype == DType::f64 && options.weights && x.dtype == DType::f32) widen(x);
    return fold(ops, x.ref(), options);
  }
  const FileArray x = load_array(files[0], asked.input);
  FileArray offsets = load_array(asked.offsets);
  if (peers == nullptr) return fold_segments(ops, x.ref(), offsets.ref(), options);
  return fold_segments_on_ranks(ops, x, offsets, options, *peers);
}

// Whether --weights or --fweights names a column of a table: no file, and no array in a file.
bool names_column(const std::string& path) {
  if (path.empty() || path.ends_with(".npy") || path.find(".npz") != path.npos) return false;
  const ItemPath item = split_item(path);
  return !system::exists(path) && item.container == nullptr && item.item.empty();
}

// Returns the request to fold one column and its weights as a pair, in one pass: only `average` can
// do so. Nothing: another request.
std::optional<FileRequest> pair_of_average(const Query& query, const FileRequest& asked) {
  const bool one = weighs_rows(asked) && is_one_column(asked.input.columns) &&
                   asked.fweights.empty() && asked.offsets.empty();
  const auto takes = [](const OpRow* op) { return op->about->takes_weights; };
  if (!one || !std::ranges::all_of(query.ops, takes)) return {};
  FileRequest own = asked;
  own.input.columns += "," + asked.weights;
  own.weights.clear();
  return own;
}

}  // namespace

bool weighs_rows(const FileRequest& asked) { return names_column(asked.weights); }

bool repeats_rows(const FileRequest& asked) {
  return names_column(asked.fweights) && asked.offsets.empty() && asked.weights.empty();
}

void refuse_options_of_numbers(const std::string& what, const FileRequest& asked) {
  Options given = asked.fold;
  if (given.device.type != Device::Type::cuda) given.device = {};
  const char* const other = option_beside(given, {".nan", ".empty_nan", ".threads"});
  refuse_beside(what, other == nullptr ? nullptr : ("--" + std::string(other + 1)).c_str());
}

void refuse_order(const GroupOrder& order) {
  if (!order.asked() && !order.as_met) return;
  const std::string what = order.as_met     ? "--no-sort applies only to"
                           : order.top != 0 ? "--top orders"
                                            : "--sort orders";
  throw Error(ErrorCode::bad_option, what + " groups; pass the columns to group by with --by");
}

FilePlan plan_asked(const Query& query, const std::vector<std::string>& files,
                    const FileRequest& asked) {
  if (const auto own = pair_of_average(query, asked)) return plan_asked(query, files, *own);
  if (weighs_rows(asked) || repeats_rows(asked)) {
    throw Error(ErrorCode::bad_option, query.names() +
                                           ": explain does not support weights from a column, "
                                           "except for average of one column; leave them out");
  }
  if (!asked.input.by.empty()) {
    check_groups(asked);
    return plan_groups(query, files, asked.input);
  }
  const SideFiles beside = beside_of(query, files, asked);
  if (beside.any()) return plan_beside(query, files[0], beside, asked.input);
  return plan_files(query, files, asked.input, limits_of(asked, files));
}

Answers fold_asked(const Query& query, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes,
                   AnswerSink* sink) {
  refuse_order(asked.order);
  if (const auto own = pair_of_average(query, asked)) {
    return fold_asked(query, files, *own, progress, notes, sink);
  }
  const auto give = [&](Answers answers) {
    if (sink == nullptr || !answers_here(asked.input.peers)) return answers;
    const Answer& a = answers.list[0];
    sink->begin(a.dtype, a.shape.rank());
    sink->write(0, a.data, a.status);
    return answers;
  };
  const auto give_columns = [&](Answers answers, const std::vector<std::string>& columns) {
    for (Answer& a : answers.list) a.shape = Dims(a.shape[1]);
    notes.columns = columns;
    notes.bare = columns.size() == 1;
    return give(std::move(answers));
  };
  if (weighs_rows(asked)) {
    Grouped grouped = fold_weighted(query, files, asked, progress, notes);
    if (!folds_pairs(query)) return give_columns(std::move(grouped.answers), grouped.columns);
    for (Answer& a : grouped.answers.list) a.shape = Dims();
    return give(std::move(grouped.answers));
  }
  if (repeats_rows(asked)) {
    Grouped grouped = fold_repeated(query, files, asked, progress, notes);
    return give_columns(std::move(grouped.answers), grouped.columns);
  }
  if (beside_of(query, files, asked).any()) return give(fold_in_memory(query, files, asked));
  const auto fold = [&](const std::optional<Query>& some, const FileRequest& own) {
    return fold_files(*some, files, own.input, progress, limits_of(own, files), &notes, sink);
  };
  if (sink != nullptr) return fold(query, asked);  // it has begun already
  Answers answers = fold_long_integers(query, asked, files, notes, fold);
  if (!notes.columns.empty()) make_nan_of_empty(query, answers);
  return answers;
}

void check_groups(const FileRequest& a) {
  const char* const other = !a.fold.axes.all()                        ? "--axis"
                            : a.fold.keepdims                         ? "--keepdims"
                            : a.fold.where                            ? "--where"
                            : a.fold.initial                          ? "--initial"
                            : !a.fold.target.empty()                  ? "--target"
                            : !a.weights.empty()                      ? "--weights"
                            : !a.fweights.empty() && !repeats_rows(a) ? "--fweights"
                            : !a.offsets.empty()                      ? "--offsets"
                                                                      : nullptr;
  refuse_beside("--by groups the rows of a table", other);
  if (!a.order.as_met) return;
  refuse_beside("--no-sort keeps groups of a table in the order of their first rows",
                !a.order.sort.empty()      ? "--sort"
                : a.order.top != 0         ? "--top"
                : a.input.peers != nullptr ? "--mpi"
                : names_arrays(a.input.by) ? "--by with arrays of keys"
                                           : nullptr);
}

Grouped group_asked(const Query& query, const std::vector<std::string>& files,
                    const FileRequest& asked, const Progress& progress, Notes& notes) {
  if (const auto own = pair_of_average(query, asked)) {
    return group_asked(query, files, *own, progress, notes);
  }
  if (!weighs_rows(asked)) check_groups(asked);
  GroupOrder order = asked.order;
  if (asked.describes) {
    for (const DescribeRow& row : describe_rows_of(true)) order.shown.emplace_back(row.name);
  }
  Grouped grouped;
  if (weighs_rows(asked)) {
    grouped = fold_weighted(query, files, asked, progress, notes);
  } else if (repeats_rows(asked)) {
    grouped = fold_repeated(query, files, asked, progress, notes);
    sort_groups(grouped, order);
  } else {
    // Groups are sorted by their exact answers.
    GroupOrder checked = order;
    checked.later = true;
    const GroupOrder of_some{.as_met = order.as_met, .later = true};
    const auto fold = [&](const std::optional<Query>& some, const FileRequest& own) {
      const bool all =
          own.input.columns == asked.input.columns && some->ops.size() == query.ops.size();
      return group_files(*some, files, own.input, progress, limits_of(own, files), &notes,
                         all ? checked : of_some);
    };
    grouped = fold_long_integers(query, asked, files, notes, fold);
    if (answers_here(asked.input.peers)) sort_groups(grouped, order);
    make_nan_of_empty(query, grouped.answers);
  }
  if (answers_here(asked.input.peers) && !asked.describes) {
    check_statuses(grouped.answers, asked.fold, group_text(grouped));
  }
  return grouped;
}

GroupStates gather_groups_asked(const Query& query, const std::vector<std::string>& files,
                                const FileRequest& asked, const Progress& progress, Notes& notes) {
  check_groups(asked);
  refuse_beside("gather --by saves all groups", asked.input.share ? "--share" : nullptr);
  FileRequest own = asked;
  own.copies = 3;  // the groups as they come, in the order of their keys, and as bytes of a file
  return gather_groups(query, files, own.input, progress, limits_of(own, files), notes);
}

Answers quantiles_asked(const std::vector<Quantile>& quantiles,
                        const std::vector<std::string>& files, const FileRequest& asked,
                        const Progress& progress, Notes& notes) {
  refuse_order(asked.order);
  refuse_beside("quantiles of files do not support mask files",
                asked.fold.where ? "a mask of --where" : nullptr);
  const auto fold = [&](const std::optional<Query>&, const FileRequest& own) {
    return quantiles_of_files(quantiles, files, own.input, own.fold, progress,
                              limits_of(own, files), notes);
  };
  Answers answers = fold_long_integers({}, asked, files, notes, fold);
  check_statuses(answers, asked.fold, column_text(notes));
  return answers;
}

Grouped quantiles_by_keys(const std::vector<Quantile>& quantiles,
                          const std::vector<std::string>& files, const FileRequest& asked,
                          const Progress& progress, Notes& notes) {
  check_groups(asked);
  refuse_beside("quantiles of groups are computed by one process",
                asked.input.peers != nullptr ? "--mpi" : nullptr);
  const auto fold = [&](const std::optional<Query>&, const FileRequest& own) {
    return group_quantiles(quantiles, files, own.input, own.fold, progress, limits_of(own, files),
                           notes, own.order);
  };
  Grouped grouped = fold_long_integers({}, asked, files, notes, fold);
  check_statuses(grouped.answers, asked.fold, group_text(grouped));
  return grouped;
}

}  // namespace onefold::io
