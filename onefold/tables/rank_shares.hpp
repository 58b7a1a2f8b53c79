// Divides texts and containers of tables among ranks: each gets about as many bytes as the others.
// A text is cut where a line ends outside of quotes, a container between its groups of rows, which
// count as equally long; files of other kinds are not cut. All of these functions are collective.
//
//   order  the rows of rank r stand before those of rank r + 1
#pragma once

#include <optional>
#include <vector>

#include "onefold/engine/request/peers.hpp"
#include "onefold/io/line_scan.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// A file to be divided.
struct WholeFile {
  const File* file = nullptr;
  std::optional<QuoteRule> rule = {};  // how its lines end; nothing: it is no text that can be cut
  Size lines = 0;                      // line ends before rule->text
  Size groups = 0;                     // number of a container's groups of rows; 0: it is not cut
};
// A table, or if there is none a text of numbers.
WholeFile whole_file(const File& file, const Table* table);

// What a rank reads of a file.
struct RankFile {
  std::size_t file = 0;              // the file's number in the list
  std::optional<TextRange> range{};  // nothing: all of the file; for a container: numbers of groups
};
//   throws  bad_state: the ranks see files of other sizes
std::vector<RankFile> share_files(Peers& peers, const std::vector<WholeFile>& files, int threads);

// Returns the tables, or the rows of tables, that this rank folds: all, if there are no other
// ranks.
std::vector<TablePart> share_tables(Peers* peers, const std::vector<TablePart>& tables,
                                    int threads);
// Returns the table with only some of its rows.
TablePart rows_of(const TablePart& part, const TextRange& range);

}  // namespace onefold::io
