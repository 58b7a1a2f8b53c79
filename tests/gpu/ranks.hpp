// One rank of a communicator, real or simulated.
#pragma once

#include <cmath>
#include <string>

#include "gpu/device.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

// The answer or the error of one rank.
struct Got {
  std::vector<std::byte> data;
  std::vector<Status> status;
  std::string error;
  ErrorCode code = ErrorCode::ok;
  friend bool operator==(const Got&, const Got&) = default;
};
template <class T>
Got fold_rank(void* comm, int device, const char* op, const std::vector<T>& part, Dims shape,
              Options options, DType result, Dims answers) {
  jit::Gpu gpu(device);
  const DeviceBytes x(gpu, std::max<std::size_t>(part.size() * sizeof(T), 1));
  if (!part.empty()) x.write(part);
  const auto n = static_cast<std::size_t>(answers.rank() == 0 ? 1 : answers[0]);
  const DeviceBytes out(gpu, 8 * n), status(gpu, n);
  const Stream stream;
  options.device = cuda(device);
  options.stream = stream.get();
  options.nccl = comm;
  Got got;
  try {
    fold_into(OutputRef(out.data(), result, answers, reinterpret_cast<Status*>(status.data())), op,
              ArrayRef(x.data(), dtype_of<T>, shape), options);
    stream.synchronize();
  } catch (const Error& e) {
    got.error = e.what();
    got.code = e.code();
    return got;
  }
  got.data = out.read<std::byte>(n * bytes_of(result));
  got.status = status.read<Status>(n);
  return got;
}
inline Got expected(const Answer& a) { return {a.data, a.status, ""}; }

inline std::vector<double> wild(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = std::ldexp(static_cast<double>(i * 2654435761u % 1000) - 500,
                      static_cast<int>(i * 7919 % 1900) - 950);
  }
  return x;
}

}  // namespace onefold::test
