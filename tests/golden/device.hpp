// Golden folds on a device: it must give the hashes of hashes.txt.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "golden/golden.hpp"

namespace onefold::golden {

// Ops that one kernel answers, "sum,mean,max", with or without others of them.
using Request = std::string;

// Answers folds on the device by the first request that it takes, otherwise on the processor.
class OnDevice {
 public:
  std::size_t taken = 0;  // folds that the device answered

  //   requests   contain the op
  //   lacks      says, and forgets, that a device had no kernel for the last fold
  template <class F>
  Answer answer(const Drawn& f, const std::vector<Request>& requests, const F& lacks) {
    Options options = f.options;
    options.device = cuda();
    for (const Request& ops : requests) {
      ErrorCode code{};
      std::string message;
      try {
        const Answers got = f.answers(ops, options);
        ++taken;
        return got[f.op];
      } catch (const Error& e) {
        code = e.code();
        message = e.what();
      }
      if (lacks()) continue;
      // Some op of the request refuses this fold, as it does on the processor.
      ErrorCode expected = ErrorCode::ok;
      try {
        static_cast<void>(f.answers(ops, f.options));
      } catch (const Error& e) {
        expected = e.code();
      }
      EXPECT_EQ(name_of(code), std::string(name_of(expected))) << ops << ": " << message;
    }
    return f.answers(f.op, f.options)[f.op];
  }
};

// Whether `op` is one of "sum,mean,max".
inline bool has(const Request& request, std::string_view op) {
  return ("," + request + ",").find("," + std::string(op) + ",") != std::string::npos;
}

}  // namespace onefold::golden
