#include <fmt/format.h>

#include "cli/alias.hpp"
#include "cli/groups.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "onefold/cpu/family/panels.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/group_fold.hpp"
#include "onefold/tables/plan_beside.hpp"

namespace onefold::cli {
namespace {

using cpu_backend::Feed;

const char* reason(Family family) {
  switch (family) {
    case Family::whole:
      return "one answer, from elements that are contiguous in memory";
    case Family::rows:
      return "each answer is computed from elements that are contiguous in memory";
    case Family::columns:
      return "neighbouring elements belong to different answers";
    case Family::middle:
      return "neighbouring elements belong to different answers, in a pattern that repeats";
    case Family::general:
      return "the elements of an answer are apart in memory, so they are first packed into tiles";
  }
  return "";
}

const char* tier(const io::FilePlan& file) {
  if (file.plan.device.type == Device::Type::cuda) {
    // Files are copied to the device in pieces, whose states are merged. Only arrays in device
    // memory are folded by totals.
    return "exact words: an exact state for each answer, accumulated on the device and rounded on "
           "the host";
  }
  return file.grouped && cpu_backend::takes_panels(file.plan)
             ? "certificate: a few f64 totals for each answer; an exact state only if they do not "
               "decide how the answer is rounded"
             : "exact words: an exact state for each answer";
}

std::string number_list(const Dims& dims) {
  std::string text;
  for (const int64_t d : dims) text += (text.empty() ? "" : ", ") + std::to_string(d);
  return "[" + text + "]";
}

std::string join(std::span<const std::string> list) {
  std::string text;
  for (const std::string& s : list) text += (text.empty() ? "" : ", ") + s;
  return text;
}

Fact fact(const char* name, std::string text) { return {name, std::move(text), {}}; }
Fact list_fact(const char* name, std::span<const std::string> list) {
  return {name, join(list), quote_list(list)};
}
Fact shape_fact(const char* name, const Dims& dims) {
  return {name, to_string(dims), number_list(dims)};
}
Fact count_fact(const char* name, Size n, const std::string& text) {
  return {name, text, std::to_string(n)};
}

//   by_lift  some accumulators have no fast loop, so their `lift` adds element by element
std::vector<Fact> facts_of_processor(const Plan& plan, bool by_lift) {
  const cpu_backend::Target target = cpu_backend::find_target(plan.target);
  std::vector<std::string> feeds;
  for (const Feed* feed : cpu_backend::choose_feeds(target, plan.dtype, plan.needs.basic())) {
    if (!by_lift) feeds.emplace_back(feed->name);
  }
  if (by_lift) feeds.emplace_back("each element is added to the state of its group");
  if (!plan.needs.of_pairs().empty())
    feeds.emplace_back("the loops of one array, applied to pairs");
  const int threads = plan.threads > 0 ? plan.threads : default_threads();
  return {list_fact("feeds", feeds),
          fact("target", std::string(name_of(target)) +
                             (plan.target.empty() ? ": the best that this processor can run"
                                                  : ": requested")),
          count_fact("threads", static_cast<Size>(threads), std::to_string(threads)),
          fact("backend", "cpu: no device was requested")};
}

std::vector<Fact> facts_of_device(int index) {
  return {fact("backend", "cuda:" + std::to_string(index) +
                              ": requested; the data are copied in pieces and reduced in one pass "
                              "by kernels that are compiled on first use")};
}

std::string names(const char* what, std::span<const std::string> list) {
  return std::string(what) + (list.size() == 1 ? " " : "s ") + join(list);
}

// Adds the files of weights, offsets and keys.
void add_beside(const io::FilePlan& file, std::vector<Fact>& facts) {
  if (!file.weights.empty()) {
    facts.push_back(fact(
        "weights",
        file.weights +
            ": read as a second array; average sums the weights and the products in one pass"));
  }
  if (!file.fweights.empty()) {
    facts.push_back(
        fact("fweights", file.fweights +
                             ": used one bit at a time, from the highest: the states are doubled, "
                             "then the elements whose weight has this bit are added"));
  }
  if (file.segments) {
    const Size n = *file.segments;
    const double mean = n == 0 ? 0 : static_cast<double>(file.shape[0]) / static_cast<double>(n);
    const bool runs = file.shape.rank() == 1 && !file.plan.where.selects();
    facts.push_back(
        {"segments",
         fmt::format(
             "{} of the first axis, {:.6g} elements each if they cover it: {}", n, mean,
             runs ? "segments of one length are folded together as rows, long ones by all threads"
                  : "each is folded separately"),
         fmt::format("{{\"count\": {}, \"mean_length\": {:.6g}}}", n, mean)});
  }
  if (!file.by.empty()) {
    facts.push_back({"groups",
                     "one for each key of " + join(file.by) + ", of " +
                         names("column", file.columns) +
                         "; the number of groups is known when all keys have been read",
                     quote_list(file.by)});
    facts.push_back(list_fact("columns", file.columns));
  }
}

// Adds the loop nest, if the shape is known.
void add_nest(const io::FilePlan& file, std::vector<Fact>& facts) {
  const Plan& plan = file.plan;
  facts.push_back(shape_fact("shape", file.shape));
  if (!file.by.empty()) return;
  if (file.segments) {
    Dims shape(static_cast<int64_t>(*file.segments));
    for (const int64_t extent : plan.output) shape.push_back(extent);
    facts.push_back(shape_fact("answer_shape", shape));
    const Size answers = *file.segments * plan.answers;
    return facts.push_back(count_fact("answers", answers, std::to_string(answers)));
  }
  facts.push_back(shape_fact("answer_shape", plan.output));
  facts.push_back(count_fact("answers", plan.answers, std::to_string(plan.answers)));
  facts.push_back(
      count_fact("elements", plan.elements, std::to_string(plan.elements) + " in each answer"));
  const Family family = family_of(plan.nest);
  facts.push_back(fact("family", std::string(name_of(family)) + ": " + reason(family)));
  facts.push_back(fact("tier", tier(file)));
  std::vector<std::string> axes;
  for (const Axis& a : plan.nest.axes) axes.push_back(text_of(a, plan.inputs));
  facts.push_back(list_fact("nest", axes));
}

std::vector<Fact> facts_of(const io::FilePlan& file) {
  const Plan& plan = file.plan;
  std::vector<std::string> ops, types, gathers;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    ops.emplace_back(plan.ops[k]->name);
    types.push_back(ops.back() + " " + name_of(plan.results[k]));
  }
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.needs.has(static_cast<Accumulator>(a))) {
      gathers.emplace_back(name_of(static_cast<Accumulator>(a)));
    }
  }
  const Size state_bytes = static_cast<Size>(plan.layout.words) * sizeof(int64_t);
  const auto bytes = [](Size n) { return bytes_text(static_cast<double>(n)); };

  std::vector<Fact> facts{list_fact("ops", ops), list_fact("files", file.files),
                          fact("format", file.format), fact("dtype", name_of(file.dtype))};
  if (plan.needs.has(Accumulator::decimal)) {
    facts.push_back(fact("numbers",
                         "decimals: sum and mean use the exact decimal, other ops the nearest f64; "
                         "with --dtype f64, all ops use the nearest f64"));
  }
  if (file.shape_known) {
    add_nest(file, facts);
  } else {
    facts.push_back({"shape", "known when the input has been read", "null"});
  }
  add_beside(file, facts);
  if (plan.where.selects()) {
    facts.push_back(
        fact("where",
             plan.where.by == Selector::By::bits
                 ? "bits"
                 : "bytes of bools: selected elements are read in place, or packed into tiles"));
  }
  std::vector<Fact> rest = {
      list_fact("answer_types", types),
      count_fact("bytes", file.bytes,
                 file.bytes == 0 && !file.shape_known ? "known when the input has been read"
                                                      : bytes(file.bytes)),
      file.fweights.empty() ? count_fact("passes", 1, "1: each byte is read once")
                            : Fact{"passes", "one pass for each bit of the largest weight", "null"},
      fact("access", file.access + ", " + bytes(file.window_bytes) + " at a time"),
      list_fact("gathers", gathers)};
  if (file.by.empty()) {
    rest.push_back(count_fact(
        "strips", file.strips,
        file.strips == 1 ? "1: the states of all answers fit in memory"
                         : std::to_string(file.strips) +
                               " strips of columns, because the states of all answers would take " +
                               bytes(state_bytes * plan.answers)));
    rest.push_back(count_fact("state_bytes", state_bytes, bytes(state_bytes) + " for each answer"));
  }
  facts.insert(facts.end(), rest.begin(), rest.end());
  const std::vector<Fact> backend = plan.device.type == Device::Type::cuda
                                        ? facts_of_device(plan.device.index)
                                        : facts_of_processor(plan, !file.by.empty());
  facts.insert(facts.end(), backend.begin(), backend.end());
  return facts;
}

