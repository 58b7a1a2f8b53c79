#include "lab/example.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lab/simulate.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr Size blocks_where_open = 8;  // used if the rung does not fix the number of blocks

Rung rung_of(const Json& facts) {
  Rung r;
  r.flow = facts.at("flow").get<Flow>();
  r.grid = facts.at("grid").get<Grid>();
  r.a_thread = facts.at("a_thread").get<unsigned>();
  r.in_place = facts.at("in_place").get<bool>();
  r.exact = facts.at("exact").get<bool>();
  r.fixed_block = facts.at("fixed_block").get<unsigned>();
  r.shared_a_thread = facts.at("shared_a_thread").get<unsigned>();
  return r;
}

std::string filled(std::string text, const WrittenOptions& values) {
  for (const auto& [name, value] : values) {
    for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += value.size()) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

}  // namespace

WrittenOptions rung_options(const Plan& p) {
  const auto some = [](Size n) { return std::max<Size>(n, 1); };
  const Size n = p.steps.empty() ? 0 : p.steps[0].n;
  WrittenOptions o{{"args", fmt::format("input:i32[{}]=rand, first:i32[{}]{}, second:i32[{}], "
                                        "ticket:u32[{}]=0",
                                        some(n), some(p.first_size), p.first_zeroed ? "=0" : "",
                                        some(p.second_size), p.ticket_size)}};
  std::string& launches = o["launch"];
  for (const Step& step : p.steps) {
    if (step.cooperative) o["cooperative"] = "";
    launches +=
        fmt::format("{}rung<<<{}, {}, {}>>>({}, {}, {}, {}, ticket)", launches.empty() ? "" : "; ",
                    step.grid, p.block, p.shared_elements * 4, rung_buffers[int(step.x)],
                    rung_buffers[int(step.y)], step.n, step.step);
  }
  return o;
}

std::string launch_facts(const Rung& r) {
  return Json{{"flow", r.flow},
              {"grid", r.grid},
              {"a_thread", r.a_thread},
              {"in_place", r.in_place},
              {"exact", r.exact},
              {"fixed_block", r.fixed_block},
              {"shared_a_thread", r.shared_a_thread}}
      .dump();
}
std::string launch_facts(const WrittenOptions& options, unsigned a_thread) {
  return Json{{"options", options}, {"a_thread", a_thread}}.dump();
}

WrittenOptions example_options(const std::string& facts, Size n, unsigned block) {
  const Json j = Json::parse(facts);
  if (j.contains("flow")) {
    const Plan p = plan(rung_of(j), n, block, blocks_where_open);
    if (!p.steps.empty()) {
      WrittenOptions o = rung_options(p);
      const auto x = elements(n, 1);
      const char* answer = rung_buffers[static_cast<int>(p.answer)];
      o["expect"] =
          (p.answers == 1 ? fmt::format("{}[0]", answer) : fmt::format("sum({})", answer)) +
          fmt::format("=={}", std::accumulate(x.begin(), x.end(), int64_t{0}));
      return o;
    }
    throw Error(
        ErrorCode::bad_option,
        fmt::format("lab: n = {} is too small for blocks of {} threads: no block would be launched",
                    n, block));
  }
  const Size a_block = Size{block} * j.at("a_thread").get<unsigned>();
  const Size blocks = std::max<Size>((n + a_block - 1) / a_block, 1);
  WrittenOptions o = j.at("options").get<WrittenOptions>();
  for (auto& [name, text] : o) {
    text = filled(text, {{"{n}", std::to_string(n)},
                         {"{block}", std::to_string(block)},
                         {"{blocks}", std::to_string(blocks)},
                         {"{threads}", std::to_string(blocks * block)}});
  }
  return o;
}

}  // namespace onefold::lab
