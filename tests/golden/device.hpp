// Golden folds on a device, which must give the hashes of hashes.txt.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "golden/golden.hpp"

namespace onefold::golden {

// Several ops that one kernel can answer, such as "sum,mean,max".
using Request = std::string;

// Answers a fold on the device, by the first request that it accepts; otherwise on the processor.
class OnDevice {
 public:
  std::size_t taken = 0;  // number of folds that the device answered

  //   requests   all contain the op
  //   lacks      returns, and resets, whether the device had no kernel for the last fold
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
      // Some op of the request refuses this fold on the processor; so does the device.
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

// Returns whether `op` is in a request such as "sum,mean,max".
inline bool has(const Request& request, std::string_view op) {
  return ("," + request + ",").find("," + std::string(op) + ",") != std::string::npos;
}

}  // namespace onefold::golden