void run_explain(Arguments& arguments) {
  if (arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "explain needs an op: onefold explain sum FILE");
  }
  std::string ops = own_names(arguments.words[0]);
  if (ops == "describe") {
    if (arguments.fold.result) {
      throw Error(ErrorCode::bad_option, "--result does not apply to describe");
    }
    ops = describe_ops();
    arguments.fold.wide = true;
  }
  const std::vector<std::string> files = input_files(arguments, 1);
  const Query query(ops, arguments.fold);
  const io::FilePlan plan = name_describe([&] { return io::plan_asked(query, files, arguments); });
  Writer out;
  print_facts(out, facts_of(plan), style_of_stdout(arguments.json));
  out.flush();
}

constexpr const Option* explain_options[] = {
    &option::axis,     &option::keepdims,    &option::nan,         &option::ddof,
    &option::where,    &option::initial,     &option::empty_nan,   &option::weights,
    &option::fweights, &option::offsets,     &option::by,          &option::correction,
    &option::result,   &option::dtype,       &option::shape,       &option::offset,
    &option::format,   &option::header,      &option::columns,     &option::delimiter,
    &option::missing,  &option::bad_lines,   &option::decimal,     &option::thousands,
    &option::numbers,  &option::non_numbers, &option::date_format, &option::skip,
    &option::comment,  &option::units,       &option::unite,       &option::memory,
    &option::json,     &option::threads,     &option::device,      &option::target,
    &option::help,     &option::version};

}  // namespace

const Verb explain_verb{.name = "explain",
                        .usage = "explain OP FILE...",
                        .idea = "Print how something would be computed, without computing it.",
                        .options = explain_options,
                        .examples =
                            "onefold explain sum data.npy\n"
                            "onefold explain mean,var --axis 0 data.npy\n"
                            "onefold explain mean --by city weather.csv\n"
                            "onefold explain describe --json data.npy",
                        .run = run_explain};

}  // namespace onefold::cli
