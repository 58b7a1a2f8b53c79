// Runs a program under ncu (NVIDIA Nsight Compute) and reads the figures of its kernels.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::lab {

// Of one launch, by ncu's name of the metric; those that ncu could not read are absent.
using Figures = std::map<std::string, double, std::less<>>;

// Reads what `ncu --csv --page raw` prints, a launch a row. Throws std::runtime_error with ncu's
// own words if there is no table.
std::vector<Figures> read_ncu(std::string_view text);

// The program in $PATH or in the toolkit's folder; empty: there is none.
std::string find_ncu();

// The figures of each launch of a kernel called `kernel`, in order. Clocks are left as they are.
// Throws std::runtime_error: ncu's own words, or that there is no ncu.
std::vector<Figures> run_ncu(const std::string& ncu, const std::string& kernel,
                             std::span<const std::string> metrics,
                             std::span<const std::string> command);

}  // namespace onefold::lab
