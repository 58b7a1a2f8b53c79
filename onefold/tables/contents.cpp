#include "onefold/tables/contents.hpp"

#include <algorithm>
#include <filesystem>

#include "onefold/io/container.hpp"
#include "onefold/io/stream.hpp"
#include "onefold/io/zip.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {
namespace {

Content content_of(std::string name, const DenseArray& array) {
  Content c{.name = std::move(name), .type = array.type_name()};
  if (!array.open_ended) c.shape = array.elements();
  return c;
}

// Returns an error's message without the file's name.
std::string reason_of(const Error& e) {
  const std::string message = e.what();
  const std::size_t at = message.find(": ");
  return at == message.npos ? message : message.substr(at + 2);
}

// Lists the members of an archive. Each member has a header of its own.
Contents members_of(const std::string& path, const InputOptions& input) {
  File archive(path);
  if (!is_zip(archive)) archive.fail(ErrorCode::bad_header, "it is not a zip archive");
  Contents all{.format = "npz", .list = {}};
  InputOptions any = input;
  any.planes = Planes::both;
  for (const ZipMember& m : read_zip(archive)) {
    const bool array = m.name.ends_with(".npy");
    const std::string name = array ? m.name.substr(0, m.name.size() - 4) : m.name;
    try {
      if (!array) archive.fail(ErrorCode::unsupported, "it is not a .npy member");
      File member(path, path + ":" + name);
      open_member(member, m);
      all.list.push_back(content_of(name, find_format("npy").open(member, any)));
    } catch (const Error& e) {
      // The error of one member does not keep the others from being read.
      all.list.push_back({.name = name, .type = reason_of(e)});
    }
  }
  return all;
}

// Lists the files of a zip archive.
Contents files_of(const std::string& path, const std::vector<std::string>& names,
                  const InputOptions& input) {
  Contents all{.format = "zip", .list = {}};
  for (const std::string& name : names) {
    try {
      const OpenFile file = open_file(path + ":" + name, input, false);
      if (file.dense()) {
        all.list.push_back(content_of(name, *file.array));
      } else {
        const Size columns = file.table ? file.table->columns.size() : 0;
        all.list.push_back({.name = name,
                            .type = columns == 0 ? "text"
                                    : columns == 1
                                        ? "a table of 1 column"
                                        : "a table of " + std::to_string(columns) + " columns"});
      }
    } catch (const Error& e) {
      all.list.push_back({.name = name, .type = reason_of(e)});
    }
  }
  return all;
}

// Opens a file as a table even if none of its columns holds numbers, which no fold accepts; line 1
// has names unless the options say otherwise. Returns nothing if the file is no such table.
std::optional<Table> without_numbers(const std::string& path, const InputOptions& input) {
  InputOptions looks = input;
  looks.looks = true;
  if (looks.header == Header::unsaid) looks.header = Header::yes;
  try {
    const OpenFile file = open_file(path, looks, false);
    const auto has_numbers = [](const Column& c) {
      return c.slot >= 0 && c.fields != Fields::unknown;
    };
    const auto is_text = [](const Column& c) { return c.text; };
    if (!file.table || std::ranges::any_of(file.table->columns, has_numbers) ||
        std::ranges::none_of(file.table->columns, is_text) ||
        (file.table->columns.size() < 2 && file.table->members.empty()))
      return {};
    return *file.table;
  } catch (const Error&) {
    return {};  // the caller has an error already
  }
}

//   looked  the table, if all of its columns are counted as texts
Contents table_of(OpenFile& file, const std::optional<Table>& looked, const Limits& limits,
                  Meter& meter) {
  const Table& table = *file.table;
  std::vector<TablePart> parts;
  parts.push_back({file.file.get(), file.table});
  Notes notes;
  const Query count("count", {.axes = {0}});
  fold_tables(count, parts, file.array->dtype,
              file.container == nullptr ? Integers::noted : Integers::rounded, limits, meter,
              notes);
  std::vector<Size> missing = notes.missing;
  missing.resize(table.folded.size());
  Contents all{.format = file.container == nullptr ? "table" : file.format_name(), .list = {}};
  const auto shape = Dims(static_cast<int64_t>(notes.rows));
  for (const Column& column : table.columns) {
    Content c{.name = column.name, .type = "text", .shape = shape};
    if (looked) {
      const Column& seen = looked->columns[all.list.size()];
      if (!seen.type.empty()) c.type = seen.type;
      if (seen.slot >= 0) c.type = name_of(file.array->dtype);  // all of its values are missing
      c.missing = missing[static_cast<std::size_t>(column.slot)];
      all.list.push_back(c);
      continue;
    }
    const auto slot = static_cast<Size>(column.slot);
    const auto others = notes.others.find(slot);
    const bool partly =
        column.slot >= 0 && others != notes.others.end() && others->second.texts > 0;
    if (partly) {
      c.missing = missing[slot];
      c.numbers = notes.rows - missing[slot] - others->second.texts;
      c.other_line = others->second.line;
      c.other = others->second.text;
    } else if (column.slot >= 0) {
      c.type = column.stored ? column.type : name_of(file.array->dtype);
      c.missing = missing[slot];
    } else if (!column.type.empty()) {
      c.type = column.type;
    } else if (!column.text && column.slot < 0) {
      continue;  // this column was not chosen
    }
    all.list.push_back(c);
  }
  return all;
}

}  // namespace

