#include "onefold/tables/open_files.hpp"

#include <algorithm>
#include <filesystem>

#include "onefold/io/codec.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/derived.hpp"
#include "onefold/io/number_names.hpp"
#include "onefold/io/packed.hpp"
#include "onefold/io/slices.hpp"
#include "onefold/io/text_reader.hpp"
#include "onefold/io/zip.hpp"
#include "onefold/tables/dense.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/path_columns.hpp"
#include "onefold/tables/table_fold.hpp"
#include "onefold/tables/union_columns.hpp"

namespace onefold::io {
namespace {

// A program may have 1,024 open files, and needs some for other purposes.
constexpr std::size_t most_open_files = 200;

// If at most one axis is longer than 1, C and Fortran order are the same.
bool is_flat(const Dims& shape) {
  return std::count_if(shape.begin(), shape.end(), [](int64_t n) { return n > 1; }) <= 1;
}

std::shared_ptr<const DenseArray> open_dense(const Format& format, File& file,
                                             const InputOptions& input) {
  DenseArray array = format.open(file, input);
  if (is_flat(array.shape)) array.fortran = false;
  return std::make_shared<DenseArray>(std::move(array));
}

std::shared_ptr<const Table> table_in(File& file, const InputOptions& input, bool axes_told) {
  const auto find = [&](const InputOptions& own) { return find_table(file, own, axes_told); };
  std::optional<Table> table =
      is_derived(input) ? derived_table(file, input, true, find) : find(input);
  return table ? std::make_shared<Table>(std::move(*table)) : nullptr;
}

void share_what_is_alike(const OpenFile& first, OpenFile& next) {
  if (*next.array == *first.array) next.array = first.array;
  const bool tables = first.table != nullptr && next.table != nullptr;
  if (tables && *next.table == *first.table) next.table = first.table;
}

bool sums_decimals(const Query& query) {
  return std::ranges::any_of(
      query.ops, [](const OpRow* op) { return needs_of_text(*op).has(Accumulator::decimal); });
}

// Options of tables make no sense of arrays.
void refuse_table_options(const File& file, const InputOptions& o) {
  const char* const name = o.header != Header::unsaid ? "--header"
                           : !o.columns.empty()       ? "--columns"
                           : o.delimiter != 0         ? "--delimiter"
                           : !o.choose.empty()        ? "--where"
                           : !o.let.empty()           ? "--let"
                           : !o.missing.empty()       ? "--missing"
                           : o.skip_bad_lines         ? "--bad-lines"
                           : o.decimal != '.'         ? "--decimal"
                           : o.thousands != 0         ? "--thousands"
                           : o.loose                  ? "--numbers"
                           : o.others_are_missing     ? "--non-numbers"
                           : !o.date_format.empty()   ? "--date-format"
                           : o.skip != 0              ? "--skip"
                           : o.comment != 0           ? "--comment"
                           : o.units                  ? "--units"
                           : o.unite                  ? "--union"
                                                      : nullptr;
  if (name == nullptr) return;
  const char* const else_say =
      std::string_view(name) == "--where" ? "; to use a mask, save it as a .npy file" : "";
  file.fail(
      ErrorCode::bad_option,
      std::string(name) + " applies only to text tables, but this file is not one" + else_say);
}

// Opens a container as a table; refuses options that apply only to tables in texts or to raw files.
void open_as_table(OpenFile& part, const Container& container, const std::string& path,
                   const InputOptions& input, bool stream) {
  InputOptions others = input;
  others.columns.clear(), others.choose.clear(), others.let.clear(), others.date_format.clear();
  others.unite = false;
  refuse_table_options(*part.file, others);
  if (input.shape || input.offset != 0) {
    part.file->fail(ErrorCode::bad_option, std::string(input.shape ? "--shape" : "--offset") +
                                               " applies only to raw files, but this is a table");
  }
  part.container = &container;
  const auto find = [&](const InputOptions& own) -> std::optional<Table> {
    return container.open_table(*part.file, path, own, stream);
  };
  if (is_derived(input) && stream) {
    part.file->fail(ErrorCode::unsupported,
                    "--where and --let cannot read an Arrow stream, because they read it twice; "
                    "save it as a file");
  }
  part.table = std::make_shared<Table>(
      is_derived(input) ? derived_table(*part.file, input, false, find) : *find(input));
  part.array = std::make_shared<DenseArray>(
      DenseArray{.dtype = input.dtype.value_or(DType::f64), .shape = Dims(0), .open_ended = true});
}

bool counts_only(const Query& query) { return query.names() == "count"; }

// Opens a member of a zip archive, and returns its name; nothing: the file is no archive.
std::optional<std::string> open_in_archive(File& file, const MemberPath& where) {
  const bool arrays = where.file.ends_with(".npz");
  const bool archive = !where.member.empty() || arrays || where.file.ends_with(".zip");
  if (!archive) return {};
  if (!is_zip(file)) {
    if (where.member.empty()) return {};
    file.fail(ErrorCode::bad_header, "it is not a zip archive");
  }
  const std::vector<ZipMember> members = read_zip(file);
  const ZipMember& member = choose_member(file, members, where.member, arrays);
  open_member(file, member);
  return member.name;
}

// A file's array must continue that of the first along the first axis.
void check_continues(const OpenFile& first, const OpenFile& next) {
  const DenseArray &a = *first.array, &b = *next.array;
  if (a.dtype != b.dtype || a.planes != b.planes) {
    next.file->fail(ErrorCode::type_mismatch, std::string("it holds ") + b.type_name() + ", and " +
                                                  first.file->name() + " holds " + a.type_name() +
                                                  "; all files must have the same type");
  }
  if (!first.dense() || !next.dense()) return;
  bool same = a.shape.rank() == b.shape.rank() && a.elements().rank() > 0;
  for (int d = 1; same && d < a.shape.rank(); ++d) same = a.shape[d] == b.shape[d];
  if (!same) {
    next.file->fail(ErrorCode::shape_mismatch,
                    "its shape is " + to_string(b.elements()) + ", and that of " +
                        first.file->name() + " is " + to_string(a.elements()) +
                        "; all axes except the first must have the same length");
  }
}

}  // namespace

const char* OpenFile::format_name() const {
  return container != nullptr ? container->name : format->name;
}

bool OpenFiles::dense() const {
  const auto is_dense = [](const OpenFile& f) { return f.dense(); };
  return std::all_of(x.begin(), x.end(), is_dense) && std::all_of(y.begin(), y.end(), is_dense);
}

Size OpenFiles::bytes() const {
  Size bytes = 0;
  for (const auto* list : {&x, &y}) {
    for (const OpenFile& f : *list) {
      if (!f.file->seekable()) return 0;
      bytes += f.file->size();
    }
  }
  return bytes;
}

void OpenFiles::check_end() {
  for (const auto* list : {&x, &y}) {
    for (const OpenFile& f : *list) f.file->check_end();
  }
}

std::vector<TablePart> tables_of(const OpenFiles& files) {
  std::vector<TablePart> tables;
  for (const OpenFile& f : files.x) tables.push_back({f.file.get(), f.table});
  return tables;
}

Separators separators_of(const File& file, const InputOptions& input) {
  const std::string name = without_codec(file.name());
  return !input.guess             ? Separators::all
         : name.ends_with(".csv") ? Separators::one_kind
         : name.ends_with(".tsv") ? Separators::tabs
                                  : Separators::sure;
}

OpenFile open_file(const std::string& path, const InputOptions& input, bool axes_told) {
  OpenFile part;
  const MemberPath where = split_member(path);
  ItemPath item = where.member.empty() ? split_item(path) : ItemPath{};
  const bool plain = path == "-" || !where.member.empty();
  part.file = std::make_unique<File>(plain ? where.file : item.to_open(), path == "-" ? "" : path);
  part.file->check_same(*input.opened);
  const std::optional<std::string> member = open_in_archive(*part.file, where);
  if (member && where.file.ends_with(".npz")) {
    refuse_table_options(*part.file, input);
    part.format = &find_format("npy");
    part.array = open_dense(*part.format, *part.file, input);
    return part;
  }
  if (member) item = {};
  if (item.container == nullptr) unpack_if_packed(*part.file, member.value_or(path), input);
  if (const Container* const stream = find_stream(*part.file, input)) {
    if (!item.item.empty()) {
      part.file->fail(ErrorCode::bad_option,
                      "an Arrow stream is read as a table; choose columns with --columns");
    }
    open_as_table(part, *stream, path, input, true);
    return part;
  }
  if (const Container* const container = find_container(*part.file, item, input)) {
    if (member) {
      part.file->fail(
          ErrorCode::unsupported,
          std::string(container->name) + " data cannot be read inside a zip archive; unzip it");
    }
    std::error_code unknown;
    if (std::filesystem::is_empty(item.to_open(), unknown)) {
      part.file->fail(ErrorCode::truncated, "the file is empty");
    }
    if (!part.file->seekable()) {
      part.file->fail(ErrorCode::needs_seek, std::string(container->name) +
                                                 " data must be read from a file, not from a pipe");
    }
    const bool table =
        input.guess || is_derived(input) || !input.columns.empty() || !input.by.empty();
    if (container->open_table != nullptr && item.item.empty() && table) {
      open_as_table(part, *container, item.file, input, false);
      part.file->check_name();
      return part;
    }
    refuse_table_options(*part.file, input);
    part.container = container;
    const std::string slices = take_slices(item.item);
    DenseArray array = container->open(*part.file, item.file, item.item, input);
    if (!slices.empty()) {
      array = sliced(*part.file, *container, item, input, slices, std::move(array));
    }
    part.file->check_name();
    part.remark = array.remark;
    part.array = std::make_shared<DenseArray>(std::move(array));
    return part;
  }
  if (!item.item.empty()) {
    part.file->fail(ErrorCode::bad_option,
                    "it has no named arrays, so there is no array " + item.item +
                        "; choose a column of a table with --columns " + item.item);
  }
  part.format = &choose_format(*part.file, without_codec(member.value_or(path)), input);
  if (part.text()) {
    if (input.shape || input.offset != 0) {
      part.file->fail(ErrorCode::bad_option, std::string(input.shape ? "--shape" : "--offset") +
                                                 " applies only to raw files, but this is text");
    }
    refuse_what_is_no_text(*part.file, input.guess);
    part.table = table_in(*part.file, input, axes_told);
    if (part.table == nullptr && input.guess) part.remark = remark_on_numbers(*part.file, input);
    part.array = std::make_shared<DenseArray>(
        DenseArray{.dtype = input.dtype.value_or(DType::f64), .shape = Dims(0)});
    return part;
  }
  refuse_table_options(*part.file, input);
  part.array = open_dense(*part.format, *part.file, input);
  return part;
}

OpenFiles open_files(const Query& query, const std::vector<std::string>& files,
                     const InputOptions& input) {
  OpenFiles r;
  const std::string ops = query.names();
  if (files.empty()) throw Error(ErrorCode::bad_option, ops + ": no file was given");
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw Error(ErrorCode::bad_option,
                ops + ": stdin (-) was given twice, but it can be read only once");
  }
  // Two files are two arrays. If columns are chosen, they are parts of one table.
  const bool pairs = query.two_arrays(), two = pairs && input.columns.empty() && input.by.empty(),
             axes_told = !query.options.axes.all();
  const auto refuse_count = [&] {
    throw Error(ErrorCode::bad_option, ops + ": it needs two arrays; pass two files, not " +
                                           std::to_string(files.size()) +
                                           ", or two columns of a table (--columns x,y)");
  };
  if (two && files.size() > 2) refuse_count();
  r.x.reserve(files.size());
  InputOptions own = input;
  own.counts = counts_only(query);
  own.spells = query.takes_any_digits();
  std::vector<std::string> left_out;
  if (own.unite) {
    UnitedInput united = with_union(files, own);
    own = std::move(united.input);
    left_out = std::move(united.left_out);
  }
  const std::vector<PathColumn> lacking = own.path;
  const std::vector<std::vector<PathColumn>> paths = path_columns(files, own);
  for (std::size_t k = 0; k < files.size(); ++k) {
    own.path = paths[k];
    own.path.insert(own.path.end(), lacking.begin(), lacking.end());
    OpenFile part = open_file(files[k], own, axes_told);
    if (files.size() > most_open_files) part.file->share();
    if (!left_out.empty() && part.table != nullptr) {
      Table table = *part.table;
      table.left_out.insert(table.left_out.end(), left_out.begin(), left_out.end());
      part.table = std::make_shared<const Table>(std::move(table));
    }
    if (two && !r.x.empty()) {
      r.y.push_back(std::move(part));
      continue;
    }
    if (!r.x.empty()) {
      check_continues(r.x[0], part);
      order_as_first(r.x[0], part);
      share_what_is_alike(r.x[0], part);
    }
    r.x.push_back(std::move(part));
  }
  if (pairs && r.y.empty() && (!r.x[0].table || r.x[0].table->plain)) refuse_count();
  if (r.x.size() > 1 && !input.dtype) spell_alike(r.x, sums_decimals(query));
  return r;
}

