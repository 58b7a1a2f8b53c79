// gather_files: the state of all elements of files, or of one column of a table.
#include <algorithm>
#include <mutex>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/dense.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/stream_fold.hpp"
#include "onefold/tables/whole_columns.hpp"

namespace onefold::io {
namespace {

// A table needs one column of numbers, or one chosen column.
void check_one_column(const OpenFiles& r) {
  for (const OpenFile& part : r.x) {
    const std::vector<std::string>&names = part.table->folded, &first = r.x[0].table->folded;
    if (names.size() != 1) {
      part.file->fail(
          ErrorCode::unsupported,
          "a state can hold one column, but this table has " + std::to_string(names.size()) +
              " columns of numbers; choose one with --columns, or gather groups with --by");
    }
    if (names[0] != first[0])
      part.file->fail(ErrorCode::shape_mismatch,
                      "its only column of numbers is called " + names[0] + ", but that of " +
                          r.x[0].file->name() + " is " + first[0] + "; choose one with --columns");
  }
}

// Gathers one column of a table; pieces may come in any order, unless indices are wanted.
void gather_column(const OpenFile& part, Query& piece, Integers integers, const Limits& limits,
                   Meter& meter, Notes& notes, State& state) {
  const File::Use use(*part.file);
  const DType dtype = part.array->dtype;
  const auto reader = open_rows(*part.file, *part.table, dtype, integers, limits.text_chunk_bytes);
  const int wanted = piece.options.threads > 0 ? piece.options.threads : default_threads();
  const int threads = piece.indexed() ? 1 : wanted;
  std::mutex merging;
  const auto rows = [&](Size, const RowReader::Rows& r) {
    if (r.n == 0) return;
    Query own = piece;
    own.options.threads = 1;
    std::vector<std::byte> present;
    if (!r.left_out.empty()) {
      present = r.present(1);
      own.options.where =
          Mask(ArrayRef(present.data(), DType::boolean, Dims(static_cast<int64_t>(r.n))));
    }
    const State some =
        gather(own, ArrayRef(r.values, dtype, Dims(static_cast<int64_t>(r.n))), {}, r.terms);
    const std::lock_guard lock(merging);
    state.merge(some);
  };
  const Size before = piece.options.first;
  const auto done = [&](Size, Size n) { piece.options.first += n; };
  for (Size bytes = 0; reader->next(limits.text_chunks(threads), threads, rows, done);) {
    meter.add(reader->bytes_done() - bytes);
    bytes = reader->bytes_done();
  }
  const Size n = piece.options.first - before;
  note_reading(*part.file, *part.table, *reader, n, notes);
  (void)kept_columns(*part.file, *part.table, notes);
}

}  // namespace

State gather_files(const Query& asked, const std::vector<std::string>& files,
                   const InputOptions& input, const Progress& progress, const Limits& limits,
                   Notes* notes) {
  OpenFiles r = open_files(asked.with(Axes()), files, input);
  const Query query = as_spelt(asked, r, input);
  const Options& options = query.options;
  if (query.two_arrays()) {
    r.x[0].file->fail(ErrorCode::unsupported,
                      "gather does not support two files; in Python call gather(op, x, y)");
  }
  const bool tables = make_tables(r, query, input);
  Notes unheard;
  if (tables) {
    Notes& said = notes != nullptr ? *notes : unheard;
    if (const auto columns = whole_columns(r, query, files, input, limits, progress, said)) {
      InputOptions own = input;
      own.columns = *columns;
      return gather_files(asked, files, own, progress, limits, notes);
    }
    check_one_column(r);
  }
  note_remarks(r, notes);
  const DType dtype = r.dtype();
  const ShareOf whole = input.share ? share_of(r) : ShareOf{};
  const Size first = input.share ? take_share(r, *input.share, query.indexed()) : 0;
  Meter meter(progress, r.x.empty() ? 0 : r.bytes());
  Query piece(query.ops, {.nan = options.nan,
                          .threads = options.threads,
                          .target = options.target,
                          .first = options.first + first});
  piece.decimals = query.decimals;
  State state = gather(piece, ArrayRef(nullptr, dtype, Dims(0)), whole);
  for (const OpenFile& part : r.x) {
    if (tables) {
      gather_column(part, piece, integers_of(query, input), limits, meter,
                    notes != nullptr ? *notes : unheard, state);
      continue;
    }
    if (part.array->fortran && query.indexed()) {
      part.file->fail(ErrorCode::unsupported,
                      "argmin and argmax need an array in C order; save it in this order");
    }
    const File::Use use(*part.file);
    const Source source(*part.file, *part.array);
    const auto stream = !part.text()
                            ? dense_stream(source, meter)
                            : text_stream(*part.file, dtype, integers_of(query, input), false,
                                          options.threads > 0 ? options.threads : default_threads(),
                                          1, limits, meter, {separators_of(*part.file, input)});
    std::vector<DecimalTerm> terms;
    for (std::vector<std::byte> bytes; stream->next(bytes, &terms); bytes.clear(), terms.clear()) {
      const Size n = bytes.size() / bytes_of(dtype);
      if (n == 0) continue;
      state.merge(gather(piece, ArrayRef(bytes.data(), dtype, Dims(n)), {}, terms));
      piece.options.first += n;
    }
  }
  r.check_end();
  return state;
}

}  // namespace onefold::io
