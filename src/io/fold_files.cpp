#include "io/fold_files.hpp"

#include <algorithm>
#include <memory>

#include "backend/run.hpp"
#include "io/codec.hpp"
#include "io/dense.hpp"
#include "io/format.hpp"
#include "io/sigbus.hpp"
#include "io/stream_fold.hpp"
#include "io/text_reader.hpp"
#include "io/zip.hpp"
#include "parallel.hpp"

namespace onefold::io {
namespace {

struct Part {
  std::unique_ptr<File> file;
  const Format* format = nullptr;
  DenseArray array;  // of a dense format
  std::optional<Table> table = {};
  bool dense() const { return format->open != nullptr && !array.open_ended; }
};

struct Request {
  std::vector<const OpRow*> ops;
  std::vector<Part> x;  // one array along the first axis
  std::vector<Part> y;  // dot: the second
};

// A program may have 1024 files open, and others want some.
constexpr std::size_t most_open_files = 200;

// One axis at most is longer than 1: both orders are the same.
bool is_flat(const Dims& shape) {
  return std::count_if(shape.begin(), shape.end(), [](int64_t n) { return n > 1; }) <= 1;
}

// Options of tables make no sense of arrays.
void refuse_table_options(const File& file, const InputOptions& o) {
  const char* const name = o.header != Header::unsaid ? "--header"
                           : !o.columns.empty()       ? "--columns"
                           : o.delimiter != 0         ? "--delimiter"
                           : !o.missing.empty()       ? "--missing"
                           : o.skip_bad_lines         ? "--bad-lines"
                           : o.decimal != '.'         ? "--decimal"
                           : o.thousands != 0         ? "--thousands"
                                                      : nullptr;
  if (name == nullptr) return;
  file.fail(ErrorCode::bad_option, std::string(name) + " is for tables in texts, and this is none");
}

// A compressed file is read as what it holds. Raw data may begin in any way: there the name says.
void unpack_if_packed(File& file, const std::string& path, const InputOptions& input) {
  const std::vector<std::byte> bytes = file.peek(16);
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Codec* const named = path == "-" ? nullptr : find_codec_by_name(path);
  const Codec* const begun = find_codec_by_magic(head);
  if (named != nullptr && begun == nullptr) {
    file.fail(ErrorCode::bad_header,
              std::string("by its name it is compressed by ") + named->name +
                  ", and it does not begin so; give it another name if it is not");
  }
  if (begun == nullptr) return;
  const bool raw = input.format == "raw" ||
                   (input.format.empty() && (path.ends_with(".bin") || path.ends_with(".raw")));
  if (named != nullptr || !raw) file.unpack(*begun);
}

Part open_part(const std::string& path, const InputOptions& input, bool axes_told) {
  Part part;
  const MemberPath where = split_member(path);
  part.file = std::make_unique<File>(where.file, path == "-" ? "" : path);
  if (!where.member.empty() || (path.ends_with(".npz") && is_zip(*part.file))) {
    if (!is_zip(*part.file)) part.file->fail(ErrorCode::bad_header, "it is no zip archive");
    open_member(*part.file, choose_member(*part.file, read_zip(*part.file), where.member));
    refuse_table_options(*part.file, input);
    part.format = &find_format("npy");
    part.array = part.format->open(*part.file, input);
    if (is_flat(part.array.shape)) part.array.fortran = false;
    return part;
  }
  unpack_if_packed(*part.file, path, input);
  part.format = &choose_format(*part.file, without_codec(path), input);
  if (part.format->open == nullptr) {
    if (input.shape || input.offset != 0) {
      part.file->fail(ErrorCode::bad_option, std::string(input.shape ? "--shape" : "--offset") +
                                                 " is for raw files, and this is text");
    }
    refuse_what_is_no_text(*part.file, input.guess);
    part.table = find_table(*part.file, input, axes_told);
    part.array.dtype = input.dtype.value_or(DType::f64);
    part.array.shape = Dims(0);
    return part;
  }
  refuse_table_options(*part.file, input);
  part.array = part.format->open(*part.file, input);
  if (is_flat(part.array.shape)) part.array.fortran = false;
  return part;
}

// A file's array must continue that of the first along the first axis.
void check_continues(const Part& first, const Part& next) {
  const DenseArray &a = first.array, &b = next.array;
  if (a.dtype != b.dtype) {
    next.file->fail(ErrorCode::type_mismatch, std::string("it holds ") + name_of(b.dtype) +
                                                  ", and " + first.file->name() + " holds " +
                                                  name_of(a.dtype) + "; they must be of one type");
  }
  if (!first.dense() || !next.dense()) return;
  bool same = a.shape.rank() == b.shape.rank() && a.shape.rank() > 0;
  for (int d = 1; same && d < a.shape.rank(); ++d) same = a.shape[d] == b.shape[d];
  if (!same) {
    next.file->fail(ErrorCode::shape_mismatch,
                    "its shape is " + to_string(b.shape) + ", and that of " + first.file->name() +
                        " is " + to_string(a.shape) +
                        "; files fold as one array only if all but the first extent agree");
  }
}

Request open_all(const std::string& ops, const std::vector<std::string>& files,
                 const InputOptions& input, bool axes_told) {
  Request r;
  r.ops = parse_ops(ops);
  if (files.empty()) throw Error(ErrorCode::bad_option, ops + ": no file was given");
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw Error(ErrorCode::bad_option, ops + ": - is named twice; stdin can be read once");
  }
  const bool two = std::any_of(r.ops.begin(), r.ops.end(),
                               [](const OpRow* op) { return op->about->inputs == 2; });
  if (two && files.size() != 2) {
    throw Error(ErrorCode::bad_option, ops + ": it folds two arrays, so exactly 2 files, not " +
                                           std::to_string(files.size()));
  }
  for (const std::string& path : files) {
    Part part = open_part(path, input, axes_told);
    if (files.size() > most_open_files) part.file->share();
    if (two && !r.x.empty()) {
      r.y.push_back(std::move(part));
      continue;
    }
    if (!r.x.empty()) check_continues(r.x[0], part);
    r.x.push_back(std::move(part));
  }
  return r;
}

bool all_dense(const Request& r) {
  const auto dense = [](const Part& p) { return p.dense(); };
  return std::all_of(r.x.begin(), r.x.end(), dense) && std::all_of(r.y.begin(), r.y.end(), dense);
}

// Makes tables of all texts where one is; none is one: false.
bool all_tables(Request& r, const InputOptions& input) {
  bool any = false, plain = r.y.empty();
  for (const auto* parts : {&r.x, &r.y}) {
    for (const Part& p : *parts) {
      any |= p.table && !p.table->plain;
      plain &= p.table && p.table->plain;
    }
  }
  // Numbers alone beside an array, or pairs of them, are read as they are without tables.
  if (!any && !plain) return false;
  if (!r.y.empty()) {
    r.y[0].file->fail(ErrorCode::unsupported,
                      names_of(r.ops) +
                          " folds two arrays, and this is a table of columns; cut "
                          "the columns out into files of their own");
  }
  for (Part& part : r.x) {
    if (part.format->open != nullptr) {
      part.file->fail(ErrorCode::shape_mismatch,
                      "it is an array, and there is a table among the other files");
    }
    InputOptions told = input;
    if (told.header == Header::unsaid) told.header = Header::automatic;
    if (!part.table) part.table = find_table(*part.file, told, true);
    if (!part.table) {
      part.file->fail(ErrorCode::bad_token, "it is no table, and another file is one");
    }
  }
  return true;
}

// The array that the files are together, as the planner wants it; its data are never touched.
ArrayRef array_of(const std::vector<Part>& parts) {
  alignas(64) static const std::byte nowhere[64] = {};
  DenseArray array = parts[0].array;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    int64_t& rows = array.shape[0];
    if (__builtin_add_overflow(rows, parts[k].array.shape[0], &rows)) {
      parts[k].file->fail(ErrorCode::shape_mismatch, "the files together have more than 2^63 rows");
    }
    array.fortran &= parts[k].array.fortran;
  }
  ArrayRef ref(nowhere, array.dtype, array.shape);
  if (array.fortran) {
    Dims reversed = array.shape;
    std::reverse(&reversed[0], &reversed[0] + reversed.rank());
    Dims strides = row_major(reversed, array.dtype);
    std::reverse(&strides[0], &strides[0] + strides.rank());
    ref.strides = strides;
  }
  return ref;
}

