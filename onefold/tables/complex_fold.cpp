#include "onefold/tables/complex_fold.hpp"

#include <algorithm>
#include <iterator>

#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/tables/nowhere.hpp"

namespace onefold::io {
namespace {

enum class View { parts, squares, spread, numbers };

struct ComplexOp {
  std::string_view op, as;  // the op that was asked for, and the one of the view
  View view;
};
constexpr ComplexOp complex_ops[] = {
    {"sum", "sum", View::parts},        {"mean", "mean", View::parts},
    {"norm2", "norm2", View::squares},  {"sumsq", "sumsq", View::squares},
    {"var", "total_var", View::spread}, {"std", "total_std", View::spread},
    {"count", "count", View::numbers}};

const char* why_not(std::string_view op) {
  if (op == "norm1") return "it sums square roots, which no state of fixed size can do exactly";
  if (op == "norminf") return "it compares the values |z|, which are rounded square roots";
  if (op == "rms") return "it is not implemented; divide norm2 by the square root of count";
  for (const std::string_view other : {"min", "max", "argmin", "argmax", "ptp"}) {
    if (op == other) return "complex numbers have no order, so none is the smallest or largest";
  }
  return "only sum, mean, var, std, norm2, sumsq and count are available here; in Python "
         "onefold.fold(ops, FILE) also has dot, average, any, all and count_nonzero";
}

const ComplexOp& find_op(const File& file, std::string_view op) {
  const auto* const found =
      std::ranges::find_if(complex_ops, [&](const ComplexOp& c) { return c.op == op; });
  if (found != std::end(complex_ops)) return *found;
  file.fail(ErrorCode::unsupported,
            std::string(op) + " of complex numbers is not supported: " + why_not(op));
}

// The shape of all files together, without the axis of the parts.
Dims shape_of(const OpenFiles& files) { return without_parts(array_of(files.x).shape); }

void check_complex(const OpenFiles& r, const Query& query, const InputOptions& input) {
  const File& file = *r.x[0].file;
  const Options& o = query.options;
  const bool narrow = o.result && *o.result != DType::f32 && *o.result != DType::f64;
  const auto refuse = [&](const std::string& what, const char* instead) {
    file.fail(ErrorCode::unsupported, "its elements are complex numbers, and " + what +
                                          " is not supported for them; " + instead);
  };
  if (input.peers != nullptr) refuse("--mpi", "leave it out");
  if (o.initial) refuse("--initial", "leave it out");
  if (narrow) refuse("a --result other than f32 and f64", "leave it out");
  if (o.nan != NanPolicy::propagate) {
    refuse("--nan omit or raise",
           "leave it out; in Python onefold.fold(ops, FILE, nan=...) supports it");
  }
  folded_axes(o.axes, shape_of(r).rank(), "its shape", query.names());
  if (o.where) mask_strides(ArrayRef(nowhere, DType::f64, shape_of(r)), *o.where, query.names());
}

// The options for a view: axes are counted without that of the parts.
Options options_of(View view, const OpenFiles& r, const Query& query) {
  Options o = query.options;
  if (view == View::spread || view == View::numbers) return o;
  const int rank = shape_of(r).rank();
  std::vector<int64_t> axes;
  const std::vector<bool> folded = folded_axes(o.axes, rank, "its shape", query.names());
  for (int d = 0; d < rank; ++d) {
    if (folded[static_cast<std::size_t>(d)]) axes.push_back(d);
  }
  if (view == View::squares) axes.push_back(rank);
  o.axes = Axes(std::span<const int64_t>(axes));
  if (o.where) {
    o.where->array.shape.push_back(1);
    o.where->array.strides.push_back(0);
  }
  return o;
}

OpenFiles opened_again(View view, const std::vector<std::string>& files, InputOptions input) {
  const auto open = [&](Planes planes) {
    input.planes = planes;
    return open_files(Query("count"), files, input);
  };
  if (view != View::spread) return open(view == View::numbers ? Planes::real : Planes::both);
  OpenFiles r = open(Planes::real);
  r.y = open(Planes::imaginary).x;
  return r;
}

// Takes an answer of a view: names it by its op, and drops the axis of the parts if it is folded.
void take_answer(const ComplexOp& as, bool keepdims, Answer& answer) {
  answer.op = as.op;
  if (as.view == View::squares && keepdims) {
    answer.shape = without_parts(answer.shape);
  }
}

}  // namespace

bool have_complex(const OpenFiles& files) {
  const auto is = [](const OpenFile& f) { return f.array->is_complex(); };
  return std::ranges::any_of(files.x, is) || std::ranges::any_of(files.y, is);
}

Answers fold_complex(const Query& query, OpenFiles opened, const std::vector<std::string>& files,
                     const InputOptions& input, const FoldOpened& fold, Notes* notes) {
  const File& file = *opened.x[0].file;
  std::vector<const ComplexOp*> ops;
  for (const OpRow* op : query.ops) ops.push_back(&find_op(file, op->name));
  check_complex(opened, query, input);
  const bool seekable =
      std::ranges::all_of(opened.x, [](const OpenFile& f) { return f.file->seekable(); });
  std::vector<View> views;
  for (const ComplexOp* op : ops) {
    if (std::ranges::find(views, op->view) == views.end()) views.push_back(op->view);
  }
  const auto is_first = [](View v) { return v == View::parts || v == View::squares; };
  if (!seekable && (views.size() > 1 || !is_first(views[0]))) {
    file.fail(ErrorCode::needs_seek,
              query.names() +
                  ": this op reads complex numbers several times, but a stream can be read only "
                  "once; use a file, or only sum and mean");
  }
  Answers all;
  all.list.resize(ops.size());
  for (const View view : views) {
    std::string names;
    for (const ComplexOp* op : ops) {
      if (op->view == view) names += (names.empty() ? "" : ",") + std::string(op->as);
    }
    const Query own(names, options_of(view, opened, query));
    OpenFiles some = !seekable ? std::move(opened) : opened_again(view, files, input);
    Answers answers = fold(std::move(some), own);
    for (std::size_t k = 0, next = 0; k < ops.size(); ++k) {
      if (ops[k]->view != view) continue;
      all.list[k] = std::move(answers.list[next++]);
      take_answer(*ops[k], query.options.keepdims, all.list[k]);
    }
  }
  if (notes != nullptr) {
    notes->in_parts.clear();
    for (const ComplexOp* op : ops) notes->in_parts.push_back(op->view == View::parts);
  }
  return all;
}

}  // namespace onefold::io
