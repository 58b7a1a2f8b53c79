#include "lab/live_calls.hpp"

#include <nlohmann/json.hpp>

#include "lab/example.hpp"
#include "lab/kernel_page.hpp"
#include "lab/page/page.hpp"
#include "lab/puzzle.hpp"
#include "lab/report_text.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

using Json = nlohmann::ordered_json;

std::string live_answer(const std::function<std::string()>& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return text_of(Json{{"error", e.what()}}, -1);
  }
}

KernelOptions live_request(const std::string& request) {
  const Json j = Json::parse(request);
  KernelOptions o = kernel_options(j.at("file"), j.at("options").get<WrittenOptions>());
  o.text = j.at("text").get<std::string>();
  if (j.contains("sources")) o.sources = j["sources"].get<WrittenOptions>();
  return o;
}

std::string live_film(KernelOptions o) {
  o.film = true;
  const KernelResult r = run_kernel(o);
  return page_html(kernel_page_data(r, *r.film));
}

std::string live_launches(const std::string& facts, Size n, unsigned block) {
  return Json(example_options(facts, n, block)).dump();
}

std::string live_puzzle(const std::string& name, const std::string& ending, const std::string& text,
                        unsigned seed) {
  const Puzzle& p = find_puzzle(name);
  return to_json(p, check_puzzle(p, name + ending, seed, text));
}

}  // namespace onefold::lab
