// MPI merges rows of words: those of slices, or of states of one kind that are merged many times.
#pragma once

#include "onefold/mpi.hpp"

#define ONEFOLD_MPI(call, ...) ::onefold::mpi::detail::check(call(__VA_ARGS__), #call)

namespace onefold::mpi::detail {

// How MPI merges rows of words: by MPI_SUM if all words are added, otherwise by our operator. The
// operator finds the message by an attribute of the MPI type of a row.
//   M  Message, StatesMessage
template <class M>
class RowOperator {
 public:
  explicit RowOperator(const M& message) : each_(static_cast<int>(message.words_each())) {
    if (message.adds()) return;
    unit_ = 1;
    ONEFOLD_MPI(MPI_Type_contiguous, each_, MPI_INT64_T, &type_);
    ONEFOLD_MPI(MPI_Type_commit, &type_);
    ONEFOLD_MPI(MPI_Type_set_attr, type_, key(), const_cast<M*>(&message));
    ONEFOLD_MPI(MPI_Op_create, merge, 1, &op_);
  }
  ~RowOperator() {
    if (unit_ != 1) return;
    if (op_ != MPI_SUM) MPI_Op_free(&op_);
    if (type_ != MPI_INT64_T) MPI_Type_free(&type_);
  }
  RowOperator(const RowOperator&) = delete;
  RowOperator& operator=(const RowOperator&) = delete;

  // Reduces in place, in pieces, since an MPI count is at most 2^31 - 1.
  void allreduce(std::span<int64_t> rows, MPI_Comm comm) const {
    const auto each = static_cast<std::size_t>(each_), most = (std::size_t{1} << 30) / each;
    for (std::size_t at = 0; at < rows.size(); at += most * each) {
      const std::size_t n = std::min(most, (rows.size() - at) / each);
      ONEFOLD_MPI(MPI_Allreduce, MPI_IN_PLACE, rows.data() + at, counts(n), type_, op_, comm);
    }
  }
  //   begin  the first slice of each rank's block, then the number of slices
  void reduce_scatter(std::span<const int64_t> rows, std::span<int64_t> block,
                      const std::vector<Size>& begin, std::vector<int>& room, MPI_Comm comm) const {
    for (std::size_t r = 0; r < room.size(); ++r) room[r] = counts(begin[r + 1] - begin[r]);
    ONEFOLD_MPI(MPI_Reduce_scatter, rows.data(), block.data(), room.data(), type_, op_, comm);
  }

 private:
  int counts(std::size_t rows) const { return static_cast<int>(rows) * (unit_ == 1 ? 1 : each_); }
  static int key() {
    static const int made = [] {
      int k = 0;
      ONEFOLD_MPI(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &k,
                  nullptr);
      return k;
    }();
    return made;
  }
  static void merge(void* from, void* into, int* n, MPI_Datatype* type) {
    const M* message = nullptr;
    int found = 0;
    MPI_Type_get_attr(*type, key(), &message, &found);
    message->merge(static_cast<int64_t*>(into), static_cast<const int64_t*>(from),
                   static_cast<Size>(*n));
  }

  int each_, unit_ = 0;
  MPI_Datatype type_ = MPI_INT64_T;
  MPI_Op op_ = MPI_SUM;
};

}  // namespace onefold::mpi::detail

#undef ONEFOLD_MPI