// Axes that no text and no endless stream has: of their shapes the rank is known before they are
// read, and it may take long.
void check_axes_of_streams(const Request& r, const Axes& axes) {
  const auto text = [](const Part& p) { return p.format->open == nullptr; };
  const bool any =
      std::any_of(r.x.begin(), r.x.end(), text) || std::any_of(r.y.begin(), r.y.end(), text);
  folded_axes(axes, any ? 2 : 1, any ? "a text" : "a stream without --shape", names_of(r.ops));
}

Plan plan_of(const Request& r, const Options& options) {
  const ArrayRef x = array_of(r.x);
  if (r.y.empty()) return backend::checked(make_plan(r.ops, x, nullptr, options));
  const ArrayRef y = array_of(r.y);
  return backend::checked(make_plan(r.ops, x, &y, options));
}

DenseInput dense_input(const Request& r, const Options& options) {
  DenseInput input;
  for (const Part& p : r.x) input.x.emplace_back(*p.file, p.array);
  for (const Part& p : r.y) input.y.emplace_back(*p.file, p.array);
  const int rank = r.x[0].array.shape.rank();
  input.folded = folded_axes(options.axes, rank, "its shape", names_of(r.ops));
  return input;
}

// Texts, and what stands beside them.
struct Streams {
  std::vector<Source> sources;
  StreamInput input;
};

