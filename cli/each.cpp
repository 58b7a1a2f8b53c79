#include "cli/each.hpp"

#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {
namespace {

// Returns the header for the column between file name and values: what its text names.
const char* kind_of(const Elements& first, const io::Notes& notes) {
  if (!notes.columns.empty()) return "column";
  return first.shape().rank() == 0 ? "" : "index";
}

// The lines of all files, with the same columns; a dash replaces a missing column or index.
class Lines {
 public:
  void append(const std::string& file, const Answers& answers, const io::Notes& notes,
              int precision) {
    const std::vector<Elements> all = elements_of(answers, notes, precision);
    const Elements& first = all[0];
    const std::string kind = kind_of(first, notes);
    if (files_.empty()) {
      for (const Answer& answer : answers.list) ops_ += '\t' + answer.op;
      several_ = answers.list.size() > 1;
    }
    if (!kind.empty()) kind_ = kind_.empty() || kind_ == kind ? kind : "place";
    std::string text;
    for (Size i = 0; i < first.size(); ++i) {
      if (!kind.empty()) {
        text += printable(file) + '\t';
        text += notes.columns.empty() ? index_text(first.shape(), i) : printable(notes.columns[i]);
      }
      for (const Elements& elements : all) {
        text += '\t';
        elements.append(text, i);
      }
      text += '\n';
    }
    files_.push_back({kind.empty() ? printable(file) : "", std::move(text)});
  }

  void print(Writer& out, const Style& style) const {
    if (files_.empty()) return;
    const std::string place = kind_.empty() ? "" : '\t' + kind_;
    std::string text;
    const bool header = several_ || !place.empty();
    if (header) text += "file" + place + ops_ + '\n';
    for (const File& f : files_) {
      if (!f.name.empty()) text += f.name + (place.empty() ? "" : "\t-");
      text += f.text;
    }
    print_tabbed(out, text, header, place.empty() ? 1 : 2, style);
  }

 private:
  struct File {
    std::string name;  // for a line without an index: a name before the text
    std::string text;
  };
  std::vector<File> files_;
  std::string ops_, kind_;
  bool several_ = false;
};

}  // namespace

void check_each(const Arguments& arguments) {
  if (arguments.each && !arguments.output.empty() && arguments.input.by.empty()) {
    throw Error(ErrorCode::bad_option,
                "--each prints an answer for each file, but --output writes only one; leave one of "
                "them out");
  }
  const bool of_one_file = !(arguments.weights.empty() || weighs_rows(arguments)) ||
                           !(arguments.fweights.empty() || repeats_rows(arguments)) ||
                           !arguments.offsets.empty();
  if (arguments.each && of_one_file) {
    throw Error(ErrorCode::bad_option,
                "--weights, --fweights and --offsets apply to one file; leave out --each and pass "
                "one file");
  }
  if (arguments.keep_going && !arguments.each) {
    throw Error(ErrorCode::bad_option,
                "--keep-going applies only to --each; add --each, or leave --keep-going out");
  }
}

std::optional<Error> try_each(const std::vector<std::string>& files, const Arguments& arguments,
                              const std::function<void(const std::string& file)>& fold) {
  std::optional<Error> first;
  Size broken = 0;
  for (const std::string& file : files) {
    try {
      fold(file);
    } catch (const Error& e) {
      if (!arguments.keep_going) throw;
      print_error(e.what());
      ++broken;
      if (!first) first = e;
    }
  }
  if (!first) return {};
  return Error(first->code(),
               std::to_string(broken) + " of " + std::to_string(files.size()) +
                   " files could not be folded; the exit status is that of the first failure");
}

void fold_each(const Query& query, const std::vector<std::string>& files,
               const Arguments& arguments, std::span<const char* const> names, bool checks) {
  std::string text;  // the JSON text, which is printed only when it is complete
  Lines lines;
  const std::optional<Error> failed = try_each(files, arguments, [&](const std::string& file) {
    io::Notes notes;
    Answers answers = fold_with_progress(query, {file}, arguments, notes);
    const PlaceText place = column_text(notes);
    const auto place_in_file = [&](const Answer& answer, Size k) {
      return place(answer, k) + " of " + printable(file);
    };
    if (checks) check_statuses(answers, arguments.fold, place_in_file);
    for (std::size_t k = 0; k < names.size(); ++k) answers.list[k].op = names[k];
    for (const std::string& warning : io::warnings_of(notes)) print_error(warning);
    say_missing(notes, query, arguments.input.missing_is_nan);
    if (arguments.json) {
      text += "{\"file\": " + quote(file) + ", \"answers\": ";
      text += json_text(answers, notes.columns, arguments.precision) + "}\n";
      return;
    }
    lines.append(file, answers, notes, arguments.precision);
  });
  Writer out;
  out.write(text);
  lines.print(out, style_of_stdout(false, 0, arguments.mpi));
  out.flush();
  if (failed) throw *failed;
}

}  // namespace onefold::cli