std::vector<std::string> names_of_columns(const std::string& path, const InputOptions& input) {
  InputOptions own = input;
  own.planes = Planes::both;
  own.spells = true;
  own.describes = true;
  own.columns = own.by = {};
  std::optional<Table> table;
  try {
    const OpenFile file = open_file(path, own, false);
    if (file.table) table = *file.table;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_token) throw;
    table = without_numbers(path, own);
  }
  std::vector<std::string> names;
  if (!table || !(table->header || table->source || !table->members.empty())) return names;
  for (const Column& column : table->columns) names.push_back(column.name);
  return names;
}

Contents contents_of(const std::string& path, const InputOptions& input, const Progress& progress,
                     const Limits& limits) {
  if (const MemberPath where = split_member(path);
      where.member.empty() && where.file.ends_with(".npz")) {
    return members_of(path, input);
  } else if (where.member.empty() && where.file.ends_with(".zip")) {
    File archive(path);
    const std::vector<ZipMember> members =
        is_zip(archive) ? read_zip(archive) : std::vector<ZipMember>();
    if (members.size() > 1 && only_file(members) == nullptr) {
      return files_of(path, files_in(members), input);
    }
  }
  if (const ItemPath item = split_item(path);
      item.item.empty() && std::filesystem::is_regular_file(item.to_open())) {
    File whole(item.to_open(), path);
    const Container* const container = find_container(whole, item, input);
    if (container != nullptr && find_stream(whole, input) == nullptr) {
      Contents all{.format = container->name, .list = {}};
      for (ContainerItem& i : container->list(whole, item.file)) {
        all.list.push_back(
            {.name = i.name, .type = i.type, .shape = i.shape, .missing = i.missing});
      }
      return all;
    }
  }
  InputOptions own = input;
  own.planes = Planes::both;
  own.spells = true;
  own.describes = true;
  std::optional<Table> looked;
  std::optional<Error> refused;  // says why the file could not be opened without a header
  OpenFile file;
  try {
    file = open_file(path, own, false);
    if (file.table && file.table->folded.empty()) {
      refuse_no_numbers(*file.file, file.table->left_out);
    }
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_token || is_stream(path)) throw;
    looked = without_numbers(path, own);
    if (!looked) throw;
    if (file.file == nullptr) refused = e;
    own.header = looked->header ? Header::yes : Header::no;
    own.counts = true;
    file = open_file(path, own, false);
  }
  Meter meter(progress, file.file->seekable() ? file.file->size() : 0);
  Contents all{.format = file.format_name(), .list = {}};
  if (file.table) {
    try {
      all = table_of(file, looked, limits, meter);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::bad_token && refused) throw *refused;
      throw;
    }
  } else if (!file.text()) {
    all.list.push_back(content_of("", *file.array));
  } else {
    const auto numbers =
        text_stream(*file.file, file.array->dtype, Integers::rounded, false, default_threads(), 1,
                    limits, meter, {separators_of(*file.file, own)});
    for (std::vector<std::byte> bytes; numbers->next(bytes); bytes.clear()) {
    }
    all.list.push_back({.name = "", .type = name_of(file.array->dtype), .shape = numbers->shape()});
  }
  // Only the header of a packed array was read, so only texts and tables are checked to their end.
  if (file.text() || file.table) file.file->check_end();
  return all;
}

}  // namespace onefold::io
