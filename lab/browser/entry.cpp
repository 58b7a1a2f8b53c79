// The functions that the page calls to run the lab on PTX. Each returns JSON or HTML, which is
// valid until the next call; {"error": "..."} has the message that `onefold` would print.
#include <emscripten.h>

#include <nlohmann/json.hpp>

#include "lab/example.hpp"
#include "lab/kernel_page.hpp"
#include "lab/kernel_run.hpp"
#include "lab/page/page.hpp"
#include "lab/puzzle.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

template <class F>
const char* told(F f) {
  static std::string answer;
  try {
    answer = f();
  } catch (const std::exception& e) {
    answer = Json{{"error", e.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return answer.c_str();
}

// `request`: {"file": "sum.ptx", "text": "...", "options": {"launch": "sum<<<1, 32>>>()", ...},
// "sources": texts of the files that the PTX names}; the options are those of `onefold lab run`.
KernelOptions options_of(const char* request) {
  const Json j = Json::parse(request);
  KernelOptions o = kernel_options(j.at("file"), j.at("options").get<WrittenOptions>());
  o.text = j.at("text").get<std::string>();
  if (j.contains("sources")) o.sources = j["sources"].get<WrittenOptions>();
  return o;
}

}  // namespace
}  // namespace onefold::lab

using namespace onefold::lab;

extern "C" {

// The report, as `onefold lab run --json` prints it.
EMSCRIPTEN_KEEPALIVE const char* onefold_lab_run(const char* request) {
  return told([&] { return to_json(run_kernel(options_of(request))); });
}

// The options of a kernel of the page over n elements, as JSON.
EMSCRIPTEN_KEEPALIVE const char* onefold_lab_launches(const char* facts, unsigned n,
                                                      unsigned block) {
  return told([&] { return Json(example_options(facts, n, block)).dump(); });
}

// The page of `onefold lab run --page`: the run step by step.
EMSCRIPTEN_KEEPALIVE const char* onefold_lab_page(const char* request) {
  return told([&] {
    KernelOptions o = options_of(request);
    o.film = true;
    const KernelResult r = run_kernel(o);
    return page_html(kernel_page_data(r, *r.film));
  });
}

// The output of `onefold lab puzzle NAME --check FILE --json`.
EMSCRIPTEN_KEEPALIVE const char* onefold_lab_puzzle(const char* name, const char* text,
                                                    unsigned seed) {
  return told([&] {
    const Puzzle& p = find_puzzle(name);
    return to_json(p, check_puzzle(p, std::string(name) + ".ptx", seed, text));
  });
}

}  // extern "C"
