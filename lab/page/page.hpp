// The page of `lab reduce`: one file that shows a run, needs no network and works without a server.
#pragma once

#include <string>
#include <string_view>

#include "lab/experiment/reduce.hpp"

namespace onefold::lab {

// Returns all that the page shows, as JSON: facts, texts, counters and recordings of the rungs.
//   results  the JSON of an earlier `lab reduce` on a GPU, whose times are shown; empty: those in
//            the program. A run on a GPU shows its own times
//   throws   bad_option if `results` is not such a JSON
std::string page_data(const ReduceResult& run, const std::string& results);

// Throws bad_option as page_data does.
void check_results(const std::string& results);

// Returns the page that shows `data`; equal data give equal bytes.
std::string page_html(const std::string& data);

// Returns the same as a Markdown document, without the parts that move.
//   throws   bad_option if `data` has no times
std::string page_document(const std::string& data);

// Returns a file of lab/page/, which is compiled into the program.
std::string_view page_part(std::string_view name);

// Replaces `mark` by `text`.
void fill(std::string& page, std::string_view mark, std::string_view text);

}  // namespace onefold::lab
