#include "jit/mpi.hpp"

#include <cstdlib>

#include "jit/loaded.hpp"

namespace onefold::jit {

MpiWorld::MpiWorld() {
  const char* const named = std::getenv("ONEFOLD_MPI_PLUGIN");
  const std::string path = named != nullptr ? named : folder_of_this_code() + "/onefold_mpi.so";
  const Loaded loaded = load({&path, 1});
  if (!loaded) {
    why_ = "onefold_mpi.so cannot be loaded (" + loaded.why +
           "); it is built where CMake finds MPI (apt install libopenmpi-dev), or named by "
           "$ONEFOLD_MPI_PLUGIN";
    return;
  }
  const auto begin = reinterpret_cast<int (*)(int*, int*)>(loaded.find("onefold_mpi_begin"));
  gather_ = reinterpret_cast<decltype(gather_)>(loaded.find("onefold_mpi_gather"));
  end_ = reinterpret_cast<decltype(end_)>(loaded.find("onefold_mpi_end"));
  if (begin == nullptr || gather_ == nullptr || end_ == nullptr) {
    why_ = path + " lacks functions of this version of onefold";
    end_ = nullptr;
  } else if (begin(&rank_, &ranks_) != 0) {
    why_ = "MPI does not begin; start the program by mpirun";
    end_ = nullptr;
  }
}

MpiWorld::~MpiWorld() {
  if (end_ != nullptr) end_();
}

std::vector<uint64_t> MpiWorld::gather(const std::vector<uint64_t>& mine) const {
  std::vector<uint64_t> all(mine.size() * ranks());
  if (gather_(mine.data(), mine.size(), all.data()) != 0) all.clear();
  return all;
}

}  // namespace onefold::jit