Streams stream_input(const Request& r, const InputOptions& input) {
  Streams s;
  s.sources.reserve(r.x.size() + r.y.size());
  s.input.dtype = r.x[0].array.dtype;
  // Who asks for f64 gets f64; who does not is told where it loses something.
  s.input.exact = !input.dtype;
  for (const auto* parts : {&r.x, &r.y}) {
    for (const Part& p : *parts) {
      StreamPart part{.file = p.file.get()};
      if (p.format->open != nullptr) {
        if (p.array.fortran) {
          p.file->fail(ErrorCode::unsupported,
                       "an array in Fortran order cannot be folded together with a text or an "
                       "endless stream; save it in C order");
        }
        s.sources.emplace_back(*p.file, p.array);
        part.source = &s.sources.back();
      }
      (parts == &r.x ? s.input.x : s.input.y).push_back(part);
    }
  }
  return s;
}

// Bytes of all files; 0 if one of them is a stream.
Size bytes_of_files(const Request& r) {
  Size bytes = 0;
  for (const auto* parts : {&r.x, &r.y}) {
    for (const Part& p : *parts) {
      if (!p.file->seekable()) return 0;
      bytes += p.file->size();
    }
  }
  return bytes;
}

}  // namespace

FilePlan plan_files(const std::string& ops, const std::vector<std::string>& files,
                    const InputOptions& input, const Options& options, const Limits& limits) {
  Request r = open_all(ops, files, input, !options.axes.all());
  FilePlan how;
  how.files = files;
  how.format = r.x[0].format->name;
  how.dtype = r.x[0].array.dtype;
  const int threads = options.threads > 0 ? options.threads : cores();
  if (!all_dense(r)) {
    check_axes_of_streams(r, options.axes);
    Options all = options;
    all.axes = Axes();
    const ArrayRef nothing(nullptr, how.dtype, Dims(0));
    how.plan = backend::checked(make_plan(r.ops, nothing, r.y.empty() ? nullptr : &nothing, all));
    how.shape_known = false;
    how.access = all_tables(r, input) ? "table" : "text";
    how.bytes = bytes_of_files(r);
    how.window_bytes = limits.text_chunk_bytes;
    return how;
  }
  how.plan = plan_of(r, options);
  how.shape = array_of(r.x).shape;
  how.bytes = how.plan.bytes_read();
  bool seekable = true, mappable = true;
  const DenseInput sources = dense_input(r, options);
  for (const auto* list : {&sources.x, &sources.y}) {
    for (const Source& s : *list) {
      seekable &= s.file().seekable();
      mappable &= s.mappable();
    }
  }
  how.strips = plan_dense(how.plan, sources, 0, limits).strips;
  how.access = !seekable                                                      ? "stream"
               : mappable && how.strips == 1 && maps_windows(threads, limits) ? "mapped windows"
                                                                              : "reads";
  how.window_bytes =
      std::min(limits.window_bytes / static_cast<Size>(threads), limits.most_window_bytes);
  return how;
}

