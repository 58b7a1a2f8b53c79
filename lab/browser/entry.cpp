// The functions that the page calls to run the lab on PTX; an answer is valid until the next call.
#include <emscripten.h>

#include "lab/live_calls.hpp"

using namespace onefold::lab;

namespace {

template <class F>
const char* kept(F f) {
  static std::string answer;
  answer = live_answer(f);
  return answer.c_str();
}

}  // namespace

extern "C" {

// The report, as `onefold lab run --json` prints it.
EMSCRIPTEN_KEEPALIVE const char* onefold_lab_run(const char* request) {
  return kept([&] { return to_json(run_kernel(live_request(request))); });
}

EMSCRIPTEN_KEEPALIVE const char* onefold_lab_launches(const char* facts, unsigned n,
                                                      unsigned block) {
  return kept([&] { return live_launches(facts, n, block); });
}

EMSCRIPTEN_KEEPALIVE const char* onefold_lab_page(const char* request) {
  return kept([&] { return live_film(live_request(request)); });
}

EMSCRIPTEN_KEEPALIVE const char* onefold_lab_puzzle(const char* name, const char* text,
                                                    unsigned seed) {
  return kept([&] { return live_puzzle(name, ".ptx", text, seed); });
}

}  // extern "C"