Query as_spelt(const Query& query, const OpenFiles& files, const InputOptions& input) {
  Query r = query;
  const auto text = [](const OpenFile& f) {
    return f.text() || (f.table != nullptr && f.table->spelt() == true);
  };
  r.decimals = !input.dtype && std::all_of(files.x.begin(), files.x.end(), text);
  // Some columns of a container may be decimals, and others not.
  const auto some = [&](const OpenFile& f) {
    return text(f) || (f.table != nullptr && !f.table->spelt());
  };
  if (input.long_initial && !input.dtype && sums_decimals(r) &&
      std::ranges::all_of(files.x, some)) {
    throw Error(ErrorCode::bad_option,
                query.names() +
                    ": --initial has more digits than f64 can hold, so the sum of decimals would "
                    "not be exact; write at most 15 digits, or pass --dtype f64");
  }
  return r;
}

Integers integers_of(const Query& query, const InputOptions& input) {
  if (input.dtype) return Integers::rounded;
  return query.decimals && query.takes_any_digits() ? Integers::spelt : Integers::refused;
}

bool make_tables(OpenFiles& r, const Query& query, const InputOptions& input) {
  bool any = false, plain = r.y.empty();
  for (const auto* parts : {&r.x, &r.y}) {
    for (const OpenFile& p : *parts) {
      any |= p.table && !p.table->plain;
      plain &= p.table && p.table->plain;
    }
  }
  // Numbers alone beside an array, or pairs of them, are read as they are without tables.
  if (!any && !plain) return false;
  if (!r.y.empty()) {
    r.y[0].file->fail(
        ErrorCode::unsupported,
        query.names() +
            " needs two arrays, but this is a table; choose two of its columns with --columns x,y");
  }
  for (OpenFile& part : r.x) {
    if (!part.text() && !part.table) {
      part.file->fail(ErrorCode::shape_mismatch,
                      "it is an array, but another file is a table; fold them separately");
    }
    InputOptions told = input;
    told.counts = counts_only(query);
    told.spells = query.takes_any_digits();
    if (told.header == Header::unsaid) told.header = Header::automatic;
    if (part.text() && !part.table) part.table = table_in(*part.file, told, true);
    if (!part.table) {
      part.file->fail(ErrorCode::bad_token,
                      "it is not a table, but another file is; fold them separately");
    }
  }
  return true;
}

ArrayRef array_of(const std::vector<OpenFile>& parts) {
  DenseArray array = *parts[0].array;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    int64_t& rows = array.shape[0];
    if (__builtin_add_overflow(rows, parts[k].array->shape[0], &rows)) {
      parts[k].file->fail(ErrorCode::shape_mismatch, "the files together have more than 2^63 rows");
    }
    array.fortran &= parts[k].array->fortran;
  }
  ArrayRef ref(nowhere, array.dtype, array.shape);
  if (array.fortran) ref.strides = strides_of(array);
  return ref;
}

}  // namespace onefold::io
