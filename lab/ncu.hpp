// Runs a program under ncu (NVIDIA Nsight Compute) and reads the figures of its kernels.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::lab {

// The figures of one launch, by ncu's names; those that ncu could not read are missing.
using Figures = std::map<std::string, double, std::less<>>;

// Reads the output of `ncu --csv --page raw`, one launch a row. Throws std::runtime_error with
// ncu's message if there is no table.
std::vector<Figures> read_ncu(std::string_view text);

// Returns ncu's path, from $PATH or the toolkit's folder; empty: there is none.
std::string find_ncu();

// Returns the figures of each launch of the kernel `kernel`, in order. ncu leaves the clocks alone.
// Throws std::runtime_error: ncu's message, or that there is no ncu.
std::vector<Figures> run_ncu(const std::string& ncu, const std::string& kernel,
                             std::span<const std::string> metrics,
                             std::span<const std::string> command);

}  // namespace onefold::lab
