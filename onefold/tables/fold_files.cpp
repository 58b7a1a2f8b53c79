#include "onefold/tables/fold_files.hpp"

#include <algorithm>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/state/answers.hpp"
#include "onefold/engine/state/merge_ranks.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/io/stream.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/complex_fold.hpp"
#include "onefold/tables/dense.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/long_integers.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/stream_fold.hpp"
#include "onefold/tables/table_kinds.hpp"

namespace onefold::io {
namespace {

// Checks a request for texts and streams of unknown length before reading them, as reading may take
// long. Only the rank of their shapes is known.
void check_stream(const OpenFiles& r, const Query& query) {
  const auto text = [](const OpenFile& p) { return p.text() || p.table != nullptr; };
  const bool any =
      std::any_of(r.x.begin(), r.x.end(), text) || std::any_of(r.y.begin(), r.y.end(), text);
  const Axes& axes = query.options.axes;
  folded_axes(axes, any ? 2 : 1,
              r.x[0].container != nullptr ? "a table"
              : any                       ? "a text"
                                          : "a stream without --shape",
              query.names());
  // Plans an array of any extents, to find out whether a device could fold it.
  const ArrayRef some(nowhere, r.dtype(), any && !axes.all() ? Dims(2, 2) : Dims(2));
  backend::checked(query.plan(some, query.two_arrays() ? &some : nullptr));
}

Plan plan_of(const OpenFiles& r, const Query& query) {
  const ArrayRef x = array_of(r.x);
  if (r.y.empty()) return backend::checked(query.plan(x));
  const ArrayRef y = array_of(r.y);
  return backend::checked(query.plan(x, &y));
}

DenseInput dense_input(const OpenFiles& r, const Query& query) {
  DenseInput input;
  for (const OpenFile& p : r.x) input.x.emplace_back(*p.file, *p.array);
  for (const OpenFile& p : r.y) input.y.emplace_back(*p.file, *p.array);
  const int rank = r.x[0].array->shape.rank();
  const Options& options = query.options;
  input.folded = folded_axes(options.axes, rank, "its shape", query.names());
  if (options.where) {
    input.mask = mask_strides(array_of(r.x), *options.where, query.names());
    input.mask_first = options.where->first;
  }
  return input;
}

void refuse_mask(const OpenFiles& r, const Options& options) {
  if (!options.where) return;
  r.x[0].file->fail(
      ErrorCode::unsupported,
      "a mask file for --where needs the data in an array file; save the data as .npy");
}

// The texts, and the arrays that are read together with them.
struct Streams {
  std::vector<Source> sources;
  StreamInput input;
};

Streams stream_input(const OpenFiles& r, const Query& query, const InputOptions& input) {
  const bool axes_told = !query.options.axes.all();
  Streams s;
  s.sources.reserve(r.x.size() + r.y.size());
  s.input.dtype = r.x[0].array->dtype;
  // With --dtype, numbers are rounded to that type; without it, an integer that f64 cannot hold is
  // an error for most ops.
  s.input.integers = integers_of(query, input);
  s.input.peers = input.peers;
  const auto text = [](const OpenFile& p) { return p.text(); };
  s.input.tables =
      input.guess && axes_told && r.y.empty() && std::all_of(r.x.begin(), r.x.end(), text);
  for (const auto* parts : {&r.x, &r.y}) {
    for (const OpenFile& p : *parts) {
      StreamPart part{.file = p.file.get()};
      if (!p.text()) {
        if (p.array->fortran) {
          p.file->fail(ErrorCode::unsupported,
                       "an array in Fortran order cannot be combined with text or a stream; save "
                       "it in C order");
        }
        s.sources.emplace_back(*p.file, *p.array);
        part.source = &s.sources.back();
      }
      part.text.separators = separators_of(*p.file, input);
      (parts == &r.x ? s.input.x : s.input.y).push_back(part);
    }
  }
  return s;
}

}  // namespace

FilePlan plan_files(const Query& asked, const std::vector<std::string>& files,
                    const InputOptions& input, const Limits& limits) {
  OpenFiles r = open_files(asked, files, input);
  const Query query = as_spelt(asked, r, input);
  const Options& options = query.options;
  FilePlan how;
  how.files = files;
  how.format = r.x[0].format_name();
  how.dtype = r.x[0].array->dtype;
  const int threads = options.threads > 0 ? options.threads : cores();
  if (!r.dense()) {
    refuse_mask(r, options);
    check_stream(r, query);
    const ArrayRef nothing(nullptr, how.dtype, Dims(0));
    const Query all = query.with(Axes());
    how.plan = backend::checked(all.plan(nothing, query.two_arrays() ? &nothing : nullptr));
    how.shape_known = false;
    how.access = make_tables(r, query, input) ? "table" : "text";
    how.bytes = r.bytes();
    how.window_bytes = limits.text_chunk_bytes;
    return how;
  }
  how.plan = plan_of(r, query);
  how.shape = array_of(r.x).shape;
  how.bytes = how.plan.bytes_read();
  bool seekable = true, mappable = true, boxed = false, summed = true;
  const DenseInput sources = dense_input(r, query);
  for (const auto* list : {&sources.x, &sources.y}) {
    for (const Source& s : *list) {
      seekable &= s.file().seekable();
      mappable &= s.mappable();
      boxed |= s.boxed();
      summed &= s.file().checksum() != nullptr;
    }
  }
  const DensePlan dense = plan_dense(how.plan, sources, 0, limits);
  how.strips = dense.strips;
  how.grouped = dense.grouped;
  how.access = !seekable                                                      ? "stream"
               : boxed                                                        ? "chunks"
               : mappable && how.strips == 1 && maps_windows(threads, limits) ? "mapped windows"
                                                                              : "reads";
  if (summed && how.strips == 1) how.access += ", verified by the archive's checksum";
  how.window_bytes =
      std::min(limits.window_bytes / static_cast<Size>(threads), limits.most_window_bytes);
  return how;
}

namespace {

Answers answers_of(const State& state, const Query& query) {
  Options options = query.options;
  options.threads = 0;  // threads are for gathering, which is done
  options.target = {};
  return answers_of(state, query.ops, options);
}

bool any_stream(const OpenFiles& r) {
  const auto stream = [](const OpenFile& f) { return !f.dense() || !f.file->seekable(); };
  return std::any_of(r.x.begin(), r.x.end(), stream) || std::any_of(r.y.begin(), r.y.end(), stream);
}

// Whether each rank can fold some of the compressed arrays. It can if the answer is one number that
// does not depend on positions.
bool is_one_state(const OpenFiles& r, const Query& query) {
  const Options& o = query.options;
  return r.dense() && r.y.empty() && o.axes.all() && !o.keepdims && !o.where && !query.indexed();
}

// Whether ranks share the lines of the texts.
bool are_shared_texts(const OpenFiles& r, const Query& query) {
  return query.options.axes.all() && r.y.empty() && std::ranges::all_of(r.x, &OpenFile::text);
}

Answers fold_any_tables(const Query& query, const std::vector<TablePart>& parts, const OpenFiles& r,
                        const std::vector<std::string>& files, const InputOptions& input,
                        const Progress& progress, const Limits& limits, Notes& notes,
                        AnswerSink* sink) {
  const bool one_kind = parts[0].table->spelt().has_value() || query.two_arrays();
  Meter meter(progress, one_kind ? r.bytes() : 2 * r.bytes());
  const bool again = sink == nullptr && can_fold_integers(query, parts, files, input);
  const auto fold = [&](const Query& own, const std::vector<TablePart>& some, Notes& said,
                        AnswerSink* to) {
    Integers integers = integers_of(own, input);
    if (again && integers == Integers::refused) integers = Integers::noted;
    return fold_tables(own, some, r.dtype(), integers, limits, meter, said, to, input.peers);
  };
  if (one_kind) {
    Answers answers = fold(query, parts, notes, sink);
    if (!again || (notes.columns.empty() && notes.others.empty())) return answers;
    add_long_integers(query, parts[0], files, input, limits, answers, notes);
    return answers;
  }
  const Axes& axes = query.options.axes;
  if (!axes.all() && !(axes.list().rank() == 1 && axes.list()[0] % 2 == 0)) {
    parts[0].file->fail(ErrorCode::unsupported,
                        "columns of decimals and of other numbers cannot be reduced together along "
                        "rows; choose columns of one type with --columns");
  }
  Answers answers = fold_kinds(
      query, parts, notes, [&](const Query& own, const std::vector<TablePart>& some, Notes& said) {
        return fold(own, some, said, nullptr);
      });
  if (sink != nullptr && answers_here(input.peers)) {
    sink->begin(answers.list[0].dtype, answers.list[0].shape.rank());
    sink->write(0, answers.list[0].data, answers.list[0].status);
  }
  return answers;
}

Answers fold_opened(OpenFiles r, const Query& asked, const std::vector<std::string>& files,
                    const InputOptions& input, const Progress& progress, const Limits& limits,
                    Notes* notes, AnswerSink* sink) {
  const Query query = as_spelt(asked, r, input);
  Peers* const peers = input.peers;
  Notes unheard;
  Answers answers;
  MetAnswers met(peers, sink, true);
  if (r.dense() && (peers == nullptr || !any_stream(r))) {
    note_remarks(r, notes);
    const Plan plan = plan_of(r, query);
    DenseInput dense = dense_input(r, query);
    dense.peers = peers;
    if (met.sink() != nullptr) met.sink()->begin(plan.results[0], plan.output.rank());
    Output output(plan, any_stream(r) ? 0 : plan.answers, met.sink(), limits.answer_bytes);
    Meter meter(progress, plan.bytes_read());
    std::vector<AnswerRun> answered;
    fold_dense(plan, dense, limits, output, meter, &answered);
    met.meet(output, answered);
    answers = output.take(plan.output);
  } else if (refuse_mask(r, query.options); make_tables(r, query, input)) {
    check_stream(r, query);
    const std::vector<TablePart> parts = tables_of(r);
    answers = fold_any_tables(query, parts, r, files, input, progress, limits,
                              notes == nullptr ? unheard : *notes, sink);
  } else if (peers != nullptr && is_one_state(r, query)) {
    r = {};
    InputOptions own = input;
    own.peers = nullptr;
    own.share = share_of(peers);
    const State mine = gather_files(query, files, own, progress, limits, notes);
    const State all = merge_ranks(mine, *peers, false);
    if (!peers->first()) return {};
    answers = answers_of(all, query);
    if (sink == nullptr) return answers;
    sink->begin(answers.list[0].dtype, 0);
    sink->write(0, answers.list[0].data, answers.list[0].status);
  } else if (r.dense() && answers_here(peers)) {
    r = {};
    InputOptions own = input;
    own.peers = nullptr;
    return fold_files(query, files, own, progress, limits, notes, sink);
  } else if (answers_here(peers) || are_shared_texts(r, query)) {
    check_stream(r, query);
    Streams streams = stream_input(r, query, input);
    if (!are_shared_texts(r, query)) streams.input.peers = nullptr;
    Meter meter(progress, r.bytes());
    answers = fold_streams(query, streams.input, limits, meter, met.sink());
    note_remarks(r, notes);
  }
  r.check_end();
  return answers;
}

}  // namespace

Answers fold_files(const Query& asked, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress, const Limits& limits,
                   Notes* notes, AnswerSink* sink) {
  InputOptions any = input;
  any.planes = Planes::both;
  OpenFiles r = open_files(asked, files, any);
  const auto fold = [&](OpenFiles opened, const Query& query) {
    return fold_opened(std::move(opened), query, files, input, progress, limits, notes, sink);
  };
  if (have_complex(r)) return fold_complex(asked, std::move(r), files, input, fold, notes);
  return fold(std::move(r), asked);
}

}  // namespace onefold::io