State gather_files(const std::string& ops, const std::vector<std::string>& files,
                   const InputOptions& input, const Options& options, const Progress& progress,
                   const Limits& limits) {
  Request r = open_all(ops, files, input, false);
  const bool indexed = std::any_of(r.ops.begin(), r.ops.end(),
                                   [](const OpRow* op) { return op->about->uses_index; });
  if (!r.y.empty()) {
    r.y[0].file->fail(ErrorCode::unsupported,
                      "a state of two arrays is gathered in memory, by the library");
  }
  if (all_tables(r, input)) {
    r.x[0].file->fail(ErrorCode::unsupported,
                      "a state is of one array, and this is a table; cut its column out");
  }
  Meter meter(progress, bytes_of_files(r));
  const DType dtype = r.x[0].array.dtype;
  Options piece{.nan = options.nan,
                .threads = options.threads,
                .target = options.target,
                .first = options.first};
  State state = gather(ops, ArrayRef(nullptr, dtype, Dims(0)), piece);
  for (const Part& part : r.x) {
    if (part.array.fortran && indexed) {
      part.file->fail(ErrorCode::unsupported,
                      "places in an array in Fortran order cannot be gathered; save it in C order");
    }
    const File::Use use(*part.file);
    const Source source(*part.file, part.array);
    const auto stream = part.format->open != nullptr
                            ? dense_stream(source, meter)
                            : text_stream(*part.file, dtype, !input.dtype,
                                          options.threads > 0 ? options.threads : default_threads(),
                                          1, limits, meter);
    for (std::vector<std::byte> bytes; stream->next(bytes); bytes.clear()) {
      const Size n = bytes.size() / bytes_of(dtype);
      if (n == 0) continue;
      state.merge(gather(ops, ArrayRef(bytes.data(), dtype, Dims(n)), piece));
      piece.first += n;
    }
  }
  for (const Part& p : r.x) p.file->check_end();
  return state;
}

Answers fold_files(const std::string& ops, const std::vector<std::string>& files,
                   const InputOptions& input, const Options& options, const Progress& progress,
                   const Limits& limits, Notes* notes) {
  Request r = open_all(ops, files, input, !options.axes.all());
  Answers answers;
  if (all_dense(r)) {
    const Plan plan = plan_of(r, options);
    Output output(plan);
    Meter meter(progress, plan.bytes_read());
    fold_dense(plan, dense_input(r, options), limits, output, meter);
    answers = output.take(plan.output);
  } else if (all_tables(r, input)) {
    check_axes_of_streams(r, options.axes);
    std::vector<TablePart> parts;
    for (Part& part : r.x) parts.push_back({part.file.get(), std::move(*part.table)});
    Notes unheard;
    Meter meter(progress, bytes_of_files(r));
    answers = fold_tables(r.ops, parts, r.x[0].array.dtype, !input.dtype, options, limits, meter,
                          notes == nullptr ? unheard : *notes);
  } else {
    check_axes_of_streams(r, options.axes);
    const Streams streams = stream_input(r, input);
    Meter meter(progress, bytes_of_files(r));
    answers = fold_streams(r.ops, streams.input, options, limits, meter);
  }
  for (const auto* parts : {&r.x, &r.y}) {
    for (const Part& p : *parts) p.file->check_end();
  }
  return answers;
}

}  // namespace onefold::io
